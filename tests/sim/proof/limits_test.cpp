// What loops for ever or crashes is refuted by name, and the proof of the others goes on.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "algos/registry.hpp"
#include "sim/proof/verify.hpp"

namespace tutti::proof {
namespace {

/// Which slip the ranks make, from five on.
enum class Slip {
  none,
  turns_around,
  posts_for_ever,
  sends_for_ever,
  loops_for_ever,
  divides_by_zero,
  calls_itself,
  writes_nowhere,
  takes_all_memory,
  asks_for_more_than_all,
  asks_for_scratch_for_ever,
  asks_for_less_than_none,
  throws_a_number
};

volatile int g_zero = 0;

int deeper(int depth) {
  volatile char room[4096] = {};
  room[0] = static_cast<char>(depth);
  return g_zero == 0 ? deeper(depth + 1) + room[0] : 0;
}

template <Slip slip>
Task bcast(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const bool slips = size >= 5 && rank == size - 1;
  if (slip == Slip::posts_for_ever && slips)
    for (const View own = comm.scratch(2);;) co_await comm.wait(comm.copy(own.slice(0, 1), own.slice(1, 1)));
  if (slip == Slip::sends_for_ever && slips)
    for (;;) comm.send(0, call.out);
  while (slip == Slip::loops_for_ever && slips && g_zero == 0) {
  }
  if (slip == Slip::divides_by_zero && slips && size / g_zero == 1) co_return;
  if (slip == Slip::calls_itself && slips && deeper(0) == 1) co_return;
  if (slip == Slip::writes_nowhere && slips) *reinterpret_cast<volatile int*>(static_cast<std::intptr_t>(g_zero)) = 1;
  if (slip == Slip::turns_around) {  // element by element, and lets it be
    const View turned = comm.scratch(call.out.elements());
    for (Count i = 0, last = call.out.elements() - 1; i <= last; ++i)
      co_await comm.wait(comm.copy(turned.slice(i, 1), call.out.slice(last - i, 1)));
  }
  std::vector<std::vector<char>> taken;
  if (slip == Slip::takes_all_memory && slips)
    for (;;) taken.emplace_back(1 << 20, 'x');
  if (slip == Slip::asks_for_more_than_all && slips) taken.emplace_back(std::size_t{1} << 50);
  if (slip == Slip::asks_for_scratch_for_ever && slips)
    for (;;) static_cast<void>(comm.scratch(1 << 20));
  if (slip == Slip::asks_for_less_than_none && slips) static_cast<void>(comm.scratch(-1));
  if (slip == Slip::throws_a_number && slips) throw 42;
  if (rank != call.root) {
    co_await comm.wait(comm.recv(call.root, call.out));
    co_return;
  }
  for (Rank other = 0; other < size; ++other)
    if (other != call.root) comm.send(other, call.out);
}

Algorithm declared(const char* name, AlgorithmFunction function) {
  return Algorithm(Collective::bcast, name, function, __FILE__)
      .rounds("p-1")
      .messages("p-1")
      .bytes("(p-1)*n")
      .cite("planted");
}

template <Slip slip>
std::string refutation(double seconds_per_case = 20) {  // what does not loop must not be hurried on a busy machine
  const Algorithm slipping = declared("slipping", bcast<slip>), sound = declared("sound", bcast<Slip::none>);
  VerifyRequest request;
  request.algorithms = {&slipping, &sound};
  request.ranks.resize(9);
  std::iota(request.ranks.begin(), request.ranks.end(), 1);
  request.processes = 2;
  request.seconds_per_case = seconds_per_case;
  const auto verdicts = verify(request);
  EXPECT_FALSE(verdicts.at(1).refutation) << verdicts[1].refutation->text();
  EXPECT_GT(verdicts[1].proven, 9 * 5);
  return verdicts[0].refutation ? verdicts[0].refutation->text() : "proven";
}

TEST(Limits, RefuteALoopThatPostsForEver) {
  EXPECT_EQ(refutation<Slip::posts_for_ever>(),
            "bcast/slipping ranks=5 count=0 root=0: endless: rank 4 posts more than 1016 operations, far more than are "
            "declared");
}

TEST(Limits, RefuteALoopThatSendsForEver) {
  EXPECT_EQ(refutation<Slip::sends_for_ever>(),
            "bcast/slipping ranks=5 count=0 root=0: endless: rank 4 posts more than 1016 operations, far more than are "
            "declared");
}

TEST(Limits, RefuteALoopThatPostsNothing) {
  EXPECT_EQ(refutation<Slip::loops_for_ever>(0.3),
            "bcast/slipping ranks=5 count=0 root=0: endless: not done after 0.3 s of processor time");
}

TEST(Limits, GrantManySegmentsTheTimeThatTheyTake) {
  // Messages of this one are counted by a function, and compared in pairs; a segment for each element took 2.6 s of
  // 6,145 elements.
  const auto granted = [](Count count) {
    return seconds_for(parse_choice(Collective::reduce, "han:segment=4"),
                       {.collective = Collective::reduce, .ranks = 3, .count = count, .element_bytes = 4});
  };
  EXPECT_GT(granted(24577), 2.6 * 4 * 4 * 4);
  EXPECT_LT(granted(5), 21);
}

TEST(Limits, RefuteADivisionByZero) {
  EXPECT_EQ(refutation<Slip::divides_by_zero>(),
            "bcast/slipping ranks=5 count=0 root=0: crash: division by zero, or a quotient out of range (SIGFPE)");
}

TEST(Limits, RefuteWhatTouchesMemoryThatIsNotThere) {
  for (const std::string& found : {refutation<Slip::calls_itself>(), refutation<Slip::writes_nowhere>()})
    EXPECT_EQ(found,
              "bcast/slipping ranks=5 count=0 root=0: crash: touches memory that is not there, or calls itself too "
              "deeply (SIGSEGV)");
}

TEST(Limits, RefuteMetadataThatThrows) {
  Algorithm algorithm = declared("slipping", bcast<Slip::none>);
  algorithm.rounds([](const Facts& facts) { return facts["q"]; }, "unknown");
  VerifyRequest request;
  request.algorithms = {&algorithm};
  request.ranks = {2};
  const auto verdict = verify(request).at(0);
  ASSERT_TRUE(verdict.refutation);
  EXPECT_EQ(verdict.refutation->text(),
            "bcast/slipping ranks=2 count=0 root=0: exception: what the metadata declares threw: unknown fact 'q'");
}

TEST(Limits, RefuteAnAlgorithmThatAsksForLessThanNoScratch) {
  EXPECT_EQ(refutation<Slip::asks_for_less_than_none>(),
            "bcast/slipping ranks=5 count=0 root=0: out of bounds: rank 4 asks for scratch of -1 elements");
}

TEST(Limits, RefuteAnAlgorithmThatAsksForScratchForEver) {
  EXPECT_EQ(
      refutation<Slip::asks_for_scratch_for_ever>(),
      "bcast/slipping ranks=5 count=0 root=0: endless: rank 4 asks for more than 16777216 elements of scratch, far "
      "more than its vectors have");
}

TEST(Limits, NameWhatThrowsNoException) {
  EXPECT_EQ(refutation<Slip::throws_a_number>(),
            "bcast/slipping ranks=5 count=0 root=0: exception: rank 4: the algorithm threw something that is no "
            "std::exception");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // with these there is no limit

template <Slip slip>
Verdict within(std::size_t memory, std::optional<Count> count) {
  const Algorithm algorithm = declared("hungry", bcast<slip>);
  VerifyRequest request;
  request.algorithms = {&algorithm};
  request.ranks = {2, 3, 4, 5};
  request.only.root = 0;
  request.only.count = count;
  request.processes = 4;
  request.memory = memory;
  Verdict verdict = verify(request).at(0);
  verdict.algorithm = nullptr;
  return verdict;
}

TEST(Limits, AreOfAllMemoryWhereAShareOfItDoesNotSuffice) {
  const Verdict verdict = within<Slip::turns_around>(100 << 20, 50'000);
  EXPECT_FALSE(verdict.refutation) << verdict.refutation->fault.text;
  EXPECT_EQ(verdict.undecided, "");
  EXPECT_GE(verdict.proven, 4);
}

TEST(Limits, RefuteNothingForWantOfMemoryThatTheProofNeeds) {
  const Verdict verdict = within<Slip::turns_around>(22 << 20, 50'000);
  EXPECT_FALSE(verdict.refutation) << verdict.refutation->fault.text;
  EXPECT_TRUE(verdict.undecided.starts_with("not decided: not enough memory for bcast/hungry ranks="))
      << verdict.undecided;
}

TEST(Limits, RefuteAnAlgorithmThatTakesAllMemoryItself) {
  for (const Verdict& verdict :
       {within<Slip::takes_all_memory>(200 << 20, {}), within<Slip::asks_for_more_than_all>(200 << 20, {})}) {
    ASSERT_TRUE(verdict.refutation) << verdict.undecided;
    EXPECT_EQ(verdict.refutation->failing.ranks, 5);
    EXPECT_EQ(verdict.refutation->fault.text,
              "rank 4: the algorithm threw: std::bad_alloc, having asked for all memory itself");
  }
}

#endif

}  // namespace
}  // namespace tutti::proof
