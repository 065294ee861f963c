#include "selection/sweep_overview.hpp"

#include <algorithm>

#include "selection/sweep_forecast.hpp"
#include "selection/sweep_plan.hpp"

namespace tutti {

std::vector<std::string> SweepOverview::names_done() const {
  std::vector<std::string> names;
  for (const PartProgress& part : parts)
    if (part.done) names.push_back(part.name);
  return names;
}

SweepOverview overview_of(const TuneRequest& request, const SweepFolder& folder) {
  folder.look_anew();
  SweepOverview overview;
  Forecast forecast;
  std::int64_t left_out = 0;
  for (const Chain& chain : pieces_of(chains_of(request, left_out))) {
    SweepFolder::Found found = folder.look(name_of(chain));
    PartProgress& part = overview.parts.emplace_back();
    part.name = name_of(chain);
    part.places = chain.size();
    part.begun = found.part.has_value();
    part.done = found.part && found.part->done;
    part.damage = found.damage;
    if (!part.done) part.failure = found.failure;
    part.seconds_since_written = found.seconds_since_written;
    if (found.part) part.by = found.part->by;
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const std::size_t item = forecast.add(search_item(chain, i));
      if (!found.part) continue;
      const auto here = std::find_if(found.part->places.begin(), found.part->places.end(),
                                     [&](const PartFile::Place& p) { return p.nodes == chain[i].place.nodes; });
      if (here == found.part->places.end()) continue;
      ++part.places_done;
      overview.seconds_done += here->processor_seconds;
      forecast.done(item, here->processor_seconds);
    }
  }
  overview.part_done = forecast.part_done();
  return overview;
}

}  // namespace tutti
