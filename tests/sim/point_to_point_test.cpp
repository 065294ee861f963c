#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "calibration/calibrate.hpp"
#include "tests/calibration/samples.hpp"
#include "tests/sim/machines.hpp"

namespace tutti::test {
namespace {

TUTTI_ON_EVERY_ENGINE(PointToPoint);

/// One message of each measured size, simulated on the calibrated machine, beside the median of its distance class.
TEST_P(PointToPoint, SimulatedOnTheCalibratedMachineAgreesWithTheClassMedians) {
  TUTTI_SKIP_WITHOUT_SHARED_DATA();
  const std::string folder = (shared_data() / "p2p/orfeo-thin/").string();
  CalibrationRequest request;
  request.base = "orfeo-thin";
  request.inputs = {{"csv", folder + "all_core_pairs.csv"},
                    {"csv", "network=" + folder + "performance_test_node__performance_node.csv"}};
  const CalibrationResult calibrated = calibrate(request);
  const Machine machine = parse_machine(calibrated.machine_json, "calibrated");
  EXPECT_EQ(calibrated.report.distances.size(), 3U) << "same socket, other socket, other node";
  for (const DistanceResiduals& distance : calibrated.report.distances) {
    std::vector<double> errors;
    for (const Residual& row : distance.rows) {
      Experiment one = experiment(Collective::bcast, "binomial", 2, row.measured.bytes);
      one.core_of_rank = {distance.cores.first, distance.cores.second};
      errors.push_back(std::abs(run(GetParam(), machine, one).makespan_seconds / row.measured.median_seconds - 1));
    }
    ASSERT_GE(errors.size(), 20U);
    std::sort(errors.begin(), errors.end());
    EXPECT_LE(errors[errors.size() / 2], 0.10) << to_string(distance.distance);
    EXPECT_LE(errors.back(), 0.25) << to_string(distance.distance);
    RecordProperty(std::string("median_error_") + to_string(distance.distance),
                   std::to_string(errors[errors.size() / 2]));
    RecordProperty(std::string("worst_error_") + to_string(distance.distance), std::to_string(errors.back()));
  }
}

}  // namespace
}  // namespace tutti::test
