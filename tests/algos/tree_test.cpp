#include "algos/patterns/tree.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "algos/patterns/bine.hpp"

namespace tutti {
namespace {

using Children = std::vector<Rank>;

struct Shape {
  std::string name;
  std::function<Tree(int, int)> place;  // (size, v)
  bool last_is_root = false;
};

std::vector<Shape> shapes() {
  std::vector<Shape> all{
      {"binary", binary_tree},
      {"nearest first binomial", binomial_tree_nearest_first},
      {"in-order binary", in_order_binary_tree, true},
      {"Bine, near first", [](int size, int v) { return bine_tree(size, v, BineOrder::near_first); }},
      {"Bine, far first", [](int size, int v) { return bine_tree(size, v, BineOrder::far_first); }}};
  for (int k = 1; k < 10; ++k) {
    const std::string parameter = " " + std::to_string(k);
    all.push_back({"chain" + parameter, [k](int size, int v) { return chain_tree(size, v, k); }});
    all.push_back({"k-ary" + parameter, [k](int size, int v) { return kary_tree(size, v, k); }});
    if (k == 1) continue;
    all.push_back({"k-nomial" + parameter, [k](int size, int v) { return knomial_tree(size, v, k); }});
    all.push_back({"k-nomial, farthest" + parameter, [k](int size, int v) { return knomial_tree(size, v, k, true); }});
    all.push_back(
        {"depth-first k-nomial" + parameter, [k](int size, int v) { return depth_first_knomial_tree(size, v, k); }});
  }
  return all;
}

TEST(Tree, EveryShapeSpansAllRanksAndParentsAgreeWithChildren) {
  for (const Shape& shape : shapes())
    for (int size = 1; size < 130; ++size) {
      const Rank root = shape.last_is_root ? size - 1 : 0;
      EXPECT_EQ(shape.place(size, root).parent, -1) << shape.name << " of " << size;
      std::vector<bool> reached(static_cast<std::size_t>(size), false);
      Children open{root};
      int ranks = 0;
      while (!open.empty()) {
        const Rank rank = open.back();
        open.pop_back();
        ASSERT_FALSE(reached[static_cast<std::size_t>(rank)]) << shape.name << " of " << size << ", twice: " << rank;
        reached[static_cast<std::size_t>(rank)] = true;
        ++ranks;
        for (const Rank child : shape.place(size, rank).children) {
          ASSERT_EQ(shape.place(size, child).parent, rank) << shape.name << " of " << size << ", rank " << child;
          open.push_back(child);
        }
      }
      EXPECT_EQ(ranks, size) << shape.name;
    }
}

TEST(Tree, AnInOrderTreeCombinesRangesOfRanksFromLeftToRight) {
  for (int size = 1; size < 130; ++size) {
    Rank next = 0;  // visiting second child, first child, own gives the ranks in order
    const std::function<void(Rank)> visit = [&](Rank rank) {
      const Children children = in_order_binary_tree(size, rank).children;
      for (auto child = children.rbegin(); child != children.rend(); ++child) visit(*child);
      EXPECT_EQ(rank, next++) << "of " << size;
    };
    visit(size - 1);
  }
}

TEST(Tree, ShapesAreThoseOfTheLibraries) {
  // Open MPI, coll_base_topo.c: the drawings above the builders.
  EXPECT_EQ(knomial_tree(10, 0, 2).children, (Children{8, 4, 2, 1}));
  EXPECT_EQ(knomial_tree(10, 4, 2).children, (Children{6, 5}));
  EXPECT_EQ(knomial_tree(10, 0, 3).children, (Children{9, 3, 6, 1, 2}));
  EXPECT_EQ(knomial_tree(10, 3, 3).children, (Children{4, 5}));
  EXPECT_EQ(knomial_tree(10, 0, 4).children, (Children{4, 8, 1, 2, 3}));
  EXPECT_EQ(knomial_tree(10, 8, 4).children, (Children{9}));
  EXPECT_EQ(binary_tree(7, 1).children, (Children{3, 5}));
  EXPECT_EQ(binary_tree(7, 2).children, (Children{4, 6}));
  EXPECT_EQ(binomial_tree_nearest_first(8, 4).children, (Children{5, 6}));
  EXPECT_EQ(in_order_binary_tree(9, 8).children, (Children{7, 3}));
  EXPECT_EQ(in_order_binary_tree(9, 7).children, (Children{6, 5}));
  EXPECT_EQ(in_order_binary_tree(9, 3).children, (Children{2, 1}));
  // Ten ranks in chains of 3, 2, 2, 2.
  EXPECT_EQ(chain_tree(10, 0, 4).children, (Children{1, 4, 6, 8}));
  EXPECT_EQ(chain_tree(10, 2, 4).children, (Children{3}));
  EXPECT_EQ(chain_tree(10, 3, 4).children, (Children{}));
  // MPICH, treeutil.c: knomial_1 and knomial_2 of eight ranks.
  EXPECT_EQ(depth_first_knomial_tree(8, 0, 2).children, (Children{1, 5, 7}));
  EXPECT_EQ(depth_first_knomial_tree(8, 1, 2).children, (Children{2, 4}));
  EXPECT_EQ(depth_first_knomial_tree(8, 2, 2).children, (Children{3}));
  EXPECT_EQ(knomial_tree(8, 4, 2, true).children, (Children{6, 5}));
  EXPECT_EQ(knomial_tree(9, 0, 3, true).children, (Children{6, 3, 2, 1}));
}

TEST(Tree, TheLastArrivalInABinomialTreeIsTheLogarithm) {
  for (int size = 1; size < 300; ++size) {
    int logarithm = 0;
    while ((1 << logarithm) < size) ++logarithm;
    EXPECT_EQ(last_arrival(0, [=](int v) { return knomial_tree(size, v, 2); }), logarithm) << size;
  }
}

}  // namespace
}  // namespace tutti
