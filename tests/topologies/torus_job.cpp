#include "topologies/torus_job.hpp"

#include <set>

#include "base/error.hpp"
#include "tests/topologies/check.hpp"

namespace tutti {
namespace {

using namespace test;

const Torus& tofu() {
  static const Torus torus({{8, 8, 8, 2, 3, 2}, 1, {1e9, 1e-7}});
  return torus;
}

std::size_t hops(int from, int to) { return checked_route(tofu(), from, to, to).size(); }

TEST(TorusJob, NeighboursOfTheJobAreNeighboursOfTheMachine) {
  const TorusJob job(tofu(), std::array{16, 4, 6});
  std::set<int> nodes;
  for (int x = 0; x < 16; ++x)
    for (int y = 0; y < 4; ++y)
      for (int z = 0; z < 6; ++z) {
        const int here = job.node(std::array{x, y, z});
        nodes.insert(here);
        EXPECT_EQ(hops(here, job.node(std::array{(x + 1) % 16, y, z})), 1U);
        EXPECT_EQ(hops(here, job.node(std::array{x, (y + 1) % 4, z})), 1U);
        EXPECT_EQ(hops(here, job.node(std::array{x, y, (z + 1) % 6})), 1U);
      }
  EXPECT_EQ(nodes.size(), 16U * 4 * 6) << "each its own";
}

TEST(TorusJob, ARingMayTakeAllDimensions) {
  const TorusJob job(tofu(), std::array{32});
  for (int at = 0; at < 32; ++at) EXPECT_EQ(hops(job.node(std::array{at}), job.node(std::array{(at + 1) % 32})), 1U);
}

/// Wherever factors have to be dealt out otherwise than in turn, too.
TEST(TorusJob, AxesMayBeAsLongAsTheirDimensionsHold) {
  const std::vector<std::vector<int>> all{{1, 24, 1}, {16, 24, 16}, {6144}, {192, 32}, {9, 1}};
  for (const std::vector<int>& lengths : all) {
    const TorusJob job(tofu(), lengths);
    std::set<int> nodes;
    std::vector<int> at(lengths.size());
    for (bool more = true; more;) {
      nodes.insert(job.node(at));
      more = false;
      for (std::size_t axis = 0; axis < at.size() && !more; ++axis) {
        more = ++at[axis] < lengths[axis];
        if (!more) at[axis] = 0;
      }
    }
    std::size_t product = 1;
    for (const int length : lengths) product *= static_cast<std::size_t>(length);
    EXPECT_EQ(nodes.size(), product);
  }
}

TEST(TorusJob, AnAxisThatFitsNowhereIsRefused) {
  EXPECT_THROW(TorusJob(tofu(), std::array{1, 1, 11}), InputError);
  EXPECT_THROW(TorusJob(tofu(), std::array{32, 1, 1}), InputError) << "8 along one dimension and 2 along the other";
}

}  // namespace
}  // namespace tutti
