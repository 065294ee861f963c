#include "selection/layouts.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "selection/export.hpp"
#include "selection/unknown.hpp"

namespace tutti {
namespace {

/// The layouts of one number of ranks at one size.
class SameRanks {
 public:
  struct Layout {
    SearchResult* result;
    std::size_t size;  // by its index in this layout
    LowerBounds* bounds;
    double best_seconds;  // of whoever is the fastest
  };

  SameRanks(Simulations& simulations, const std::vector<Choice>& candidates, const SearchOptions& options,
            const std::vector<Layout>& layouts, const std::vector<bool>& sayable)
      : simulations_(simulations), candidates_(candidates), options_(options), layouts_(layouts), sayable_(sayable) {}

  /// Asks whether the choice is as bad as it may be, and for what may be the best, until nothing can be better.
  void settle() {
    for (;;) {
      std::optional<std::size_t> choice, rival;
      for (std::size_t a = 0; a < candidates_.size(); ++a) {
        if (!runs_everywhere(a)) continue;
        if (!choice || worst(a).upper < worst(*choice).upper) choice = a;
        if (open_in(a) && (!rival || worst(a).lower < worst(*rival).lower)) rival = a;
      }
      if (!rival || worst(*rival).lower * (1 + options_.tolerance) >= worst(*choice).upper) return;
      if (open_in(*choice) && worst(*choice).upper < kUnknown) rival = choice;
      ask(*rival, *open_in(*rival), rival == choice ? kUnknown : worst(*choice).upper);
    }
  }

 private:
  Estimate& known(std::size_t a, const Layout& layout) const { return layout.result->estimates[a][layout.size]; }

  bool runs_everywhere(std::size_t a) const {
    return sayable_[a] && std::all_of(layouts_.begin(), layouts_.end(), [&](const Layout& layout) {
             return known(a, layout).real.algorithm && known(a, layout).seconds.lower != kRefused;
           });
  }

  /// Relative to the best of the layout, where it is worst.
  TimeBounds worst(std::size_t a) const {
    TimeBounds worst{0, 0};
    for (const Layout& layout : layouts_) {
      const TimeBounds& seconds = known(a, layout).seconds;
      worst.lower = std::max(worst.lower, seconds.lower / layout.best_seconds);
      worst.upper = std::max(worst.upper, seconds.upper / layout.best_seconds);
    }
    return worst;
  }

  /// Of the layouts in which its time is open, the one in which it may be worst.
  const Layout* open_in(std::size_t a) const {
    const Layout* open = nullptr;
    const auto at_most = [&](const Layout& layout) { return known(a, layout).seconds.upper / layout.best_seconds; };
    for (const Layout& layout : layouts_)
      if (known(a, layout).seconds.lower < known(a, layout).seconds.upper && !asked_.contains({a, &layout}) &&
          (!open || at_most(layout) > at_most(*open)))
        open = &layout;
    return open;
  }

  /// Of what takes `most` times as long as the best, nothing is wanted but that it does.
  void ask(std::size_t a, const Layout& layout, double most) {
    asked_.insert({a, &layout});
    Cell& cell = layout.result->cells[layout.size];
    const Query query{cell.place, cell.bytes, candidates_[a]};
    TimeBounds& seconds = known(a, layout).seconds;
    const Evaluation evaluation = evaluate(simulations_, options_.engine, query, options_.budget, *layout.bounds,
                                           most * layout.best_seconds, seconds.upper);
    const double taken = evaluation.time.seconds;
    if (evaluation.time.exceeded) {
      seconds.lower = std::max(seconds.lower, taken);
      return;
    }
    seconds = {taken * (1 - evaluation.error), taken * (1 + evaluation.error)};
    const std::string name = candidates_[a].text();
    const bool was_dropped = cell.seconds.erase(name) == 0;
    cell.inferred.erase(name);
    cell.between_seconds.erase(name);
    layout.result->dropped -= was_dropped;
    layout.result->refused += taken == kRefused;
    if (taken == kRefused) return;
    cell.seconds[name] = taken;
    if (evaluation.simulated) return;
    cell.inferred.insert(name);
    cell.between_seconds[name] = {seconds.lower, seconds.upper};
  }

  Simulations& simulations_;
  const std::vector<Choice>& candidates_;
  const SearchOptions& options_;
  const std::vector<Layout>& layouts_;
  const std::vector<bool>& sayable_;
  std::set<std::pair<std::size_t, const Layout*>> asked_;
};

}  // namespace

void settle_layouts(Simulations& simulations, const std::vector<Choice>& candidates, const SearchOptions& options,
                    std::span<SearchResult* const> layouts) {
  std::set<std::int64_t> sizes;
  std::vector<std::unique_ptr<LowerBounds>> bounds;
  for (const SearchResult* result : layouts) {
    const Place& place = result->place;
    bounds.push_back(std::make_unique<LowerBounds>(simulations.machine(place), simulations.mode(),
                                                   simulations.cores(place), place.nodes, place.ppn));
    for (const Cell& cell : result->cells) sizes.insert(cell.bytes);
  }
  for (const std::int64_t bytes : sizes) {
    std::vector<SameRanks::Layout> there;
    for (std::size_t l = 0; l < layouts.size(); ++l) {
      const auto& cells = layouts[l]->cells;
      const auto cell = std::find_if(cells.begin(), cells.end(), [&](const Cell& c) { return c.bytes == bytes; });
      if (cell != cells.end() && best_seconds(*cell) > 0 && best_seconds(*cell) < kUnknown)
        there.push_back(
            {layouts[l], static_cast<std::size_t>(cell - cells.begin()), bounds[l].get(), best_seconds(*cell)});
    }
    if (there.size() < 2) continue;
    std::set<std::pair<std::vector<bool>, std::vector<std::size_t>>> settled;
    for (const Exporter* exporter : exporters()) {
      std::vector<bool> sayable;
      for (const Choice& candidate : candidates) sayable.push_back(exporter->can_say(candidate));
      std::map<SeenLayout, std::vector<std::size_t>> alike;
      for (std::size_t l = 0; l < there.size(); ++l) {
        const Place& place = there[l].result->place;
        alike[seen(exporter->sight(), place.nodes, place.ranks())].push_back(l);
      }
      for (const auto& [layout, members] : alike) {
        if (members.size() < 2 || !settled.insert({sayable, members}).second) continue;
        std::vector<SameRanks::Layout> seen_alike;
        for (const std::size_t l : members) seen_alike.push_back(there[l]);
        SameRanks(simulations, candidates, options, seen_alike, sayable).settle();
      }
    }
  }
}

}  // namespace tutti
