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

std::string rows_of(const std::string& collective, const std::string& algorithm, int ranks = 4) {
  std::string text;
  for (const char* bytes : {"64", "1024", "65536", "1048576"})
    text += fmt::format("example-cluster,{},{},{},1,{},1\n", collective, algorithm, ranks, bytes);
  return text;
}

/// What the example machine with other figures would have measured.
std::string measured_on(const nlohmann::ordered_json& machine, const std::string& rows) {
  const TemporaryFile truth(machine.dump(2) + "\n", "truth.json");
  const TemporaryFile asked(header + rows);
  std::string text = predict_collectives(truth.path().string(), asked.path(), "fast", 1, 64).csv;
  text.replace(text.find("measured_us"), 11, "placeholder");
  text.replace(text.find("time_us"), 7, "median_us");
  return text;
}

/// The example machine with longer latencies and overheads between nodes.
nlohmann::ordered_json slower_by(double latency, double overhead) {
  auto machine = nlohmann::ordered_json::parse(machine_text("example-cluster"));
  machine.erase("$schema");
  auto& network = machine["transport"]["network"];
  for (auto& segment : network["segments"])
    segment["latency_seconds"] = segment["latency_seconds"].get<double>() * latency;
  network["send_overhead_seconds"] = network["send_overhead_seconds"].get<double>() * overhead;
  return machine;
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
    measured_ =
        measured_on(slower_by(1.8, 2.5), rows_of("allgather", "ring") + rows_of("allgather", "recursive_doubling") +
                                             rows_of("alltoall", "linear") + rows_of("bcast", "binomial") +
                                             rows_of("allreduce", "ring"));
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

TEST_F(CollectiveFits, AreRefusedWhereAPartOfTheChoiceNamesNoRow) {
  const TemporaryFile file(measured_);
  CollectiveFitRequest request = request_for(file.path());
  request.selection = "alltoall:linear,allgather:ring:ranks=8-16";
  try {
    fit_collectives(request);
    ADD_FAILURE() << "what names no row was passed over";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'allgather:ring:ranks=8-16'"), std::string::npos) << error.what();
  }
}

/// All nodes of two leaves at once want twice what the cables between these have.
TEST(CablesOfAFit, FollowFromRowsThatLoadThem) {
  auto machine = nlohmann::ordered_json::parse(machine_text("example-cluster"));
  machine.erase("$schema");
  auto& cables = machine["network"]["fat_tree"]["layers"][0];
  const double narrow = 0.5 * cables["bandwidth_bytes_per_second"].get<double>();
  cables["bandwidth_bytes_per_second"] = narrow;
  const TemporaryFile file(measured_on(machine, rows_of("alltoall", "pairwise", 8)));
  CollectiveFitRequest request{"example-cluster", file.path(), "alltoall:pairwise", "", "fast", 1, 1};
  const std::string bandwidth = "/network/fat_tree/layers/0/bandwidth_bytes_per_second";
  EXPECT_THROW(figure(fit_collectives(request), bandwidth), std::out_of_range) << "nobody asked for it";
  request.cables = true;
  const CollectiveFit fit = fit_collectives(request);
  EXPECT_TRUE(figure(fit, bandwidth).identified);
  EXPECT_NEAR(figure(fit, bandwidth).fitted / narrow, 1, 0.1);
  EXPECT_LT(fit.median_error, 0.02);
}

/// Four groups of two nodes with adaptive routing, a cable of 2 GB/s between each two groups.
nlohmann::ordered_json groups_with(double detour_share) {
  auto machine = nlohmann::ordered_json::parse(machine_text("example-cluster"));
  machine.erase("$schema");
  const nlohmann::ordered_json cable{
      {"bandwidth_bytes_per_second", 2e9}, {"latency_seconds", 1e-7}, {"source", "test"}};
  nlohmann::ordered_json groups{{"groups", 4},           {"chassis_per_group", 1}, {"routers_per_chassis", 1},
                                {"nodes_per_router", 2}, {"global_cables", 1},     {"global", cable},
                                {"routing", "adaptive"}, {"source", "test"}};
  if (detour_share > 0) groups["detour_share"] = detour_share;
  machine["network"] = {{"dragonfly", groups}};
  return machine;
}

/// The share of detours and the cables between groups, fitted from a base of none to what half of all on detours takes.
std::pair<FigureReport, FigureReport> detours_fitted_to(const std::string& rows) {
  const TemporaryFile file(measured_on(groups_with(0.5), rows)), base(groups_with(0).dump(2) + "\n", "base.json");
  CollectiveFitRequest request{base.path().string(), file.path(), "alltoall:linear", "", "fast", 1, 1};
  request.cables = true;
  const CollectiveFit fit = fit_collectives(request);
  return {figure(fit, "/network/dragonfly/detour_share"),
          figure(fit, "/network/dragonfly/global/bandwidth_bytes_per_second")};
}

TEST(DetoursOfAFit, AreFoundFromABaseWithNoneWhereMoreThanTwoGroupsSend) {
  const auto [share, cables] = detours_fitted_to(rows_of("alltoall", "linear", 4) + rows_of("alltoall", "linear", 8));
  EXPECT_TRUE(share.identified && cables.identified);
  EXPECT_NEAR(share.fitted, 0.5, 0.05);
  EXPECT_NEAR(cables.fitted / 2e9, 1, 0.1);
}

TEST(DetoursOfAFit, AreNotToldFromWiderCablesByTwoGroups) {
  const auto [share, cables] = detours_fitted_to(rows_of("alltoall", "linear", 4));
  EXPECT_FALSE(share.identified || cables.identified) << share.deviation << " " << cables.deviation;
}

TEST_F(CollectiveFits, LeaveWhatWasNotLookedAtAGuess) {
  auto machine = nlohmann::ordered_json::parse(machine_text("example-cluster"));
  machine.erase("$schema");
  machine["transport"]["network"]["guess"] = {"eager_limit_bytes", "send_overhead_seconds"};
  const TemporaryFile base(machine.dump(2) + "\n", "base.json");
  const TemporaryFile file(measured_);
  CollectiveFitRequest request = request_for(file.path());
  request.base = base.path().string();
  const CollectiveFit fit = fit_collectives(request);
  const auto guesses = nlohmann::json::parse(fit.machine_json)["transport"]["network"]["guess"];
  EXPECT_NE(std::find(guesses.begin(), guesses.end(), "eager_limit_bytes"), guesses.end());
  EXPECT_EQ(std::find(guesses.begin(), guesses.end(), "send_overhead_seconds"), guesses.end());
}

/// A fit to the rings of a file, each number of nodes held back in turn.
CollectiveFit cross_validated(const std::string& measured) {
  const TemporaryFile file(measured);
  CollectiveFitRequest request{"example-cluster", file.path(), "allgather:ring", "", "fast", 1, 1};
  request.cross_validate = true;
  return fit_collectives(request);
}

TEST(CrossValidation, GoesAsFarAsHelpsNumbersOfNodesThatWereHeldBack) {
  const CollectiveFit fit = cross_validated(
      measured_on(slower_by(1.8, 2.5), rows_of("allgather", "ring", 3) + rows_of("allgather", "ring", 8)));
  ASSERT_TRUE(fit.cross_validation);
  EXPECT_NE(fit.cross_validation->steps, 0);
  ASSERT_EQ(fit.cross_validation->held_back.size(), 2u);
  for (const HeldBack& held : fit.cross_validation->held_back) {
    EXPECT_EQ(held.rows, 4u);
    EXPECT_GT(held.median_error_before, 0.1) << held.nodes;
    EXPECT_LT(held.median_error, held.median_error_before / 2) << held.nodes;
  }
  EXPECT_EQ(fit.cross_validation->held_back.back().nodes, 8);
  EXPECT_LT(fit.median_error, fit.median_error_before / 2);
}

TEST(CrossValidation, LeavesTheBaseWhereNothingHelpsNumbersOfNodesThatWereHeldBack) {
  const CollectiveFit fit = cross_validated(measured_on(slower_by(1.8, 2.5), rows_of("allgather", "ring", 3)) +
                                            measured_on(slower_by(0.5, 0.4), rows_of("allgather", "ring", 8)));
  ASSERT_TRUE(fit.cross_validation);
  EXPECT_EQ(fit.cross_validation->steps, 0);
  for (const FigureReport& report : fit.figures) EXPECT_DOUBLE_EQ(report.fitted, report.base) << report.pointer;
  EXPECT_DOUBLE_EQ(fit.median_error, fit.median_error_before);
}

TEST_F(CollectiveFits, AreNotCrossValidatedOnOneNumberOfNodes) { EXPECT_THROW(cross_validated(measured_), InputError); }

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
