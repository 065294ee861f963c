#include "selection/tune.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <thread>

#include "algos/error.hpp"
#include "algos/sizes.hpp"
#include "models/placement.hpp"
#include "selection/state.hpp"

namespace tutti {
namespace {

/// Values tried for a parameter beside its default; those below its minimum are left out.
std::vector<std::int64_t> grid_of(const ParameterSpec& spec) {
  if (spec.name == "segment") return {8 << 10, 64 << 10};
  if (spec.name == "radix") return {2, 4, 8};
  if (spec.name == "fanout") return {2, 4};
  if (spec.name == "window") return {4, 16};
  std::vector<std::int64_t> all;  // a parameter of few values: tree types and the like
  for (std::int64_t value = spec.minimum; value <= spec.minimum + 2; ++value) all.push_back(value);
  return all;
}

/// The time of what the engine refused, until the table is made: the state must know that it was tried.
constexpr double kRefused = std::numeric_limits<double>::infinity();

/// A part of the sweep that one job does at a time: one platform, one collective.
struct Part {
  Place place;
  std::vector<Cell> cells;
};

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

Case case_for(const Place& place, std::int64_t bytes) {
  Case c;
  c.collective = place.collective;
  c.ranks = place.ranks();
  c.element_bytes = default_element_bytes(place.collective);
  c.count = count_for_total_bytes(place.collective, c.ranks, c.element_bytes, bytes);
  return c;
}

/// What the choice does in this case: fall-backs followed, and a segment as long as the vector is none.
std::string essence(const Choice& choice, const Case& c) {
  Choice real = resolve(choice, c);
  for (auto& [name, value] : real.parameters)
    if (name == "segment" && value >= total_bytes(c)) value = 0;
  return real.text();
}

void simulate_part(const TuneRequest& request, const Engine& engine, const std::vector<Choice>& candidates,
                   Part& part) {
  std::vector<Experiment> experiments;
  std::vector<std::pair<std::size_t, std::string>> owner;  // cell, choice
  const std::vector<int> cores =
      place_ranks(*request.machine->network, part.place.nodes, part.place.ppn, request.placement);
  for (std::size_t i = 0; i < part.cells.size(); ++i) {
    const Case c = case_for(part.place, part.cells[i].bytes);
    std::vector<Choice> here = candidates;  // under its own name, if it is one of them, runs what others fall back to
    std::stable_partition(here.begin(), here.end(), [&](const Choice& choice) { return resolve(choice, c) == choice; });
    std::set<std::string> seen;
    for (const Choice& choice : here) {
      if (!why_not(choice, c).empty() || !seen.insert(essence(choice, c)).second) continue;
      experiments.push_back({c, choice, cores, request.mode, 1, false});
      owner.emplace_back(i, choice.text());
    }
  }
  const std::vector<Result> results = engine.run(*request.machine, experiments);
  for (std::size_t i = 0; i < results.size(); ++i)
    part.cells[owner[i].first].seconds[owner[i].second] =
        results[i].refused.empty() ? results[i].makespan_seconds : kRefused;
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

std::string identity_of(const TuneRequest& request) {
  std::string text = "machine " + request.machine_text + "\nnetwork " +
                     std::to_string(checksum(*request.machine->network)) + "\nengine " + request.engine + "\nmode " +
                     request.mode.text() + "\nplacement " + request.placement + "\n";
  for (const Collective collective : request.collectives) {
    text += std::string(name_of(collective)) + ":";
    for (const Choice& choice : candidate_choices(collective, request.algorithms)) text += " " + choice.text();
    text += "\n";
  }
  return text;
}

}  // namespace

std::vector<Choice> candidate_choices(Collective collective, const std::vector<std::string>& only) {
  std::vector<Choice> choices;
  for (const std::string& text : only) {
    const auto algorithms = algorithms_of(collective);
    const std::string name = text.substr(0, text.find(':'));
    if (std::any_of(algorithms.begin(), algorithms.end(), [&](const Algorithm* a) { return a->name() == name; }))
      choices.push_back(parse_choice(collective, text));
  }
  if (!only.empty()) return choices;
  for (const Algorithm* algorithm : algorithms_of(collective)) {
    choices.push_back(default_choice(*algorithm));
    for (std::size_t i = 0; i < algorithm->parameters().size(); ++i)
      for (const std::int64_t value : grid_of(algorithm->parameters()[i])) {
        Choice choice = default_choice(*algorithm);
        const ParameterSpec& spec = algorithm->parameters()[i];
        if (value == spec.standard || value < spec.minimum || value > spec.maximum) continue;
        choice.parameters[i].second = value;
        choices.push_back(choice);
      }
  }
  return choices;
}

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
  const auto engine = make_engine(request.engine);
  for (const std::string& text : request.algorithms)
    if (std::all_of(request.collectives.begin(), request.collectives.end(),
                    [&](Collective collective) { return candidate_choices(collective, {text}).empty(); }))
      throw InputError("unknown algorithm '" + text + "' for all of the collectives");
  Table table{
      request.machine->name, request.engine, request.mode.text(), request.placement, request.bound, 0, 0, {}, {}};
  std::optional<SweepState> state;
  std::map<std::pair<Place, std::int64_t>, Cell> known;
  if (!request.state_directory.empty()) {
    state.emplace(request.state_directory, identity_of(request));
    for (Cell& cell : state->all()) known[{cell.place, cell.bytes}] = std::move(cell);
  }

  std::vector<Part> parts;
  for (const int nodes : request.nodes)
    for (const int ppn : request.ppn) {
      place_ranks(*request.machine->network, nodes, ppn, request.placement);  // refuses early what cannot be placed
      for (const Collective collective : request.collectives) {
        Part part{{collective, nodes, ppn}, {}};
        std::set<std::int64_t> totals;
        for (const std::int64_t bytes : request.bytes) {
          const int ranks = nodes * ppn;
          const std::int64_t total = request.osu_sizes ? total_from_osu_bytes(collective, ranks, bytes)
                                     : collective == Collective::barrier ? 0
                                                                         : bytes;
          if (!totals.insert(total).second) continue;
          if (request.machine->memory_bytes_per_node > 0 &&
              bytes_per_node(case_for(part.place, total), ppn) >
                  static_cast<double>(request.machine->memory_bytes_per_node)) {
            ++table.left_out;
            continue;
          }
          if (const auto done = known.find({part.place, total}); done != known.end())
            table.cells.push_back(done->second);
          else
            part.cells.push_back({part.place, total, {}});
        }
        if (!part.cells.empty()) parts.push_back(std::move(part));
      }
    }

  // The largest first: the last ones to finish are then short, and all jobs end together.
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return parts[a].place.ranks() > parts[b].place.ranks(); });
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::size_t done = 0;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < order.size();) try {
        Part& part = parts[order[i]];
        simulate_part(request, *engine, candidate_choices(part.place.collective, request.algorithms), part);
        if (state) state->put(part.cells);
        const std::lock_guard lock(mutex);
        if (request.progress) request.progress(++done, order.size());
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = order.size();
      }
  };
  {
    std::vector<std::jthread> threads;
    for (int t = 1; t < request.jobs; ++t) threads.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
  for (Part& part : parts) std::move(part.cells.begin(), part.cells.end(), std::back_inserter(table.cells));
  for (Cell& cell : table.cells)
    table.refused += static_cast<std::int64_t>(
        std::erase_if(cell.seconds, [](const auto& entry) { return entry.second == kRefused; }));
  std::erase_if(table.cells, [](const Cell& cell) { return cell.seconds.empty(); });
  derive_rules(table);
  return table;
}

}  // namespace tutti
