#include "tests/sim/proof/planted.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "sim/proof/verify.hpp"

namespace tutti::proof {
namespace {

struct Counts {
  const char *rounds, *messages, *bytes;
};
constexpr Counts kRing{"p-1", "p*(p-1)", "(p-1)*n"};
constexpr Counts kAllreduce{"2*(p-1)", "2*(p-1)", "2*(p-1)*n"};
constexpr Counts kChain{"p-1", "p-1", "(p-1)*n"};
constexpr Counts kScatter{"p-1", "p-1", "(p-1)*c*e"};
constexpr Counts kBruck{"ceil_log(p,2)", "p*ceil_log(p,2)", "(p-1)*n"};
constexpr Counts kShortBruck{"p<3 ? 0 : ceil_log(p-1,2)", "p<3 ? 0 : p*ceil_log(p-1,2)", "(p-1-pow2(p-1))*n"};
constexpr Counts kBarrier{"ceil_log(p,2)", "p*ceil_log(p,2)", "0"};
constexpr Counts kShortBarrier{"floor_log(p,2)", "p*floor_log(p,2)", "0"};

Algorithm declared_as(Collective collective, const char* name, AlgorithmFunction function, const Counts& counts) {
  return Algorithm(collective, name, function, __FILE__)
      .rounds(counts.rounds)
      .messages(counts.messages)
      .bytes(counts.bytes)
      .cite("planted");
}

/// A fault, and how it must be found.
struct Planted {
  const char* name;
  Collective collective;
  AlgorithmFunction broken;
  Counts counts_of_broken;  // what the broken one really does, so that nothing but the fault can refute it
  AlgorithmFunction sound;
  Counts counts;
  FaultKind kind;
  const char* text;  // the whole refutation after the algorithm's name
};

#define TUTTI_PLANT(collective, function, plant, broken_counts, counts, kind, text)                           \
  Planted {                                                                                                   \
#plant, Collective::collective, function < Plant::plant>, broken_counts, function < Plant::none>, counts, \
        FaultKind::kind, text                                                                                 \
  }

const Planted kPlanted[] = {
    TUTTI_PLANT(allgather, ring_allgather, dropped_message, (Counts{"max(0,p-2)", "p*max(0,p-2)", "max(0,p-2)*n"}),
                kRing, missing_contribution,
                "ranks=2 count=1: missing contribution: rank 0, out[1]: holds undefined, expected 1 of element 0"),
    TUTTI_PLANT(allgather, ring_allgather, wrong_block, kRing, kRing, wrong_contribution,
                "ranks=2 count=1: wrong contribution: rank 0, out[0]: holds 1 of element 0, expected 0 of element 0"),
    TUTTI_PLANT(allgather, ring_allgather, cyclic_wait, kRing, kRing, deadlock,
                "ranks=2 count=0: deadlock: ranks wait for each other: rank 0 sends to rank 1 (0 elements); rank 1 "
                "sends to rank 0 (0 elements)"),
    TUTTI_PLANT(
        allgather, ring_allgather, other_lane, kRing, kRing, deadlock,
        "ranks=2 count=0: deadlock: ranks wait for each other: rank 0 receives from rank 1 (0 elements); rank 0 sends "
        "to rank 1 (0 elements); rank 1 receives from rank 0 (0 elements); rank 1 sends to rank 0 (0 elements)"),
    TUTTI_PLANT(allgather, ring_allgather, received_where_sent_from, kRing, kRing, race,
                "ranks=2 count=1: race: rank 0 reads out[0..0] while an unordered operation writes out[0..0]"),
    TUTTI_PLANT(allgather, ring_allgather, short_message, kRing, kRing, size_mismatch,
                "ranks=2 count=1: size mismatch: rank 1 sends 0 elements to rank 0, which receives 1"),
    TUTTI_PLANT(allgather, ring_allgather, peer_too_high, kRing, kRing, out_of_bounds,
                "ranks=2 count=0: out of bounds: rank 1 names rank 2 of 2"),
    TUTTI_PLANT(allgather, ring_allgather, view_too_long, kRing, kRing, out_of_bounds,
                "ranks=2 count=0: out of bounds: rank 0 touches element 0 of out, which has 0"),
    TUTTI_PLANT(allgather, ring_allgather, message_no_one_takes, kRing, kRing, unmatched_message,
                "ranks=2 count=0: unmatched message: every rank has returned, yet without partner: rank 0 sends to "
                "rank 1 (0 elements)"),
    TUTTI_PLANT(allgather, ring_allgather, receive_no_one_sends, kRing, kRing, unmatched_message,
                "ranks=2 count=0: unmatched message: every rank has returned, yet without partner: rank 0 receives "
                "from rank 1 (0 elements)"),
    TUTTI_PLANT(allgather, ring_allgather, thrown, kRing, kRing, exception,
                "ranks=5 count=0: exception: rank 2: the algorithm threw: five is too many"),
    TUTTI_PLANT(allgather, ring_allgather, slice_too_long, kRing, kRing, exception,
                "ranks=2 count=0: exception: rank 0: the algorithm threw: View::slice: not inside a contiguous view"),
    TUTTI_PLANT(
        allgather, travelling_allgather, overwritten_in_flight, kRing, kRing, race,
        "ranks=2 count=1: race: rank 0 writes scratch 0[0..0] while an unordered operation reads scratch 0[0..0]"),
    TUTTI_PLANT(allgather, bruck_allgather, off_by_one, kShortBruck, kBruck, missing_contribution,
                "ranks=2 count=1: missing contribution: rank 0, out[1]: holds undefined, expected 1 of element 0"),
    TUTTI_PLANT(allreduce, linear_allreduce, skipped_operand, kAllreduce, kAllreduce, missing_contribution,
                "ranks=2 count=1 commutative: missing contribution: rank 0, out[0]: holds 0 of element 0, expected 0+1 "
                "of element 0"),
    TUTTI_PLANT(allreduce, linear_allreduce, operand_twice, kAllreduce, kAllreduce, duplicate_contribution,
                "ranks=2 count=1 commutative: duplicate contribution: rank 0, out[0]: holds 0+1+1 of element 0, "
                "expected 0+1 of element 0"),
    TUTTI_PLANT(allreduce, linear_allreduce, swapped_operands, kAllreduce, kAllreduce, operand_order,
                "ranks=2 count=1 non-commutative: wrong operand order: rank 0, out[0]: holds 1+0 of element 0, "
                "expected 0+1 of element 0"),
    TUTTI_PLANT(
        allreduce, linear_allreduce, shifted_operands, kAllreduce, kAllreduce, wrong_contribution,
        "ranks=2 count=2 element=8 commutative: wrong contribution: rank 0, out[0]: holds different elements combined, "
        "expected 0+1 of element 0"),
    TUTTI_PLANT(
        allreduce, linear_allreduce, sent_before_combined, kAllreduce, kAllreduce, race,
        "ranks=2 count=1 commutative: race: rank 0 reads out[0..0] while an unordered operation writes out[0..0]"),
    TUTTI_PLANT(allreduce, linear_allreduce, input_as_accumulator, kAllreduce, kAllreduce, input_overwritten,
                "ranks=2 count=1 commutative: input overwritten: rank 0 writes in[0..0], which the caller gave "
                "for reading alone"),
    TUTTI_PLANT(
        bcast, chain_bcast, root_ignored, kChain, kChain, missing_contribution,
        "ranks=2 count=1 root=1: missing contribution: rank 0, out[0]: holds undefined, expected 1 of element 0"),
    TUTTI_PLANT(bcast, chain_bcast, passed_on_before_received, (Counts{"p>1", "p-1", "(p-1)*n"}), kChain, race,
                "ranks=3 count=1 root=0: race: rank 1 reads out[0..0] while an unordered operation writes out[0..0]"),
    TUTTI_PLANT(
        bcast, chain_bcast, rank_left_out, (Counts{"max(0,p-2)", "max(0,p-2)", "max(0,p-2)*n"}), kChain,
        missing_contribution,
        "ranks=2 count=1 root=0: missing contribution: rank 1, out[0]: holds undefined, expected 0 of element 0"),
    TUTTI_PLANT(
        scatter, linear_scatter, neighbours_block, kScatter, kScatter, wrong_contribution,
        "ranks=2 count=1 root=0: wrong contribution: rank 1, out[0]: holds 0 of element 0, expected 0 of element 1"),
    TUTTI_PLANT(barrier, dissemination_barrier, off_by_one, kShortBarrier, kBarrier, missing_contribution,
                "ranks=3 count=0: missing contribution: rank 0 may leave the barrier before rank 1 has entered it"),
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

VerifyRequest up_to(int ranks, const Algorithm& algorithm) {
  VerifyRequest request;
  request.algorithms = {&algorithm};
  request.ranks.resize(ranks);
  std::iota(request.ranks.rbegin(), request.ranks.rend(), 1);  // the order asked for does not matter
  return request;
}

class ProofCanFail : public testing::TestWithParam<Planted> {};

TEST_P(ProofCanFail, WithItsOwnKindItsOwnMessageAndTheSmallestCase) {
  const Planted& planted = GetParam();
  const Algorithm broken = declared_as(planted.collective, planted.name, planted.broken, planted.counts_of_broken);
  const Verdict verdict = verify(up_to(9, broken)).at(0);
  ASSERT_TRUE(verdict.refutation);
  EXPECT_EQ(verdict.refutation->fault.kind, planted.kind) << name_of(verdict.refutation->fault.kind);
  EXPECT_EQ(verdict.refutation->text(), broken.full_name() + " " + planted.text);
}

TEST_P(ProofCanFail, AndTheSameAlgorithmWithoutTheFaultIsProven) {
  const Planted& planted = GetParam();
  const Algorithm sound = declared_as(planted.collective, planted.name, planted.sound, planted.counts);
  const Verdict verdict = verify(up_to(17, sound)).at(0);
  EXPECT_FALSE(verdict.refutation) << verdict.refutation->text();
  EXPECT_GE(verdict.proven, 17);
}

INSTANTIATE_TEST_SUITE_P(, ProofCanFail, testing::ValuesIn(kPlanted), [](const auto& planted) {
  return std::string(name_of(planted.param.collective)) + "_" + planted.param.name;
});

/// Refuted at exactly the p for which `expected` holds.
void expect_refuted_exactly(const Algorithm& algorithm, bool (*expected)(int)) {
  for (int p = 1; p <= 66; ++p) {
    VerifyRequest request;
    request.algorithms = {&algorithm};
    request.ranks = {p};
    EXPECT_EQ(verify(request).at(0).refutation.has_value(), expected(p)) << p;
  }
}

TEST(Proof, RefutesWhatIsWrongAtOneMoreThanAPowerOfTwoThereAndNowhereElse) {
  expect_refuted_exactly(declared_as(Collective::allgather, "short", bruck_allgather<Plant::off_by_one>, kShortBruck),
                         [](int p) { return p > 1 && std::has_single_bit(static_cast<unsigned>(p - 1)); });
}

TEST(Proof, RefutesABarrierThatIsTooShortWherePIsNoPowerOfTwo) {
  expect_refuted_exactly(
      declared_as(Collective::barrier, "short", dissemination_barrier<Plant::off_by_one>, kShortBarrier),
      [](int p) { return !std::has_single_bit(static_cast<unsigned>(p)); });
}

std::string refutation_with(const Counts& counts) {
  const Algorithm algorithm = declared_as(Collective::allgather, "ring", ring_allgather<Plant::none>, counts);
  const auto verdict = verify(up_to(20, algorithm)).at(0);
  return verdict.refutation ? verdict.refutation->text() : "proven";
}

TEST(Proof, RefutesWrongMetadataAtThePWhereItIsWrong) {
  EXPECT_EQ(refutation_with(kRing), "proven");
  EXPECT_EQ(refutation_with({"p-1+(p==9)", "p*(p-1)", "(p-1)*n"}),
            "allgather/ring ranks=9 count=0: count mismatch: rounds: the execution has 8, the metadata's "
            "\"p-1+(p==9)\" gives 9.000000");
  EXPECT_EQ(refutation_with({"p-1", "p*(p-1)+(p==17)", "(p-1)*n"}),
            "allgather/ring ranks=17 count=0: count mismatch: messages: the execution has 272, the metadata's "
            "\"p*(p-1)+(p==17)\" gives 273.000000");
  EXPECT_EQ(refutation_with({"p-1", "p*(p-1)", "(p-1)*n-(c>3)"}),
            "allgather/ring ranks=1 count=4: count mismatch: bytes: the execution has 0, the metadata's "
            "\"(p-1)*n-(c>3)\" gives -1.000000");
  EXPECT_EQ(refutation_with({"p-1", "p*(p-1)", "(p-1)*n+in_place"}),
            "allgather/ring ranks=1 count=0 in-place: count mismatch: bytes: the execution has 0, the metadata's "
            "\"(p-1)*n+in_place\" gives 1.000000");
  EXPECT_EQ(refutation_with({"p-1", "p*(p-1)/0", "(p-1)*n"}),
            "allgather/ring ranks=1 count=0: count mismatch: messages: the execution has 0, the metadata's "
            "\"p*(p-1)/0\" gives -nan");
}

TEST(Proof, SwappedOperandsAreProvenWhereTheMetadataAsksForACommutativeOperator) {
  Algorithm algorithm =
      declared_as(Collective::allreduce, "swapped", linear_allreduce<Plant::swapped_operands>, kAllreduce);
  algorithm.commutative();
  const auto verdict = verify(up_to(9, algorithm)).at(0);
  EXPECT_FALSE(verdict.refutation) << verdict.refutation->text();
}

TEST(Proof, CountsWhatRequirementsExcludeAndRunsNoneOfIt) {
  Algorithm algorithm = declared_as(Collective::allgather, "thrown", ring_allgather<Plant::thrown>, kRing);
  algorithm.requires_that("p!=5", "other than five ranks");
  const auto verdict = verify(up_to(6, algorithm)).at(0);
  EXPECT_FALSE(verdict.refutation);
  EXPECT_EQ(verdict.excluded, 13) << "six counts, in place and not; elements of 16 bytes";
}

}  // namespace
}  // namespace tutti::proof
