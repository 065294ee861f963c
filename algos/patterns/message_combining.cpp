#include "algos/patterns/message_combining.hpp"

#include <algorithm>
#include <set>

namespace tutti {
namespace {

using Coordinates = Grid::Coordinates;

bool moves(const Coordinates& offset, int dimension, Way way) {
  const auto k = offset.begin() + dimension;
  return *k != 0 && (way == Way::each_block || std::all_of(k + 1, offset.end(), [](int x) { return x == 0; }));
}

/// The offsets whose blocks leave the rank in this dimension by so many steps.
std::vector<int> leaving(const Grid& grid, Rank rank, int dimension, int step, Way way) {
  std::vector<int> offsets;
  for (std::size_t i = 0; i < grid.offsets.size(); ++i) {
    const Coordinates& offset = grid.offsets[i];
    if (offset[dimension] != step || !moves(offset, dimension, way)) continue;
    const Rank sender = sender_of(grid, rank, static_cast<int>(i), dimension);
    if (sender != kNobody && grid.at(sender, offset) != kNobody) offsets.push_back(static_cast<int>(i));
  }
  return offsets;
}

Rank along(const Grid& grid, Rank rank, int dimension, int steps) {
  Coordinates offset(grid.extents.size(), 0);
  offset[dimension] = steps;
  return grid.at(rank, offset);
}

/// A rank's messages in a dimension, by receiver and by sender.
struct Exchanged {
  std::multiset<Rank> to, from;
  Exchanged(const std::vector<CombinedMessage>& messages, Rank rank) {
    for (const CombinedMessage& message : messages) {
      if (message.to != rank && !message.sent.empty()) to.insert(message.to);
      if (message.from != rank && !message.received.empty()) from.insert(message.from);
    }
  }
  std::size_t messages() const { return std::max(to.size(), from.size()); }
  /// What is for one rank may travel as one.
  std::size_t partners() const {
    return std::max(std::set(to.begin(), to.end()).size(), std::set(from.begin(), from.end()).size());
  }
};

/// Calls with (rank, dimension, message) for all that are sent to another rank.
template <class Body>
void for_each_message(const Facts& facts, Way way, const Body& body) {
  const Grid& grid = *facts.neighborhood().grid();
  for (Rank rank = 0; rank < grid.ranks(); ++rank) {
    const auto dimensions = combined_messages(grid, rank, way);
    for (std::size_t k = 0; k < dimensions.size(); ++k)
      for (const CombinedMessage& message : dimensions[k])
        if (message.to != rank && !message.sent.empty()) body(grid, rank, static_cast<int>(k), message);
  }
}

}  // namespace

Rank sender_of(const Grid& grid, Rank rank, int offset, int dimensions) {
  Coordinates back = grid.offsets[offset];
  for (int k = 0; k < grid.dimensions(); ++k) back[k] = k < dimensions ? -back[k] : 0;
  return grid.at(rank, back);
}

std::vector<std::vector<CombinedMessage>> combined_messages(const Grid& grid, Rank rank, Way way) {
  std::vector<std::vector<CombinedMessage>> all(grid.extents.size());
  for (int k = 0; k < grid.dimensions(); ++k) {
    std::set<int> steps;
    for (const Coordinates& offset : grid.offsets) steps.insert(offset[k]);
    steps.erase(0);
    for (const int step : steps) {
      CombinedMessage message{along(grid, rank, k, step), along(grid, rank, k, -step), {}, {}};
      message.sent = leaving(grid, rank, k, step, way);
      if (message.from != kNobody) message.received = leaving(grid, message.from, k, step, way);
      all[k].push_back(std::move(message));
    }
  }
  return all;
}

template <Way way>
double least_combined_rounds(const Facts& facts) {
  const Grid& grid = *facts.neighborhood().grid();
  std::size_t most = 0;
  for (Rank rank = 0; rank < grid.ranks(); ++rank) {
    std::size_t messages = 0;
    for (const auto& dimension : combined_messages(grid, rank, way)) messages += Exchanged(dimension, rank).partners();
    most = std::max(most, messages);
  }
  return static_cast<double>(most);
}

template <Way way>
double most_combined_rounds(const Facts& facts) {
  const Grid& grid = *facts.neighborhood().grid();
  std::vector<std::size_t> most(grid.extents.size(), 0);
  for (Rank rank = 0; rank < grid.ranks(); ++rank) {
    const auto dimensions = combined_messages(grid, rank, way);
    for (std::size_t k = 0; k < most.size(); ++k)
      most[k] = std::max(most[k], Exchanged(dimensions[k], rank).messages());
  }
  double rounds = 0;
  for (const std::size_t messages : most) rounds += std::max(0.0, 2 * static_cast<double>(messages) - 1);
  return rounds;
}

template <Way way>
double combined_messages_in_all(const Facts& facts) {
  double messages = 0;
  for_each_message(facts, way, [&](const Grid&, Rank, int, const CombinedMessage&) { ++messages; });
  return messages;
}

template <Way way>
double combined_bytes(const Facts& facts) {
  double elements = 0;
  for_each_message(facts, way, [&](const Grid& grid, Rank rank, int k, const CombinedMessage& message) {
    for (const int offset : message.sent)
      elements += static_cast<double>(facts.count_of_block(sender_of(grid, rank, offset, k), offset));
  });
  return elements * facts["e"];
}

template double least_combined_rounds<Way::each_block>(const Facts&);
template double least_combined_rounds<Way::one_for_all>(const Facts&);
template double most_combined_rounds<Way::each_block>(const Facts&);
template double most_combined_rounds<Way::one_for_all>(const Facts&);
template double combined_messages_in_all<Way::each_block>(const Facts&);
template double combined_messages_in_all<Way::one_for_all>(const Facts&);
template double combined_bytes<Way::each_block>(const Facts&);
template double combined_bytes<Way::one_for_all>(const Facts&);

}  // namespace tutti
