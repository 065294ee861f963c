#include <algorithm>

#include "algos/patterns/message_combining.hpp"

namespace tutti {
namespace {

/// Where a rank has the block for an offset before that moves in this dimension.
View before(const Call& call, const std::vector<View>& blocks, int offset, int dimension) {
  if (!call.out_is_blocked) return blocks[offset];
  const std::vector<Grid::Coordinates>& offsets = call.neighborhood->grid()->offsets;
  Grid::Coordinates parent = offsets[offset];
  parent[dimension] = 0;
  const auto found = std::find(offsets.begin(), offsets.end(), parent);
  return found == offsets.end() ? call.in : blocks[found - offsets.begin()];
}

struct Parcel {
  std::vector<View> blocks, arrived;
  View sent, received;
};

}  // namespace

Task combine_messages(Comm comm, Call call) {
  const Grid& grid = *call.neighborhood->grid();
  const Way way = call.out_is_blocked ? Way::one_for_all : Way::each_block;
  const Rank rank = comm.rank();
  const int offsets = static_cast<int>(grid.offsets.size());
  const auto place = [&](int offset) {
    return call.incoming(static_cast<int>(grid.opposite(static_cast<std::size_t>(offset))));
  };
  std::vector<View> blocks;  // on their way to each offset
  blocks.reserve(grid.offsets.size());
  for (int i = 0; i < offsets; ++i) blocks.push_back(outgoing(call, i));
  std::vector<Op> ops;
  const auto dimensions = combined_messages(grid, rank, way);
  for (int k = 0; k < grid.dimensions(); ++k) {
    const std::vector<CombinedMessage>& messages = dimensions[k];
    std::vector<Parcel> parcels(messages.size());
    ops.clear();
    for (std::size_t m = 0; m < messages.size(); ++m) {
      Parcel& parcel = parcels[m];
      for (const int offset : messages[m].sent) parcel.blocks.push_back(before(call, blocks, offset, k));
      if (messages[m].to == rank) {
        parcel.arrived = parcel.blocks;
        continue;
      }
      parcel.sent = packed(comm, parcel.blocks, ops);
      const std::vector<int>& received = messages[m].received;
      std::vector<Count> counts;
      Count total = 0;
      for (const int offset : received)
        total += counts.emplace_back(elements_of_block(call, sender_of(grid, rank, offset, k + 1), offset));
      const bool ends_here = received.size() == 1 && sender_of(grid, rank, received[0], k + 1) ==
                                                         sender_of(grid, rank, received[0], grid.dimensions());
      parcel.received = ends_here ? place(received[0]) : comm.scratch(total);
      Count at = 0;
      for (const Count count : counts) {
        parcel.arrived.push_back(parcel.received.slice(at, count));
        at += count;
      }
    }
    co_await comm.wait(ops);
    ops.clear();
    for (std::size_t m = 0; m < messages.size(); ++m)
      if (messages[m].to != rank && !messages[m].received.empty())
        ops.push_back(comm.recv(messages[m].from, parcels[m].received));
    for (std::size_t m = 0; m < messages.size(); ++m)
      if (messages[m].to != rank && !messages[m].sent.empty())
        ops.push_back(comm.send(messages[m].to, parcels[m].sent));
    co_await comm.wait(ops);
    for (std::size_t m = 0; m < messages.size(); ++m)
      for (std::size_t i = 0; i < parcels[m].arrived.size(); ++i)
        blocks[messages[m].received[i]] = parcels[m].arrived[i];
  }
  const auto sources = call.neighborhood->sources(rank);
  for (int i = 0; i < offsets; ++i)
    if (sources[grid.opposite(static_cast<std::size_t>(i))].rank != kNobody) comm.copy(place(i), blocks[i]);
}

}  // namespace tutti
