#include "algos/patterns/all_broadcast.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "algos/patterns/block_copies.hpp"
#include "algos/patterns/circulant.hpp"

namespace tutti {
namespace {

/// The runs, one after the other, as one view where one can name them.
std::optional<View> as_one_view(const std::vector<View>& runs) {
  if (runs.size() == 1) return runs[0];
  const View& first = runs[0];
  const Count stride = runs[1].first - first.first;
  for (std::size_t i = 1; i < runs.size(); ++i)
    if (runs[i].first != first.first + static_cast<Count>(i) * stride ||
        (i + 1 < runs.size() && runs[i].block != first.block))
      return std::nullopt;
  return View{first.buffer, static_cast<std::int32_t>(runs.size()), first.first, first.block, stride, runs.back().last};
}

/// Where the message is that has all runs: where they are, if one view names them, else in scratch memory, which is
/// asked for when first it is needed.
View message_of(const Comm& comm, const std::vector<View>& runs, View& scratch, Count most) {
  if (runs.empty()) return {};
  if (const std::optional<View> view = as_one_view(runs)) return *view;
  if (scratch.empty()) scratch = comm.scratch(most);
  return scratch.slice(0, elements_of(runs));
}

/// What of the vector goes to a rank in a round, and comes from another, in the order of roots.
struct Moves {
  Rank to, from;
  std::vector<View> sent, received;
};

class AllBroadcast {
 public:
  AllBroadcast(const Blocks& blocks, Rank rank, Count segments)
      : blocks_(blocks),
        rank_(rank),
        segments_(segments),
        skips_(circulant_skips(blocks.parts)),
        phases_(skips_.size() - 1, segments),
        receives_(circulant_schedules(blocks.parts)) {
    for (int root = 0; root < blocks.parts; ++root) most_ += (blocks.count(root) + segments - 1) / segments;
  }

  Count rounds() const { return blocks_.total() == 0 ? 0 : phases_.rounds(); }
  /// No message has more elements.
  Count most() const { return most_; }

  Moves round(Count i, const View& vector) const {
    const int size = blocks_.parts, away = skips_[phases_.of_phase(i)];
    const Rank to = (rank_ + away) % size, from = (rank_ - away + size) % size;
    return {to, from, coming_to(to, i, vector), coming_to(rank_, i, vector)};
  }

 private:
  /// The segments that the rank receives in the round, one of each root's block.
  std::vector<View> coming_to(Rank rank, Count i, const View& vector) const {
    const std::size_t of_phase = phases_.of_phase(i);
    const Count passed = phases_.passed(i);
    std::vector<View> runs;
    // Roots upwards, from whom the rank is less and less far.
    for (Rank root = 0, v = rank; root < blocks_.parts; ++root, v = v == 0 ? blocks_.parts - 1 : v - 1)
      if (const Count number = phases_.block_after(passed, receives_->of(v, of_phase)); root != rank && number >= 0)
        add(runs, vector, root, number);
    return runs;
  }

  void add(std::vector<View>& runs, const View& vector, Rank root, Count number) const {
    const View run = piece_of(blocks_.of(vector, root), segments_, number);
    if (run.empty()) return;
    if (!runs.empty() && runs.back().end() == run.first)
      runs.back() = View::contiguous(run.buffer, runs.back().first, runs.back().elements() + run.elements());
    else
      runs.push_back(run);
  }

  Blocks blocks_;
  Rank rank_;
  Count segments_, most_ = 0;
  std::vector<int> skips_;
  CirculantPhases phases_;
  std::shared_ptr<const CirculantSchedules> receives_;
};

}  // namespace

Task all_broadcast(Comm comm, View vector, Blocks blocks, Count segments) {
  const AllBroadcast all(blocks, comm.rank(), segments);
  View leaving, arriving;  // scratch memory
  std::vector<Op> ops;
  for (Count i = 0; i < all.rounds(); ++i) {
    const auto [to, from, sent, received] = all.round(i, vector);
    const View what = message_of(comm, sent, leaving, all.most()),
               into = message_of(comm, received, arriving, all.most());
    const Op taken = into.empty() ? Op::none : comm.recv(from, into);
    if (!what.empty() && what.buffer != vector.buffer) {
      post_for_runs(ops, sent, what, [&](const View& run, const View& part) { return comm.copy(part, run); });
      co_await comm.wait(ops);
    }
    ops.clear();
    if (!into.empty()) ops.push_back(taken);
    if (!what.empty()) ops.push_back(comm.send(to, what));
    co_await comm.wait(ops);
    if (into.empty() || into.buffer == vector.buffer) continue;
    post_for_runs(ops, received, into, [&](const View& run, const View& part) { return comm.copy(run, part); });
    co_await comm.wait(ops);
  }
}

Task allgather_by_all_broadcast(Comm comm, Call call) {
  co_await comm.wait(comm.copy(call.block(comm.rank()), call.in));
  co_await all_broadcast(comm, call.out, call.blocks, segments_of_largest(call.blocks, call));
}

Task all_reduction(Comm comm, View vector, Blocks blocks, Count segments) {
  const AllBroadcast all(blocks, comm.rank(), segments);
  View leaving;  // scratch memory
  const View arriving = comm.scratch(all.most());
  std::vector<Op> ops;
  for (Count i = all.rounds(); i-- > 0;) {
    const auto [from, to, received, sent] = all.round(i, vector);  // the broadcasts backwards
    const View what = message_of(comm, sent, leaving, all.most());
    const View arrived = arriving.slice(0, elements_of(received));
    const Op taken = arrived.empty() ? Op::none : comm.recv(from, arrived);
    if (!what.empty() && what.buffer != vector.buffer) {
      post_for_runs(ops, sent, what, [&](const View& run, const View& part) { return comm.copy(part, run); });
      co_await comm.wait(ops);
    }
    const Op given = what.empty() ? Op::none : comm.send(to, what);
    if (!arrived.empty()) {
      co_await comm.wait(taken);
      post_for_runs(ops, received, arrived,
                    [&](const View& run, const View& part) { return comm.combine(run, part, run); });
      co_await comm.wait(ops);
    }
    if (!what.empty()) co_await comm.wait(given);
  }
}

}  // namespace tutti
