#include "algos/patterns/two_tree.hpp"

#include <algorithm>
#include <bit>

#include "algos/patterns/round_clock.hpp"

namespace tutti {
namespace {

/// In-order numbers 1 … size: those that are odd are leaves. 0 is above the root.
int in_order_parent(int size, int number) {
  int above = 0, first = 0;  // the subtree is first + 1 … first + size
  while (true) {
    const int root = first + static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
    if (number == root) return above;
    above = root;
    if (number < root) {
      size = root - first - 1;
    } else {
      size -= root - first;
      first = root;
    }
  }
}

/// Virtual ranks 1 … others are numbers of the first tree; in the second one an odd one is even and the other way
/// round.
int in_second(int others, int v) { return others % 2 == 0 ? others + 1 - v : v % others + 1; }
int from_second(int others, int number) {
  return others % 2 == 0 ? others + 1 - number : (number + others - 2) % others + 1;
}

struct Edge {
  int parent = 0, first = -1;
  int colour = -1;
};

struct Trees {
  int size = 0;
  std::array<std::vector<Edge>, 2> above;       // by tree and virtual rank
  std::vector<std::vector<TwoTreeEdge>> below;  // by virtual rank
  std::array<int, 2> latest{};                  // arrival of a tree's first segment

  explicit Trees(int of = 0) : size(of), below(static_cast<std::size_t>(of)) {
    for (auto& tree : above) tree.resize(static_cast<std::size_t>(size));
    for (int v = 1; v < size; ++v) {
      above[0][at(v)].parent = in_order_parent(size - 1, v);
      const int up = in_order_parent(size - 1, in_second(size - 1, v));
      above[1][at(v)].parent = up == 0 ? 0 : from_second(size - 1, up);
    }
    for (int tree : {0, 1})
      for (int v = 1; v < size; ++v) below[at(above[tree][at(v)].parent)].push_back({v, tree, 0});
    for (const auto& children : below)  // a path ends with a rank that has one child only
      if (children.size() == 1) colour_from(children[0].tree, children[0].peer);
    for (int v = 1; v < size; ++v) colour_from(0, v);  // what is left are rings
    for (auto& children : below)
      for (TwoTreeEdge& edge : children) {
        edge.first = arrival(edge.tree, edge.peer);
        latest[at(edge.tree)] = std::max(latest[at(edge.tree)], edge.first);
      }
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  /// Colours an edge, the other one of its receiver, the other one of that one's sender, and so on.
  void colour_from(int tree, int v) {
    while (above[at(tree)][at(v)].colour < 0) {
      above[at(tree)][at(v)].colour = 0;
      Edge& other = above[at(1 - tree)][at(v)];
      other.colour = 1;
      const auto& siblings = below[at(other.parent)];
      if (siblings.size() < 2) return;
      const TwoTreeEdge& next = siblings[siblings[0].peer == v && siblings[0].tree == 1 - tree ? 1 : 0];
      tree = next.tree;
      v = next.peer;
    }
  }

  int arrival(int tree, int v) {
    if (v == 0) return -1;
    Edge& edge = above[at(tree)][at(v)];
    if (edge.first < 0) {
      const int next = arrival(tree, edge.parent) + 1;
      edge.first = next + (next + edge.colour) % 2;
    }
    return edge.first;
  }
};

Count segment_in(const TwoTreeEdge& edge, Count step, Count segments) {
  const Count after = step - edge.first;
  return after >= 0 && after % 2 == 0 && after / 2 < segments ? after / 2 : -1;
}

const Trees& trees_of(int size) {
  thread_local Trees trees;
  if (trees.size != size) trees = Trees(size);
  return trees;
}

/// Follows the steps through the rounds (round_clock.hpp): downwards, or upwards.
void follow_trees(RoundClock& clock, int size, std::array<Count, 2> segments, bool down) {
  const Trees& trees = trees_of(size);
  const Count steps = std::max(trees.latest[0] + 2 * segments[0], trees.latest[1] + 2 * segments[1]) - 1;
  for (Count i = 0; i < steps; ++i, clock.wait()) {
    const Count step = down ? i : steps - 1 - i;
    for (std::size_t v = 0; v < trees.below.size(); ++v)
      for (const TwoTreeEdge& edge : trees.below[v]) {
        if (segment_in(edge, step, segments[Trees::at(edge.tree)]) < 0) continue;
        const std::size_t child = Trees::at(edge.peer);
        down ? clock.message(v, child) : clock.message(child, v);
      }
  }
}

}  // namespace

TwoTreePlace two_tree_place(int size, int v) {
  const Trees& trees = trees_of(size);
  TwoTreePlace place{{}, trees.below[Trees::at(v)]};
  for (int tree = 0; v > 0 && tree < 2; ++tree) {
    const Edge& edge = trees.above[Trees::at(tree)][Trees::at(v)];
    place.parents.push_back({edge.parent, tree, edge.first});
  }
  return place;
}

Count TwoTreeHalves::passing(const TwoTreeEdge& edge, Count step) const {
  return segment_in(edge, step, of[Trees::at(edge.tree)].count());
}

Count TwoTreeHalves::steps(int size) const {
  const Trees& trees = trees_of(size);
  return std::max(trees.latest[0] + 2 * of[0].count(), trees.latest[1] + 2 * of[1].count()) - 1;
}

Task bcast_down_two_trees(Comm comm, Call call, View vector) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const TwoTreePlace place = two_tree_place(size, vrank);
  const TwoTreeHalves halves(vector, call);
  std::vector<Op> ops;
  for (Count step = 0; size > 1 && step < halves.steps(size); ++step) {
    ops.clear();
    for (const TwoTreeEdge& edge : place.parents)
      if (const Count i = halves.passing(edge, step); i >= 0)
        ops.push_back(comm.recv(real_rank(edge.peer, call.root, size), halves.of[Trees::at(edge.tree)][i], edge.tree));
    for (const TwoTreeEdge& edge : place.children)
      if (const Count i = halves.passing(edge, step); i >= 0)
        ops.push_back(comm.send(real_rank(edge.peer, call.root, size), halves.of[Trees::at(edge.tree)][i], edge.tree));
    co_await comm.wait(ops);
  }
}

Task reduce_up_two_trees(Comm comm, Call call, View vector) {
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), call.root, size);
  const TwoTreePlace place = two_tree_place(size, vrank);
  const TwoTreeHalves halves(vector, call);
  const View inbox = comm.scratch(place.children.empty() ? 0 : halves.of[0][0].elements());
  std::vector<Op> ops;
  for (Count step = size > 1 ? halves.steps(size) - 1 : -1; step >= 0; --step) {  // the broadcast backwards
    ops.clear();
    View sum = inbox.slice(0, 0);
    bool takes = false;
    for (const TwoTreeEdge& edge : place.children)
      if (const Count i = halves.passing(edge, step); i >= 0) {
        takes = true;
        sum = halves.of[Trees::at(edge.tree)][i];
        ops.push_back(comm.recv(real_rank(edge.peer, call.root, size), inbox.slice(0, sum.elements()), edge.tree));
      }
    for (const TwoTreeEdge& edge : place.parents)
      if (const Count i = halves.passing(edge, step); i >= 0)
        ops.push_back(comm.send(real_rank(edge.peer, call.root, size), halves.of[Trees::at(edge.tree)][i], edge.tree));
    co_await comm.wait(ops);
    if (takes) co_await comm.wait(comm.combine(sum, inbox.slice(0, sum.elements()), sum));
  }
}

double two_tree_rounds(const Facts& facts, bool up, bool down) {
  const auto size = static_cast<int>(facts["p"]);
  if (size == 1) return 0;
  const std::array<double, 2> segments = segments_of_halves(facts);
  const Trees& trees = trees_of(size);
  // Beyond so many segments, with which all ranks are at work, each takes two rounds more.
  const double full = 4.0 + std::max(trees.latest[0], trees.latest[1]);
  const double more = std::max(0.0, std::min(segments[0], segments[1]) - full);
  RoundClock clock(std::vector<int>(static_cast<std::size_t>(size), 0), false);
  const std::array<Count, 2> few{static_cast<Count>(segments[0] - more), static_cast<Count>(segments[1] - more)};
  if (up) follow_trees(clock, size, few, false);
  if (down) follow_trees(clock, size, few, true);
  return *std::max_element(clock.reached().begin(), clock.reached().end()) + 2 * more * (up + down);
}

double two_tree_messages(const Facts& facts) {
  const std::array<double, 2> segments = segments_of_halves(facts);
  return (facts["p"] - 1) * (segments[0] + segments[1]);
}

}  // namespace tutti
