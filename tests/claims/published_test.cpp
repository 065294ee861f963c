#include <gtest/gtest.h>

#include "sim/point_to_point.hpp"

namespace tutti {
namespace {

TEST(Published, SimulatedFiguresOfEveryMachineLieInTheBandsOrTheMachineSaysWhyNot) {
  const auto engine = make_engine("fast");
  int within = 0, deviating = 0;
  for (const std::string& name : machine_names()) {
    const Machine machine = load_machine(name);
    for (const Published& figure : machine.published) {
      const std::optional<double> model = simulated(*engine, machine, figure);
      const std::string where = name + ": " + figure.source;
      ASSERT_TRUE(model.has_value()) << where << ": no such cores";
      const bool inside = *model >= figure.least && *model <= figure.most;
      EXPECT_NE(inside, !figure.deviates.empty()) << where << ": " << figure.least << " to " << figure.most
                                                  << ", the model " << *model << (inside ? ", within after all" : "");
      ++(inside ? within : deviating);
    }
  }
  EXPECT_GE(within, 35);
  EXPECT_LE(deviating, 8);
}

/// Two bands of latency and the rates that the operator presents: held to 5 % by the bands themselves.
TEST(Published, Hbv4HasTheTwoBandsAndBothRates) {
  const auto engine = make_engine("fast");
  const Machine machine = load_machine("azure-hbv4");
  const Network& network = *machine.network;
  EXPECT_EQ(hops_of(network), (std::vector<int>{2, 4}));
  const auto near = *pair_at(network, Distance::network), far = *pair_at(network, Distance::network, 4);
  for (const std::int64_t bytes : {1, 2, 4, 8}) {
    const double close = one_way_seconds(*engine, machine, near, bytes),
                 away = one_way_seconds(*engine, machine, far, bytes);
    EXPECT_TRUE(close >= 1.6e-6 && close <= 1.7e-6) << close;
    EXPECT_TRUE(away >= 2.2e-6 && away <= 2.3e-6) << away;
  }
  const double bits = 8.0 * (64 << 20);
  const double one_way = bits / one_way_seconds(*engine, machine, near, 64 << 20);
  const double both = 2 * bits / exchange_seconds(*engine, machine, near, 64 << 20);
  EXPECT_TRUE(one_way >= 375e9 && one_way <= 385e9) << one_way;
  EXPECT_TRUE(both >= 730e9 && both <= 770e9) << both;
}

TEST(Published, ALoneMessageIsSimulatedToTakeWhatTheFormulaSaysToAPicosecond) {
  const auto engine = make_engine("fast");
  for (const char* name : {"azure-hbv4", "orfeo-thin", "azure-hc", "lumi-g", "example-cluster"}) {
    const Machine machine = load_machine(name);
    for (int i = 1; i < distance_count; ++i)
      if (const auto cores = pair_at(*machine.network, static_cast<Distance>(i)))
        for (std::int64_t bytes = 1; bytes <= 16 << 20; bytes *= 16) {
          const double formula = machine.message_seconds(cores->first, cores->second, bytes);
          EXPECT_NEAR(one_way_seconds(*engine, machine, *cores, bytes), formula, 1e-12) << name << " " << bytes;
        }
  }
}

TEST(Published, PairsAreTheNearestOfTheirDistanceAndHops) {
  const Machine machine = load_machine("example-cluster");
  const Network& network = *machine.network;
  for (const int hops : hops_of(network)) {
    const auto cores = pair_at(network, Distance::network, hops);
    ASSERT_TRUE(cores);
    EXPECT_EQ(hops_between(network, cores->first, cores->second), hops);
  }
  EXPECT_EQ(hops_between(network, 0, 1), 0);
  EXPECT_EQ(pair_at(network, Distance::network, 1), std::nullopt);
  EXPECT_EQ(pair_at(network, Distance::network)->second, network.cores_per_node()) << "on the same leaf";
}

}  // namespace
}  // namespace tutti
