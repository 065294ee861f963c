#include "models/machine.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tutti {
namespace {

using nlohmann::json;

TEST(Machine, EveryEmbeddedMachineLoadsUnderItsOwnName) {
  ASSERT_FALSE(machine_names().empty());
  for (const std::string& name : machine_names()) {
    const Machine machine = load_machine(name);
    EXPECT_EQ(machine.name, name);
    const int cores = machine.network->cores();
    for (const int core : {0, 1, cores / 2, cores - 1}) {
      EXPECT_GT(machine.message_seconds(0, core, 1), 0) << name;
      EXPECT_LT(machine.message_seconds(0, core, 0), 20e-6) << name;
      EXPECT_GT(machine.message_seconds(0, core, 1 << 20), machine.message_seconds(0, core, 8)) << name;
    }
  }
}

TEST(Machine, EveryFigureHasASource) {
  for (const std::string& name : machine_names()) {
    const std::vector<Figure> figures = machine_figures(machine_text(name), name);
    EXPECT_GT(figures.size(), 20u);
    for (const Figure& figure : figures) EXPECT_FALSE(figure.source.empty()) << name << figure.pointer;
  }
}

TEST(Machine, AMessageCostsOverheadsHandshakeLatencyAndBytes) {
  const Machine machine = load_machine("example-cluster");
  EXPECT_NEAR(machine.message_seconds(0, 8, 1000), 200e-9 + 200e-9 + 200e-9 + 2 * 300e-9 + 1000 / 6e9, 1e-15);
  EXPECT_NEAR(machine.message_seconds(0, 127, 20000),
              200e-9 + 200e-9 + 2.5e-6 + 200e-9 + 2 * 300e-9 + 2 * 200e-9 + 20000 / 12e9 +
                  100e-9,  // the NIC is in socket 0, the receiver in socket 1
              1e-15);
  EXPECT_NEAR(machine.message_seconds(0, 1, 5000), 50e-9 + 50e-9 + 300e-9 + 300e-9 + 5000 / 10e9, 1e-15);
  EXPECT_NEAR(machine.message_seconds(3, 3, 1000), 20e-9 + 1000 / 12e9, 1e-15);
}

TEST(Machine, AnOmittedClassTakesTheNextFartherOne) {
  json root = json::parse(machine_text("example-cluster"));
  root["node"]["caches_per_domain"] = 2;
  root["node"]["cores_per_cache"] = 2;
  const Machine machine = parse_machine(root.dump(), "m.json");
  EXPECT_EQ(machine.transport(Distance::numa).send_overhead_seconds, 80e-9);
  EXPECT_EQ(machine.transport(Distance::cache).send_overhead_seconds, 50e-9);
  EXPECT_THROW(machine.transport(Distance::socket), std::out_of_range);
}

TEST(Machine, SegmentsHoldUpToTheirLimit) {
  const Machine machine = load_machine("example-cluster");
  const Transport& network = machine.transport(Distance::network);
  EXPECT_EQ(network.segment(0).up_to_bytes, 16384);
  EXPECT_EQ(network.segment(16384).up_to_bytes, 16384);
  EXPECT_EQ(network.segment(16385).up_to_bytes, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(network.segment(std::numeric_limits<std::int64_t>::max()).bandwidth_bytes_per_second, 12e9);
}

TEST(Machine, CopiesToItselfTakeTheCopyRate) {
  const Machine machine = load_machine("example-cluster");
  EXPECT_NEAR(machine.compute.copy.seconds(1000), 20e-9 + 1000 * 0.05e-9, 1e-18);
  EXPECT_NEAR(machine.compute.copy.seconds(2 << 20), 20e-9 + (2 << 20) * 0.1e-9, 1e-12);
  EXPECT_NEAR(machine.transport(Distance::self).segment(2 << 20).bandwidth_bytes_per_second, 10e9, 1);
}

}  // namespace
}  // namespace tutti
