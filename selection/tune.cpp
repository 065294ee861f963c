#include "selection/tune.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/in_parallel.hpp"
#include "base/sizes.hpp"
#include "models/placement.hpp"
#include "selection/candidates.hpp"
#include "selection/confirm.hpp"
#include "selection/defaults.hpp"
#include "selection/export.hpp"
#include "selection/layouts.hpp"
#include "selection/schedule.hpp"
#include "selection/sweep_progress.hpp"
#include "selection/sweep_state.hpp"
#include "selection/undecided.hpp"

namespace tutti {
namespace embedded {
const char* cost_model_fingerprint();
}

namespace {

/// Of the buffers that the MPI program itself must have. In double: the sum of huge buffers exceeds 64 bits.
double bytes_per_node(const Case& c, int ppn) {
  double most = 0;
  for (Rank first = 0; first < c.ranks; first += ppn) {
    double node = 0;
    for (Rank r = first; r < std::min(first + ppn, c.ranks); ++r) {
      const BufferSizes sizes = buffer_sizes(c, r);
      node += (static_cast<double>(sizes.in) + static_cast<double>(sizes.out)) * c.element_bytes;
    }
    most = std::max(most, node);
  }
  return most;
}

/// A machine file may name further files, so its text is not all: what they make of the network is added up.
std::uint64_t checksum(const Network& network) {
  std::uint64_t sum = 0xcbf29ce484222325;  // FNV-1a over words
  const auto add = [&](std::uint64_t word) { sum = (sum ^ word) * 0x100000001b3; };
  for (const Link& link : network.links()) {
    add(std::bit_cast<std::uint64_t>(link.bandwidth_bytes_per_second));
    add(std::bit_cast<std::uint64_t>(link.latency_seconds));
    add(link.shared);
  }
  std::vector<LinkId> route;
  for (int node = 1; node < network.nodes(); ++node)
    for (const int other : {0, node - 1}) {
      network.route(other * network.cores_per_node(), node * network.cores_per_node(), route);
      for (const LinkId link : route) add(link);
    }
  return sum;
}

/// All that a simulated time follows from, beside the engine and the call.
std::string identity_of(const TuneRequest& request) {
  return "model " + std::string(embedded::cost_model_fingerprint()) + "\nmachine " + request.machine_text +
         "\nnetwork " + std::to_string(checksum(*request.machine->network)) + "\nmode " + request.mode.text() +
         "\nplacement " + request.placement + "\n";
}

/// The sizes of a place, ascending; those whose buffers exceed a node's memory are counted instead.
std::vector<std::int64_t> sizes_of(const TuneRequest& request, const Place& place, std::int64_t& left_out) {
  std::set<std::int64_t> sizes, too_large;
  for (const std::int64_t bytes : request.bytes) {
    const std::int64_t total = request.osu_sizes ? total_from_osu_bytes(place.collective, place.ranks(), bytes)
                               : place.collective == Collective::barrier ? 0
                                                                         : bytes;
    const Case c = case_for(place, total);
    const bool fits = request.machine->memory_bytes_per_node <= 0 ||
                      bytes_per_node(c, place.ppn) <= static_cast<double>(request.machine->memory_bytes_per_node);
    (fits ? sizes : too_large).insert(total_bytes(c));
  }
  left_out += static_cast<std::int64_t>(too_large.size());
  return {sizes.begin(), sizes.end()};
}

std::vector<Chain> chains_of(const TuneRequest& request, std::int64_t& left_out) {
  const std::set<int> all_nodes(request.nodes.begin(), request.nodes.end()),
      all_ppn(request.ppn.begin(), request.ppn.end());
  const std::set<Collective> collectives(request.collectives.begin(), request.collectives.end());
  std::vector<Chain> chains;
  for (const int ppn : all_ppn)
    for (const Collective collective : collectives) {
      Chain chain;
      for (const int nodes : all_nodes) {
        const Place place{collective, nodes, ppn};
        place_ranks(*request.machine->network, nodes, ppn, request.placement);  // refuses early what cannot be placed
        std::vector<std::int64_t> bytes = sizes_of(request, place, left_out);
        if (!bytes.empty()) chain.push_back({place, std::move(bytes), {}});
      }
      if (!chain.empty()) chains.push_back(std::move(chain));
    }
  return chains;
}

std::vector<Choice> candidates_of(const TuneRequest& request, Collective collective) {
  std::vector<Choice> candidates = candidate_choices(collective, request.algorithms);
  if (!request.library.empty()) {
    const Exporter& exporter = find_exporter_for(request.library);
    std::erase_if(candidates, [&](const Choice& choice) { return !exporter.can_say(choice); });
  }
  if (candidates.empty()) return candidates;
  const bool everything = request.algorithms.empty() && request.library.empty();
  add_named_choices(candidates, everything ? baseline_names() : request.baselines, collective);
  return candidates;
}

/// Jobs that find the machine otherwise (Machine::for_job) are none.
FewerNodes fewer_nodes_of(const Machine& machine, const Chain& chain, std::size_t i) {
  const Machine& here = machine.for_job(chain[i].place.ranks());
  const auto is_alike = [&](std::size_t j) { return &machine.for_job(chain[j].place.ranks()) == &here; };
  FewerNodes fewer_nodes;
  for (std::size_t j = i; j-- > 0 && is_alike(j);) fewer_nodes.results.push_back(&chain[j].result);
  fewer_nodes.more_nodes_follow = i + 1 < chain.size() && is_alike(i + 1);
  return fewer_nodes;
}

/// The work on some parts, and its number in the forecast.
struct Step {
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

/// What settling and confirming take beside the search, where nothing tells yet.
constexpr double kSettling = 0.05, kConfirming = 0.8;

/// The layouts of one number of ranks, where there are several, most ranks first.
std::vector<Step> same_ranks(std::vector<Chain>& chains, SweepProgress& progress) {
  std::map<std::pair<int, Collective>, std::vector<Part*>> alike;
  for (Chain& chain : chains)
    for (Part& part : chain) alike[{-part.place.ranks(), part.place.collective}].push_back(&part);
  std::vector<Step> steps;
  for (const auto& [key, parts] : alike)
    if (parts.size() > 1)
      steps.push_back({parts, progress.expect("settle", parts[0]->place, parts[0]->bytes.size(), kSettling)});
  return steps;
}

std::vector<Step> steps_of(std::vector<Chain>& chains, SweepProgress& progress, const char* what, double ratio) {
  std::vector<Step> steps;
  for (Chain& chain : chains)
    for (Part& part : chain) steps.push_back({{&part}, progress.expect(what, part.place, part.bytes.size(), ratio)});
  return steps;
}

/// Where several layouts have as many ranks, for libraries that know no layouts.
void settle(Simulations& simulations, const TuneRequest& request, const SearchOptions& options,
            const std::vector<Step>& steps, SweepProgress& progress) {
  in_parallel(request.jobs, steps.size(), [&](std::size_t i, std::size_t) {
    std::vector<SearchResult*> layouts;
    for (Part* part : steps[i].parts) layouts.push_back(&part->result);
    const Collective collective = steps[i].parts[0]->place.collective;
    do_step(simulations, progress, steps[i].number,
            [&] { settle_layouts(simulations, candidates_of(request, collective), options, layouts); });
  });
}

void confirm(Simulations& simulations, const TuneRequest& request, const std::vector<Step>& steps,
             SweepProgress& progress) {
  in_parallel(request.jobs, steps.size(), [&](std::size_t i, std::size_t) {
    Part& part = *steps[i].parts[0];
    const std::vector<Choice> candidates = candidates_of(request, part.place.collective);
    do_step(simulations, progress, steps[i].number,
            [&] { confirm_close(simulations, request.confirming, candidates, request.bound, part.result.cells); });
  });
}

void check(const TuneRequest& request) {
  make_engine(request.engine);
  for (const std::string& name : request.baselines) find_baseline(name);
  if (!request.confirming.empty()) make_engine(request.confirming);
  if (request.jobs < 1) throw InputError(std::to_string(request.jobs) + " jobs: expected at least one");
  if (std::any_of(request.machine->name.begin(), request.machine->name.end(), [](unsigned char c) { return c < ' '; }))
    throw InputError("the machine's name: expected no line breaks or control characters");
  for (const std::string& text : request.algorithms)
    if (std::all_of(request.collectives.begin(), request.collectives.end(),
                    [&](Collective collective) { return candidate_choices(collective, {text}).empty(); }))
      throw InputError("unknown algorithm '" + text + "' for all of the collectives");
  for (const Collective collective : request.collectives)
    if (!candidate_choices(collective, request.algorithms).empty() && candidates_of(request, collective).empty())
      throw InputError(std::string(name_of(collective)) + ": nothing of what is asked for can be told to " +
                       request.library);
}

}  // namespace

std::vector<int> place_ranks(const Network& network, int nodes, int ppn, const std::string& placement) {
  if (nodes > network.nodes())
    throw InputError(std::to_string(nodes) + " nodes: the machine has " + std::to_string(network.nodes()));
  if (ppn > network.cores_per_node())
    throw InputError(std::to_string(ppn) + " ranks per node: the machine's nodes have " +
                     std::to_string(network.cores_per_node()) + " cores");
  if (placement == "block") return place_block(network, nodes * ppn, ppn);
  if (placement == "cyclic") return place_cyclic(network, nodes * ppn, ppn);
  throw InputError("unknown placement '" + placement + "': expected block or cyclic");
}

Table tune(const TuneRequest& request) {
  check(request);
  Table table;
  table.machine = request.machine->name;
  table.engine = request.engine;
  if (request.confirming != request.engine) table.confirming = request.confirming;
  table.mode = request.mode.text();
  table.placement = request.placement;
  table.bound = request.bound;
  table.library = request.library;
  std::vector<Chain> chains = chains_of(request, table.left_out);

  std::optional<SweepState> state;
  if (!request.state_directory.empty()) state.emplace(request.state_directory, identity_of(request));
  Simulations simulations(*request.machine, request.mode, request.placement, state ? &*state : nullptr);
  if (state && state->damaged() > 0 && request.damaged) request.damaged(state->damaged());
  if (request.simulated) simulations.report_to(request.simulated);
  SearchOptions options;
  options.engine = request.engine;
  options.exhaustive = request.exhaustive;
  options.budget = request.budget;
  options.price_defaults = !request.baselines.empty();
  for (const std::string& name : options.price_defaults ? request.baselines : baseline_names())
    options.defaults.push_back(&find_baseline(name));

  SweepProgress progress(request.progress);
  std::map<const Part*, std::size_t> searches;
  for (const Step& step : steps_of(chains, progress, "search", 1)) searches[step.parts[0]] = step.number;
  const std::vector<Step> settlements = same_ranks(chains, progress);
  std::vector<Step> confirmations;
  if (!table.confirming.empty()) confirmations = steps_of(chains, progress, "confirm", kConfirming);
  Schedule(chains).run(request.jobs, [&](Chain& chain, std::size_t i) {
    Part& part = chain[i];
    const std::vector<Choice> candidates = candidates_of(request, part.place.collective);
    do_step(simulations, progress, searches.at(&part), [&] {
      part.result = search_place(simulations, part.place, part.bytes, candidates, options,
                                 fewer_nodes_of(*request.machine, chain, i));
    });
  });
  settle(simulations, request, options, settlements, progress);
  const auto each_part = [&](const auto& work) {
    for (Chain& chain : chains)
      for (Part& part : chain) work(part, candidates_of(request, part.place.collective));
  };
  each_part([&](Part& part, const auto& candidates) { note_undecided(part.result, candidates, options.tolerance); });
  confirm(simulations, request, confirmations, progress);
  each_part([&](Part& part, const auto& candidates) {
    note_defaults(part.result, candidates, options.defaults, options.price_defaults);
  });
  for (const Chain& chain : chains)
    for (const Part& part : chain) {
      table.refused += part.result.refused;
      table.dropped += part.result.dropped;
      table.cells.insert(table.cells.end(), part.result.cells.begin(), part.result.cells.end());
    }
  std::erase_if(table.cells, [](const Cell& cell) { return cell.seconds.empty(); });
  derive_rules(table);
  expect_no_loss(table);
  return table;
}

}  // namespace tutti
