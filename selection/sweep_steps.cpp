#include "selection/sweep_steps.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "selection/baselines.hpp"
#include "selection/confirm.hpp"
#include "selection/layouts.hpp"
#include "selection/sweep_plan.hpp"

namespace tutti {
namespace {

/// Of irregular collectives some libraries' own choices are not known.
bool knows_all(const Baseline& library, const std::vector<Collective>& collectives) {
  return std::all_of(collectives.begin(), collectives.end(),
                     [&](Collective collective) { return library.collectives.contains(collective); });
}

SearchOptions options_of(const TuneRequest& request) {
  SearchOptions options;
  options.engine = request.engine;
  options.exhaustive = request.exhaustive || !request.loads.are_none();
  options.budget = request.budget;
  if (!request.counts.empty()) {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    options.exhaustive = true;
    options.budget = {kAny, kAny, kAny};
  }
  options.price_defaults = !request.baselines.empty();
  for (const std::string& name : options.price_defaults ? request.baselines : baseline_names())
    if (const Baseline& library = find_baseline(name); knows_all(library, request.collectives))
      options.defaults.push_back(&library);
  return options;
}

/// Those of the chain that are searched before. Jobs that find the machine otherwise (Machine::for_job) are none.
OtherNodes other_nodes_of(const Machine& machine, const Chain& chain, std::size_t i) {
  const auto is_larger = [&](std::size_t j) { return machine.is_larger_job(chain[j].place.ranks()); };
  const auto is_alike = [&](std::size_t j) { return is_larger(j) == is_larger(i); };
  const std::vector<std::size_t> order = search_order(chain);
  const auto turn = std::find(order.begin(), order.end(), i);
  OtherNodes others;
  if (!chain[i].place.counts.empty()) return others;  // what is spread over more ranks need not take longer
  for (auto j = order.begin(); j != turn; ++j)
    if (is_alike(*j)) (*j < i ? others.fewer : others.more).push_back(&chain[*j].result);
  others.others_follow = std::any_of(turn + 1, order.end(), is_alike);
  const auto nodes = [](const SearchResult* result) { return result->place.nodes; };
  std::ranges::sort(others.fewer, std::greater(), nodes);
  std::ranges::sort(others.more, std::less(), nodes);
  return others;
}

}  // namespace

SweepSteps::SweepSteps(const TuneRequest& request, TimeStore* store)
    : SweepSteps(request, store, std::make_shared<const SweepCandidates>(candidates_of(request))) {}

SweepSteps::SweepSteps(const TuneRequest& request, TimeStore* store, std::shared_ptr<const SweepCandidates> candidates)
    : request_(request),
      simulations_(*request.machine, request.mode, request.placement, store, request.loads),
      options_(options_of(request)),
      confirming_(request.confirming == request.engine ? "" : request.confirming),
      candidates_(std::move(candidates)) {
  if (request.simulated) simulations_.report_to(request.simulated);
}

void SweepSteps::search(Chain& chain, std::size_t i) {
  Part& part = chain[i];
  part.result = search_place(simulations_, part.place, part.bytes, candidates(part.place.collective), options_,
                             other_nodes_of(*request_.machine, chain, i));
}

void SweepSteps::settle(const std::vector<Part*>& layouts) {
  std::vector<SearchResult*> results;
  results.reserve(layouts.size());
  for (Part* part : layouts) results.push_back(&part->result);
  settle_layouts(simulations_, candidates(layouts[0]->place.collective), options_, results);
}

void SweepSteps::confirm(Part& part) {
  confirm_close(simulations_, confirming_, candidates(part.place.collective), request_.bound, part.result.cells);
}

double SweepSteps::messages_to_confirm(const Part& part) const {
  return tutti::messages_to_confirm(simulations_, candidates(part.place.collective), request_.bound, part.result.cells);
}

void SweepSteps::note_loads(Part& part) {
  if (request_.loads.each.size() < 2) return;  // else it is the time itself
  for (const Choice& choice : candidates(part.place.collective))
    for (Cell& cell : part.result.cells)
      if (const std::string name = choice.text(); cell.seconds.contains(name))
        cell.beside_each_seconds[name] = simulations_.seconds_beside_each(
            cell.confirmed.contains(name) ? confirming_ : options_.engine, {cell.place, cell.bytes, choice});
}

}  // namespace tutti
