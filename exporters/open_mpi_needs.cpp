#include "exporters/open_mpi_needs.hpp"

#include <algorithm>
#include <set>

#include "exporters/open_mpi_han.hpp"
#include "exporters/open_mpi_tuned_picks.hpp"
#include "selection/library.hpp"

namespace tutti {
namespace {

constexpr std::int64_t kSegmentBytes = 65536;  // coll/han's

/// What a classic rule calls the algorithm that coll/tuned has by that number; nothing where it has none.
std::optional<std::string> name_in_tuned(Collective collective, std::int64_t number) {
  const Library::Name* name = find_name(find_library("open-mpi-5.0"), collective, std::to_string(number));
  if (!name || name->ours != default_choice(*name->ours.algorithm)) return std::nullopt;
  return name->ours.text();
}

/// The parts of coll/han's own choice for sizes of a collective.
void add_needs(std::vector<Needed>& needs, Collective collective, int nodes, int ppn, std::int64_t from,
               std::int64_t to) {
  const auto add = [&](Collective part, int ranks, std::int64_t first, std::int64_t last) {
    needs.push_back({part, ranks, std::max<std::int64_t>(0, first), last});
  };
  // Of a vector of more than a segment, the last one may have any size.
  const std::int64_t first = to > kSegmentBytes ? 0 : from, last = std::min(to, kSegmentBytes);
  // What a node holds of all blocks; sizes are rounded down to whole blocks.
  const std::int64_t node_from = from / nodes - ppn, node_to = to / nodes + (to < Rule::kUnlimited);
  switch (collective) {
    case Collective::bcast:
      add(Collective::bcast, ppn, first, last);
      return add(Collective::bcast, nodes, std::min(from, kSegmentBytes), last);
    case Collective::reduce:
      return add(Collective::reduce, ppn, first, last);
    case Collective::allreduce:
      add(Collective::reduce, ppn, first, last);
      return add(Collective::bcast, ppn, first, last);
    case Collective::allgather:
      add(Collective::gather, ppn, node_from, node_to);
      add(Collective::allgather, nodes, from, to);
      return add(Collective::bcast, ppn, from, to);
    default:  // gather, scatter, barrier
      add(collective, ppn, node_from, node_to);
      return add(collective, nodes, from, to);
  }
}

bool overlap(const Needed& needed, std::int64_t from, std::int64_t to) {
  return needed.from_bytes <= to && from <= needed.to_bytes;
}

/// Whether coll/tuned picks by itself, where both sizes are said, what is needed.
bool is_picked(const Needed& needed, std::int64_t from, std::int64_t to) {
  from = std::max(from, needed.from_bytes), to = std::min(to, needed.to_bytes);
  std::set<std::int64_t> begins = tuned_thresholds(needed.collective, needed.ranks);
  begins.erase(begins.begin(), begins.upper_bound(from));
  begins.erase(begins.upper_bound(to), begins.end());
  begins.insert(from);
  return std::all_of(begins.begin(), begins.end(), [&](std::int64_t bytes) {
    return tuned_pick({needed.collective, needed.ranks, bytes, 1}).text() == needed.algorithm;
  });
}

/// Whether what is said of these sizes is not what is needed.
bool is_against(const Needed& needed, const std::string& said, std::int64_t from, std::int64_t to) {
  if (said == needed.algorithm || !overlap(needed, from, to)) return false;
  return said != kOwnChoice || !is_picked(needed, from, to);
}

}  // namespace

std::vector<SimplePart> parts_of_simple(const Choice& choice) {
  const Collective whole = choice.algorithm->collective();
  const Parameters parameters(choice.parameters);
  std::vector<SimplePart> parts;
  for (const HanPart& part : asked_by_han(whole, HanVariant::simple)) {
    const std::string parameter = part.level == HanLevel::between_nodes ? "up"
                                  : whole == Collective::allreduce      ? std::string(name_of(part.collective))
                                                                        : "low";
    parts.push_back({part, name_in_tuned(part.collective, *parameters.find(parameter))});
  }
  return parts;
}

std::vector<Needed> needs_of_own(const std::vector<FileRules>& rules) {
  std::vector<Needed> needs;
  for (const FileRules& of_ranks : rules) {
    if (!is_served_by_han(of_ranks.collective)) continue;
    for (const auto& [nodes, ppn] : of_ranks.layouts)
      for (const Rule& rule : of_ranks.rules) {
        // Only what was tuned was priced with coll/han as it is.
        const std::int64_t from = std::max(rule.from_bytes, of_ranks.tuned_from_bytes),
                           to = std::min(rule.to_bytes, of_ranks.tuned_to_bytes);
        if (nodes > 1 && ppn > 1 && rule.algorithm == kOwnChoice && from <= to)
          add_needs(needs, of_ranks.collective, nodes, ppn, from, to);
      }
  }
  return needs;
}

std::vector<Needed> needs_of_simple(const std::vector<FileRules>& rules) {
  std::vector<Needed> needs;
  for (std::size_t i = 0; i < rules.size(); ++i)
    for (const Rule& rule : rules[i].rules) {
      if (!is_simple_in_han(rule)) continue;
      for (const auto& [nodes, ppn] : rules[i].layouts)
        for (const SimplePart& part : parts_of_simple(parse_choice(rules[i].collective, rule.algorithm)))
          if (nodes > 1 && ppn > 1)
            needs.push_back({part.of.collective, part.of.level == HanLevel::on_nodes ? ppn : nodes, rule.from_bytes,
                             rule.to_bytes, part.algorithm.value(), i});
    }
  return needs;
}

bool contradict(const Needed& a, const Needed& b) {
  return a.collective == b.collective && a.ranks == b.ranks && is_against(a, b.algorithm, b.from_bytes, b.to_bytes);
}

bool contradicts(const Needed& needed, const FileRules& of_ranks) {
  if (of_ranks.collective != needed.collective || needed.ranks < of_ranks.layout.size ||
      needed.ranks > of_ranks.last_size)
    return false;
  return std::any_of(of_ranks.rules.begin(), of_ranks.rules.end(), [&](const Rule& rule) {
    // Of whole calls that coll/han runs, coll/tuned is told nothing.
    const std::string& said = is_simple_in_han(rule) ? kOwnChoice : rule.algorithm;
    return is_against(needed, said, rule.from_bytes, rule.to_bytes);
  });
}

}  // namespace tutti
