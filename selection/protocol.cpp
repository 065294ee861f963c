#include "selection/protocol.hpp"

#include <algorithm>
#include <bit>

namespace tutti {
namespace {

/// Trees and scatters pass halves of the root's data on, unless they pass all of it, or segments.
bool passes_halves(const Choice& real, const Case& c, double mean_bytes) {
  constexpr double kAll = 0.9;
  const bool rooted = c.collective == Collective::bcast || c.collective == Collective::reduce ||
                      c.collective == Collective::gather || c.collective == Collective::scatter;
  const std::int64_t* segment = value_of(real, ParameterRole::segment);
  const bool cut = segment && *segment > 0;
  return rooted && !cut && mean_bytes < kAll * static_cast<double>(total_bytes(c));
}

/// A rank's part, a node's, what one node has for another, and all of it: what goes at one distance is another length
/// than what goes at the next.
void add_by_node(std::vector<double>& lengths, double total, int ranks, int ppn) {
  for (const double parts : {1.0, static_cast<double>(ppn), static_cast<double>(ppn) * ppn})
    lengths.push_back(std::min(total, total / ranks * parts));
  lengths.push_back(total);
  if (ppn > 1) lengths.push_back(total / ppn);
}

}  // namespace

std::vector<Protocol> protocols_of(const Machine& machine, const std::vector<Distance>& distances, const Choice& real,
                                   const std::optional<Counts>& counts, const Case& c, int ppn) {
  std::vector<Protocol> protocols;
  if (!counts) return protocols;
  const double mean = counts->messages > 0 ? counts->bytes / counts->messages : 0;
  std::vector<double> lengths{mean, 0.75 * mean};
  if (passes_halves(real, c, mean)) {
    // Of a binomial tree's two largest subtrees.
    const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max(c.ranks - 1, 1))));
    for (const int ranks : {power / 2, c.ranks - power})
      lengths.push_back(static_cast<double>(total_bytes(c)) * ranks / c.ranks);
  }
  // One way to reduce and scatter is to do one after the other: whole vectors, then blocks.
  if (c.collective == Collective::reduce_scatter || c.collective == Collective::reduce_scatter_block)
    lengths.push_back(static_cast<double>(total_bytes(c)) / c.ranks);
  if (real.algorithm->is_by_node())
    add_by_node(lengths, static_cast<double>(total_bytes(c)), c.ranks, ppn);
  else if (const std::int64_t* const radix = value_of(real, ParameterRole::radix); radix && *radix > 1)
    for (const std::int64_t part : {*radix, *radix * *radix})  // parts of parts, as in a butterfly's first two rounds
      lengths.push_back(static_cast<double>(total_bytes(c)) / static_cast<double>(part));
  for (const Distance distance : distances)
    for (const double length : lengths) {
      const Transport& transport = machine.transport(distance);
      const auto bytes = static_cast<std::int64_t>(length);
      for (const bool blocking : {false, true})
        protocols.push_back({transport.is_eager(bytes, blocking),
                             transport.is_eager(bytes, blocking) && transport.is_acknowledged(bytes),
                             static_cast<int>(&transport.segment(bytes) - transport.segments.data())});
    }
  return protocols;
}

}  // namespace tutti
