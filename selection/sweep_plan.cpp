#include "selection/sweep_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "base/sizes.hpp"
#include "json/text_file.hpp"
#include "models/layout.hpp"
#include "models/placement.hpp"
#include "selection/baselines.hpp"
#include "selection/candidates.hpp"
#include "selection/export.hpp"
#include "selection/known_algorithms.hpp"
#include "selection/model_identity.hpp"
#include "selection/node_bounds.hpp"
#include "selection/part_file.hpp"
#include "sim/background_placement.hpp"

namespace tutti {
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

/// Refuses early what cannot be placed.
void expect_place(const TuneRequest& request, int nodes, int ppn) {
  const Network& network = *request.machine->network;
  const std::vector<int> cores = place_ranks(network, nodes, ppn, request.placement);
  for (const Load& load : request.loads.each)
    if (load.background) {
      BackgroundOptions other = *load.background;
      place_background(network, cores, request.placement, other);
    }
}

Case as_asked(const TuneRequest& request, const Place& place, std::int64_t bytes) {
  return case_for(place, request.osu_sizes ? total_from_osu_bytes(place.collective, place.ranks(), bytes)
                         : place.collective == Collective::barrier ? 0
                                                                   : bytes);
}

/// Whether blocks of whole elements leave nothing of a size above 0. What is best for empty blocks may send nothing,
/// and would serve all sizes from there on.
bool is_rounded_to_nothing(const Case& c, std::int64_t bytes) {
  return bytes > 0 && c.collective != Collective::barrier && total_bytes(c) == 0;
}

/// Of what is rounded to nothing, one element a block.
Case case_of(const TuneRequest& request, const Place& place, std::int64_t bytes) {
  const Case c = as_asked(request, place, bytes);
  return is_rounded_to_nothing(c, bytes) ? case_for(place, std::int64_t{c.ranks} * c.element_bytes) : c;
}

/// The sizes of a place, ascending; those whose buffers exceed a node's memory are counted instead.
std::vector<std::int64_t> sizes_of(const TuneRequest& request, const Place& place, std::int64_t& left_out) {
  std::set<std::int64_t> sizes, too_large;
  for (const std::int64_t bytes : request.bytes) {
    const Case c = case_of(request, place, bytes);
    const bool fits = request.machine->memory_bytes_per_node <= 0 ||
                      bytes_per_node(c, place.ppn) <= static_cast<double>(request.machine->memory_bytes_per_node);
    (fits ? sizes : too_large).insert(total_bytes(c));
  }
  left_out += static_cast<std::int64_t>(too_large.size());
  return {sizes.begin(), sizes.end()};
}

/// Beside what rules name: what the libraries put together for these layouts.
void add_picks(std::vector<Choice>& choices, const std::vector<std::string>& libraries, const TuneRequest& request,
               Collective collective) {
  std::set<std::string> known;
  for (const Choice& choice : choices) known.insert(choice.text());
  for (const std::string& name : libraries) {
    const Baseline& library = find_baseline(name);
    if (!puts_together(library, collective)) continue;
    for (const int ppn : request.ppn)
      for (const int nodes : request.nodes)
        for (const std::int64_t bytes : request.bytes) {
          const Case c = case_of(request, {collective, nodes, ppn, request.counts}, bytes);
          const std::optional<BaselinePick> picked = pick_if_ours(library, c, {nodes, ppn, ppn});
          if (picked && known.insert(picked->choice.text()).second) choices.push_back(picked->choice);
        }
  }
}

/// Without what libraries pick by themselves.
std::vector<Choice> asked_for(const TuneRequest& request, Collective collective) {
  std::vector<Choice> candidates = candidate_choices(collective, request.algorithms, *request.machine->network);
  if (request.library.empty()) return candidates;
  const Exporter& exporter = find_exporter_for(request.library);
  if (!exporter.serves(collective)) return {};
  std::erase_if(candidates, [&](const Choice& choice) { return !exporter.can_say(choice); });
  return candidates;
}

std::string comma_separated(const std::vector<Collective>& collectives) {
  std::string text;
  for (const Collective collective : collectives) text += (text.empty() ? "" : ",") + std::string(name_of(collective));
  return text;
}

void check(const TuneRequest& request) {
  make_engine(request.engine);
  for (const std::string& name : request.baselines)
    for (const Collective collective : request.collectives)
      if (!find_baseline(name).collectives.contains(collective))
        throw InputError("--baselines " + name + ": nothing is known of what it picks for " +
                         std::string(name_of(collective)));
  if (!request.confirming.empty()) make_engine(request.confirming);
  if (request.jobs < 1) throw InputError(std::to_string(request.jobs) + " jobs: expected at least one");
  if (std::any_of(request.machine->name.begin(), request.machine->name.end(), [](unsigned char c) { return c < ' '; }))
    throw InputError("the machine's name: expected no line breaks or control characters");
  const bool in_order = request.placement == "block" || request.placement == "cyclic";
  if (!in_order && !request.exhaustive && request.loads.are_none())
    throw InputError(
        "--placement " + request.placement +
        ": expected block or cyclic, or --exhaustive, --background or --noise beside it, for what is there follows "
        "from no time on fewer nodes" +
        did_you_mean(request.placement, {"block", "cyclic"}));
  expect_known(request.algorithms, request.collectives);
  expect_spread_counts(request);
  if (const std::vector<Collective> mute = untold(request); !mute.empty()) {
    std::vector<Collective> told = collectives_of(find_exporter_for(request.library));
    std::erase_if(told, [&](Collective collective) {
      const bool is_asked = request.counts.empty() ? is_regular(collective) : is_irregular(collective);
      return !is_asked || asked_for(request, collective).empty();
    });
    throw InputError("--for " + (request.library_named.empty() ? request.library : request.library_named) +
                     ": expected collectives of which it can be told something that is asked for, not " +
                     comma_separated(mute) + (told.empty() ? "" : "; it can of " + comma_separated(told)));
  }
}

/// Where the pieces of a chain begin, and its end.
std::vector<std::size_t> cuts_of(const Chain& chain) {
  const double doublings = std::log2(static_cast<double>(chain.back().place.nodes) / chain.front().place.nodes);
  const bool are_close = static_cast<double>(chain.size()) > kCloseToEachOther * doublings;
  const std::size_t pieces = are_close ? (chain.size() + kLongestPiece - 1) / kLongestPiece : 1;
  std::vector<std::size_t> cuts;
  for (std::size_t p = 0; p <= pieces; ++p) cuts.push_back(p * chain.size() / pieces);
  return cuts;
}

}  // namespace

std::vector<Collective> untold(const TuneRequest& request) {
  std::vector<Collective> mute;
  if (!request.library.empty())
    for (const Collective collective : request.collectives)
      if (!candidate_choices(collective, request.algorithms).empty() && asked_for(request, collective).empty())
        mute.push_back(collective);
  return mute;
}

std::vector<int> place_ranks(const Network& network, int nodes, int ppn, const std::string& placement) {
  if (nodes > network.nodes())
    throw InputError(std::to_string(nodes) + " nodes: the machine has " + std::to_string(network.nodes()));
  if (ppn > network.cores_per_node())
    throw InputError(std::to_string(ppn) + " ranks per node: the machine's nodes have " +
                     std::to_string(network.cores_per_node()) + " cores");
  if (placement == "block") return place_block(network, nodes * ppn, ppn);
  if (placement == "cyclic") return place_cyclic(network, nodes * ppn, ppn);
  if (const auto seed = scattering_seed(placement))
    return place_on(network, nodes_for_job(network, nodes, seed, {}), nodes * ppn, ppn, false);
  return read_placement(placement, network, {nodes * ppn, nodes, ppn});
}

std::vector<Chain> chains_of(const TuneRequest& request, std::int64_t& left_out) {
  check(request);
  const std::set<int> all_nodes(request.nodes.begin(), request.nodes.end()),
      all_ppn(request.ppn.begin(), request.ppn.end());
  const std::set<Collective> collectives(request.collectives.begin(), request.collectives.end());
  std::vector<Chain> chains;
  for (const int ppn : all_ppn)
    for (const Collective collective : collectives) {
      Chain all;
      for (const int nodes : all_nodes) {
        const Place place{collective, nodes, ppn, request.counts};
        expect_place(request, nodes, ppn);
        std::vector<std::int64_t> bytes = sizes_of(request, place, left_out);
        if (!bytes.empty()) all.push_back({place, std::move(bytes), {}});
      }
      if (!all.empty()) chains.push_back(std::move(all));
    }
  return chains;
}

std::string note_of_larger_sizes(const TuneRequest& request) {
  constexpr std::size_t kNamed = 3;
  std::size_t count = 0;
  std::string named;
  for (const int ppn : std::set<int>(request.ppn.begin(), request.ppn.end()))
    for (const Collective collective : std::set<Collective>(request.collectives.begin(), request.collectives.end()))
      for (const int nodes : std::set<int>(request.nodes.begin(), request.nodes.end()))
        for (const std::int64_t bytes : std::set<std::int64_t>(request.bytes.begin(), request.bytes.end())) {
          const Place place{collective, nodes, ppn, request.counts};
          if (!is_rounded_to_nothing(as_asked(request, place, bytes), bytes) || ++count > kNamed) continue;
          named += (count == 1 ? ": " : ", ") + std::string(name_of(collective)) + " " + std::to_string(nodes) + " x " +
                   std::to_string(ppn) + " of " + format_size(bytes) + " (" +
                   format_size(total_bytes(case_of(request, place, bytes))) + ")";
        }
  if (count == 0) return {};
  return std::to_string(count) + (count == 1 ? " size that was asked for leaves" : " sizes that were asked for leave") +
         " less than an element to each block; one element a block was simulated instead" + named +
         (count > kNamed ? " …" : "");
}

std::vector<std::size_t> search_order(const Chain& piece) {
  constexpr double kAreClose = 1.5;  // the most nodes to the fewest
  std::vector<std::size_t> order;
  const auto add = [&order](std::size_t i) {
    if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
  };
  if (piece.back().place.nodes <= kAreClose * piece.front().place.nodes) {
    std::size_t last = piece.size() - 1;  // powers of two tell of no others
    if (last > 0 && std::has_single_bit(static_cast<unsigned>(piece[last].place.ranks()))) --last;
    add(0);
    add(last);
    add(last / 2);
  }
  for (std::size_t i = 0; i < piece.size(); ++i) add(i);
  return order;
}

bool is_known_from_both_sides(const Chain& piece, std::size_t i) {
  const int here = piece[i].place.nodes;
  int fewer = 0, more = std::numeric_limits<int>::max();
  for (const std::size_t j : search_order(piece)) {
    if (j == i) break;
    const int nodes = piece[j].place.nodes;
    if (nodes < here)
      fewer = std::max(fewer, nodes);
    else
      more = std::min(more, nodes);
  }
  return more <= kCloseNodes * fewer;
}

std::vector<Chain> pieces_of(std::vector<Chain> chains) {
  std::vector<Chain> pieces;
  for (Chain& chain : chains) {
    const std::vector<std::size_t> cuts = cuts_of(chain);
    const auto at = [&](std::size_t p) {
      return std::make_move_iterator(chain.begin() + static_cast<std::ptrdiff_t>(cuts[p]));
    };
    for (std::size_t p = 0; p + 1 < cuts.size(); ++p) pieces.emplace_back(at(p), at(p + 1));
  }
  return pieces;
}

std::vector<Choice> candidates_of(const TuneRequest& request, Collective collective) {
  std::vector<Choice> candidates = asked_for(request, collective);
  if (candidates.empty()) return candidates;
  const bool everything = request.algorithms.empty() && request.library.empty() && request.counts.empty();
  const std::vector<std::string> libraries = everything ? baseline_names() : request.baselines;
  add_named_choices(candidates, libraries, collective);
  add_picks(candidates, libraries, request, collective);
  return candidates;
}

SweepCandidates candidates_of(const TuneRequest& request) {
  SweepCandidates candidates;
  for (const Collective collective : request.collectives)
    if (!candidates.contains(collective)) candidates[collective] = candidates_of(request, collective);
  return candidates;
}

void expect_spread_counts(const TuneRequest& request) {
  if (request.counts.empty()) return;
  std::vector<int> ranks;
  for (const int nodes : request.nodes)
    for (const int ppn : request.ppn) ranks.push_back(nodes * ppn);
  // Counts that are given one by one are of one number of ranks; of others the fewest ranks say all.
  if (!request.counts.starts_with("as:")) ranks = {*std::min_element(ranks.begin(), ranks.end())};
  for (const Collective collective : request.collectives)
    for (const int number : ranks) expect_spread(collective, request.counts, number);
}

namespace {

std::string identity_with(std::string model, const Mode& mode, const std::string& placement, const Loads& loads) {
  std::string identity = std::move(model) + "mode " + mode.text() + "\nplacement " + placement + "\n";
  for (const std::string& path : files_of(placement, mode, loads))
    identity += "file " + checksum_of(read_text_file(path).value_or("")) + "\n";
  if (loads.statistic != Loads::Statistic::median) identity += "statistic " + loads.statistic_text() + "\n";
  return identity;
}

}  // namespace

std::string identity_of(const TuneRequest& request) {
  return identity_with(model_identity(machine_identity(request.machine_text, request.machine_files)), request.mode,
                       request.placement, request.loads);
}

std::string identity_of(const ReadMachine& machine, const Mode& mode, const std::string& placement,
                        const Loads& loads) {
  return identity_with(model_identity(machine), mode, placement, loads);
}

std::string name_of(const Chain& chain) {
  const Place& first = chain.front().place;
  return std::string(name_of(first.collective)) + "-ppn" + std::to_string(first.ppn) + "-nodes" +
         std::to_string(first.nodes) + "-" + std::to_string(chain.back().place.nodes);
}

}  // namespace tutti
