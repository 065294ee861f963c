#include "algos/patterns/tree_pipeline.hpp"

#include <algorithm>

#include "algos/patterns/segments.hpp"

namespace tutti {

Task bcast_pipeline_down(Comm comm, Call call, Tree tree) {
  const Segments segments(call.out, call);
  const bool receives = tree.parent >= 0;
  Op next{};
  std::vector<Op> sends;
  if (receives) next = comm.recv(tree.parent, segments[0]);
  for (Count i = 0; i < segments.count(); ++i) {
    if (receives) {
      const Op current = next;
      if (i + 1 < segments.count()) next = comm.recv(tree.parent, segments[i + 1]);
      co_await comm.wait(current);
    }
    for (const Rank child : tree.children) sends.push_back(comm.send(child, segments[i]));
    co_await comm.wait(sends);
    sends.clear();
  }
}

Task reduce_pipeline_up(Comm comm, Call call, Tree tree) {
  const bool is_root = tree.parent < 0;
  const auto children = static_cast<Count>(tree.children.size());
  const Segments own(call.in, call);
  if (children == 0) {
    if (is_root) co_await comm.wait(comm.copy(call.out, call.in));
    for (Count i = 0; !is_root && i < own.count(); ++i) co_await comm.blocking_send(tree.parent, own[i]);
    co_return;
  }
  const Segments sum(is_root ? call.out : comm.scratch(call.in.elements()), call);
  const View incoming[2] = {comm.scratch(own[0].elements()), comm.scratch(own[0].elements())};
  // The first child's segment can go where the sum will be, unless own values are there or must come last.
  const bool first_in_place = call.commutative() && !(is_root && call.in_place);
  if (!first_in_place) co_await comm.wait(comm.copy(sum.whole, own.whole));

  const auto destination = [&](Count message) {
    const View segment = sum[message / children];
    return first_in_place && message % children == 0 ? segment : incoming[message % 2].slice(0, segment.elements());
  };
  const Count messages = own.count() * children;
  Op next = comm.recv(tree.children[0], destination(0));
  for (Count message = 0; message < messages; ++message) {
    const Op current = next;
    if (message + 1 < messages) next = comm.recv(tree.children[(message + 1) % children], destination(message + 1));
    co_await comm.wait(current);
    const Count i = message / children, child = message % children;
    const View left = first_in_place && child == 0 ? own[i] : destination(message);
    co_await comm.wait(comm.combine(sum[i], left, sum[i]));
    if (child == children - 1 && !is_root) co_await comm.blocking_send(tree.parent, sum[i]);
  }
}

namespace {

/// When each rank last took in and last sent a message: a segment goes up the tree and down again, and only then does a
/// rank take in its part of the next.
struct Progress {
  const std::vector<Tree>& tree;
  std::vector<double> taken, sent;

  void pass(Rank from, Rank to) {
    sent[from] = std::max(taken[from], sent[from]) + 1;
    taken[to] = std::max(sent[from], taken[to] + 1);
  }
  void up(Rank rank) {
    for (const Rank child : tree[rank].children) {
      up(child);
      pass(child, rank);
    }
  }
  void down(Rank rank) {
    for (const Rank child : tree[rank].children) {
      pass(rank, child);
      down(child);
    }
  }
};

}  // namespace

double up_and_down_rounds(const std::vector<Tree>& tree, Rank root, double segments) {
  Progress progress{tree, std::vector<double>(tree.size()), std::vector<double>(tree.size())};
  for (double segment = 0; segment < segments; ++segment) {
    progress.up(root);
    progress.down(root);
  }
  return *std::max_element(progress.taken.begin(), progress.taken.end());
}

int rounds_to_take_in(const std::vector<int>& ready, int start) {
  int taken = start, before = start,
      last = start;  // when all messages but the latest two, all but the latest, and the latest are in
  for (const int sent : ready) {
    const int free = std::max(sent, taken) + 1, now = free == last ? free + 1 : free;
    taken = before;
    before = std::max(before, now);
    last = now;
  }
  return before;
}

}  // namespace tutti
