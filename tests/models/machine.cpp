#include "models/machine.hpp"

#include <gtest/gtest.h>

#include <array>
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

TEST(Machine, LargerJobsTakeTheFiguresThatAreGivenForThemAndTheRestOfTheMachine) {
  json root = json::parse(machine_text("example-cluster"));
  root["larger_jobs"] = {{"more_ranks_than", 256},
                         {"transport", {{"network", {{"gap_seconds", 7e-6}, {"source", "there"}}}}},
                         {"source", "here"}};
  const Machine machine = parse_machine(root.dump(), "m.json");
  EXPECT_EQ(&machine.for_job(256), &machine);
  const Machine& larger = machine.for_job(257);
  EXPECT_EQ(larger.network, machine.network);
  EXPECT_EQ(larger.transport(Distance::network).gap_seconds, 7e-6);
  EXPECT_EQ(larger.transport(Distance::network).rendezvous_seconds,
            machine.transport(Distance::network).rendezvous_seconds);
  EXPECT_EQ(larger.transport(Distance::node).gap_seconds, machine.transport(Distance::node).gap_seconds);
  EXPECT_NE(machine.transport(Distance::network).gap_seconds, 7e-6);
  const Machine plain = load_machine("example-cluster");
  EXPECT_EQ(&plain.for_job(1 << 20), &plain);
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
  EXPECT_NEAR(machine.compute.copy.seconds(8 << 20), 20e-9 + (8 << 20) * 0.1e-9, 1e-12);
  const Transport& self = machine.transport(Distance::self);
  for (const std::int64_t bytes : {1 << 20, (1 << 20) + 1, 2 << 20, (2 << 20) + 2, 4 << 20, (4 << 20) + 4})
    EXPECT_NEAR(self.segment(bytes).bandwidth_bytes_per_second, 1 / machine.compute.copy.seconds_per_byte_at(bytes, 0),
                1)
        << bytes;
}

TEST(RealMachines, HaveTheirRealSize) {
  const auto size = [](const std::string& name) {
    const Machine machine = load_machine(name);
    const Network& network = *machine.network;
    return std::array{network.nodes(), network.cores_per_node(), network.groups(),
                      static_cast<int>(network.node_shape().nics.size())};
  };
  EXPECT_EQ(size("azure-hbv2"), (std::array{300, 120, 0, 1}));
  EXPECT_EQ(size("azure-hbv4"), (std::array{320, 176, 0, 1}));
  EXPECT_EQ(size("marenostrum5-acc"), (std::array{1120, 80, 7, 4}));
  EXPECT_EQ(size("leonardo-booster"), (std::array{3600, 32, 20, 1}))
      << "of its two adapters ranks use what UCX gives them";
  EXPECT_EQ(size("lumi-g"), (std::array{2978, 64, 24, 4}));
  EXPECT_EQ(size("cray-xc40"), (std::array{3944, 24, 11, 1}));
  EXPECT_EQ(size("orfeo-thin"), (std::array{10, 24, 0, 1}));
}

// Core 0 of node 0 to core 0 of another node.
double microseconds(const Machine& machine, int node, std::int64_t bytes) {
  return machine.message_seconds(0, node * machine.network->cores_per_node(), bytes) * 1e6;
}

TEST(RealMachines, Hbv4HasItsTwoLatencyBandsAndItsRate) {
  const Machine machine = load_machine("azure-hbv4");
  EXPECT_GE(microseconds(machine, 1, 8), 1.6);
  EXPECT_LE(microseconds(machine, 1, 8), 1.7);
  EXPECT_GE(microseconds(machine, 32, 8), 2.2);
  EXPECT_LE(microseconds(machine, 32, 8), 2.3);
  const double gigabits_per_second = 8e-3 * (64 << 20) / microseconds(machine, 1, 64 << 20);
  EXPECT_GE(gigabits_per_second, 375);
  EXPECT_LE(gigabits_per_second, 385);
}

TEST(RealMachines, Hbv2HasItsPublishedLatencyAndRate) {
  const Machine machine = load_machine("azure-hbv2");
  EXPECT_NEAR(microseconds(machine, 20, 8), 1.75, 0.05);
  EXPECT_NEAR(8e-3 * (16 << 20) / microseconds(machine, 20, 16 << 20), 194.3, 4);
}

TEST(RealMachines, OrfeoThinHasItsPublishedTimes) {
  const Machine machine = load_machine("orfeo-thin");
  const auto within = [&](int core, std::int64_t bytes) { return machine.message_seconds(0, core, bytes) * 1e6; };
  EXPECT_NEAR(within(1, 8), 0.20, 0.02);
  EXPECT_NEAR(within(12, 8), 0.44, 0.05);
  EXPECT_NEAR(within(1, 131072), 15.0, 0.8);
  EXPECT_NEAR(within(12, 131072), 41.7, 2);
  EXPECT_NEAR(within(1, 1 << 20), 68, 4);
  EXPECT_NEAR(within(12, 1 << 20), 69, 4);
  EXPECT_NEAR(microseconds(machine, 1, 8), 1.03, 0.06);
  EXPECT_NEAR(microseconds(machine, 1, 1 << 20), 97.5, 4);
  EXPECT_NEAR(microseconds(machine, 1, 4 << 20), 353, 8);
}

TEST(RealMachines, SayWhichFiguresAreGuesses) {
  int guesses = 0, known = 0;
  for (const std::string& name : machine_names())
    for (const Figure& figure : machine_figures(machine_text(name), name)) {
      ++(figure.guess ? guesses : known);
      if (name == "azure-hbv2" && figure.pointer == "/node/nics/0/bandwidth_bytes_per_second") {
        EXPECT_FALSE(figure.guess);
        EXPECT_EQ(std::stod(figure.value), 24.29e9);
      }
      if (name == "azure-hbv2" && figure.pointer == "/node/nics/0/latency_seconds") {
        EXPECT_TRUE(figure.guess);
      }
      if (name == "example-cluster") {
        EXPECT_TRUE(figure.guess || figure.pointer.ends_with("/eager_limit_bytes")) << figure.pointer;
      }
    }
  EXPECT_GT(guesses, 100);
  EXPECT_GT(known, 100);
}

}  // namespace
}  // namespace tutti
