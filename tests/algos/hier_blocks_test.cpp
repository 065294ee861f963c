#include <gtest/gtest.h>

#include <algorithm>

#include "sim/proof/verify.hpp"
#include "tests/algos/executed.hpp"

/// Compositions by levels of what moves blocks of any counts: to the root, from it, and from each rank to each.
namespace tutti {
namespace {

Case blocks_of_five(Collective collective, int ranks, Rank root = 0) {
  return {collective, ranks, 5, 4, root, false, Operator::sum};
}

/// Two groups of two nodes of three ranks, in turn, so that no part's ranks follow one another.
Places three_on_each_of_four() {
  Places tree(NodeOfRank{0, 1, 2, 3, 0, 1, 2, 3, 3, 2, 1, 0});
  tree.others[Level::group] = {0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0};
  return tree;
}

TEST(HierOfBlocks, EachBlockCrossesALevelOnceAndAllOfAPartInOneMessage) {
  for (const Collective collective :
       {Collective::gather, Collective::scatter, Collective::gatherv, Collective::scatterv})
    for (const Rank root : {0, 7, 11}) {
      const proof::Execution by_three = executed("hier(node=linear,group=linear,global=linear)",
                                                 blocks_of_five(collective, 12, root), three_on_each_of_four());
      EXPECT_EQ(by_three.messages, 8 + 2 + 1) << name_of(collective) << " of root " << root;
      EXPECT_EQ(by_three.elements_sent, 5 * (8 * 1 + 2 * 3 + 1 * 6)) << name_of(collective) << " of root " << root;
    }
  const proof::Execution flat =
      executed("hier(node=none,global=linear)", blocks_of_five(Collective::gather, 12), three_on_each_of_four());
  EXPECT_EQ(flat.elements_sent, 5 * 11);
}

TEST(HierOfBlocks, PartsOfDifferentSizesAreDividedWhereBlocksAreOfOneSize) {
  const Places uneven(NodeOfRank{0, 0, 0, 1, 1});
  for (const Collective collective : {Collective::gather, Collective::scatter})
    for (const char* text : {"hier(global=linear)", "hier(global=bine)"}) {
      const proof::Execution one = executed(text, blocks_of_five(collective, 5, 4), uneven);
      EXPECT_EQ(one.messages, 2 + 1 + 1 + 1) << "on nodes, between them, and to or from who stands for the root";
      EXPECT_EQ(one.elements_sent, 5 * (2 + 1 + 3 + 5));
    }
}

/// What block `r` takes on uneven nodes with linear algorithms, by hand: to the first rank of its node, from there to
/// the first of the root's, and with all others to the root.
TEST(HierOfBlocks, OnUnevenNodesTheRootsFirstRankHandsOverAllBlocks) {
  const NodeOfRank nodes{0, 1, 1, 0, 0, 2, 1, 1};
  const auto first_of = [&](Rank r) {
    return static_cast<Rank>(std::find(nodes.begin(), nodes.end(), nodes[static_cast<std::size_t>(r)]) - nodes.begin());
  };
  for (const Collective collective : {Collective::gatherv, Collective::scatterv})
    for (const char* skew : {"zipf:1.5", "random:3", "one:4", "equal"})
      for (Rank root = 0; root < 8; ++root) {
        const Case c = with_counts(blocks_of_five(collective, 8, root), skew, Count{8} * 13);
        const bool hands_over = first_of(root) != root;
        Count elements = hands_over ? c.counts->total() : 0;
        for (Rank r = 0; r < 8; ++r)
          elements += c.counts->blocks().count(r) * ((first_of(r) != r) + (first_of(r) != first_of(root)));
        const proof::Execution execution = executed("hier(node=linear,global=linear)", c, Places(nodes));
        EXPECT_EQ(execution.messages, 5 + 2 + hands_over) << skew << ", root " << root;
        EXPECT_EQ(execution.elements_sent, elements) << skew << ", root " << root;
      }
}

/// What is for a node goes there once, from each rank, to the rank of its number, or of what is left of that by the
/// node's ranks; there to whom it is for.
void expect_two_hops(const NodeOfRank& nodes, const std::string& skew) {
  const auto ranks = static_cast<int>(nodes.size());
  const auto on_node = [&](int node) { return std::count(nodes.begin(), nodes.end(), node); };
  const auto node_of = [&](Rank r) { return nodes[static_cast<std::size_t>(r)]; };
  const auto number = [&](Rank r) { return std::count(nodes.begin(), nodes.begin() + r, node_of(r)); };
  const auto meets = [&](Rank from, Rank to) {  // who on the node of `to` gets it first
    Rank r = 0;
    while (node_of(r) != node_of(to) || number(r) != number(from) % on_node(node_of(to))) ++r;
    return node_of(from) == node_of(to) ? from : r;
  };
  const Case c = with_counts(blocks_of_five(Collective::alltoallv, ranks), skew, Count{ranks} * ranks * 4);
  Count elements = 0;
  std::vector<std::pair<Rank, Rank>> across, inside;  // who sends to whom
  for (Rank from = 0; from < ranks; ++from)
    for (Rank to = 0; to < ranks; ++to) {
      const Count block = c.counts->from_to(from, to);
      const Rank met = meets(from, to);
      elements += block * ((met != from) + (met != to));
      if (block > 0 && met != from) across.emplace_back(from, met);
      if (block > 0 && met != to) inside.emplace_back(met, to);
    }
  Count messages = 0;
  for (auto* pairs : {&across, &inside}) {
    std::sort(pairs->begin(), pairs->end());
    messages += std::unique(pairs->begin(), pairs->end()) - pairs->begin();
  }
  const proof::Execution execution = executed("hier(node=linear,global=linear)", c, Places(nodes));
  EXPECT_EQ(execution.messages, messages) << skew << " on " << ranks;
  EXPECT_EQ(execution.elements_sent, elements) << skew << " on " << ranks;
}

TEST(HierOfBlocks, AnExchangeOfAnyCountsTakesTwoHopsOnAnyNodes) {
  for (const char* skew : {"zipf:1.5", "random:3", "one", "equal"})
    for (const NodeOfRank& nodes :
         {NodeOfRank{0, 0, 1, 1, 2, 2}, NodeOfRank{0, 1, 2, 0, 1, 2, 1, 0, 2}, NodeOfRank{0, 0, 0, 0, 1, 1, 2},
          NodeOfRank{0, 1, 1, 2, 1, 2, 1, 1}, NodeOfRank{0}, NodeOfRank{0, 0, 0}, NodeOfRank{0, 1, 2, 3, 4}})
      expect_two_hops(nodes, skew);
}

TEST(HierOfBlocks, EveryRankGoesAcrossWithWhatIsForAPart) {
  const proof::Execution by_three = executed("hier(group=pairwise,global=pairwise,node=pairwise)",
                                             blocks_of_five(Collective::alltoallv, 12), three_on_each_of_four());
  EXPECT_EQ(by_three.messages, 12 * (1 + 1 + 2)) << "between groups, between nodes, and inside";
  EXPECT_EQ(by_three.elements_sent, 12 * 5 * (6 + 6 + 8)) << "what is for the other half, the other node, two of three";
}

/// Each algorithm that does not ask for groups, at a level that is there anyway; and levels together.
std::vector<Choice> any_at_each_level(Collective collective) {
  std::vector<Choice> choices;
  for (const Algorithm* a : algorithms_of(collective))
    if (!a->is_by_node())
      for (const char* level : {"node", "global"})
        choices.push_back(parse_choice(collective, "hier(" + std::string(level) + "=" + a->name() + ")"));
  for (const char* text : {"node=none", "cache=linear,leaf=linear", "numa=linear,socket=linear,node=none,group=linear"})
    choices.push_back(parse_choice(collective, "hier(" + std::string(text) + ")"));
  return choices;
}

TEST(HierOfBlocks, AnyAlgorithmMayBeALevelOfAnyOfThem) {
  proof::VerifyRequest request;
  for (const Collective collective :
       {Collective::gather, Collective::scatter, Collective::gatherv, Collective::scatterv, Collective::alltoallv})
    for (const Choice& choice : any_at_each_level(collective)) request.choices.push_back(choice);
  request.ranks = {1, 2, 5, 8, 9};
  request.processes = 2;
  for (const proof::Verdict& verdict : proof::verify(request)) {
    EXPECT_FALSE(verdict.refutation) << verdict.refutation->text();
    EXPECT_GT(verdict.proven, 0);
  }
}

/// The proof's roots are the first two and the last.
TEST(HierOfBlocks, EveryRootIsProvenOnUnevenlyNestedShapes) {
  proof::VerifyRequest request;
  for (const Collective collective :
       {Collective::gather, Collective::scatter, Collective::gatherv, Collective::scatterv})
    for (const char* text : {"hier", "hier(socket=linear,group=linear)"})
      request.choices.push_back(parse_choice(collective, text));
  request.ranks = {7, 12};
  request.only.count = 4;
  request.processes = 2;
  for (Rank root = 0; root < 12; ++root) {
    request.only.root = root;
    for (const proof::Verdict& verdict : proof::verify(request))
      EXPECT_FALSE(verdict.refutation) << verdict.refutation->text();
  }
}

}  // namespace
}  // namespace tutti
