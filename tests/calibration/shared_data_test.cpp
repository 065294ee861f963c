// Over measurements of real machines that the project does not ship.
#include "calibration/calibrate.hpp"
#include "calibration/hwloc_node.hpp"
#include "calibration/readers.hpp"
#include "samples.hpp"

namespace tutti {
namespace {

CalibrationResult calibrated_by(const std::vector<CalibrationInput>& inputs) {
  return calibrate({"example-cluster", inputs, {}, ""});
}

std::string p2p(const std::string& file) { return (test::shared_data() / "p2p" / file).string(); }

TEST(SharedData, TheModelIsWithin10PercentOfTheClassMediansOfOrfeoThin) {
  TUTTI_SKIP_WITHOUT_SHARED_DATA();
  const CalibrationResult result =
      calibrated_by({{"csv", p2p("orfeo-thin/all_core_pairs.csv")},
                     {"csv", p2p("orfeo-thin/performance_test_node__performance_node.csv")}});
  ASSERT_EQ(result.report.distances.size(), 3U);
  for (const DistanceResiduals& one : result.report.distances) {
    EXPECT_LT(one.median_error(), 0.03) << to_string(one.distance) << "; promised: 0.10";
    EXPECT_LT(one.worst_error(), 0.10) << to_string(one.distance) << "; promised: 0.25";
  }
  const Machine machine = parse_machine(result.machine_json, "calibrated");
  EXPECT_EQ(machine.network->cores_per_node(), 24);
  EXPECT_EQ(machine.network->distance(0, 11), Distance::cache);
  EXPECT_EQ(machine.network->distance(0, 12), Distance::node);
  EXPECT_NEAR(machine.message_seconds(0, 12, 131072), 41.7e-6, 4.2e-6);
  EXPECT_NEAR(machine.message_seconds(0, 24, 1 << 20), 97.5e-6, 9.7e-6);
}

TEST(SharedData, EveryOneOfFiveDistancesOfGenoaAndArcher2IsFitted) {
  TUTTI_SKIP_WITHOUT_SHARED_DATA();
  // A node that has all distances.
  const auto xml = test::shared_data() / "samples/hwloc_llnl_corona_epyc.xml";
  for (const std::string file : {"genoa/latency_pt2pt.csv", "archer2/imb_pingpong.csv"}) {
    const auto classes = calibrate({"example-cluster", {{"csv", p2p(file)}}, xml, ""}).report.distances;
    ASSERT_EQ(classes.size(), 5U) << file;
    for (const DistanceResiduals& one : classes) {
      EXPECT_LT(one.median_error(), 0.03) << file << " " << to_string(one.distance);
      EXPECT_LT(one.worst_error(), 0.10) << file << " " << to_string(one.distance);
    }
  }
}

TEST(SharedData, KnownEagerLimitsOfOpenMpisTransportsAreFound) {
  TUTTI_SKIP_WITHOUT_SHARED_DATA();
  // btl vader: 4 KiB less a header, so that 4096 bytes do not fit; btl tcp: 64 KiB less a header.
  for (const auto& [file, last] : {std::pair<std::string, std::int64_t>{"bycore_vader", 2048},
                                   {"bycore_vader_NOCACHE", 2048},
                                   {"bycore_tcp", 32768},
                                   {"bycore_tcp_NOCACHE", 32768},
                                   {"bysocket_tcp", 32768}}) {
    const std::string path = p2p("orfeo-thin/cortu_OpenMPI__" + file + ".csv");
    const auto base = test::TemporaryFile(
        [] {
          auto machine = nlohmann::json::parse(machine_text("example-cluster"));
          for (auto& nic : machine["node"]["nics"]) nic["latency_seconds"] = 0;
          return machine.dump();
        }(),
        "base.json");
    const auto result = calibrate({base.path().string(), {{"csv", path}}, {}, ""});
    EXPECT_EQ(result.report.distances.at(0).transport.eager_limit_bytes, last) << file;
  }
}

TEST(SharedData, RawOsuAndImbOutputIsReadAsItIs) {
  TUTTI_SKIP_WITHOUT_SHARED_DATA();
  const auto lassen =
      calibrated_by({{"osu", p2p("lassen/lassen_osu_4_nodes.out")}, {"osu", p2p("lassen/lassen_osu_16_nodes.out")}});
  ASSERT_EQ(lassen.report.distances.size(), 1U);
  EXPECT_EQ(lassen.report.distances[0].curves, 40);
  EXPECT_LT(lassen.report.distances[0].worst_error(), 0.05);
  EXPECT_NEAR(lassen.report.distances[0].transport.gap_seconds, 0.27e-6, 0.02e-6) << "8 pairs stream 28 M messages/s";
  EXPECT_EQ(read_imb(p2p("orfeo-thin/fodor_outputs_map_by_node.txt"), {}).series.size(), 4U);
}

TEST(SharedData, EveryPointToPointFileIsReadOrRefusedInOneLine) {
  TUTTI_SKIP_WITHOUT_SHARED_DATA();
  int read = 0, refused = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::shared_data() / "p2p")) {
    if (!entry.is_regular_file() || entry.path().extension() == ".md") continue;
    const std::string kind = entry.path().extension() == ".csv"   ? "csv"
                             : entry.path().extension() == ".txt" ? "imb"
                                                                  : "osu";
    try {
      EXPECT_FALSE(find_reader(kind).read(entry.path(), {}).series.empty()) << entry.path();
      ++read;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("choose by FILE@NAME"), std::string::npos) << error.what();
      ++refused;
    }
  }
  EXPECT_EQ(read, 39);
  EXPECT_EQ(refused, 3) << "those of several systems";
  for (const std::string name : {"cloud/p2p_netgauge_one_one.csv", "cloud/loggp_netgauge.csv"})
    EXPECT_FALSE(read_csv(p2p(name), {std::nullopt, "hpc44rs"}).series.empty()) << name;
  EXPECT_EQ(read_csv(p2p("stampede/p2p_binned.csv"), {std::nullopt, "17:14"}).series.size(), 2U);
}

TEST(SharedData, NodesOfRealHwlocFilesAreRead) {
  TUTTI_SKIP_WITHOUT_SHARED_DATA();
  const auto samples = test::shared_data() / "samples";
  const NodeParts corona = read_hwloc_node(samples / "hwloc_llnl_corona_epyc.xml");
  EXPECT_EQ(corona.sockets * corona.domains_per_socket * corona.caches_per_domain * corona.cores_per_cache, 48);
  EXPECT_EQ(corona.domains_per_socket, 4);
  EXPECT_EQ(corona.caches_per_domain, 2);
  EXPECT_EQ(corona.nic_domains, std::vector<int>{3});
  const NodeParts quartz = read_hwloc_node(samples / "hwloc_llnl_quartz_broadwell_opa.xml");
  EXPECT_EQ(quartz.sockets, 2);
  EXPECT_EQ(quartz.cores_per_cache, 18);
  EXPECT_EQ(quartz.nic_domains, std::vector<int>{1});
  const auto newer = samples / "hwloc_2xEPYC7763.xml";
  test::expect_input_error([&] { read_hwloc_node(newer); }, newer, 1, "--export-xml-flags v2");
}

}  // namespace
}  // namespace tutti
