#include "selection/kept_results.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>

#include "base/error.hpp"
#include "sim/kept_engine.hpp"
#include "tests/selection/request.hpp"

namespace tutti {
namespace {

class KeptResultsTest : public testing::Test {
 protected:
  KeptResultsTest() { std::filesystem::remove_all(folder_); }
  ~KeptResultsTest() override { std::filesystem::remove_all(folder_); }
  const std::string folder_ =
      (std::filesystem::temp_directory_path() /
       ("tutti-kept-" + std::to_string(getpid()) + "-" + testing::UnitTest::GetInstance()->current_test_info()->name()))
          .string();
};

/// An engine that counts what it is asked for.
class Counting final : public Engine {
 public:
  std::string name() const override { return "counting"; }
  std::vector<Result> run(const Machine& machine, std::span<const Experiment> experiments) const override {
    asked += experiments.size();
    return engine_->run(machine, experiments);
  }
  mutable std::size_t asked = 0;

 private:
  const std::unique_ptr<Engine> engine_ = make_engine("fast");
};

Experiment experiment(const std::string& algorithm, int ranks, bool record = false) {
  const Case c{Collective::bcast, ranks, 1000, 1};
  std::vector<int> cores;
  for (int rank = 0; rank < ranks; ++rank) cores.push_back(8 * rank);  // of the example cluster's nodes
  return {c, parse_choice(Collective::bcast, algorithm), cores, {}, 1, record};
}

TEST_F(KeptResultsTest, AreTheSameInTheNextProcess) {
  const Machine machine = load_machine("example-cluster");
  std::vector<Experiment> asked{experiment("binomial", 5), experiment("chain", 5, true), experiment("binomial", 6)};
  asked.push_back(asked[0]);
  asked.back().most_seconds = 1e-7;
  asked.push_back(asked[0]);
  asked.back().mode = parse_mode("skew:1e-6");
  asked.push_back(asked.back());
  asked.back().seed = 2;
  const Counting engine;
  std::vector<std::string> first;
  {
    KeptResults kept(folder_, "this");
    for (const Result& result : KeptEngine(engine, kept, "machine").run(machine, asked))
      first.push_back(bytes_of(result));
  }
  EXPECT_EQ(engine.asked, asked.size());
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), asked.size()) << "each differs in what it is kept under";
  KeptResults kept(folder_, "this");
  std::vector<std::string> second;
  for (const Result& result : KeptEngine(engine, kept, "machine").run(machine, asked))
    second.push_back(bytes_of(result));
  EXPECT_EQ(second, first);
  EXPECT_EQ(engine.asked, asked.size());
  asked.erase(asked.begin() + 1, asked.end());
  KeptEngine(engine, kept, "another machine").run(machine, asked);
  EXPECT_EQ(engine.asked, 7u);
}

TEST_F(KeptResultsTest, AreExactAndMayBeInfinite) {
  Result result;
  result.makespan_seconds = std::numeric_limits<double>::infinity();
  result.seconds_per_rank = {0.1, 1e-300, 0.1 + 0.2, -0.0};
  result.refused = "too many";
  result.exceeded = true;
  result.trace.push_back({});
  result.path_parts.push_back({0, {Spent::On::retransmission, -1, 2e-7}, 1e-7});  // the last kind
  const Result read = result_of(bytes_of(result));
  EXPECT_EQ(read.makespan_seconds, result.makespan_seconds);
  EXPECT_EQ(read.seconds_per_rank, result.seconds_per_rank);
  EXPECT_EQ(read.refused, result.refused);
  EXPECT_TRUE(read.exceeded);
  EXPECT_EQ(read.path_parts.at(0).spent.on, Spent::On::retransmission);
  EXPECT_THROW(result_of("no result"), InputError);
}

TEST_F(KeptResultsTest, OfAnotherIdentityAreRefused) {
  { KeptResults kept(folder_, "this"); }
  EXPECT_THROW(KeptResults(folder_, "that"), InputError);
}

TEST_F(KeptResultsTest, RecordTheCriticalPathAsItWas) {
  const Machine machine = load_machine("example-cluster");
  const std::vector<Experiment> asked{experiment("binomial", 7, true)};
  const Result whole = make_engine("fast")->run(machine, asked).front();
  KeptResults kept(folder_, "this");
  const Counting engine;
  const Result path = KeptEngine(engine, kept, "machine").run(machine, asked).front();
  EXPECT_LT(path.trace.size(), whole.trace.size());
  ASSERT_EQ(path.critical_path.size(), whole.critical_path.size());
  for (std::size_t i = 0; i < path.critical_path.size(); ++i) {
    const TraceEvent &one = path.trace[path.critical_path[i]], &other = whole.trace[whole.critical_path[i]];
    EXPECT_EQ(std::tuple(one.rank, one.peer, one.bytes, one.ended_seconds),
              std::tuple(other.rank, other.peer, other.bytes, other.ended_seconds));
  }
  EXPECT_EQ(path.path_parts.size(), whole.path_parts.size());
}

}  // namespace
}  // namespace tutti
