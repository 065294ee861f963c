// What goes by nodes sends messages of several lengths: where some of them change their protocol, and others do not, no
// size tells of the next one. In each of these cells that was once overlooked, and another choice made, up to half as
// long again.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/sizes.hpp"
#include "selection/tune.hpp"

namespace tutti {
namespace {

struct Asked {
  const char* machine;
  Collective collective;
  int nodes, ppn;
};

void PrintTo(const Asked& asked, std::ostream* out) {
  *out << asked.machine << " " << name_of(asked.collective) << " " << asked.nodes << " x " << asked.ppn;
}

class ByNodes : public testing::TestWithParam<Asked> {};

TEST_P(ByNodes, NoChoiceLosesMoreThanTheBoundToWhatEveryCandidateTakes) {
  const Asked& asked = GetParam();
  const Machine machine = load_machine(asked.machine);
  TuneRequest request;
  request.machine = &machine;
  request.machine_text = machine_source(asked.machine);
  request.nodes = {asked.nodes};
  request.ppn = {asked.ppn};
  request.bytes = parse_list("8:512K");
  request.osu_sizes = true;
  request.collectives = {asked.collective};
  request.engine = "fast";
  const Table searched = tune(request);
  request.exhaustive = true;
  const Table all = tune(request);
  ASSERT_EQ(searched.cells.size(), all.cells.size());
  for (const Cell& exact : all.cells) {
    const Rule* const rule = look_up(searched, exact.place, exact.bytes);
    ASSERT_NE(rule, nullptr);
    EXPECT_LE(exact.seconds.at(rule->algorithm), 1.05 * best_seconds(exact) + 1e-12)
        << exact.bytes << " " << rule->algorithm;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, ByNodes,
                         testing::Values(Asked{"fugaku", Collective::gather, 20, 4},
                                         Asked{"fugaku", Collective::gather, 14, 3},
                                         Asked{"lumi-g", Collective::gather, 18, 4},
                                         Asked{"archer2", Collective::gather, 20, 3},
                                         Asked{"archer2", Collective::scatter, 17, 3}));

}  // namespace
}  // namespace tutti
