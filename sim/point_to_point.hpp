#pragma once
// What one pair of cores sees of a machine: simulated, as a ping-pong benchmark would measure it.

#include <optional>
#include <utility>
#include <vector>

#include "sim/engine.hpp"

namespace tutti {

/// Cables between two nodes, those of both adapters counted; 0 within a node.
int hops_between(const Network& network, int from_core, int to_core);
/// The numbers of hops that occur from node 0, ascending.
std::vector<int> hops_of(const Network& network);

/// Core 0 and the first core at the distance and, where given, the number of hops; otherwise of those the one that is
/// fewest hops away. Nothing where there is none.
std::optional<std::pair<int, int>> pair_at(const Network& network, Distance distance, std::optional<int> hops = {});

/// Seconds until a lone message has arrived, its receiver waiting.
double one_way_seconds(const Engine& engine, const Machine& machine, std::pair<int, int> cores, std::int64_t bytes);
/// Seconds until both of two messages, one each way at once, have arrived.
double exchange_seconds(const Engine& engine, const Machine& machine, std::pair<int, int> cores, std::int64_t bytes);

/// The model's value for a published figure, in its unit; nothing where no two cores are so far apart.
std::optional<double> simulated(const Engine& engine, const Machine& machine, const Published& figure);

}  // namespace tutti
