#include "topologies/first_nodes.hpp"

#include "base/error.hpp"
#include "tests/topologies/check.hpp"
#include "topologies/fat_tree.hpp"

namespace tutti {
namespace {

using namespace test;

TEST(FirstNodes, HaveTheSameRoutesAndLinks) {
  const auto whole = std::make_shared<const Network>(
      numa_node(), std::make_unique<FatTree>(FatTreeShape{.nodes_per_leaf = 2, .layers = {{4, 3, 1, {1e9, 1e-7}}}}));
  for (const int nodes : {1, 3, 8}) {
    const auto part = first_nodes(whole, nodes);
    EXPECT_EQ(part->nodes(), nodes);
    EXPECT_EQ(part->leaves(), whole->leaves());
    EXPECT_EQ(part->links().size() - part->fabric().links().size(),
              (whole->links().size() - whole->fabric().links().size()) * static_cast<std::size_t>(nodes) / 8);
    std::vector<LinkId> here, there;
    for (int from = 0; from < part->cores(); ++from)
      for (int to = 0; to < part->cores(); ++to) {
        part->route(from, to, here);
        whole->route(from, to, there);
        ASSERT_EQ(here, there);
        ASSERT_EQ(part->distance(from, to), whole->distance(from, to));
        for (const LinkId id : here) {
          ASSERT_EQ(part->name_of(static_cast<LinkId>(id)), whole->name_of(static_cast<LinkId>(id)));
          ASSERT_EQ(part->links()[id].bandwidth_bytes_per_second, whole->links()[id].bandwidth_bytes_per_second);
        }
      }
    for (int node = 0; node < nodes; ++node) EXPECT_EQ(part->leaf_of(node), whole->leaf_of(node));
  }
  EXPECT_THROW(first_nodes(whole, 9), InputError);
  EXPECT_THROW(first_nodes(whole, 0), InputError);
}

}  // namespace
}  // namespace tutti
