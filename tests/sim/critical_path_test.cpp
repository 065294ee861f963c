#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "algos/registry.hpp"
#include "tests/neighbors.hpp"
#include "tests/sim/machines.hpp"

// What the critical path's time is spent on, beside what a person computes. Links have 1 GB/s, that is a microsecond
// for 1000 bytes, and half a microsecond; only the fast engine tells which link it was.

namespace tutti::test {
namespace {

Result recorded(const std::string& engine, const Machine& machine, Experiment one) {
  one.record = true;
  return run(engine, machine, one);
}

Experiment of(const Algorithm& algorithm, int ranks, Count bytes) {
  return {{algorithm.collective(), ranks, bytes, 1, 0, false, Operator::sum},
          default_choice(algorithm),
          cores(ranks),
          {},
          1,
          false};
}

/// "0.3 processor rank 0; 1.3 latency": until when, in microseconds, and on what.
std::string path(const Result& result, const Machine& machine) {
  std::string text;
  for (const PathPart& part : result.path_parts) {
    char until[32];
    std::snprintf(until, sizeof until, "%.4g", part.spent.until_seconds * 1e6);
    const std::string place = place_of(part.spent.on, part.spent.which, *machine.network);
    text += (text.empty() ? "" : "; ") + std::string(until) + " " +
            kind_of(part.spent.on, part.spent.which, *machine.network) + (place.empty() ? "" : " " + place);
  }
  return text;
}

TUTTI_ON_EVERY_ENGINE(CriticalPath);

TEST_P(CriticalPath, OfOneMessageIsOverheadsLatencyAndTheAdapter) {
  Machine machine = crossbar(2);
  for (auto& transport : machine.transports)
    transport->send_overhead_seconds = 3e-7, transport->receive_overhead_seconds = 2e-7;
  const Result result = recorded(GetParam(), machine, experiment(Collective::bcast, "linear", 2, 1000));
  const std::string link = GetParam() == "fast" ? "nic-out node/0/nic/0/out" : "links";
  EXPECT_EQ(path(result, machine), "0.3 processor rank 0; 1.3 latency; 2.3 " + link + "; 2.5 processor rank 1");
  ASSERT_EQ(bounds_of(result).size(), 4u);
  EXPECT_NEAR(bounds_of(result)[0].seconds, 1e-6, 1e-12);
  EXPECT_NEAR(bounds_of(result)[3].seconds, 2e-7, 1e-12);
}

TEST_P(CriticalPath, GoesOnUntilTheLastSenderIsToldThatItsMessageIsThere) {
  Machine machine = crossbar(3);
  for (auto& transport : machine.transports)
    transport->acknowledged_above_bytes = 100, transport->acknowledgement_seconds = 4e-6;
  const Result result = recorded(GetParam(), machine, experiment(Collective::bcast, "linear", 3, 1000));
  EXPECT_NEAR(result.makespan_seconds, 8e-6, 1e-12);
  const std::string link = GetParam() == "fast" ? "nic-out node/0/nic/0/out" : "links";
  EXPECT_EQ(path(result, machine), "1 latency; 3 " + link + "; 8 latency");
}

TEST_P(CriticalPath, NamesTheRankWhoseGapMessagesWaitFor) {
  Machine machine = crossbar(3);
  for (auto& transport : machine.transports) transport->gap_seconds = 5e-6;
  const Result result = recorded(GetParam(), machine, experiment(Collective::bcast, "linear", 3, 1000));
  const std::string link = GetParam() == "fast" ? "nic-out node/0/nic/0/out" : "links";
  EXPECT_EQ(path(result, machine), "5 gap rank 0; 6 latency; 7 " + link);
}

TEST_P(CriticalPath, NamesTheRankThatMayNotHearOfAnotherPeerSoSoon) {
  Machine machine = crossbar(3);
  for (auto& transport : machine.transports) transport->peer_change_receive_gap_seconds = 9e-6;
  const Result result = recorded(GetParam(), machine, experiment(Collective::gather, "linear", 3, 1));
  EXPECT_TRUE(path(result, machine).ends_with("; 10 gap rank 0")) << path(result, machine);
}

TEST_P(CriticalPath, SaysWhereAConnectionIsSlowerThanItsLinks) {
  Machine machine = crossbar(3);
  for (auto& transport : machine.transports) transport->connection_bytes_per_second = 2.5e8;
  const Result result = recorded(GetParam(), machine, experiment(Collective::scatter, "linear", 3, 1000));
  EXPECT_EQ(path(result, machine), GetParam() == "fast" ? "1 latency; 5 rate" : "1 latency; 5 links");
}

/// Rank 0 counts from 0.618: with a share of 0.4 its first message is lost, behind the handshake.
TEST_P(CriticalPath, SaysWhereAMessageIsLostAndSentAgain) {
  Machine machine = crossbar(2);
  for (auto& transport : machine.transports) {
    transport->eager_limit_bytes = 0, transport->rendezvous_seconds = 7e-7;
    transport->retransmitted_share = 0.4, transport->retransmission_seconds = 4e-5;
  }
  const Result result = recorded(GetParam(), machine, experiment(Collective::bcast, "linear", 2, 1000));
  const std::string link = GetParam() == "fast" ? "nic-out node/0/nic/0/out" : "links";
  EXPECT_EQ(path(result, machine), "0.7 latency; 40.7 retransmission; 41.7 latency; 42.7 " + link);
}

/// Rank 1 copies before it receives.
Task copy_first(Comm comm, Call call) {
  if (comm.rank() == 0) {
    co_await comm.wait(comm.send(1, call.in));
  } else {
    co_await comm.wait(comm.copy(call.out.slice(0, 1), call.in.slice(0, 1)));
    co_await comm.wait(comm.recv(0, call.out));
  }
}

TEST_P(CriticalPath, GoesOnWhereTheReceiverWasWaitedFor) {
  Machine machine = crossbar(2);
  machine.compute.copy.overhead_seconds = 4e-6;
  for (auto& transport : machine.transports) transport->eager_limit_bytes = 0, transport->rendezvous_seconds = 7e-7;
  const Algorithm algorithm(Collective::allreduce, "copy_first", copy_first, __FILE__);
  const Result result = recorded(GetParam(), machine, of(algorithm, 2, 1000));
  const std::string link = GetParam() == "fast" ? "nic-out node/0/nic/0/out" : "links";
  EXPECT_EQ(path(result, machine), "4 processor rank 1; 5.7 latency; 6.7 " + link);
  ASSERT_EQ(result.critical_path.size(), 2u);
  EXPECT_EQ(result.trace[result.critical_path[0]].kind, TraceEvent::Kind::copy);
}

/// Two messages to one rank at once, behind a copy that nobody waits for.
Task behind_a_copy(Comm comm, Call call) {
  const Count n = call.in.elements();
  if (comm.rank() == 0) {
    const Op copied = comm.copy(call.out.slice(0, 1), call.in.slice(0, 1));
    const Op first = comm.send(1, call.in.slice(0, n / 2), 0), second = comm.send(1, call.in.slice(n / 2, n / 2), 1);
    co_await comm.wait(copied, first, second);
  } else {
    const Op second = comm.recv(0, call.out.slice(n / 2, n / 2), 1), first = comm.recv(0, call.out.slice(0, n / 2), 0);
    co_await comm.wait(first, second);
  }
}

TEST_P(CriticalPath, CountsOtherWorkAndEarlierMessagesThatComeFirst) {
  Machine machine = crossbar(2);
  machine.compute.copy.overhead_seconds = 2e-6;
  const Algorithm algorithm(Collective::allreduce, "behind_a_copy", behind_a_copy, __FILE__);
  const Result result = recorded(GetParam(), machine, of(algorithm, 2, 6000));
  const std::string link = GetParam() == "fast" ? "nic-out node/0/nic/0/out" : "links";
  EXPECT_EQ(path(result, machine), "2 processor rank 0; 3 latency; 6 connection rank 0; 9 " + link);
}

TEST_P(CriticalPath, InsideANodeIsTheMessagesOwnRateWhereNoLinkIsSlower) {
  NodeShape node;
  node.cores_per_cache = 2;
  node.memory = {4e9, 0, true};
  Machine machine = free_machine(node, std::make_unique<FatTree>(FatTreeShape{1, {}, 0}));
  for (auto& transport : machine.transports) transport->segments.front().bandwidth_bytes_per_second = 2e9;
  EXPECT_EQ(path(recorded(GetParam(), machine, experiment(Collective::bcast, "linear", 2, 4000)), machine),
            GetParam() == "fast" ? "2 rate" : "2 links");
}

Task shift_and_copy(Comm comm, Call call) {
  if (comm.rank() < 2)
    co_await comm.wait(comm.send(comm.rank() + 2, call.in));
  else
    co_await comm.wait(comm.recv(comm.rank() - 2, call.out));
}

Task many_copies(Comm comm, Call call) {
  const Count quarter = call.in.elements() / 4;
  std::vector<Op> posted;
  for (int i = 0; i < 4; ++i)
    posted.push_back(comm.copy(call.out.slice(i * quarter, quarter), call.in.slice(i * quarter, quarter)));
  co_await comm.wait(posted);
}

Task copies(Comm comm, Call call) { co_await comm.wait(comm.copy(call.out, call.in)); }

/// Ranks 1 and 3 send 1000 bytes to rank 0, rank 2 sends it 2500 and rank 1 3000: first a third of rank 0's adapter
/// each, from 4 us on a half of rank 2's, and from 6 us on all of that.
Task crossing(Comm comm, Call call) {
  const auto part = [&](Count elements) { return call.in.slice(0, elements); };
  switch (comm.rank()) {
    case 0: {
      const Op one = comm.recv(1, part(1000)), two = comm.recv(2, part(2500)), three = comm.recv(3, part(1000));
      co_await comm.wait(one, two, three);
      break;
    }
    case 1: {
      const Op given = comm.send(0, part(1000)), taken = comm.recv(2, part(3000));
      co_await comm.wait(given, taken);
      break;
    }
    case 2: {
      const Op zero = comm.send(0, part(2500)), one = comm.send(1, part(3000));
      co_await comm.wait(zero, one);
      break;
    }
    default:
      co_await comm.wait(comm.send(0, part(1000)));
  }
}

/// The rest is for the engine that tells which link it was.
std::string fast_path(const Machine& machine, const Experiment& one) {
  return path(recorded("fast", machine, one), machine);
}

TEST(CriticalPathOfFast, NamesTheAdapterThatSeveralSendTo) {
  const Machine machine = crossbar(3);
  EXPECT_EQ(fast_path(machine, experiment(Collective::gather, "linear", 3, 1000)),
            "1 latency; 3 nic-in node/0/nic/0/in");
}

TEST(CriticalPathOfFast, NamesTheTaperedCable) {
  // Two leaves of two nodes, one cable between a leaf and the top: both nodes of the first send across.
  const Channel cable{kBandwidth, 0};
  const Machine machine =
      free_machine(one_core_node(), std::make_unique<FatTree>(FatTreeShape{2, {{2, 1, 1, cable}}, 0}));
  Experiment one = experiment(Collective::alltoall, "pairwise", 2, 1000);
  one.core_of_rank = {0, 2};
  EXPECT_EQ(fast_path(machine, one).substr(0, 12), "1 latency; 2");
  const Algorithm algorithm(Collective::allreduce, "shift", shift_and_copy, __FILE__);
  const std::string across = fast_path(machine, of(algorithm, 4, 1000));
  EXPECT_EQ(across.substr(0, 24), "1 latency; 3 leaf-up lea") << across;
}

TEST(CriticalPathOfFast, NamesTheMemoryThatCopiesShare) {
  NodeShape node;
  node.cores_per_cache = 2;
  node.memory = {kBandwidth, 0, true};
  Machine machine = free_machine(node, std::make_unique<FatTree>(FatTreeShape{1, {}, 0}));
  machine.compute.copy = {0, 1e-9 / 0.8, 1 << 20, 1e-9 / 0.8};  // a core alone: 0.8 GB/s
  const Algorithm algorithm(Collective::allreduce, "copies", copies, __FILE__);
  EXPECT_EQ(fast_path(machine, of(algorithm, 1, 4000)), "5 processor rank 0");
  EXPECT_EQ(fast_path(machine, of(algorithm, 2, 4000)).substr(0, 9), "8 memory ");
}

TEST(CriticalPathOfFast, TellsWhatHeldAMessageBackOneAfterTheOther) {
  const Machine machine = crossbar(4);
  const Algorithm algorithm(Collective::allreduce, "crossing", crossing, __FILE__);
  EXPECT_EQ(fast_path(machine, of(algorithm, 4, 3000)),
            "1 latency; 4 nic-in node/0/nic/0/in; 6.5 nic-out node/2/nic/0/out");
}

TEST_P(CriticalPath, CoversTheWholeTimeOfEveryAlgorithm) {
  const Machine machine = load_machine("example-cluster");
  for (const Algorithm& algorithm : registry()) {
    Experiment one = of(algorithm, 11, algorithm.collective() == Collective::barrier ? 0 : 5000);
    one.c.element_bytes = default_element_bytes(algorithm.collective());
    one.c = among_some_neighbors(one.c);
    if (!why_not(one.choice, one.c).empty()) continue;
    const Result result = recorded(GetParam(), machine, one);
    double until = 0;
    for (const PathPart& part : result.path_parts) {
      EXPECT_NEAR(part.begin_seconds, until, 1e-12) << algorithm.full_name();
      until = part.spent.until_seconds;
    }
    EXPECT_NEAR(until, result.makespan_seconds, 1e-11) << algorithm.full_name();
  }
}

TEST_P(CriticalPath, CopiesThatAreWaitedForTogetherEndTogether) {
  Machine machine = crossbar(1);
  machine.compute.copy = {1e-6, 1e-9, 1 << 30, 1e-9};
  const Algorithm algorithm(Collective::allreduce, "many copies", many_copies, __FILE__);
  const Result result = recorded(GetParam(), machine, of(algorithm, 1, 4000));
  ASSERT_EQ(result.trace.size(), 4u);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_NEAR(result.trace[i].ended_seconds, 8e-6, 1e-12) << "copy " << i;
    if (GetParam() != "fast") continue;  // SimGrid's trace does not say what time was spent on
    ASSERT_FALSE(result.trace[i].spent.empty());
    EXPECT_NEAR(result.trace[i].spent.back().until_seconds, 8e-6, 1e-12) << "copy " << i;
  }
  EXPECT_EQ(path(result, machine), "8 processor rank 0");
}

TEST_P(CriticalPath, IsThatOfWhatIsTimedInEveryMode) {
  const Machine machine = load_machine("example-cluster");
  for (const auto& [collective, name] :
       {std::pair(Collective::bcast, "binomial"), {Collective::gather, "linear"}, {Collective::alltoall, "pairwise"}})
    for (const char* mode : {"barrier", "barrier:tree", "loop:4", "back-to-back:4", "skew:1e-5"}) {
      Experiment one = experiment(collective, name, 6, 5000);
      one.mode = parse_mode(mode);
      const Result result = recorded(GetParam(), machine, one);
      double seconds = 0;
      for (const Bound& bound : bounds_of(result)) seconds += bound.seconds;
      if (one.mode.kind == Mode::Kind::back_to_back) seconds /= one.mode.calls;
      EXPECT_NEAR(seconds, result.makespan_seconds, 1e-11) << name << " " << mode;
    }
}

}  // namespace
}  // namespace tutti::test
