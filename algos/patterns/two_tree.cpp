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
  std::array<int, 2> tops{};
  std::array<std::vector<Edge>, 2> above;       // by tree and virtual rank
  std::vector<std::vector<TwoTreeEdge>> below;  // by virtual rank
  std::array<int, 2> latest{};                  // arrival of a tree's first segment

  explicit Trees(int of = 0, TwoTrees which = TwoTrees::of_root)
      : size(of), tops{0, which == TwoTrees::in_order && of > 0 && of % 2 == 0 ? of - 1 : 0}, below(at(of)) {
    for (int tree : {0, 1}) {
      above[at(tree)].resize(at(size));
      for (int v = 0; v < size; ++v)
        if (v != tops[at(tree)]) below[at(above[at(tree)][at(v)].parent = parent(tree, v))].push_back({v, tree, 0});
    }
    for (const auto& children : below)  // a path ends with a rank that has one child only …
      if (children.size() == 1) colour_from(children[0].tree, children[0].peer);
    if (tops[0] != tops[1]) colour_as_second(1, tops[0]);  // … or with one that has one parent only
    for (int v = 0; v < size; ++v)                         // what is left are rings
      if (v != tops[0]) colour_from(0, v);
    for (auto& children : below)
      for (TwoTreeEdge& edge : children) {
        edge.first = arrival(edge.tree, edge.peer);
        latest[at(edge.tree)] = std::max(latest[at(edge.tree)], edge.first);
      }
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  int parent(int tree, int v) const {
    const int others = size - 1;
    if (tree == 0) return in_order_parent(others, v);
    const bool shifted_down = tops[1] != 0;  // 0 … size - 2 are numbers 1 … others
    const int up = in_order_parent(others, shifted_down ? v + 1 : in_second(others, v));
    if (up == 0) return tops[1];
    return shifted_down ? up - 1 : from_second(others, up);
  }

  const TwoTreeEdge* sibling_of(int tree, int v) const {
    const auto& siblings = below[at(above[at(tree)][at(v)].parent)];
    if (siblings.size() < 2) return nullptr;
    return &siblings[siblings[0].peer == v && siblings[0].tree == tree ? 1 : 0];
  }

  /// Colours an edge as if another one of its receiver had the first colour, and then from the other one of its sender.
  void colour_as_second(int tree, int v) {
    if (above[at(tree)][at(v)].colour >= 0) return;
    above[at(tree)][at(v)].colour = 1;
    if (const TwoTreeEdge* next = sibling_of(tree, v)) colour_from(next->tree, next->peer);
  }

  /// Colours an edge, the other one of its receiver, the other one of that one's sender, and so on.
  void colour_from(int tree, int v) {
    while (above[at(tree)][at(v)].colour < 0) {
      above[at(tree)][at(v)].colour = 0;
      if (v == tops[at(1 - tree)]) return;
      Edge& other = above[at(1 - tree)][at(v)];
      other.colour = 1;
      const TwoTreeEdge* next = sibling_of(1 - tree, v);
      if (!next) return;
      tree = next->tree;
      v = next->peer;
    }
  }

  int arrival(int tree, int v) {
    if (v == tops[at(tree)]) return -1;
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

const Trees& trees_of(int size, TwoTrees which) {
  thread_local std::array<Trees, 2> latest;
  Trees& trees = latest[which == TwoTrees::in_order ? 1 : 0];
  if (trees.size != size) trees = Trees(size, which);
  return trees;
}

/// Follows the steps through the rounds (round_clock.hpp): downwards, or upwards.
void follow_trees(RoundClock& clock, const Trees& trees, std::array<Count, 2> segments, bool down) {
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

int rounds_with(const Trees& trees, std::array<Count, 2> segments, const TwoTreeWays& ways) {
  RoundClock clock(std::vector<int>(Trees::at(trees.size), 0), false);
  if (ways.up) follow_trees(clock, trees, segments, false);
  if (ways.down) follow_trees(clock, trees, segments, true);
  for (const TwoTreeResult& result : two_tree_results(trees.size, {}))
    if (ways.to >= 0 && result.at != ways.to) clock.message(Trees::at(result.at), Trees::at(ways.to));
  clock.wait();
  return *std::max_element(clock.reached().begin(), clock.reached().end());
}

}  // namespace

TwoTreePlace two_tree_place(int size, int v, TwoTrees which) {
  const Trees& trees = trees_of(size, which);
  TwoTreePlace place{{}, trees.below[Trees::at(v)]};
  for (int tree = 0; tree < 2; ++tree) {
    const Edge& edge = trees.above[Trees::at(tree)][Trees::at(v)];
    if (v != trees.tops[Trees::at(tree)]) place.parents.push_back({edge.parent, tree, edge.first});
  }
  return place;
}

std::vector<TwoTreeResult> two_tree_results(int size, const View& vector) {
  if (size % 2 == 1) return {{0, vector}};
  const Blocks halves = Blocks::split(vector.elements(), 2);
  return {{0, halves.of(vector, 0)}, {size - 1, halves.of(vector, 1)}};
}

Count TwoTreeHalves::passing(const TwoTreeEdge& edge, Count step) const {
  return segment_in(edge, step, of[Trees::at(edge.tree)].count());
}

Count TwoTreeHalves::steps(int size, TwoTrees which) const {
  const Trees& trees = trees_of(size, which);
  return std::max(trees.latest[0] + 2 * of[0].count(), trees.latest[1] + 2 * of[1].count()) - 1;
}

Task bcast_down_two_trees(Comm comm, Call call, View vector, TwoTrees which) {
  const Rank root = which == TwoTrees::in_order ? 0 : call.root;
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), root, size);
  const TwoTreePlace place = two_tree_place(size, vrank, which);
  const TwoTreeHalves halves(vector, call);
  std::vector<Op> ops;
  for (Count step = 0; size > 1 && step < halves.steps(size, which); ++step) {
    ops.clear();
    for (const TwoTreeEdge& edge : place.parents)
      if (const Count i = halves.passing(edge, step); i >= 0)
        ops.push_back(comm.recv(real_rank(edge.peer, root, size), halves.of[Trees::at(edge.tree)][i], edge.tree));
    for (const TwoTreeEdge& edge : place.children)
      if (const Count i = halves.passing(edge, step); i >= 0)
        ops.push_back(comm.send(real_rank(edge.peer, root, size), halves.of[Trees::at(edge.tree)][i], edge.tree));
    co_await comm.wait(ops);
  }
}

Task reduce_up_two_trees(Comm comm, Call call, View vector, TwoTrees which) {
  const Rank root = which == TwoTrees::in_order ? 0 : call.root;
  const int size = comm.size(), vrank = virtual_rank(comm.rank(), root, size);
  const TwoTreePlace place = two_tree_place(size, vrank, which);
  const TwoTreeHalves halves(vector, call);
  const View inbox = comm.scratch(place.children.empty() ? 0 : halves.of[0][0].elements());
  std::vector<Op> ops;
  for (Count step = size > 1 ? halves.steps(size, which) - 1 : -1; step >= 0; --step) {  // the broadcast backwards
    ops.clear();
    View sum = inbox.slice(0, 0);
    int child = -1;
    for (const TwoTreeEdge& edge : place.children)
      if (const Count i = halves.passing(edge, step); i >= 0) {
        child = edge.peer;
        sum = halves.of[Trees::at(edge.tree)][i];
        ops.push_back(comm.recv(real_rank(child, root, size), inbox.slice(0, sum.elements()), edge.tree));
      }
    for (const TwoTreeEdge& edge : place.parents)
      if (const Count i = halves.passing(edge, step); i >= 0)
        ops.push_back(comm.send(real_rank(edge.peer, root, size), halves.of[Trees::at(edge.tree)][i], edge.tree));
    co_await comm.wait(ops);
    if (child < 0) continue;
    const View theirs = inbox.slice(0, sum.elements());
    co_await comm.wait(child < vrank ? comm.combine(sum, theirs, sum) : comm.combine(sum, sum, theirs));
  }
}

double two_tree_rounds(const Facts& facts, TwoTreeWays ways) {
  const auto size = static_cast<int>(facts["p"]);
  if (size == 1) return 0;
  const std::array<double, 2> segments = segments_of_halves(facts);
  const Trees& trees = trees_of(size, ways.which);
  // Beyond so many segments, with which all ranks are at work, each takes as long as the one before.
  const double full = 4.0 + std::max(trees.latest[0], trees.latest[1]);
  const double more = std::max(0.0, std::min(segments[0], segments[1]) - full);
  const std::array<Count, 2> few{static_cast<Count>(segments[0] - more), static_cast<Count>(segments[1] - more)};
  const int time = rounds_with(trees, few, ways);
  return time + (more > 0 ? more * (rounds_with(trees, {few[0] + 1, few[1] + 1}, ways) - time) : 0);
}

double two_tree_messages(const Facts& facts) {
  const std::array<double, 2> segments = segments_of_halves(facts);
  return (facts["p"] - 1) * (segments[0] + segments[1]);
}

}  // namespace tutti
