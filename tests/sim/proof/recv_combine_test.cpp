#include <gtest/gtest.h>

#include "sim/proof/verify.hpp"

// Faults in receives that combine are found as those in receives and combinations are.

namespace tutti::proof {
namespace {

enum class CombineSlip { none, wrong_side, no_wait, too_few };

/// The last rank's vector goes down the ranks; each combines it with its own.
template <CombineSlip slip>
Task reduce_down(Comm comm, Call call) {
  const Rank above = comm.rank() + 1;
  View sum = call.in;
  if (above < comm.size()) {
    sum = comm.rank() == 0 ? call.out : comm.scratch(call.in.elements());
    const Count elements = sum.elements() - (slip == CombineSlip::too_few && !sum.empty() ? 1 : 0);
    const Op op = comm.recv_combine(above, sum.slice(0, elements), call.in.slice(0, elements),
                                    slip == CombineSlip::wrong_side ? Incoming::left : Incoming::right);
    if (slip != CombineSlip::no_wait || comm.rank() == 0) co_await comm.wait(op);
  } else if (comm.rank() == 0) {
    co_await comm.wait(comm.copy(call.out, call.in));
  }
  if (comm.rank() > 0) co_await comm.wait(comm.send(comm.rank() - 1, sum));
}

template <CombineSlip slip>
std::string refutation_of_combining() {
  Algorithm algorithm(Collective::reduce, "down", reduce_down<slip>, __FILE__);
  algorithm.rounds(slip == CombineSlip::no_wait ? "min(1,p-1)" : "p-1")
      .messages("p-1")
      .bytes("(p-1)*n")
      .cite("planted");
  VerifyRequest request;
  request.algorithms = {&algorithm};
  for (int p = 1; p <= 9; ++p) request.ranks.push_back(p);
  request.only.root = 0;
  const auto verdict = verify(request).at(0);
  return verdict.refutation ? verdict.refutation->text() : "proven";
}

TEST(ReceivesThatCombine, AreProven) { EXPECT_EQ(refutation_of_combining<CombineSlip::none>(), "proven"); }

TEST(ReceivesThatCombine, KeepTheOrderOfOperands) {
  EXPECT_NE(refutation_of_combining<CombineSlip::wrong_side>().find("holds 1+0 of element 0, expected 0+1"),
            std::string::npos)
      << refutation_of_combining<CombineSlip::wrong_side>();
}

TEST(ReceivesThatCombine, AreRacesUntilTheyAreWaitedFor) {
  EXPECT_NE(refutation_of_combining<CombineSlip::no_wait>().find("ranks=3 count=1"), std::string::npos)
      << refutation_of_combining<CombineSlip::no_wait>();
  EXPECT_NE(refutation_of_combining<CombineSlip::no_wait>().find("race"), std::string::npos)
      << refutation_of_combining<CombineSlip::no_wait>();
}

enum class Written { copied, received, combined };

/// A broadcast of rank 0's vector in an allreduce of one rank, whose input is written and put back.
template <Written how>
Task writes_its_input(Comm comm, Call call) {
  const View kept = comm.scratch(call.in.elements());
  co_await comm.wait(comm.copy(kept, call.in));
  if (how == Written::combined) co_await comm.wait(comm.combine(call.in, call.in, kept));
  if (how == Written::received) co_await comm.exchange(0, call.in, 0, kept);
  co_await comm.wait(comm.copy(call.in, kept));
  co_await comm.wait(comm.copy(call.out, call.in));
}

TEST(Inputs, MayNotBeWrittenEvenIfTheyArePutBack) {
  for (const AlgorithmFunction function :
       {writes_its_input<Written::copied>, writes_its_input<Written::combined>, writes_its_input<Written::received>}) {
    const Algorithm algorithm(Collective::allreduce, "writes", function, __FILE__);
    VerifyRequest request;
    request.algorithms = {&algorithm};
    request.ranks = {1};
    const auto verdict = verify(request).at(0);
    ASSERT_TRUE(verdict.refutation);
    EXPECT_EQ(verdict.refutation->fault.kind, FaultKind::input_overwritten) << verdict.refutation->text();
    EXPECT_FALSE(verdict.refutation->failing.in_place);
  }
}

TEST(ReceivesThatCombine, AreOfTheMessagesSize) {
  EXPECT_NE(refutation_of_combining<CombineSlip::too_few>().find("size mismatch"), std::string::npos)
      << refutation_of_combining<CombineSlip::too_few>();
}

}  // namespace
}  // namespace tutti::proof
