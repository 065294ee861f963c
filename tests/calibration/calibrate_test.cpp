#include "calibration/calibrate.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "samples.hpp"

namespace tutti {
namespace {

using nlohmann::json;
using test::TemporaryFile;

const std::string base = "example-cluster";

/// osu_latency as it would print the machine's own times.
std::string osu_of(const Machine& machine, int from, int to) {
  std::string text = "# OSU MPI Latency Test v7.5\n# Size       Avg Latency(us)\n";
  for (std::int64_t bytes = 1; bytes <= 1 << 22; bytes *= 2)
    text += fmt::format("{:<20}{:>12.2f}\n", bytes, machine.message_seconds(from, to, bytes) * 1e6);
  return text;
}

CalibrationResult calibrate_inputs(const std::vector<CalibrationInput>& inputs, const std::string& machine = base) {
  return calibrate({machine, inputs, {}, ""});
}

TEST(Calibrate, RecoversTheTimesAndTheEagerLimitOfAMachineFromItsOwnPingPong) {
  for (const std::int64_t limit : {1500, 5000, 12000, 16384, 65535, 100000}) {
    json truth = json::parse(machine_text(base));
    truth["transport"]["network"]["eager_limit_bytes"] = limit;
    truth["transport"]["network"]["rendezvous_seconds"] = 4e-6;
    truth["transport"]["network"]["segments"][0]["up_to_bytes"] = 256;
    const Machine machine = parse_machine(truth.dump(), "truth");
    const int other_node = machine.network->cores_per_node();
    const TemporaryFile file(osu_of(machine, 0, other_node));

    const CalibrationResult result = calibrate_inputs({{"osu", file.path()}});
    const DistanceResiduals& fitted = result.report.distances.at(0);
    EXPECT_EQ(fitted.transport.eager_limit_bytes, std::int64_t{1} << static_cast<int>(std::log2(limit))) << limit;
    EXPECT_NEAR(fitted.transport.rendezvous_seconds, 4e-6, 0.2e-6) << limit;
    EXPECT_LT(fitted.worst_error(), 0.04) << limit;
    const Machine again = parse_machine(result.machine_json, "again");
    for (std::int64_t bytes = 1; bytes <= 1 << 22; bytes *= 2)
      EXPECT_NEAR(again.message_seconds(0, other_node, bytes) / machine.message_seconds(0, other_node, bytes), 1, 0.04);
  }
}

TEST(Calibrate, ReportsAnEagerLimitThatTheDataDoNotShowAndKeepsTheBases) {
  const TemporaryFile file("Size,Latency\n1,2.00\n1024,2.10\n1048576,106.86\n4194304,421.43\n");
  const CalibrationResult result = calibrate_inputs({{"csv", file.path()}});
  const DistanceResiduals& fitted = result.report.distances.at(0);
  EXPECT_TRUE(fitted.switches.empty());
  EXPECT_EQ(fitted.transport.eager_limit_bytes, 16384);
  EXPECT_EQ(fitted.transport.rendezvous_seconds, 0);
  const json written = json::parse(result.machine_json)["transport"]["network"];
  EXPECT_NE(written["guess"].dump().find("eager_limit_bytes"), std::string::npos);
  EXPECT_LT(fitted.worst_error(), 0.03);
}

TEST(Calibrate, SaysWhereEachFigureIsFromAndKeepsWhatWasNotMeasured) {
  const Machine machine = load_machine(base);
  const TemporaryFile file(osu_of(machine, 0, 1), "pair.txt");
  const CalibrationResult result = calibrate({base, {{"osu", "cache=" + file.path().string()}}, {}, "mine"});
  const json before = json::parse(machine_text(base)), after = json::parse(result.machine_json);
  EXPECT_EQ(after["name"], "mine");
  EXPECT_NE(after["transport"]["cache"]["source"].get<std::string>().find("fitted to pair.txt (23 sizes"),
            std::string::npos);
  EXPECT_EQ(after["transport"]["network"], before["transport"]["network"]);
  EXPECT_EQ(after["compute"], before["compute"]);
  EXPECT_EQ(after["network"], before["network"]);
  const std::string notes = json(result.report.notes).dump();
  EXPECT_NE(notes.find("transport network: not measured, kept from example-cluster"), std::string::npos) << notes;
}

TEST(Calibrate, TakesOverheadsFromTheDataWhereTheyAreMeasured) {
  const std::string head = "dataset,bytes,n,PRTT_1_0_s,o_s_us,o_r_us,g_us\n";
  const TemporaryFile file(head + "x,1,10,4.0,0.12,0.58,-nan\nx,1025,10,4.2,0.1,0.6,0.5\nx,2049,10,4.4,0.1,0.6,0.5\n");
  const Transport transport = calibrate_inputs({{"csv", file.path()}}).report.distances.at(0).transport;
  EXPECT_NEAR(transport.send_overhead_seconds, 0.12e-6, 1e-12);
  EXPECT_NEAR(transport.receive_overhead_seconds, 0.58e-6, 1e-12);
  EXPECT_NEAR(transport.gap_seconds, 0.5e-6, 1e-12);

  const TemporaryFile excessive(head + "x,1,10,4.0,3.0,3.0,0.5\nx,1025,10,4.2,3.0,3.0,0.5\n");
  const DistanceResiduals fitted = calibrate_inputs({{"csv", excessive.path()}}).report.distances.at(0);
  EXPECT_LT(fitted.transport.send_overhead_seconds + fitted.transport.receive_overhead_seconds, 2e-6);
  EXPECT_LT(fitted.worst_error(), 0.03);
  EXPECT_NE(residuals_json({"", "", "", {fitted}, {}, {}}).dump().find("exceed the time"), std::string::npos);
}

TEST(Calibrate, AStreamShowsWhatAnAdapterCarriesAndALoneMessageWhatItReachesItself) {
  const TemporaryFile alone(
      "# OSU MPI Latency Test v7.2\n# Size          Latency (us)\n8 1.50\n1024 2.50\n8192 4.00\n65536 11.00\n"
      "1048576 125.00\n4194304 490.00\n");
  const TemporaryFile stream(
      "# OSU MPI Bandwidth Test v7.2\n# Size      Bandwidth (MB/s)\n8 32\n1024 4000\n1048576 12000\n4194304 12300\n");
  const CalibrationResult result = calibrate_inputs({{"osu", alone.path()}, {"osu", stream.path()}});
  EXPECT_NEAR(json::parse(result.machine_json)["node"]["nics"][0]["bandwidth_bytes_per_second"].get<double>(), 12.3e9,
              1e3);
  EXPECT_NE(json(result.report.notes).dump().find("what a stream of one pair's messages reached"), std::string::npos);
  const DistanceResiduals& lone = result.report.distances.at(0);
  EXPECT_LT(lone.worst_error(), 0.05) << "with a bandwidth of its own";
  EXPECT_NEAR(lone.transport.segments.back().bandwidth_bytes_per_second, 8.6e9, 0.2e9);
}

TEST(Calibrate, WidensLinksToWhatWasMeasuredAndSetsTheAdapterToIt) {
  const TemporaryFile fast("Size,Latency\n1,2.00\n1048576,54.43\n2097152,106.86\n4194304,211.71\n");  // 20 GB/s
  const CalibrationResult result = calibrate_inputs({{"csv", fast.path()}});
  const json nic = json::parse(result.machine_json)["node"]["nics"][0];
  EXPECT_NEAR(nic["bandwidth_bytes_per_second"].get<double>(), 20e9, 0.2e9);
  EXPECT_NE(nic["source"].get<std::string>().find("what one pair's times grow by"), std::string::npos);
  EXPECT_LT(result.report.distances.at(0).worst_error(), 0.03);
  EXPECT_NE(json(result.report.notes).dump().find("leaf-up links of the fabric carry 12.5 GB/s"), std::string::npos);

  const TemporaryFile slow("Size,Latency\n1,2.00\n1048576,211.71\n2097152,421.43\n4194304,840.86\n");  // 5 GB/s
  EXPECT_NEAR(
      json::parse(
          calibrate_inputs({{"csv", slow.path()}}).machine_json)["node"]["nics"][0]["bandwidth_bytes_per_second"]
          .get<double>(),
      5e9, 0.05e9);
  const TemporaryFile small("Size,Latency\n1,2.00\n1024,2.20\n8192,3.64\n");
  EXPECT_EQ(
      json::parse(
          calibrate_inputs({{"csv", small.path()}}).machine_json)["node"]["nics"][0]["bandwidth_bytes_per_second"],
      12.5e9)
      << "small messages do not show what the adapter can";
}

TEST(Calibrate, WidensLinksToWhatShortMessagesAloneShowThatTheyCarry) {
  const TemporaryFile fast(
      "Size,Latency\n8,1.50\n64,1.50\n512,1.52\n1024,1.55\n4096,1.70\n8192,1.80\n16384,2.00\n32768,2.32\n65536,2.90\n");
  const CalibrationResult result = calibrate_inputs({{"csv", fast.path()}});
  EXPECT_GT(json::parse(result.machine_json)["node"]["nics"][0]["bandwidth_bytes_per_second"].get<double>(), 22.6e9)
      << "what 64 KiB in 2.9 us need, whatever else takes time";
  EXPECT_LT(result.report.distances.at(0).worst_error(), 0.05);
}

TEST(Calibrate, ABandwidthThatIsTheLinksIsAGuessAndNotFitted) {
  const TemporaryFile flat("Size,Latency\n1,2.00\n64,2.00\n1024,2.00\n4096,2.00\n");
  const CalibrationResult result = calibrate_inputs({{"csv", flat.path()}});
  const json segment = json::parse(result.machine_json)["transport"]["network"]["segments"].back();
  EXPECT_EQ(segment["guess"], json::array({"bandwidth_bytes_per_second"}));
  EXPECT_NE(format_residuals(result.report).find("bandwidth_bytes_per_second: 1 to 64 bytes: that of the narrowest"),
            std::string::npos)
      << format_residuals(result.report);
  const auto guessed = [&](const std::string& figure) {
    for (const Figure& one : machine_figures(result.machine_json, "calibrated"))
      if (one.pointer == "/transport/network/segments/0/" + figure) return one.guess;
    throw std::logic_error("no " + figure);
  };
  EXPECT_TRUE(guessed("bandwidth_bytes_per_second"));
  EXPECT_FALSE(guessed("latency_seconds"));

  const TemporaryFile steep("Size,Latency\n1,2.00\n64,2.02\n1024,2.40\n1048576,420\n");
  for (const json& one :
       json::parse(calibrate_inputs({{"csv", steep.path()}}).machine_json)["transport"]["network"]["segments"])
    EXPECT_FALSE(one.contains("guess")) << one;
}

TEST(Calibrate, ANewNodeKeepsTheMarkOfAMemoryThatWasGuessed) {
  const std::string pairs = "Core 1,Core 2,Message Size,Latency\n0,1,1,0.5\n0,1,2,0.5\n";
  const TemporaryFile file(pairs);
  json text = json::parse(machine_text(base));
  text["node"]["memory_bytes"] = 1000;
  const auto node_for = [&](const json& guess) {
    text["node"]["guess"] = guess;
    const TemporaryFile machine(text.dump());
    return json::parse(calibrate_inputs({{"csv", file.path()}}, machine.path().string()).machine_json)["node"];
  };
  for (const json& guess : {json(true), json::array({"sockets", "memory_bytes"})}) {
    const json node = node_for(guess);
    EXPECT_EQ(node["cores_per_cache"], 2) << "of another shape";
    EXPECT_EQ(node["memory_bytes"], 1000);
    EXPECT_EQ(node.value("guess", json()), json::array({"memory_bytes"}));
    EXPECT_NE(node["source"].get<std::string>().find("; memory: "), std::string::npos);
  }
  EXPECT_FALSE(node_for(json::array({"sockets"})).contains("guess"));
}

TEST(Calibrate, RefusesABadNameAsTheNamesFault) {
  const TemporaryFile fine("Size,Latency\n1,2.0\n2,2.0\n");
  CalibrationRequest request;
  request.base = base;
  request.inputs = {{"csv", fine.path().string()}};
  request.name = "a b";
  try {
    calibrate(request);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "name 'a b': expected letters, digits and . _ -, beginning with a letter or digit");
  }
}

TEST(Calibrate, SortsCorePairsByTheNodesShape) {
  std::string pairs = "Core 1,Core 2,Message Size,Latency\n";
  for (int a = 0; a < 8; ++a)
    for (int b = a + 1; b < 8; ++b)
      for (const int bytes : {1, 1024})
        pairs += fmt::format("{},{},{},{}\n", a, b, bytes, (a < 4) == (b < 4) ? 0.5 : 0.9);
  const TemporaryFile file(pairs);
  const auto classes = calibrate_inputs({{"csv", file.path()}}).report.distances;
  ASSERT_EQ(classes.size(), 2U);
  EXPECT_EQ(classes[0].distance, Distance::cache);
  EXPECT_EQ(classes[0].curves, 12);
  EXPECT_EQ(classes[1].distance, Distance::node);
  EXPECT_EQ(classes[1].curves, 16);
  EXPECT_NEAR(classes[1].rows[0].measured.median_seconds, 0.9e-6, 1e-12);
}

TEST(Calibrate, InfersSocketsAndCachesFromACompleteTableOfOtherCores) {
  std::string pairs = "Core 1,Core 2,Message Size,Latency\n";
  for (int a = 0; a < 12; ++a)
    for (int b = a + 1; b < 12; ++b)
      for (const int bytes : {1, 1024}) {
        double time = a / 3 == b / 3 ? 0.2 : a / 6 == b / 6 ? 0.4 : 0.9;
        if (a == 5 && b == 6) time = 0.2;  // an outlier joins nothing
        pairs += fmt::format("{},{},{},{}\n", a, b, bytes, time);
      }
  const TemporaryFile file(pairs);
  const json node = json::parse(calibrate_inputs({{"csv", file.path()}}).machine_json)["node"];
  EXPECT_EQ(node["sockets"], 2);
  EXPECT_EQ(node["caches_per_domain"], 2);
  EXPECT_EQ(node["cores_per_cache"], 3);
}

TEST(Calibrate, RefusesWhatCannotBeFittedToThisMachine) {
  const TemporaryFile outside("Core 1,Core 2,Message Size,Latency\n0,1,1,0.5\n0,1,2,0.5\n0,8,1,0.5\n0,8,2,0.5\n");
  test::expect_input_error([&] { calibrate_inputs({{"csv", outside.path()}}); }, outside.path(), 4, "8 cores");
  const TemporaryFile quick("Size,Latency\n1,0.40\n2,0.40\n");
  EXPECT_THROW(calibrate_inputs({{"csv", quick.path()}}), InputError) << "the links alone take longer";
  const TemporaryFile single("Size,Latency\n1,2.0\n");
  test::expect_input_error([&] { calibrate_inputs({{"csv", single.path()}}); }, single.path(), 2, "at least two");
  const TemporaryFile fine("Size,Latency\n1,2.0\n2,2.0\n");
  EXPECT_THROW(calibrate_inputs({}), InputError);
  EXPECT_THROW(calibrate_inputs({{"csv", fine.path()}, {"csv", "node=" + fine.path().string()}}), InputError)
      << "two distances at once";
  EXPECT_THROW(calibrate_inputs({{"gprof", fine.path()}}), InputError);
  EXPECT_THROW(calibrate_inputs({{"csv", "rack=" + fine.path().string()}}), InputError);
  EXPECT_THROW(calibrate_inputs({{"csv", "numa=" + fine.path().string()}}), InputError)
      << "the example has no such distance";
  EXPECT_THROW(calibrate_inputs({{"csv", fine.path()}}, "no-such-machine"), InputError);
}

TEST(Calibrate, ASizeThatLargerMessagesUndercutByFarIsNamedAndLeftOut) {
  const std::string head = "Size,Latency\n1,2.00\n2,2.00\n";
  const TemporaryFile bump(head + "8,131\n64,2.10\n512,2.40\n4096,3.40\n65536,9.00\n1048576,90.0\n4194304,350\n",
                           "bump.csv");
  const CalibrationResult result = calibrate_inputs({{"csv", bump.path()}});
  ASSERT_EQ(result.report.contradictions.size(), 1U);
  EXPECT_EQ(result.report.contradictions[0],
            bump.path().string() + ":4: 8 bytes take 131 us, but 64 bytes 2.1: left out of the fit, measure again");
  EXPECT_NE(format_residuals(result.report).find("contradictions\n  " + bump.path().string()), std::string::npos);
  const Machine machine = parse_machine(result.machine_json, "calibrated");
  double before = 0;
  for (const Residual& row : result.report.distances.at(0).rows) {
    EXPECT_GE(row.model_seconds, before) << row.measured.bytes;
    before = row.model_seconds;
    EXPECT_TRUE(row.measured.bytes == 8 || std::abs(row.error()) < 0.1) << row.measured.bytes;
  }
  EXPECT_EQ(result.report.distances.at(0).rows.size(), 9U) << "the size that is left out is shown with the others";

  const TemporaryFile dip(head + "8,2.05\n64,2.10\n512,2.40\n4096,0.10\n65536,9.00\n", "dip.csv");
  EXPECT_NE(
      calibrate_inputs({{"csv", dip.path()}}).report.contradictions.at(0).find("dip.csv:7: 4096 bytes take 0.1 us"),
      std::string::npos);
  const TemporaryFile two(head + "8,131\n16,140\n64,2.10\n512,2.40\n4096,3.40\n", "two.csv");
  EXPECT_EQ(calibrate_inputs({{"csv", two.path()}}).report.contradictions.size(), 2U);
  const TemporaryFile switches(head + "8,7.78\n16,4.79\n512,5.10\n65536,12\n", "lassen.csv");
  EXPECT_TRUE(calibrate_inputs({{"csv", switches.path()}}).report.contradictions.empty())
      << "as measured where it is so";
}

TEST(Calibrate, TimesOfWhichNoneIsTheOddOneAreRefused) {
  const TemporaryFile two("Size,Latency\n8,1.31\n1048576,1.20\n");
  test::expect_input_error(
      [&] {
        calibrate_inputs({{"csv", two.path()}});
      },
      two.path(), 2, "8 bytes take 1.31 us, but 1048576 bytes 1.2: expected more bytes to take longer");
}

TEST(Calibrate, FilesThatAreFartherApartThanTheBasesFarthestNodesAreAContradictionAndNotAveraged) {
  const auto osu = [](double latency_us, double bytes_per_us) {
    std::string text = "# OSU MPI Latency Test v7.5\n# Size       Avg Latency(us)\n";
    for (std::int64_t bytes = 1; bytes <= 1 << 22; bytes *= 2)
      text += fmt::format("{:<20}{:>12.2f}\n", bytes, latency_us + static_cast<double>(bytes) / bytes_per_us);
    return text;
  };
  const TemporaryFile fast(osu(1, 12000), "fast.txt"), slow(osu(1, 6000), "slow.txt"),
      farther(osu(1.3, 12000), "far.txt");
  const CalibrationResult alone = calibrate_inputs({{"osu", fast.path()}}),
                          both = calibrate_inputs({{"osu", slow.path()}, {"osu", fast.path()}}),
                          like = calibrate_inputs({{"osu", farther.path()}, {"osu", fast.path()}});
  ASSERT_EQ(both.report.contradictions.size(), 1u);
  EXPECT_NE(both.report.contradictions[0].find("slow.txt: 4194304 bytes between nodes take"), std::string::npos);
  EXPECT_EQ(both.machine_json, alone.machine_json);
  EXPECT_TRUE(like.report.contradictions.empty());
}

TEST(Calibrate, RunsInOneFileThatAreApartAreAContradictionAsTwoFilesAre) {
  const auto rows = [](double latency_us) {
    std::string text;
    for (std::int64_t bytes = 1; bytes <= 1 << 22; bytes *= 8)
      text += fmt::format("{} 1000 {:.2f}\n", bytes, latency_us * (1 + static_cast<double>(bytes) / 12000));
    return text;
  };
  const auto osu = [&](double latency_us, int rate) {
    return "# OSU MPI Latency Test v7.5\n# Size  Turns  Avg Latency(us)\n" + rows(latency_us) +
           fmt::format("# OSU MPI Bandwidth Test v7.5\n# Size  Bandwidth (MB/s)\n1 8\n4194304 {}\n", rate);
  };
  const auto imb = [&](double latency_us) {
    return "# Benchmarking PingPong\n#bytes #repetitions t[usec]\n" + rows(latency_us);
  };
  const TemporaryFile runs(osu(2.5, 4000) + osu(1, 12000), "runs.txt"), one(osu(1, 12000), "runs.txt"),
      like(osu(1, 12000) + osu(1.2, 11000), "like.txt");
  const CalibrationResult both = calibrate_inputs({{"osu", runs.path()}});
  ASSERT_EQ(both.report.contradictions.size(), 1u);
  EXPECT_NE(both.report.contradictions[0].find("runs.txt:3: 1 bytes between nodes take 2.5 us, but 1 us by "),
            std::string::npos)
      << both.report.contradictions[0];
  EXPECT_TRUE(both.report.contradictions[0].ends_with("runs.txt:17")) << both.report.contradictions[0];
  EXPECT_EQ(both.machine_json, calibrate_inputs({{"osu", one.path()}}).machine_json) << "nor does its rate count";
  EXPECT_TRUE(calibrate_inputs({{"osu", like.path()}}).report.contradictions.empty());
  const TemporaryFile of_imb(imb(1) + imb(2.5));
  EXPECT_EQ(calibrate_inputs({{"imb", of_imb.path()}}).report.contradictions.size(), 1u);
}

TEST(Calibrate, TheSameInputGivesTheSameText) {
  const TemporaryFile file(osu_of(load_machine(base), 0, load_machine(base).network->cores_per_node()));
  const CalibrationResult first = calibrate_inputs({{"osu", file.path()}}),
                          second = calibrate_inputs({{"osu", file.path()}});
  EXPECT_EQ(first.machine_json, second.machine_json);
  EXPECT_EQ(format_residuals(first.report), format_residuals(second.report));
}

TEST(Calibrate, TheReportShowsTheWorstSizesFirstAndHowFarSingleCurvesAreOff) {
  const std::string often = "Size,Latency\n1,2.00\n2,2.00\n4,2.30\n8,2.00\n16,2.00\n32,2.00\n";
  const TemporaryFile a(often, "a.csv"), again(often, "again.csv");
  const TemporaryFile b("Size,Latency\n1,2.00\n2,2.00\n4,2.30\n8,4.00\n16,2.00\n32,2.00\n", "b.csv");
  const CalibrationResult result = calibrate_inputs({{"csv", a.path()}, {"csv", again.path()}, {"csv", b.path()}});
  const std::string text = format_residuals(result.report);
  EXPECT_NE(text.find("worst: 2 bytes +3.1 %, 1 bytes -2.1 %, 4 bytes -1.2 %"), std::string::npos) << text;
  const json row = residuals_json(result.report)["classes"][0]["rows"][3];
  EXPECT_EQ(row["bytes"], 8);
  EXPECT_LT(row["worst_single_error"].get<double>(), -0.4);
  EXPECT_LT(std::abs(row["error"].get<double>()), 0.1);
}

}  // namespace
}  // namespace tutti
