#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "models/machine.hpp"

namespace tutti {
namespace {

std::string figure_with(const nlohmann::json& figure) {
  nlohmann::json root = nlohmann::json::parse(machine_text("example-cluster"));
  root["published"] = {figure};
  return root.dump();
}

std::string fault(const nlohmann::json& figure) {
  try {
    parse_machine(figure_with(figure), "m.json");
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(PublishedFigures, AreReadAndAreNoFiguresOfTheModel) {
  const nlohmann::json figure{{"what", "exchange_bandwidth"},
                              {"distance", "network"},
                              {"hops", 4},
                              {"bytes", 8},
                              {"least", 1e9},
                              {"most", 2e9},
                              {"source", "a page"}};
  const Machine machine = parse_machine(figure_with(figure), "m.json");
  ASSERT_EQ(machine.published.size(), 1u);
  const Published& read = machine.published.front();
  EXPECT_EQ(read.what, Published::What::exchange_bandwidth);
  EXPECT_EQ(read.distance, Distance::network);
  EXPECT_EQ(read.hops, 4);
  EXPECT_EQ(read.bytes, 8);
  EXPECT_EQ(read.least, 1e9);
  EXPECT_EQ(read.most, 2e9);
  EXPECT_EQ(machine_figures(figure_with(figure), "m.json").size(),
            machine_figures(machine_text("example-cluster"), "m.json").size());
}

TEST(PublishedFigures, ThatMakeNoBandAreRefused) {
  nlohmann::json figure{{"what", "latency"}, {"distance", "node"}, {"bytes", 8},
                        {"least", 2e-6},     {"most", 1e-6},       {"source", "a page"}};
  EXPECT_NE(fault(figure).find("/published/0/most: expected no less than the least"), std::string::npos)
      << fault(figure);
  figure["most"] = 3e-6;
  EXPECT_EQ(fault(figure), "accepted");
  figure["hops"] = 2;
  EXPECT_NE(fault(figure).find("/published/0/hops: expected hops for the network alone"), std::string::npos)
      << fault(figure);
  figure.erase("hops");
  figure.erase("source");
  EXPECT_NE(fault(figure), "accepted");
}

}  // namespace
}  // namespace tutti
