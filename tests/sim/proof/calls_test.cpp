#include <gtest/gtest.h>

#include <array>

#include "sim/proof/verify.hpp"

/// Faults planted in what a call posts, waits for, and leaves behind.
namespace tutti::proof {
namespace {

std::string text_of_fault(AlgorithmFunction function, int ranks, Collective collective = Collective::bcast,
                          Count count = 6) {
  Executor executor;
  const Case c{collective, ranks, count, 1, 0, false, Operator::sum};
  NodeOfRank pairs;
  for (Rank r = 0; r < ranks; ++r) pairs.push_back(r / 2);
  const Execution execution = executor.run(function, c, Choice{}, 1, pairs);
  if (!execution.fault) return "";
  return name_of(execution.fault->kind) + (": " + execution.fault->text);
}

// --- views of one operation

template <int offset>
Task copies_within(Comm comm, Call call) {
  co_await comm.wait(comm.copy(call.out.slice(offset, 3), call.out.slice(0, 3)));
}

template <int left, int right>
Task combines_within(Comm comm, Call call) {
  co_await comm.wait(comm.combine(call.out.slice(2, 2), call.out.slice(left, 2), call.out.slice(right, 2)));
}

TEST(OneOperation, MayCopyOntoItselfOrElsewhereButNotPartlyOntoItself) {
  EXPECT_EQ(text_of_fault(copies_within<0>, 1), "");
  EXPECT_EQ(text_of_fault(copies_within<3>, 1), "");
  EXPECT_EQ(text_of_fault(copies_within<2>, 1),
            "race: rank 0 copies out[0..2] into out[2..4], which overlaps it in part");
}

TEST(OneOperation, MayCombineOntoAnOperandButNotPartlyOntoOne) {
  EXPECT_EQ(text_of_fault(combines_within<2, 4>, 1), "");
  EXPECT_EQ(text_of_fault(combines_within<0, 2>, 1), "");
  EXPECT_EQ(text_of_fault(combines_within<2, 2>, 1), "");
  EXPECT_EQ(text_of_fault(combines_within<1, 4>, 1),
            "race: rank 0 combines out[1..2] into out[2..3], which overlaps it in part");
  EXPECT_EQ(text_of_fault(combines_within<2, 3>, 1),
            "race: rank 0 combines out[3..4] into out[2..3], which overlaps it in part");
}

// --- peers, lanes and operations

template <int peer>
Task names_a_peer_in_its_node(Comm comm, Call call) {
  const Comm node = comm.group(Level::node);
  if (comm.rank() == 0) co_await node.wait(node.send(peer, call.out));
  if (comm.rank() == 1) co_await node.wait(node.recv(0, call.out));
}

template <int lane>
Task uses_a_lane(Comm comm, Call call) {
  if (comm.rank() == 0) co_await comm.wait(comm.send(1, call.out, lane));
  if (comm.rank() == 1) co_await comm.wait(comm.recv(0, call.out, lane));
}

Task sends_as_no_member(Comm comm, Call call) {
  const Comm leaders = comm.leaders(Level::node);
  if (comm.rank() == 1) co_await leaders.wait(leaders.send(0, call.out));
}

TEST(Communicator, RefusesRanksOutsideTheGroup) {
  EXPECT_EQ(text_of_fault(names_a_peer_in_its_node<1>, 4), "");
  EXPECT_EQ(text_of_fault(names_a_peer_in_its_node<2>, 4),
            "exception: rank 0: the algorithm threw: rank 2 of a group of 2");
  EXPECT_EQ(text_of_fault(names_a_peer_in_its_node<-1>, 4),
            "exception: rank 0: the algorithm threw: rank -1 of a group of 2");
  EXPECT_EQ(text_of_fault(sends_as_no_member, 4), "exception: rank 1: the algorithm threw: rank 0 of a group of 0");
}

TEST(Communicator, RefusesLanesOutsideTheirRange) {
  EXPECT_EQ(text_of_fault(uses_a_lane<255>, 2), "");
  EXPECT_EQ(text_of_fault(uses_a_lane<256>, 2),
            "exception: rank 0: the algorithm threw: lane 256, not one of 0 to 255");
  EXPECT_EQ(text_of_fault(uses_a_lane<-1>, 2), "exception: rank 0: the algorithm threw: lane -1, not one of 0 to 255");
}

template <int count>
Task makes_requests(Comm comm, Call call) {
  comm.make_requests(count);
  if (comm.rank() == 0) co_await comm.wait(comm.send(1, call.out));
  if (comm.rank() == 1) co_await comm.wait(comm.recv(0, call.out));
}

TEST(Communicator, RefusesANegativeNumberOfRequests) {
  EXPECT_EQ(text_of_fault(makes_requests<0>, 2), "");
  EXPECT_EQ(text_of_fault(makes_requests<1>, 2), "");
  EXPECT_EQ(text_of_fault(makes_requests<-1>, 2),
            "exception: rank 0: the algorithm threw: -1 persistent requests, not 0 or more");
}

const Comm* outside = nullptr;

Task posts_outside_its_call(Comm comm, Call call) {
  comm.copy(call.out.slice(0, 1), call.out.slice(1, 1));
  outside->copy(call.out.slice(2, 1), call.out.slice(3, 1));
  co_return;
}
Task hands_out_a_communicator(Comm comm, Call call) { return posts_outside_its_call(comm, call); }

AlgorithmFunction const kOutside = [](Comm comm, Call call) {
  outside = &comm;  // of no call yet
  return hands_out_a_communicator(comm, call);
};

TEST(Communicator, RefusesToPostWhereNoCallHasBegun) {
  EXPECT_EQ(text_of_fault(kOutside, 1),
            "exception: rank 0: the algorithm threw: operation on a communicator outside any call");
}

Task waits_for_no_operation(Comm comm, Call call) {
  const std::array<Op, 2> ops{comm.copy(call.out.slice(0, 1), call.out.slice(1, 1)), Op::none};
  co_await comm.wait(ops);
}

Op posted_by_first;
Task waits_for_anothers(Comm comm, Call call) {
  if (comm.rank() == 0) posted_by_first = comm.copy(call.out.slice(0, 1), call.out.slice(1, 1));
  co_await comm.wait(posted_by_first);
}

Task waits_twice_at_once(Comm comm, Call call) {
  const Op op = comm.rank() == 0 ? comm.send(1, call.out) : comm.recv(0, call.out);
  co_await comm.wait(op, op);
  co_await comm.wait(op);
  const std::array<Op, 3> thrice{op, op, op};
  co_await comm.wait(thrice);
}

TEST(Wait, RefusesWhatTheRankDidNotPost) {
  EXPECT_EQ(text_of_fault(waits_for_no_operation, 1),
            "exception: rank 0: the algorithm threw: waits for what is no operation");
  EXPECT_EQ(text_of_fault(waits_for_anothers, 2),
            "exception: rank 1: the algorithm threw: waits for an operation of another rank");
}

TEST(Wait, ForTheSameOperationTwiceIsForItOnce) { EXPECT_EQ(text_of_fault(waits_twice_at_once, 2), ""); }

// --- calls given up

Task receives_from_next(Comm comm, View into) { co_await comm.wait(comm.recv((comm.rank() + 1) % comm.size(), into)); }
Task receives_then_throws(Comm comm, View into) {
  comm.recv((comm.rank() + 1) % comm.size(), into);
  throw std::runtime_error("given up");
  co_return;
}
Task sends_to_previous(Comm comm, View what) {
  co_await comm.wait(comm.send((comm.rank() - 1 + comm.size()) % comm.size(), what));
}

Task drops_a_call(Comm comm, Call call) {
  { const Task dropped = receives_from_next(comm, call.out.slice(0, 2)); }
  co_await sends_to_previous(comm, call.out.slice(2, 2));
}

Task passes_down(Comm comm, View what, View into) {
  const int size = comm.size(), rank = comm.rank();
  co_await comm.exchange((rank - 1 + size) % size, what, (rank + 1) % size, into);
}
template <bool waits>
Task passes_down_twice(Comm comm, Call call) {
  Task first = passes_down(comm, call.out.slice(0, 1), call.out.slice(1, 1));
  co_await passes_down(comm, call.out.slice(2, 1), call.out.slice(3, 1));
  if (waits) co_await first;  // in the proof's schedule it is over here
}

Task catches_a_call_with_operations_out(Comm comm, Call call) {
  try {
    co_await receives_then_throws(comm, call.out.slice(0, 2));
  } catch (const std::runtime_error&) {
  }
  co_await sends_to_previous(comm, call.out.slice(2, 2));
}

Task throws_beside_a_call(Comm comm, Call call) {
  const Task running = receives_from_next(comm, call.out.slice(0, 2));
  if (comm.rank() == 1) throw std::runtime_error("given up");
  co_await sends_to_previous(comm, call.out.slice(2, 2));
}

TEST(Call, GivenUpBeforeItsEndIsAFault) {
  for (const AlgorithmFunction function : {drops_a_call, catches_a_call_with_operations_out})
    EXPECT_EQ(text_of_fault(function, 3), "call abandoned: rank 0 gives up a call without waiting for its end");
  EXPECT_EQ(text_of_fault(drops_a_call, 1), "call abandoned: rank 0 gives up a call without waiting for its end");
}

TEST(Call, ThatHappensToBeOverMustBeWaitedForToo) {
  EXPECT_EQ(text_of_fault(passes_down_twice<true>, 3), "");
  EXPECT_EQ(text_of_fault(passes_down_twice<false>, 3),
            "call abandoned: rank 1 gives up a call without waiting for its end");
}

Task throws(Comm comm, View) {
  if (comm.rank() == 1) throw std::runtime_error("given up");
  co_return;
}
Task drops_what_threw(Comm comm, Call call) {
  if (comm.rank() == 1) const Task dropped = throws(comm, call.out);
  co_await sends_to_previous(comm, call.out);
}
/// The other call never ends, for its sender has thrown.
Task waits_beside_what_threw(Comm comm, Call call) {
  Task other = receives_from_next(comm, call.out), thrower = throws(comm, call.out);
  co_await comm.wait(other, thrower);
}

TEST(Call, GivenUpByAThrowReportsWhatWasThrown) {
  for (const AlgorithmFunction function : {throws_beside_a_call, drops_what_threw, waits_beside_what_threw})
    EXPECT_EQ(text_of_fault(function, 3), "exception: rank 1: the algorithm threw: given up");
}

// --- calls side by side

Task copies(Comm comm, View to, View from) { co_await comm.wait(comm.copy(to, from)); }

Task copies_beside_a_call(Comm comm, Call call) {
  Task other = copies(comm, call.out.slice(0, 2), call.out.slice(2, 2));
  comm.copy(call.out.slice(4, 2), call.out.slice(0, 2));
  co_await other;
}
Task copies_in_two_calls(Comm comm, Call call) {
  Task first = copies(comm, call.out.slice(0, 2), call.out.slice(2, 2));
  Task second = copies(comm, call.out.slice(4, 2), call.out.slice(0, 2));
  co_await comm.wait(first, second);
}
Task copies_after_both_calls(Comm comm, Call call) {
  Task first = copies(comm, call.out.slice(0, 1), call.out.slice(2, 1));
  Task second = copies(comm, call.out.slice(4, 1), call.out.slice(3, 1));
  co_await comm.wait(first, second);
  co_await comm.wait(comm.copy(call.out.slice(0, 1), call.out.slice(4, 1)));
}
Task copies_in_a_call_that_a_wait_precedes(Comm comm, Call call) {
  Task first = copies(comm, call.out.slice(5, 1), call.out.slice(4, 1));
  co_await comm.wait(comm.copy(call.out.slice(0, 1), call.out.slice(2, 1)));
  Task second = copies(comm, call.out.slice(3, 1), call.out.slice(0, 1));
  co_await comm.wait(first, second);
}
Task copies_twice_then_says_so(Comm comm, View to, View from) {
  if (comm.rank() == 0) co_await comm.wait(comm.recv(1, View{}));
  co_await comm.wait(comm.copy(to, from));
}
Task waits_after_a_call_has_begun(Comm comm, Call call) {
  Task other = copies_twice_then_says_so(comm, call.out.slice(0, 1), call.out.slice(1, 1));
  co_await comm.wait(comm.copy(call.out.slice(1, 1), call.out.slice(2, 1)));
  if (comm.rank() == 1) co_await comm.wait(comm.send(0, View{}));
  co_await other;
}

TEST(SideBySide, AWaitOrdersOnlyTheCallThatWaits) {
  const std::string race = "race: rank 0 reads out[0..1] while an unordered operation writes out[0..1]";
  EXPECT_EQ(text_of_fault(copies_beside_a_call, 1), race);
  EXPECT_EQ(text_of_fault(copies_in_two_calls, 1), race);
  EXPECT_EQ(text_of_fault(waits_after_a_call_has_begun, 2),
            "race: rank 1 writes out[1..1] while an unordered operation reads out[1..1]")
      << "the caller's wait does not order the call begun before";
}

TEST(SideBySide, WhatFollowsTheEndOfBothCallsIsOrdered) {
  EXPECT_EQ(text_of_fault(copies_after_both_calls, 1), "");
  EXPECT_EQ(text_of_fault(copies_in_a_call_that_a_wait_precedes, 1), "");
}

}  // namespace
}  // namespace tutti::proof
