#include <gtest/gtest.h>

#include "tests/sim/machines.hpp"

/// Faulty algorithms end a simulation with a message, never with a wrong time or a crash.
namespace tutti::test {
namespace {

Task receives_from_next(Comm comm, View into, int lane = 0) {
  co_await comm.wait(comm.recv((comm.rank() + 1) % comm.size(), into, lane));
}
Task sends_to_previous(Comm comm, View what) {
  co_await comm.wait(comm.send((comm.rank() - 1 + comm.size()) % comm.size(), what));
}

Task drops_a_call(Comm comm, Call call) {
  { const Task dropped = receives_from_next(comm, call.out); }
  co_await sends_to_previous(comm, call.out);
}

Task throws_beside_a_call(Comm comm, Call call) {
  const Task other = receives_from_next(comm, call.out);
  if (comm.rank() == 1) throw std::runtime_error("out of ideas");
  co_await sends_to_previous(comm, call.out);
}

Task throws(Comm comm, Call) {
  if (comm.rank() == 1) throw std::runtime_error("out of ideas");
  co_return;
}
Task drops_what_threw(Comm comm, Call call) {
  { const Task dropped = throws(comm, call); }
  co_await sends_to_previous(comm, call.out);
}

/// The other call never ends, for its sender has thrown.
Task throws_beside_another_that_waits(Comm comm, Call call) {
  Task other = receives_from_next(comm, call.out), thrower = throws(comm, call);
  co_await comm.wait(other, thrower);
}

Task sends_late_then_throws_beside_a_call(Comm comm, Call call) {
  co_await sends_to_previous(comm, call.in);
  Task other = receives_from_next(comm, call.out, 1);
  if (comm.rank() == 1) throw std::runtime_error("out of ideas");
  comm.send((comm.rank() - 1 + comm.size()) % comm.size(), call.in, 1);
  co_await other;
}
/// Rank 1 throws, with a call of its own not over, into a wait for two calls of which the other never ends.
Task waits_for_a_call_beside_one_that_throws(Comm comm, Call call) {
  Task other = receives_from_next(comm, call.out), thrower = sends_late_then_throws_beside_a_call(comm, call);
  co_await comm.wait(other, thrower);
}

Task names_a_rank_too_many(Comm comm, Call call) { co_await comm.wait(comm.send(comm.size(), call.out)); }
Task waits_for_nothing(Comm comm, Call) { co_await comm.wait(Op::none); }

Task ring_waiting_twice(Comm comm, Call call) {
  const Op received = comm.recv((comm.rank() + 1) % comm.size(), call.out);
  const Op sent = comm.send((comm.rank() - 1 + comm.size()) % comm.size(), call.in);
  co_await comm.wait(received, received, sent);
  co_await comm.wait(received);
}

/// Leaves it to the end of the call to wait for its operations.
Task ring_without_a_wait(Comm comm, Call call) {
  comm.recv((comm.rank() + 1) % comm.size(), call.out);
  comm.send((comm.rank() - 1 + comm.size()) % comm.size(), call.in);
  co_return;
}

/// The receive takes the slot of the operation before; who waits for that one again must not wait for the receive,
/// whose message this rank's neighbour sends only after the same wait.
Task ring_with_a_stale_wait(Comm comm, Call call) {
  const Op before = comm.copy(call.out, call.in);
  co_await comm.wait(before);
  const Op received = comm.recv((comm.rank() + 1) % comm.size(), call.out);
  if (slot_of(received) != slot_of(before)) throw std::logic_error("the slot was not used again");
  co_await comm.wait(before);
  const Op sent = comm.send((comm.rank() - 1 + comm.size()) % comm.size(), call.in);
  co_await comm.wait(received, sent);
}

Task nothing(Comm) { co_return; }
Task around_ring(Comm comm, View what, View into) {
  const int size = comm.size(), rank = comm.rank();
  co_await comm.exchange((rank - 1 + size) % size, what, (rank + 1) % size, into);
}
Task ring_of_calls(Comm comm, View what, View into) {
  co_await around_ring(comm, what, into);
  if (comm.rank() == 1) co_await nothing(comm);
}
/// Beside and after one another; one rank makes a call more than the others in each.
Task makes_calls_in_calls(Comm comm, Call call) {
  Task first = ring_of_calls(comm, call.block(0), call.incoming(0)),
       second = ring_of_calls(comm, call.block(1), call.incoming(1));
  co_await comm.wait(first, second);
  co_await ring_of_calls(comm, call.block(2), call.incoming(2));
}

Result outcome(const std::string& engine, AlgorithmFunction function, int calls = 1) {
  const Algorithm algorithm(Collective::alltoall, "planted", function, __FILE__);
  Experiment one = experiment(Collective::alltoall, "linear", 3, 1000);
  one.choice = {&algorithm, {}};
  if (calls > 1) one.mode = parse_mode("back-to-back:" + std::to_string(calls));
  return run(engine, crossbar(3), one);
}

std::string refusal(const std::string& engine, AlgorithmFunction function) {
  try {
    outcome(engine, function);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

void expect_refused(const std::string& engine, AlgorithmFunction function, const std::string& why) {
  const std::string text = refusal(engine, function);
  EXPECT_NE(text.find(why), std::string::npos) << '"' << text << '"';
}

TUTTI_ON_EVERY_ENGINE(SimulatedCall);

TEST_P(SimulatedCall, MeetsThatOfOtherRanksHoweverManyEachHasMadeBefore) {
  EXPECT_EQ(outcome(GetParam(), makes_calls_in_calls).messages, 9);
  EXPECT_EQ(outcome(GetParam(), makes_calls_in_calls, 3).messages, 9) << "of each call";
}

TEST_P(SimulatedCall, GivenUpBeforeItsEndIsRefused) {
  expect_refused(GetParam(), drops_a_call, "alltoall/planted gives up a call before its end");
  expect_refused(GetParam(), throws_beside_a_call, "alltoall/planted gives up a call before its end");
}

TEST_P(SimulatedCall, ThatThrewIsTheCauseWhateverItsCallerMakesOfIt) {
  for (const AlgorithmFunction function :
       {drops_what_threw, throws_beside_another_that_waits, waits_for_a_call_beside_one_that_throws})
    expect_refused(GetParam(), function, "alltoall/planted on rank 1: out of ideas");
}

TEST_P(SimulatedCall, ThatThrowsNamesTheAlgorithmAndTheRank) {
  expect_refused(GetParam(), names_a_rank_too_many, "alltoall/planted on rank 0: names rank 3 of 3");
  expect_refused(GetParam(), waits_for_nothing, "alltoall/planted on rank 0: waits for what is no operation");
}

TEST_P(SimulatedCall, WaitingTwiceOrNotAtAllTakesNoLonger) {
  const Result once = outcome(GetParam(), ring_without_a_wait);
  EXPECT_EQ(once.messages, 3);
  EXPECT_EQ(outcome(GetParam(), ring_waiting_twice).seconds_per_rank, once.seconds_per_rank);
  EXPECT_EQ(outcome(GetParam(), ring_without_a_wait, 50).messages, 3);
}

TEST_P(SimulatedCall, AnOperationWhoseSlotIsUsedAgainIsStillComplete) {
  EXPECT_EQ(outcome(GetParam(), ring_with_a_stale_wait).seconds_per_rank,
            outcome(GetParam(), ring_without_a_wait).seconds_per_rank);
}

}  // namespace
}  // namespace tutti::test
