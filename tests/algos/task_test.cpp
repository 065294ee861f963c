#include "algos/task.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "algos/bcast/calls.hpp"
#include "algos/registry.hpp"
#include "sim/proof/verify.hpp"

namespace tutti {

namespace {

Task binomial(Comm comm, Call call) { return bcast_binomial(comm, call.with("segment", 0)); }

using proof::Execution;
using proof::Executor;

Case bcast_of(int ranks, Count count, Rank root = 0) {
  return {Collective::bcast, ranks, count, 1, root, false, Operator::sum};
}

/// Nodes of so many consecutive ranks.
NodeOfRank nodes_of(int ranks, int per_node) {
  NodeOfRank nodes;
  for (Rank r = 0; r < ranks; ++r) nodes.push_back(r / per_node);
  return nodes;
}

/// Runs a bcast and says what was found wrong, or nothing.
std::string bcast_fault(Executor& executor, AlgorithmFunction function, const Case& c, int ranks_per_node = 3) {
  const Execution execution = executor.run(function, c, Choice{}, 1, nodes_of(c.ranks, ranks_per_node));
  if (execution.fault) return execution.fault->text;
  const auto wrong = proof::check_results(executor, c);
  return wrong ? wrong->text : "";
}

Task halves_one_after_the_other(Comm comm, Call call) {
  const Count half = call.out.elements() / 2;
  for (const View& part : {call.out.slice(0, half), call.out.slice(half, call.out.elements() - half)}) {
    Call inner = call;
    inner.in = inner.out = part;
    co_await binomial(comm, inner);
  }
}

Task nested_twice(Comm comm, Call call) {
  co_await halves_one_after_the_other(comm, call);
  co_await halves_one_after_the_other(comm, call);
}

/// Passes `what` from rank to rank, all the way round from the root, upwards (1) or downwards (-1).
Task pass_along(Comm comm, View what, Rank root, int direction) {
  const int size = comm.size(), position = (direction * (comm.rank() - root) + size) % size;
  if (position > 0) co_await comm.wait(comm.recv((comm.rank() - direction + size) % size, what));
  if (position < size - 1) comm.send((comm.rank() + direction + size) % size, what);
}

template <bool side_by_side>
Task halves_both_ways(Comm comm, Call call) {
  const Count half = call.out.elements() / 2;
  const View low = call.out.slice(0, half), high = call.out.slice(half, call.out.elements() - half);
  Task up = pass_along(comm, low, call.root, 1);
  if (!side_by_side) co_await up;
  Task down = pass_along(comm, high, call.root, -1);
  co_await comm.wait(up, down);
}

TEST(Task, CallsNest) {
  Executor executor;
  for (int p = 1; p <= 20; ++p) EXPECT_EQ(bcast_fault(executor, nested_twice, bcast_of(p, 7, p / 2)), "") << p;
}

TEST(Task, TwoCallsRunSideBySide) {
  Executor executor;
  for (int p = 1; p <= 20; ++p) EXPECT_EQ(bcast_fault(executor, halves_both_ways<true>, bcast_of(p, 7, p - 1)), "");
  EXPECT_EQ(executor.run(halves_both_ways<true>, bcast_of(9, 8), Choice{}, 2).rounds, 8);
  EXPECT_EQ(executor.run(halves_both_ways<false>, bcast_of(9, 8), Choice{}, 2).rounds, 15)
      << "the last to have the one half is the first to pass on the other";
}

/// Two streams between the same ranks, received in the opposite order: only the lanes keep them apart.
template <int first_lane, int second_lane>
Task crossed_streams(Comm comm, Call call) {
  const Count half = call.out.elements() / 2;
  const View low = call.out.slice(0, half), high = call.out.slice(half, half);
  for (Rank r = 0; r < comm.size(); ++r) {
    if (comm.rank() == call.root && r != call.root) {
      const Op a = comm.send(r, low, first_lane), b = comm.send(r, high, second_lane);
      co_await comm.wait(a, b);
    } else if (comm.rank() == r && r != call.root) {
      co_await comm.wait(comm.recv(call.root, high, second_lane));
      co_await comm.wait(comm.recv(call.root, low, first_lane));
    }
  }
}

TEST(Task, LanesKeepTwoStreamsBetweenTheSameRanksApart) {
  Executor executor;
  EXPECT_EQ(bcast_fault(executor, crossed_streams<0, 1>, bcast_of(3, 6)), "");
  EXPECT_EQ(bcast_fault(executor, crossed_streams<7, 7>, bcast_of(3, 6)),
            "rank 1, out[0]: holds 0 of element 3, expected 0 of element 0")
      << "in one lane messages match in the order posted";
}

/// Root to the leaders of the nodes, leaders to their nodes.
Task two_levels(Comm comm, Call call) {
  const Comm node = comm.group(Level::node), leaders = comm.leaders(Level::node);
  if (leaders.is_member()) co_await binomial(leaders, call);
  co_await binomial(node, call);
}

Task records_groups(Comm comm, Call call) {
  const Comm node = comm.group(Level::node), leaders = comm.leaders(Level::node);
  const bool first = node.rank() == 0;
  const bool right = node.size() == std::min(4, comm.size() - comm.rank() / 4 * 4) && node.rank() == comm.rank() % 4 &&
                     leaders.is_member() == first &&
                     (!first || (leaders.rank() == comm.rank() / 4 && leaders.size() == (comm.size() + 3) / 4));
  if (!right) throw std::logic_error("rank " + std::to_string(comm.rank()) + " is not where it should be");
  co_await binomial(comm, call);
}

TEST(Groups, NodesAndTheirLeadersNumberTheirMembersInOrder) {
  Executor executor;
  for (int p = 1; p <= 17; ++p) EXPECT_EQ(bcast_fault(executor, records_groups, bcast_of(p, 1), 4), "");
}

TEST(Groups, ABroadcastOverTheLeadersThenInEveryNodeReachesAllRanks) {
  Executor executor;
  for (const int per_node : {1, 2, 3, 5, 100})
    for (int p = 1; p <= 33; ++p) {
      EXPECT_EQ(bcast_fault(executor, two_levels, bcast_of(p, 3), per_node), "") << p << " / " << per_node;
      EXPECT_EQ(executor.run(two_levels, bcast_of(p, 3), Choice{}, 1, nodes_of(p, per_node)).messages, p - 1);
    }
}

Task asks_a_group_for_its_groups(Comm comm, Call) {
  static_cast<void>(comm.leaders(Level::node).group(Level::socket));
  co_return;
}
Task asks_a_group_for_what_is_farther(Comm comm, Call) {
  static_cast<void>(comm.group(Level::socket).group(Level::node));
  co_return;
}

/// Nodes 0 0 0 0 1 1 1 1 and sockets 7 8 7 8 8 8 7 9: none lies within the other.
Task records_groups_of_a_group(Comm comm, Call call) {
  const Comm node = comm.group(Level::node), socket = node.group(Level::socket);
  constexpr int kSizes[] = {2, 2, 2, 2, 2, 2, 1, 1}, kNumbers[] = {0, 0, 1, 1, 0, 1, 0, 0};
  const auto r = static_cast<std::size_t>(comm.rank());
  if (socket.size() != kSizes[r] || socket.rank() != kNumbers[r]) throw std::logic_error("other mates");
  if (comm.group(Level::socket).size() != (r == 7 ? 1 : r % 2 == 0 && r != 4 ? 3 : 4))
    throw std::logic_error("of all ranks, the node counted");
  if (node.is_equal(Level::socket) != (r < 4)) throw std::logic_error("not so");
  if (node.leader_of(node.rank(), Level::socket) != socket.world_rank(0)) throw std::logic_error("another leader");
  co_await binomial(socket, call);
  if (node.leaders(Level::socket).is_member()) co_await binomial(node.leaders(Level::socket), call);
  co_await binomial(node.peers(Level::socket), call);
  co_await binomial(comm.group(Level::socket), call);
  co_await binomial(comm, call);
}
Task records_consecutive(Comm comm, Call call) {
  if (comm.is_consecutive(Level::node) != (call.out.elements() == 1)) throw std::logic_error("not so");
  if (comm.leader_of(comm.size() - 1, Level::node) != comm.size() - 2) throw std::logic_error("another leader");
  const Comm node = comm.group(Level::node);
  for (Rank r = 0; r < comm.size(); ++r)
    if (const Rank here = node.rank_of(r); (here == node.rank()) != (r == comm.rank()))
      throw std::logic_error("numbered " + std::to_string(here));
  co_return;
}

TEST(Groups, ThoseWhoLeadHaveNoGroupsAndOthersNoneOfWhatIsFarther) {
  Executor executor;
  EXPECT_EQ(
      bcast_fault(executor, asks_a_group_for_its_groups, bcast_of(2, 1)),
      "rank 0: the algorithm threw: groups of a group: only all ranks and those that share something have groups");
  Places places(NodeOfRank{0, 0});
  places.others[Level::socket] = {0, 0};
  const Execution execution = executor.run(asks_a_group_for_what_is_farther, bcast_of(2, 1), Choice{}, 1, places);
  EXPECT_EQ(execution.fault.value_or(proof::Fault{}).text,
            "rank 0: the algorithm threw: groups of a group: expected a level nearer than that by which it was made");
}

TEST(Groups, OfAGroupAreOfItsRanksAlone) {
  Executor executor;
  Places places(NodeOfRank{0, 0, 0, 0, 1, 1, 1, 1});
  places.others[Level::socket] = {7, 8, 7, 8, 8, 8, 7, 9};
  const Execution execution = executor.run(records_groups_of_a_group, bcast_of(8, 1), Choice{}, 1, places);
  EXPECT_EQ(execution.fault.value_or(proof::Fault{}).text, "");
}

TEST(Groups, KnowWhetherRanksOfANodeFollowOneAnother) {
  Executor executor;
  for (const auto& [nodes, count] : {std::pair{NodeOfRank{7, 7, 7, 1, 1}, 1}, {{0, 1, 0, 2, 2}, 2}})
    EXPECT_EQ(
        executor.run(records_consecutive, bcast_of(5, count), Choice{}, 1, nodes).fault.value_or(proof::Fault{}).text,
        "");
}

Task records_peers(Comm comm, Call call) {
  const Comm peers = comm.peers(Level::node), node = comm.group(Level::node);
  // Nodes of 3, 2 and 1 ranks, in turn: 0 1 2 0 1 0.
  constexpr int kNode[] = {0, 1, 2, 0, 1, 0}, kNumber[] = {0, 0, 0, 1, 1, 2}, kPeers[] = {3, 3, 3, 2, 2, 1};
  const auto r = static_cast<std::size_t>(comm.rank());
  if (comm.size() == 6 && (node.rank() != kNumber[r] || peers.size() != kPeers[r] || peers.rank() != kNode[r]))
    throw std::logic_error("rank " + std::to_string(comm.rank()) + " has other peers");
  if (comm.is_equal(Level::node) != (comm.size() == 4)) throw std::logic_error("not so");
  if (comm.mates_of(0, Level::node).size() != (comm.size() == 6 ? 3u : 2u)) throw std::logic_error("other mates");
  if (comm.leaders(Level::node).is_member() != (node.rank() == 0)) throw std::logic_error("another leader");
  co_await binomial(peers, call);  // those who lead and their peers are different groups
  if (comm.leaders(Level::node).is_member()) co_await binomial(comm.leaders(Level::node), call);
  co_await binomial(comm, call);
}

TEST(Groups, PeersHaveTheSameNumberOnTheirNodes) {
  Executor executor;
  for (const NodeOfRank& nodes : {NodeOfRank{5, 3, 9, 5, 3, 5}, NodeOfRank{2, 1, 2, 1}}) {
    const Execution execution =
        executor.run(records_peers, bcast_of(static_cast<int>(nodes.size()), 1), Choice{}, 1, nodes);
    EXPECT_EQ(execution.fault.value_or(proof::Fault{}).text, "");
  }
}

Task throws_on_rank_two(Comm comm, Call call) {
  if (comm.rank() == 2) throw std::runtime_error("out of ideas");
  co_await binomial(comm, call);
}

Task calls_what_throws(Comm comm, Call call) {
  co_await halves_one_after_the_other(comm, call);
  co_await throws_on_rank_two(comm, call);
}

Task throws_at_the_end_on_rank_two(Comm comm, Call call) {
  co_await binomial(comm, call);
  if (comm.rank() == 2) throw std::runtime_error("out of ideas");
}

Task catches(Comm comm, Call call) {
  bool caught = false;
  try {
    co_await throws_at_the_end_on_rank_two(comm, call);
  } catch (const std::runtime_error&) {
    caught = true;
  }
  if (caught != (comm.rank() == 2)) throw std::logic_error("not caught");
  co_await binomial(comm, call);
}

Task throws_in_one_of_two(Comm comm, Call call) {
  Task first = binomial(comm, call), second = throws_on_rank_two(comm, call);
  co_await comm.wait(first, second);
}

TEST(Task, AnExceptionCarriesThroughTheCallsAboveIt) {
  Executor executor;
  EXPECT_EQ(bcast_fault(executor, calls_what_throws, bcast_of(2, 4)), "") << "there is no rank 2";
  for (const AlgorithmFunction function : {throws_on_rank_two, calls_what_throws}) {
    const Execution execution = executor.run(function, bcast_of(5, 4), Choice{}, 1);
    ASSERT_TRUE(execution.fault);
    EXPECT_EQ(execution.fault->kind, proof::FaultKind::exception);
    EXPECT_EQ(execution.fault->text, "rank 2: the algorithm threw: out of ideas");
  }
  EXPECT_EQ(executor.run(throws_in_one_of_two, bcast_of(2, 4), Choice{}, 1).fault->kind, proof::FaultKind::race)
      << "two calls write the same elements";
}

TEST(Task, ACallerMayCatchWhatACalleeThrew) {
  Executor executor;
  EXPECT_EQ(bcast_fault(executor, catches, bcast_of(5, 1)), "");
}

TEST(FramePool, AFreedFrameIsTheNextOfItsSize) {
  void* const frame = frame_allocate(1000);
  frame_release(frame, 1000);
  void* const other_size = frame_allocate(300);
  EXPECT_NE(other_size, frame);
  void* const again = frame_allocate(1001);  // the same 16 bytes
#ifdef __SANITIZE_ADDRESS__
  EXPECT_NE(again, frame) << "hides from the sanitizer that a frame is used after its end";
#else
  EXPECT_EQ(again, frame);
#endif
  frame_release(other_size, 300);
  frame_release(again, 1001);
}

TEST(FramePool, GivesDistinctFramesAndServesSizesItDoesNotKeep) {
  std::vector<std::pair<char*, std::size_t>> frames;
  for (const std::size_t bytes : {1u, 64u, 65u, 4095u, 4096u, 100000u})
    for (int i = 0; i < 3; ++i) {
      auto* frame = static_cast<char*>(frame_allocate(bytes));
      std::fill_n(frame, bytes, static_cast<char>(frames.size()));
      frames.emplace_back(frame, bytes);
    }
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(frames[i].first[0], static_cast<char>(i));
    EXPECT_EQ(frames[i].first[frames[i].second - 1], static_cast<char>(i));
    frame_release(frames[i].first, frames[i].second);
  }
}

TEST(FramePool, ThreadsProveSideBySide) {
  std::vector<std::thread> threads;
  std::vector<std::string> faults(4);
  for (std::size_t t = 0; t < faults.size(); ++t)
    threads.emplace_back([&faults, t] {
      Executor executor;
      for (int p = 1; p <= 12; ++p) faults[t] += bcast_fault(executor, nested_twice, bcast_of(p, 5));
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& fault : faults) EXPECT_EQ(fault, "");
}

}  // namespace
}  // namespace tutti
