#include <fmt/format.h>

#include "base/error.hpp"
#include "calibration/calibrate.hpp"
#include "samples.hpp"

namespace tutti {
namespace {

using test::TemporaryFile;

const char* const kOsu = "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n";

CalibrationResult calibrate_osu(const std::vector<std::string>& files) {
  CalibrationRequest request{"example-cluster", {}, {}, ""};
  for (const std::string& file : files) request.inputs.push_back({"osu", file});
  return calibrate(request);
}

/// What a lone message between nodes takes, us.
double microseconds(const CalibrationResult& result, std::int64_t bytes) {
  const Machine machine = parse_machine(result.machine_json, "calibrated");
  return 1e6 * machine.message_seconds(0, machine.network->cores_per_node(), bytes);
}

/// How a message of the base takes longer than another.
double base_difference(std::int64_t from, std::int64_t to) {
  const Machine machine = load_machine("example-cluster");
  const int other = machine.network->cores_per_node();
  return 1e6 * (machine.message_seconds(0, other, to) - machine.message_seconds(0, other, from));
}

TEST(Unmeasured, LongMessagesAreNotAsSlowAsWhatShortOnesGrowBy) {
  const TemporaryFile noise(kOsu + std::string("1 1.50\n2 1.50\n4 1.50\n8 1.50\n16 1.51\n"));
  const TemporaryFile copies(kOsu + std::string("8 1.50\n64 1.52\n512 1.67\n1024 1.84\n4096 2.87\n8192 4.23\n"));
  for (const TemporaryFile* file : {&noise, &copies}) {
    const CalibrationResult result = calibrate_osu({file->path().string()});
    EXPECT_NEAR(microseconds(result, 1 << 22) - microseconds(result, 1 << 20), base_difference(1 << 20, 1 << 22), 0.1);
    EXPECT_NEAR(microseconds(result, 16385) - microseconds(result, 16384), 2.5, 0.01) << "the base's handshake";
    EXPECT_LT(result.report.distances.at(0).worst_error(), 0.01);
    const std::string said = format_residuals(result.report);
    EXPECT_NE(said.find(" bytes was measured; as fast there as the base's long messages"), std::string::npos) << said;
    EXPECT_NE(said.find("rendezvous_seconds: nothing above the base's eager limit was measured"), std::string::npos);
  }
}

TEST(Unmeasured, LongMessagesGoOnAtTheLastRateWhereBytesWereMostOfTheTime) {
  const TemporaryFile slow(kOsu + std::string("8 1.50\n1024 1.70\n8192 3.14\n16384 4.78\n32768 8.06\n65536 14.61\n"
                                              "131072 27.72\n262144 53.93\n"));  // 5 GB/s, of 12 in the base
  const CalibrationResult result = calibrate_osu({slow.path().string()});
  EXPECT_NEAR(microseconds(result, 1 << 22), 1.5 + 4194304 / 5e3, 5);
  const std::string said = format_residuals(result.report);
  EXPECT_NE(said.find("nothing above 262144 bytes was measured; the last rate goes on"), std::string::npos) << said;
}

TEST(Unmeasured, ShortMessagesAreSaidToHaveTheHandshakeWhereOnlyLongOnesWereMeasured) {
  const TemporaryFile big(kOsu + std::string("65536 8.96\n1048576 90.88\n4194304 353.00\n"));
  const std::string said = format_residuals(calibrate_osu({big.path().string()}).report);
  EXPECT_NE(said.find("the handshake is in the latencies, of short messages too"), std::string::npos) << said;
}

TEST(Unmeasured, TheEagerLimitIsTheBasesWhereItLiesBetweenTwoSizes) {
  const TemporaryFile few(kOsu + std::string("8 1.50\n1024 1.59\n65536 8.96\n1048576 90.88\n"));
  const CalibrationResult result = calibrate_osu({few.path().string()});
  const Transport& transport = result.report.distances.at(0).transport;
  EXPECT_EQ(transport.eager_limit_bytes, 16384);
  EXPECT_NEAR(microseconds(result, 16384), 1.5 + 16384 / 12e3, 0.1) << "no handshake yet";
  EXPECT_LT(result.report.distances.at(0).worst_error(), 0.01);
}

TEST(Unmeasured, StreamsThatReachAsManyTimesWhatOnePairDoesMayHaveHadNodesOfTheirOwn) {
  const std::string title = "# OSU MPI Multiple Bandwidth / Message Rate Test v5.8\n";
  const TemporaryFile pair(kOsu + std::string("8 1.50\n1048576 90.00\n4194304 352.00\n"));
  const auto notes = [&](int pairs, double rate) {
    std::string table = fmt::format("# [ pairs: {} ] [ window size: 64 ]\n# Size  MB/s  Messages/s\n", pairs);
    for (const int bytes : {1 << 20, 1 << 22})
      table += fmt::format("{}  {}  {:.2f}\n", bytes, rate, rate * 1e6 / bytes);
    const TemporaryFile streams(title + table);
    const CalibrationReport report = calibrate_osu({pair.path().string(), streams.path().string()}).report;
    std::string all;
    for (const std::string& note : report.notes) all += note + "\n";
    return all;
  };
  EXPECT_NE(notes(4, 48000).find("taken for those of one node with one other, but reach 4.03 times what one does"),
            std::string::npos)
      << notes(4, 48000);
  EXPECT_EQ(notes(4, 23000).find("taken for those of one node"), std::string::npos) << "they share adapters";
  EXPECT_NE(notes(16, 23000).find("a node has 8 cores"), std::string::npos);
}

TEST(Unmeasured, CoresThatAreNearerButSlowerAreSaid) {
  const TemporaryFile fast(kOsu + std::string("0 0.40\n1024 0.60\n1048576 140.00\n"));
  const TemporaryFile slow(kOsu + std::string("0 0.70\n1024 0.90\n1048576 160.00\n"));
  const auto notes = [&](const TemporaryFile& cache, const TemporaryFile& node) {
    std::string all;
    for (const std::string& note :
         calibrate_osu({"cache=" + cache.path().string(), "node=" + node.path().string()}).report.notes)
      all += note + "\n";
    return all;
  };
  EXPECT_NE(
      notes(slow, fast).find("0 bytes take 0.7 us at distance cache, but 0.4 us at node by " + fast.path().string()),
      std::string::npos)
      << notes(slow, fast);
  EXPECT_EQ(notes(fast, slow).find("which is farther"), std::string::npos);
}

TEST(Unmeasured, AFileOfADistanceThatTheMachineLacksIsToldWhichItHas) {
  const TemporaryFile file(kOsu + std::string("8 1.50\n1024 1.70\n"));
  try {
    calibrate_osu({"socket=" + file.path().string()});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("they are at cache, node, network"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tutti
