// What loops for ever or crashes is refuted by name, and the proof of the others goes on.
#include <gtest/gtest.h>

#include <numeric>

#include "sim/proof/verify.hpp"

namespace tutti::proof {
namespace {

/// Which slip the ranks make, from five on.
enum class Slip { none, posts_for_ever, sends_for_ever, loops_for_ever, divides_by_zero, calls_itself, writes_nowhere };

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
std::string refutation() {
  const Algorithm slipping = declared("slipping", bcast<slip>), sound = declared("sound", bcast<Slip::none>);
  VerifyRequest request;
  request.algorithms = {&slipping, &sound};
  request.ranks.resize(9);
  std::iota(request.ranks.begin(), request.ranks.end(), 1);
  request.processes = 2;
  request.seconds_per_case = 0.3;
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
  EXPECT_EQ(refutation<Slip::loops_for_ever>(),
            "bcast/slipping ranks=5 count=0 root=0: endless: not done after 0.3 s of processor time");
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

}  // namespace
}  // namespace tutti::proof
