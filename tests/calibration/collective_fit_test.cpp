#include "calibration/collective_fit.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "calibration/collective_predictions.hpp"
#include "calibration/least_squares.hpp"
#include "models/machine.hpp"
#include "tests/calibration/samples.hpp"

namespace tutti::test {
namespace {

const std::string header = "system,collective,algorithm,ranks,ppn,bytes,median_us\n";

std::string rows_of(const std::string& collective, const std::string& algorithm, const std::string& time) {
  std::string text;
  for (const char* bytes : {"64", "1024", "65536", "1048576"})
    text += fmt::format("example-cluster,{},{},4,1,{},{}\n", collective, algorithm, bytes, time);
  return text;
}

/// What the example machine with other figures would have measured.
std::string measured_on(const nlohmann::ordered_json& machine) {
  const TemporaryFile truth(machine.dump(2) + "\n", "truth.json");
  const TemporaryFile asked(header + rows_of("allgather", "ring", "1") +
                            rows_of("allgather", "recursive_doubling", "1") + rows_of("alltoall", "linear", "1") +
                            rows_of("bcast", "binomial", "1") + rows_of("allreduce", "ring", "1"));
  std::string text = predict_collectives(truth.path().string(), asked.path(), "fast", 1, 64).csv;
  text.replace(text.find("measured_us"), 11, "placeholder");
  text.replace(text.find("time_us"), 7, "median_us");
  return text;
}

CollectiveFitRequest request_for(const std::filesystem::path& file, int threads = 1) {
  return {"example-cluster", file, "allgather:ring+recursive_doubling,alltoall:linear", "", "fast", threads, 1};
}

const FigureReport& figure(const CollectiveFit& fit, const std::string& pointer) {
  for (const FigureReport& report : fit.figures)
    if (report.pointer == pointer) return report;
  throw std::out_of_range(pointer);
}

class CollectiveFits : public testing::Test {
 protected:
  void SetUp() override {
    auto machine = nlohmann::ordered_json::parse(machine_text("example-cluster"));
    machine.erase("$schema");
    auto& network = machine["transport"]["network"];
    for (auto& segment : network["segments"])
      segment["latency_seconds"] = segment["latency_seconds"].get<double>() * 1.8;
    network["send_overhead_seconds"] = network["send_overhead_seconds"].get<double>() * 2.5;
    measured_ = measured_on(machine);
  }
  std::string measured_;
};

TEST_F(CollectiveFits, ReproduceTheMachineThatWasMeasured) {
  const TemporaryFile file(measured_);
  const CollectiveFit fit = fit_collectives(request_for(file.path()));
  EXPECT_EQ(fit.rows.size(), 12u);
  EXPECT_EQ(fit.rows_in_file, 20u);
  EXPECT_GT(fit.median_error_before, 0.04);
  EXPECT_LT(fit.median_error, 0.02);
  const TemporaryFile fitted(fit.machine_json, "fitted.json");
  const std::string predicted = predict_collectives(fitted.path().string(), file.path(), "fast", 1, 64).csv;
  std::istringstream lines(predicted);  // of rows that were not looked at, too
  int checked = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool was_fitted =
        line.starts_with("example-cluster,allgather") || line.starts_with("example-cluster,alltoall");
    EXPECT_TRUE(line.ends_with(was_fitted ? ",1" : ",0") || line.starts_with("system")) << line;
    if (!line.starts_with("example-cluster,bcast")) continue;
    const std::size_t last = line.rfind(',', line.rfind(',') - 1), before = line.rfind(',', last - 1);
    const double measured = std::stod(line.substr(before + 1)), time = std::stod(line.substr(last + 1));
    EXPECT_NEAR(time / measured, 1, 0.1) << line;
    ++checked;
  }
  EXPECT_EQ(checked, 4);
}

TEST_F(CollectiveFits, SayWhatNoDatumIdentifies) {
  const TemporaryFile file(measured_);
  const CollectiveFit fit = fit_collectives(request_for(file.path()));
  EXPECT_FALSE(figure(fit, "/compute/reduce/seconds_per_byte").identified);  // nothing was reduced
  EXPECT_NEAR(figure(fit, "/compute/reduce/seconds_per_byte").effect, 0, 1e-9);
  EXPECT_DOUBLE_EQ(figure(fit, "/compute/reduce/seconds_per_byte").fitted,
                   figure(fit, "/compute/reduce/seconds_per_byte").base);
  EXPECT_TRUE(figure(fit, "/transport/network/send_overhead_seconds").identified);
  const auto machine = nlohmann::json::parse(fit.machine_json);
  EXPECT_EQ(machine["calibration"]["rows"], 12);
  EXPECT_EQ(machine["calibration"]["rows_in_file"], 20);
  const auto& guesses = machine["compute"]["reduce"]["guess"];
  EXPECT_NE(std::find(guesses.begin(), guesses.end(), "seconds_per_byte"), guesses.end());
  EXPECT_TRUE(machine["transport"]["network"]["source"].get<std::string>().starts_with("fitted to 12 measured"));
}

TEST_F(CollectiveFits, LookAtNoOtherRowsAndDoNotDependOnThreads) {
  const TemporaryFile file(measured_);
  std::string other = measured_;
  for (std::size_t at = 0; (at = other.find("example-cluster,bcast,", at)) != std::string::npos; ++at) {
    const std::size_t end = other.rfind(',', other.find('\n', at)), last = other.rfind(',', end - 1);
    other.replace(last + 1, end - last - 1, "77");
  }
  ASSERT_NE(other, measured_);
  const TemporaryFile changed(other);
  EXPECT_EQ(fit_collectives(request_for(file.path(), 1)).machine_json,
            fit_collectives(request_for(changed.path(), 2)).machine_json);
}

TEST(CollectiveRowsFile, RefusesWhatIsNoTableOfCollectives) {
  const auto refused = [](const std::string& text, int line, const std::string& words) {
    const TemporaryFile file(text);
    expect_input_error([&] { read_collective_rows(file.path(), "example-cluster"); }, file.path(), line, words);
  };
  refused("size,latency\n1,2\n", 1, "no column 'system'");
  refused(header + "example-cluster,bcast,binomial,4,1,64\n", 2, "6 cells");
  refused(header + "example-cluster,bcast,binomial,0,1,64,1\n", 2, "ranks");
  refused(header + "example-cluster,bcast,binomial,4,1,64,nan\n", 2, "median_us");
  refused(header + "example-cluster,polka,binomial,4,1,64,1\n", 2, "polka");
  refused(header + "example-cluster,allreduce,ring,4,1,62,1\n", 2, "expected a multiple of the element");
  refused(header + "another,bcast,binomial,4,1,64,1\n", 1, "no row of the system 'example-cluster'");
}

TEST(CollectiveRowsFile, NamesTheBarrierOrSaysThatAllLeaveItAtOnce) {
  const std::string row = "example-cluster,bcast,binomial,4,1,64,1,";
  const TemporaryFile file("system,collective,algorithm,ranks,ppn,bytes,median_us,barrier\n" + row + "none\n" + row +
                           "bruck\n" + row + "\n");
  const std::vector<CollectiveRow> rows = read_collective_rows(file.path(), "example-cluster").rows;
  EXPECT_EQ(rows.at(0).barrier, "");
  EXPECT_EQ(rows.at(1).barrier, "bruck");
  EXPECT_EQ(rows.at(2).barrier, "recursive_doubling");
  const TemporaryFile other("system,collective,algorithm,ranks,ppn,bytes,median_us,barrier\n" + row + "two_proc\n");
  expect_input_error([&] { read_collective_rows(other.path(), "example-cluster"); }, other.path(), 2,
                     "barrier/two_proc cannot run: it needs at most two ranks");
}

TEST(RowSelections, HoldWhatTheyNameAndNothingElse) {
  CollectiveRow row;
  row.collective = Collective::gather;
  row.algorithm = "linear";
  row.implementation = "library";
  row.ranks = 32;
  row.ppn = 1;
  row.bytes = 16384;
  const auto holds = [&](const char* text) { return RowSelection(text).holds(row); };
  EXPECT_TRUE(holds("gather:linear"));
  EXPECT_TRUE(holds("allreduce:ring,gather:binomial+linear:ranks=32:bytes=0-16K:ppn=1:implementation=library"));
  EXPECT_FALSE(holds("gather:binomial"));
  EXPECT_FALSE(holds("scatter:linear"));
  EXPECT_FALSE(holds("gather:linear:bytes=0-16383"));
  EXPECT_FALSE(holds("gather:linear:ranks=33-64"));
  EXPECT_FALSE(holds("gather:linear:ppn=2"));
  EXPECT_FALSE(holds("gather:linear:implementation=picolib"));
  for (const char* bad : {"", "gather", "gather:polka", "polka:linear", "gather:linear:bytes=9-3",
                          "gather:linear:size=3", "gather:linear:bytes=1-2-3", "gather:linear:implementation="})
    EXPECT_THROW(RowSelection{bad}, InputError) << bad;
}

TEST(RobustLeastSquares, FindsAParabolasFootAndShrugsOffAnOutlier) {
  const auto residuals = [](std::span<const double> x) {
    return std::vector<double>{x[0] - 1, x[0] - 1.01, x[0] - 0.99, 2 * (x[1] + x[0]), x[0] - 100};
  };
  const Unknown wide{100, 50};
  const LeastSquares found = minimise(residuals, std::vector<Unknown>{wide, wide, wide}, {0, 0, 3}, 0.1, 50);
  EXPECT_NEAR(found.x[0], 1, 0.1);
  EXPECT_NEAR(found.x[1], -1, 0.1);
  EXPECT_NEAR(found.effect[2], 0, 1e-12);  // no residual depends on it
  EXPECT_GT(found.deviation[2], 99);
}

}  // namespace
}  // namespace tutti::test
