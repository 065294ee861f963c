#include "selection/tune.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "base/in_parallel.hpp"
#include "base/sizes.hpp"
#include "selection/defaults.hpp"
#include "selection/sweep_forecast.hpp"
#include "selection/sweep_plan.hpp"
#include "selection/sweep_progress.hpp"
#include "selection/sweep_state.hpp"
#include "selection/sweep_steps.hpp"
#include "selection/undecided.hpp"

namespace tutti {
namespace {

/// The work on some parts, and its number in the forecast.
struct TuningStep {
  std::vector<Part*> parts;
  std::size_t number;
};

/// Does a step. In a sweep that goes on from a state one that simulates nothing tells of no other: most find there
/// what they would simulate.
void do_step(const Simulations& simulations, SweepProgress& progress, std::size_t number,
             const std::function<void()>& work) {
  progress.step(number, [&] {
    const std::size_t before = Simulations::simulated_by_this_thread();
    work();
    return !simulations.goes_on() || Simulations::simulated_by_this_thread() > before;
  });
}

/// What settling and confirming take beside the search, where nothing tells yet. A search takes the longer, the more
/// ranks there are; what is confirmed has few messages, whatever the ranks, so that the ratio falls from so many on.
constexpr double kSettling = 0.05, kConfirming = 0.8, kConfirmingFallsFrom = 24;

double confirming_ratio(const Place& place) {
  const double ranks = std::max(1.0, place.ranks() / kConfirmingFallsFrom);
  return kConfirming / (ranks * ranks);
}

std::vector<TuningStep> confirmations_of(std::vector<Chain>& chains, SweepProgress& progress) {
  std::vector<TuningStep> steps;
  for (Chain& chain : chains)
    for (Part& part : chain)
      steps.push_back({{&part}, progress.expect(step_item("confirm", part, confirming_ratio(part.place)))});
  return steps;
}

/// Once the search is done it is known how much there is to confirm. That with the most first: it tells of the rest.
void put_in_order(std::vector<TuningStep>& confirmations, const SweepSteps& steps, SweepProgress& progress) {
  std::multimap<double, TuningStep, std::greater<>> by_messages;
  for (const TuningStep& step : confirmations) {
    const Part& part = *step.parts[0];
    const double messages = steps.messages_to_confirm(part);
    progress.change(step.number, confirm_item(part, messages));
    by_messages.insert({messages, step});
  }
  confirmations.clear();
  for (const auto& [messages, step] : by_messages) confirmations.push_back(step);
}

/// The layouts of one number of ranks, where there are several, most ranks first.
std::vector<TuningStep> same_ranks(std::vector<Chain>& chains, SweepProgress& progress) {
  std::map<std::pair<int, Collective>, std::vector<Part*>> alike;
  for (Chain& chain : chains)
    for (Part& part : chain) alike[{-part.place.ranks(), part.place.collective}].push_back(&part);
  std::vector<TuningStep> steps;
  for (const auto& [key, parts] : alike)
    if (parts.size() > 1) steps.push_back({parts, progress.expect(step_item("settle", *parts[0], kSettling))});
  return steps;
}

/// The table before anything is simulated.
Table empty_table(const TuneRequest& request) {
  Table table;
  table.machine = request.machine->name;
  table.engine = request.engine;
  if (request.confirming != request.engine) table.confirming = request.confirming;
  table.mode = request.mode.text();
  table.placement = request.placement;
  table.bound = request.bound;
  table.library = request.library;
  if (!request.loads.are_none()) {
    table.loads = request.loads.texts();
    table.robust = request.loads.robust_text();
    table.statistic = request.loads.statistic_text();
  }
  return table;
}

/// Cells without a time are not in the table: it says which.
void leave_out_refused(Table& table) {
  constexpr std::size_t kNamed = 3;
  std::size_t count = 0;
  std::string named;
  for (const Cell& cell : table.cells) {
    if (!cell.seconds.empty() || ++count > kNamed) continue;
    named += (count == 1 ? ": " : ", ") + std::string(name_of(cell.place.collective)) + " " +
             std::to_string(cell.place.nodes) + " x " + std::to_string(cell.place.ppn) + " of " +
             format_size(cell.bytes);
  }
  if (count == 0) return;
  table.notes.push_back(std::to_string(count) + (count == 1 ? " cell is" : " cells are") +
                        " not in this table, as no candidate can run there, or the engine refuses it" + named +
                        (count > kNamed ? " …" : ""));
  std::erase_if(table.cells, [](const Cell& cell) { return cell.seconds.empty(); });
}

}  // namespace

Table tune(const TuneRequest& request) {
  Table table = empty_table(request);
  std::vector<Chain> chains = pieces_of(chains_of(request, table.left_out));
  if (request.wanted) std::erase_if(chains, [&](const Chain& chain) { return !request.wanted(name_of(chain)); });

  std::optional<SweepState> state;
  if (!request.state_directory.empty()) state.emplace(request.state_directory, identity_of(request));
  SweepSteps steps(request, state ? &*state : request.times);
  const Simulations& simulations = steps.simulations();
  if (state && state->damaged() > 0 && request.damaged) request.damaged(state->damaged());

  SweepProgress progress(request.progress);
  std::map<const Part*, std::size_t> searches;
  for (const Chain& chain : chains)
    for (std::size_t i = 0; i < chain.size(); ++i) searches[&chain[i]] = progress.expect(search_item(chain, i));
  const std::vector<TuningStep> settlements = same_ranks(chains, progress);
  std::vector<TuningStep> confirmations;
  if (!steps.confirming().empty()) confirmations = confirmations_of(chains, progress);
  Schedule(chains).run(request.jobs, [&](Chain& chain, std::size_t i) {
    do_step(simulations, progress, searches.at(&chain[i]), [&] { steps.search(chain, i); });
  });
  in_parallel(request.jobs, settlements.size(), [&](std::size_t i, std::size_t) {
    do_step(simulations, progress, settlements[i].number, [&] { steps.settle(settlements[i].parts); });
  });
  const auto each_part = [&](const auto& work) {
    for (Chain& chain : chains)
      for (Part& part : chain) work(part, steps.candidates(part.place.collective));
  };
  const SearchOptions& options = steps.options();
  each_part([&](Part& part, const auto& candidates) { note_undecided(part.result, candidates, options.tolerance); });
  put_in_order(confirmations, steps, progress);
  in_parallel(request.jobs, confirmations.size(), [&](std::size_t i, std::size_t) {
    do_step(simulations, progress, confirmations[i].number, [&] { steps.confirm(*confirmations[i].parts[0]); });
  });
  each_part([&](Part& part, const auto& candidates) {
    steps.note_loads(part);
    note_defaults(part.result, candidates, options.defaults, options.price_defaults);
  });
  for (const Chain& chain : chains)
    for (const Part& part : chain) {
      table.refused += part.result.refused;
      table.dropped += part.result.dropped;
      table.cells.insert(table.cells.end(), part.result.cells.begin(), part.result.cells.end());
    }
  if (std::string note = note_of_larger_sizes(request); !note.empty()) table.notes.push_back(std::move(note));
  leave_out_refused(table);
  derive_rules(table);
  expect_no_loss(table);
  return table;
}

}  // namespace tutti
