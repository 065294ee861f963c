// Which cases the proof goes through: all that the search tries, and enough segments and phases.
#include "sim/proof/cases.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "algos/patterns/ring.hpp"
#include "algos/patterns/segments.hpp"
#include "sim/proof/verify.hpp"

namespace tutti::proof {
namespace {

std::string refutation_of(const Algorithm& algorithm, int most_ranks = 20) {
  VerifyRequest request;
  request.algorithms = {&algorithm};
  request.ranks.resize(most_ranks);
  std::iota(request.ranks.begin(), request.ranks.end(), 1);
  const auto verdict = verify(request).at(0);
  return verdict.refutation ? verdict.refutation->text() : "proven";
}

TEST(Variants, HaveEveryValueThatIsTriedOfEveryParameter) {
  std::size_t values = 0;
  for (const Algorithm& algorithm : registry()) {
    const auto variants = parameter_variants(algorithm);
    for (std::size_t i = 0; i < algorithm.parameters().size(); ++i)
      for (const std::int64_t value : algorithm.parameters()[i].tried) {
        Choice choice = default_choice(algorithm);
        choice.parameters[i].second = value;
        EXPECT_EQ(std::count(variants.begin(), variants.end(), choice), 1)
            << algorithm.full_name() << " " << choice.text();
        EXPECT_TRUE(covers(choice));
        ++values;
      }
  }
  EXPECT_GT(values, 60u);
}

TEST(Variants, HaveLevelsThatAreLeftOutEachAloneAndAllTogether) {
  EXPECT_TRUE(covers(parse_choice(Collective::bcast, "hier(numa=linear)")));
  EXPECT_TRUE(covers(parse_choice(Collective::bcast,
                                  "hier(cache=linear,numa=binomial,socket=binomial,leaf=binomial,group=binomial)")));
  EXPECT_FALSE(covers(parse_choice(Collective::bcast, "hier(numa=linear,node=linear)")));
  EXPECT_TRUE(covers(parse_choice(Collective::bcast, "hier:segment=65536")));
  EXPECT_FALSE(covers(parse_choice(Collective::bcast, "hier(node=linear):segment=65536")));
  EXPECT_TRUE(covers(parse_choice(Collective::bcast, "hier(node=linear,global=chain)")));
}

TEST(Variants, DoNotCoverAValueThatIsNotAmongThem) {
  EXPECT_TRUE(covers(parse_choice(Collective::allreduce, "recexch:radix=8")));
  EXPECT_FALSE(covers(parse_choice(Collective::allreduce, "recexch:radix=7")));
  EXPECT_TRUE(covers(parse_choice(Collective::bcast, "knomial:radix=8:segment=123456")));
  EXPECT_FALSE(covers(parse_choice(Collective::bcast, "chain:fanout=6")));
}

/// An allgather in which from a radix of 4 on the fourth message of a round is forgotten.
template <int least_radix>
Task by_radix(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const std::int64_t radix = call.parameter("radix");
  co_await comm.wait(comm.copy(call.block(rank), call.in));
  for (int first = 1; first < size; first += static_cast<int>(radix)) {
    std::vector<Op> ops;
    for (int i = first; i < std::min<std::int64_t>(size, first + radix); ++i) {
      if (radix >= least_radix && i == first + 3) continue;
      ops.push_back(comm.recv((rank + i) % size, call.block((rank + i) % size)));
      ops.push_back(comm.send((rank - i + size) % size, call.in));
    }
    co_await comm.wait(ops);
  }
}

Algorithm in_groups(AlgorithmFunction function) {
  // Counts of what the broken ones do are not what refutes them: they are declared by what runs.
  return Algorithm(Collective::allgather, "groups", function, __FILE__)
      .parameter("radix", 2, 2)
      .ports("k")
      .rounds("ceil((p-1)/k)")
      .messages("p*(p-1)")
      .bytes("(p-1)*n")
      .cite("planted");
}

TEST(Proof, RefutesWhatIsWrongFromARadixOf4Or8OnOnly) {
  EXPECT_EQ(refutation_of(in_groups(by_radix<1000>)), "proven");
  EXPECT_EQ(refutation_of(in_groups(by_radix<4>)),
            "allgather/groups:radix=4 ranks=5 count=0: count mismatch: messages: the execution has 15, the metadata's "
            "\"p*(p-1)\" gives 20.000000");
  EXPECT_EQ(refutation_of(in_groups(by_radix<8>)).substr(0, 32), "allgather/groups:radix=8 ranks=5");
}

/// The ring in segments, phase by phase; `step` 2 leaves out every other phase but the first.
template <int step>
Task phased(Comm comm, Call call) {
  const Count elements = call.out.elements(), segment = call.segment_elements(elements);
  const Blocks blocks = Blocks::split(elements, comm.size());
  const Count phases = std::max<Count>(1, elements / (comm.size() * segment));
  co_await comm.wait(comm.copy(call.out, call.in));
  for (Count phase = 0; phase < phases; phase += step)
    co_await reduce_around_ring(comm, call.out, blocks, comm.rank(), phases, phase);
  co_await collect_around_ring(comm, call.out, blocks, (comm.rank() + 1) % comm.size());
}

template <int step>
double rounds_of_phased(const Facts& f) {
  const double phases = std::max(1.0, std::floor(f["c"] / (f["p"] * std::max(1.0, std::floor(f["segment"] / f["e"])))));
  return (f["p"] - 1) * (std::ceil(phases / step) + 1);
}

template <int step>
std::string refutation_of_phased() {
  constexpr const char* kText = "as many as of the phases that run";
  Algorithm algorithm(Collective::allreduce, "phased", phased<step>, __FILE__);
  algorithm.parameter("segment", 1 << 20, 4)
      .commutative()
      .rounds(rounds_of_phased<step>, kText)
      .messages([](const Facts& f) { return f["p"] * rounds_of_phased<step>(f); }, kText)
      .bytes("2*(p-1)*n")
      .requires_that("c >= p", "an element for each rank")
      .cite("planted");
  return refutation_of(algorithm, 6);
}

TEST(Proof, RefutesWhatLeavesOutTheSecondOfTwoPhases) {
  EXPECT_EQ(refutation_of_phased<1>(), "proven");
  EXPECT_EQ(refutation_of_phased<2>().substr(0, 43), "allreduce/phased:segment=4 ranks=2 count=4 ");
}

/// Every rank sends its block to all; of long ones no more than fits into an `int`.
template <Count most>
Task each_to_all(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const auto beginning = [](const View& block) { return block.slice(0, std::min(most, block.elements())); };
  co_await comm.wait(comm.copy(call.block(rank), call.in));
  for (int i = 1; i < size; ++i) comm.recv((rank + i) % size, beginning(call.block((rank + i) % size)));
  for (int i = 1; i < size; ++i) comm.send((rank - i + size) % size, beginning(call.in));
}

TEST(Proof, RefutesWhatIsWrongOfMoreElementsThanAnIndexOf32BitsCounts) {
  const auto algorithm = [](AlgorithmFunction function) {
    return Algorithm(Collective::allgather, "each_to_all", function, __FILE__)
        .ports("max(1, p-1)")
        .rounds("min(1, p-1)")
        .messages("p*(p-1)")
        .bytes("(p-1)*n")
        .cite("planted");
  };
  EXPECT_EQ(refutation_of(algorithm(each_to_all<std::numeric_limits<Count>::max()>)), "proven");
  EXPECT_EQ(refutation_of(algorithm(each_to_all<std::numeric_limits<int>::max()>)),
            "allgather/each_to_all ranks=2 count=4294967301: missing contribution: rank 0, out[6442450948]: holds "
            "undefined, expected 1 of element 2147483647");
}

TEST(Proof, TellsBlocksOfOneNeighbourApartWhereTheNextBeginsWhereTheLastWouldGoOn) {
  // Of three blocks that rank 0 receives the first and the third are rank 1's, and of that the third begins as many
  // elements behind the first as the second has.
  const std::vector<Neighborhood::Edge> edges{{1, 0}, {1, 2}, {2, 0}, {1, 0}};
  const auto neighborhood = std::make_shared<Neighborhood>(3, edges);
  const Case among =
      with_neighborhood({.collective = Collective::neighbor_alltoallv, .ranks = 3, .element_bytes = 4}, neighborhood);
  const Case c = with_counts(among, std::make_shared<BlockCounts>(*neighborhood, std::vector<Count>{5, 1, 5, 1}, true));
  Executor executor;
  const auto fault = prove(executor, parse_choice(c.collective, "linear"), c);
  EXPECT_FALSE(fault) << fault->text;
}

TEST(Proof, LeavesOutLargeCasesOfManyMessagesAndCountsThem) {
  VerifyRequest request;
  request.choices = {parse_choice(Collective::bcast, "pipeline:segment=64"), parse_choice(Collective::bcast, "chain")};
  request.ranks = {2};
  request.only.count = kBeyondIndicesOf32Bits + 9;
  const auto verdicts = verify(request);
  EXPECT_EQ(verdicts.at(0).proven, 0);
  EXPECT_GT(verdicts.at(0).left_out, 0);
  EXPECT_GT(verdicts.at(1).proven, 0);
  EXPECT_EQ(verdicts.at(1).left_out, 0);
}

TEST(Cases, AreOfMoreThan2To32ElementsForEveryAlgorithmButInFewSegments) {
  for (const Algorithm& algorithm : registry()) {
    if (algorithm.collective() == Collective::barrier) continue;
    const auto variants = parameter_variants(algorithm);
    bool found = algorithm.full_name() == "reduce_scatter_block/recursive_doubling";  // beyond there it falls back
    for (const int ranks : {2, 3, 4, 5})
      for (const Proposition& one : propositions(variants, {{}}, ranks, {})) {
        if (one.c.count <= std::numeric_limits<std::uint32_t>::max()) continue;
        const Choice real = resolve(variants[one.variant], one.c);
        found |= real.algorithm == &algorithm;
        if (!Parameters(real.parameters).find("segment")) continue;
        EXPECT_LE(Facts(one.c, real.parameters)["segments"], 100) << real.text();
      }
    EXPECT_TRUE(found) << algorithm.full_name();
  }
}

TEST(Cases, HaveThreeSegmentsAndThreePhasesOfEverySegmentedAlgorithmAtEveryNumberOfRanks) {
  for (const Algorithm& algorithm : registry()) {
    if (std::none_of(algorithm.parameters().begin(), algorithm.parameters().end(),
                     [](const ParameterSpec& p) { return p.name == "segment"; }))
      continue;
    for (const int ranks : {2, 3, 8, 13, 64}) {
      const auto variants = parameter_variants(algorithm);
      std::set<double> segments;
      double phases = 0;
      for (const Proposition& one : propositions(variants, {{}}, ranks, {})) {
        const Choice real = resolve(variants[one.variant], one.c);
        if (real.algorithm != &algorithm) continue;
        const Facts facts(one.c, real.parameters);
        segments.insert(facts["segments"]);
        phases = std::max(phases, std::floor(facts["segments"] / ranks));
      }
      EXPECT_TRUE(segments.contains(1) || algorithm.name() == "segmented_ring") << algorithm.full_name();
      EXPECT_GE(*segments.rbegin(), 4) << algorithm.full_name() << " at " << ranks;
      EXPECT_GE(phases, algorithm.name() == "segmented_ring" ? 3 : 0) << ranks;
    }
  }
}

TEST(Proof, OfAChoiceIsOfThatChoiceAlone) {
  VerifyRequest request;
  request.choices = {parse_choice(Collective::allreduce, "recexch:radix=7"),
                     parse_choice(Collective::bcast, "pipeline:segment=3")};
  request.ranks = {8, 9};
  request.only.count = 10;
  const auto verdicts = verify(request);
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].choice, request.choices[0]);
  EXPECT_EQ(verdicts[0].proven, 2 * (2 * 2 + 4 + 1))
      << "two numbers of ranks: commutative and not, in place and not; four other operators, elements of 16 bytes";
  EXPECT_EQ(verdicts[1].proven, 2 * (3 + 1)) << "two numbers of ranks: three roots; elements of 16 bytes";
}

/// Sums up down the ranks and sends the result back; drops the last one's where the call is such.
template <auto is_wrong>
Task down_and_up(Comm comm, Call call) {
  const Rank above = comm.rank() + 1, below = comm.rank() - 1;
  co_await comm.wait(comm.copy(call.out, call.in));
  if (above < comm.size()) {
    const View arriving = comm.scratch(call.out.elements());
    co_await comm.wait(comm.recv(above, arriving));
    if (above < comm.size() - 1 || !is_wrong(call)) co_await comm.wait(comm.combine(call.out, call.out, arriving));
  }
  if (below >= 0) {
    co_await comm.wait(comm.send(below, call.out));
    co_await comm.wait(comm.recv(below, call.out));
  }
  if (above < comm.size()) co_await comm.wait(comm.send(above, call.out));
}

Algorithm summing(AlgorithmFunction function) {
  return Algorithm(Collective::allreduce, "down_and_up", function, __FILE__)
      .messages("2*(p-1)")
      .bytes("2*(p-1)*n")
      .cite("planted");
}

TEST(Proof, RefutesWhatIsWrongForOneOperatorOrForElementsOf16BytesAlone) {
  EXPECT_EQ(refutation_of(summing(down_and_up<[](const Call&) { return false; }>)), "proven");
  for (const auto& [text, function] :
       {std::pair<const char*, AlgorithmFunction>{
            "product", down_and_up<[](const Call& call) { return call.op == Operator::product; }>},
        {"min", down_and_up<[](const Call& call) { return call.op == Operator::minimum; }>},
        {"max", down_and_up<[](const Call& call) { return call.op == Operator::maximum; }>},
        {"user-commutative", down_and_up<[](const Call& call) { return call.op == Operator::user_commutative; }>}})
    EXPECT_TRUE(refutation_of(summing(function), 3)
                    .starts_with(std::string("allreduce/down_and_up ranks=2 count=2 element=8 commutative operator=") +
                                 text + ": missing contribution"))
        << refutation_of(summing(function), 3);
  EXPECT_TRUE(refutation_of(summing(down_and_up<[](const Call& call) { return call.element_bytes == 16; }>), 3)
                  .starts_with("allreduce/down_and_up ranks=2 count=2 element=16 commutative: missing contribution"));
}

TEST(Proof, TakesElementsOfTheSizeThatIsAskedFor) {
  const Algorithm algorithm = summing(down_and_up<[](const Call& call) { return call.element_bytes == 24; }>);
  VerifyRequest request;
  request.algorithms = {&algorithm};
  request.ranks = {3};
  EXPECT_FALSE(verify(request).at(0).refutation);
  request.only.element = 24;
  EXPECT_TRUE(verify(request).at(0).refutation);
}

Task broadcast_by_all(Comm comm, Call call) {
  if (comm.rank() != call.root) co_await comm.wait(comm.recv(call.root, call.out));
  for (Rank other = 0; comm.rank() == call.root && other < comm.size(); ++other)
    if (other != call.root) comm.send(other, call.out);
}

TEST(Proof, RefutesPortsThatAreNotAtLeastOne) {
  for (const auto& [ports, gives] : {std::pair{"0-5", "-5.000000"}, {"1/0", "inf"}, {"0/0", "nan"}, {"1-p/4", "0.7"}}) {
    Algorithm algorithm(Collective::bcast, "ported", broadcast_by_all, __FILE__);
    algorithm.ports(ports);
    const std::string text = refutation_of(algorithm, 2);
    EXPECT_NE(text.find(std::string("ports: the metadata's \"") + ports + "\" gives "), std::string::npos) << text;
    EXPECT_NE(text.find(gives), std::string::npos) << text;
  }
}

TEST(Proof, HoldsForParametersFarLargerThanAnyVector) {
  VerifyRequest request;
  for (const auto& [collective, text] : {std::pair{Collective::allgather, "k_bruck:radix="},
                                         {Collective::alltoall, "k_bruck:radix="},
                                         {Collective::reduce_scatter, "cyclic_shift:radix="},
                                         {Collective::allreduce, "cyclic_shift:radix="},
                                         {Collective::allreduce, "recursive_multiplying:radix="},
                                         {Collective::allreduce, "recexch:radix="},
                                         {Collective::allreduce, "k_reduce_scatter_allgather:radix="},
                                         {Collective::allgather, "recexch_doubling:radix="},
                                         {Collective::allgather, "recexch_halving:radix="},
                                         {Collective::barrier, "recexch:radix="},
                                         {Collective::barrier, "k_dissemination:radix="},
                                         {Collective::bcast, "pipeline:segment="},
                                         {Collective::allreduce, "segmented_ring:segment="},
                                         {Collective::allreduce, "bcube:radix="},
                                         {Collective::allreduce, "bcube_uneven:radix="},
                                         {Collective::bcast, "knomial:radix="},
                                         {Collective::reduce, "knomial:radix="}})
    for (const char* value : {"2147483648", "2147483649", "4294967298", "1125899906842623"})
      request.choices.push_back(parse_choice(collective, std::string(text) + value));
  request.ranks = {1, 2, 5};
  request.seconds_per_case = 5;
  for (const Verdict& verdict : verify(request)) EXPECT_FALSE(verdict.refutation) << verdict.refutation->text();
}

TEST(Shapes, NodesOfTwoRanksFollowOneAnotherTakeTurnsAndMeetTheirLanesInDifferentOrders) {
  const std::vector<Places> shapes = node_shapes(find_algorithm(Collective::allgather, "full_lane"), 8);
  for (const NodeOfRank& nodes : {NodeOfRank{0, 0, 1, 1, 2, 2, 3, 3}, NodeOfRank{0, 1, 0, 1, 0, 1, 0, 1},
                                  NodeOfRank{0, 1, 1, 0, 2, 3, 3, 2}, NodeOfRank{0, 0, 0, 0, 1, 1, 1, 1}})
    EXPECT_EQ(std::count(shapes.begin(), shapes.end(), nodes), 1);
  EXPECT_EQ(node_shapes(find_algorithm(Collective::allgather, "ring"), 8).size(), 1u) << "asks for no nodes";
}

TEST(Shapes, LevelsAreNestedInOneAnotherAndAreNot) {
  int nested = 0, crossed = 0;
  for (const Places& places : node_shapes(find_algorithm(Collective::bcast, "hier"), 24)) {
    ASSERT_EQ(places.others.size(), kLevels - 1u);
    bool within = true;
    for (Rank a = 0; a < 24; ++a)
      for (Rank b = 0; b < 24; ++b)
        for (int i = 0; i + 1 < kLevels; ++i)
          within = within && (places.of(a, static_cast<Level>(i)) != places.of(b, static_cast<Level>(i)) ||
                              places.of(a, static_cast<Level>(i + 1)) == places.of(b, static_cast<Level>(i + 1)));
    ++(within ? nested : crossed);
  }
  EXPECT_GE(nested, 1);
  EXPECT_GE(crossed, 4);
}

/// Pairwise; `most` 0: into an inbox that no block fits into which is longer than twice the mean.
template <Count most>
Task into_an_inbox(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const View own = call.block(rank), sum = comm.scratch(own.elements()), arrived = comm.scratch(own.elements());
  const Count fits = std::min(own.elements(), most > 0 ? most : 2 * (call.in.elements() / size + 1));
  co_await comm.wait(comm.copy(sum, own));
  for (int step = 1; step < size; ++step) {
    const Rank to = (rank + step) % size;
    co_await comm.exchange(to, call.block(to), (rank - step + size) % size, arrived);
    co_await comm.wait(comm.combine(sum.slice(0, fits), arrived.slice(0, fits), sum.slice(0, fits)));
  }
  co_await comm.wait(comm.copy(call.out, sum));
}

template <Count most>
std::string refutation_of_inbox() {
  Algorithm algorithm(Collective::reduce_scatter, "inbox", into_an_inbox<most>, __FILE__);
  algorithm.commutative().rounds("p-1").messages("p*(p-1)").bytes("(p-1)*n").cite("planted");
  return refutation_of(algorithm, 6);
}

TEST(Proof, RefutesAReduceScatterThatIsWrongForSkewedCountsAlone) {
  EXPECT_EQ(refutation_of_inbox<std::numeric_limits<Count>::max()>(), "proven");
  const std::string refuted = refutation_of_inbox<0>();
  EXPECT_EQ(refuted.substr(0, refuted.find(':')), "reduce_scatter/inbox ranks=3 count=10 counts=one");
  EXPECT_NE(refuted.find("missing contribution"), std::string::npos) << refuted;
}

}  // namespace
}  // namespace tutti::proof
