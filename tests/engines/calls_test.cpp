#include <gtest/gtest.h>

#include "tests/engines/machines.hpp"

/// Faulty algorithms end a simulation with a message, never with a wrong time or a crash.
namespace tutti::test {
namespace {

Task receives_from_next(Comm comm, View into) { co_await comm.wait(comm.recv((comm.rank() + 1) % comm.size(), into)); }
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

Task names_a_rank_too_many(Comm comm, Call call) { co_await comm.wait(comm.send(comm.size(), call.out)); }
Task waits_for_nothing(Comm comm, Call) { co_await comm.wait(Op{}); }

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

TEST_P(SimulatedCall, GivenUpBeforeItsEndIsRefused) {
  expect_refused(GetParam(), drops_a_call, "alltoall/planted gives up a call before its end");
  expect_refused(GetParam(), throws_beside_a_call, "alltoall/planted gives up a call before its end");
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

}  // namespace
}  // namespace tutti::test
