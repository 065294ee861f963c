// Measured times of libraries' own choices against measured times of the algorithms that the baselines name.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include "selection/baselines.hpp"

namespace tutti {
namespace {

using Scenario = std::tuple<std::string, std::string, std::string, std::string, int, int, std::int64_t>;  // … nodes

TEST(BaselineMeasured, OpenMpisDefaultTakesAsLongAsTheAlgorithmThatTheBaselineNames) {
  const char* given = std::getenv("TUTTI_SHARED");
  const std::filesystem::path root = given ? given : TUTTI_SOURCE_DIR "/../shared";
  std::ifstream stream(root / "data/collectives/measured.csv");
  if (!stream) GTEST_SKIP() << "no ../shared/data/collectives";
  std::map<Scenario, std::map<std::string, double>> scenarios;  // microseconds by algorithm
  std::string line;
  std::getline(stream, line);
  ASSERT_TRUE(line.starts_with("system,collective,implementation,algorithm,ranks,ppn,bytes,median_us,")) << line;
  while (std::getline(stream, line)) {
    std::vector<std::string> field;
    std::stringstream text(line);
    for (std::string one; std::getline(text, one, ',');) field.push_back(one);
    ASSERT_EQ(field.size(), 14U) << line;
    if (!field[11].starts_with("OMPI 4.1") || (field[2] != "library" && field[2] != "default")) continue;
    const int ranks = std::stoi(field[4]);
    scenarios[{field[13], field[11], field[0], field[1], ranks, ranks / std::stoi(field[5]), std::stoll(field[6])}]
             [field[3]] = std::stod(field[7]);
  }
  int alike = 0, measured = 0, all = 0;
  std::string rest;
  for (const auto& [scenario, times] : scenarios) {
    const auto own = times.find("default");
    if (own == times.end()) continue;
    ++all;
    const auto& [run, library, system, collective_name, ranks, nodes, bytes] = scenario;
    const Collective collective = collective_named(collective_name);
    Case c{.collective = collective, .ranks = ranks, .element_bytes = 4};
    c.count = count_for_total_bytes(collective, ranks, 4, bytes);
    const Choice choice = resolve(pick(find_baseline("open-mpi-4.1"), c, evenly(nodes, c.ranks)).choice, c);
    const auto named = times.find(choice.algorithm->name());
    if (named == times.end()) continue;
    ++measured;
    const double ratio = own->second / named->second;
    if (std::abs(ratio - 1) <= 0.15)
      ++alike;
    else
      rest += "  " + system + " " + collective_name + " " + std::to_string(ranks) + " ranks " + std::to_string(bytes) +
              " bytes: default / " + choice.text() + " = " + std::to_string(ratio) + "\n";
  }
  std::printf(
      "%d of %d scenarios within 15 %% (of %d with a default, the rest's algorithm was not measured); others:\n%s",
      alike, measured, all, rest.c_str());
  EXPECT_GE(measured, 100);
  EXPECT_GE(alike, 0.95 * measured) << rest;
}

}  // namespace
}  // namespace tutti
