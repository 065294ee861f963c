#include "calibration/distance_labels.hpp"
#include "calibration/readers.hpp"
#include "samples.hpp"

namespace tutti {
namespace {

using test::TemporaryFile;

TEST(CsvReader, ReadsSizesAndTimesAtTheDistanceTheCallerNames) {
  const TemporaryFile file("Size,Latency\r\n1,1.03\r\n2,1.02\r\n");
  const Measurements found = read_csv(file.path(), {Distance::node, ""});
  ASSERT_EQ(found.series.size(), 1U);
  EXPECT_EQ(found.series[0].distance, Distance::node);
  EXPECT_DOUBLE_EQ(found.series[0].points[1].seconds, 1.02e-6);
}

TEST(CsvReader, KeepsEveryCorePairApartEvenInterleaved) {
  const TemporaryFile file("Core 1,Core 2,Message Size,Latency\n0,1,1,0.2\n0,2,1,0.4\n0,1,2,0.3\n0,2,2,0.5\n");
  const Measurements found = read_csv(file.path(), {});
  ASSERT_EQ(found.series.size(), 2U);
  EXPECT_EQ(found.series[1].cores, (CorePair{0, 2}));
  EXPECT_FALSE(found.series[1].distance.has_value());
  EXPECT_DOUBLE_EQ(found.series[1].points[1].seconds, 0.5e-6);
}

TEST(CsvReader, TakesDistancesFromLabelsAndNamesUnknownOnes) {
  const TemporaryFile file(
      "Label,MessageSize,Latency_us\nSame CCX,1,0.1\nDifferent Socket,1,0.5\nSame NUMA (different CCD),1,0.3\n"
      "somewhere,1,9\n");
  const Measurements found = read_csv(file.path(), {});
  ASSERT_EQ(found.series.size(), 3U);
  EXPECT_EQ(found.series[0].distance, Distance::cache);
  EXPECT_EQ(found.series[1].distance, Distance::node);
  EXPECT_EQ(found.series[2].distance, Distance::numa);
  ASSERT_EQ(found.skipped.size(), 1U);
  EXPECT_NE(found.skipped[0].find("somewhere"), std::string::npos);
}

TEST(CsvReader, ReadsImbTablesSavedFromRAndSpreadsheets) {
  const TemporaryFile quoted(
      "# mpirun -np 2 ./IMB-MPI1 PingPong\n"
      "\"\",\"X.bytes\",\"X.repetitions\",\"t.usec.\",\"Mbytes.sec\",\"Mbytes.sec.comp.\",\"t.usec.comp.\"\n"
      "\"1\",0,1000,16.53,0,0,18.0795\n\"2\",1,1000,16.63,0.06,0.0553,18.0826\n");
  EXPECT_DOUBLE_EQ(read_csv(quoted.path(), {}).series[0].points[1].seconds, 16.63e-6);
  const TemporaryFile preamble(
      "mpirun -np 2 IMB-MPI1,,,\nnode008,,,\nsize,repetitions,tusec,Mbytessec\n0,1000,0.97,0\n");
  EXPECT_DOUBLE_EQ(read_csv(preamble.path(), {}).series[0].points[0].seconds, 0.97e-6);
}

const std::string three_systems =
    "dataset,mode,bytes,n,min_us,median_us\na-hour1,stripe1,8,10,1.0,1.1\na-hour2,stripe1,8,10,1.0,1.3\n"
    "b,stripe1,8,10,2.0,2.1\nb,stripe16,8,10,5.0,9.9\n";

TEST(CsvReader, AsksWhichOfSeveralSystemsAndSkipsLoadedModes) {
  const TemporaryFile file(three_systems);
  test::expect_input_error([&] { read_csv(file.path(), {}); }, file.path(), 2, "rows of 3 systems");
  const Measurements found = read_csv(file.path(), {std::nullopt, "b"});
  ASSERT_EQ(found.series.size(), 1U);
  EXPECT_DOUBLE_EQ(found.series[0].points[0].seconds, 2.1e-6);
  EXPECT_EQ(read_csv(file.path(), {std::nullopt, "a-"}).series.size(), 2U);
  test::expect_input_error([&] { read_csv(file.path(), {std::nullopt, "c"}); }, file.path(), 1, "no row to use");
  const TemporaryFile mixed("system,bytes,latency_us\na,8,1\nb,1024,9\na,4096,3\n");
  test::expect_input_error([&] { read_csv(mixed.path(), {}); }, mixed.path(), 2, "rows of 2 systems");
}

TEST(CsvReader, TimesOfCollectivesAreNotThoseOfMessages) {
  const TemporaryFile file("system,collective,algorithm,ranks,ppn,bytes,median_us\na,allreduce,ring,8,1,8,20\n");
  test::expect_input_error([&] { read_csv(file.path(), {}); }, file.path(), 1, "--collectives takes such files");
}

TEST(CsvReader, TakesOverheadsAndGapFromLogGpAndHalvesItsRoundTrip) {
  const TemporaryFile file(
      "dataset,bytes,n,PRTT_1_0_s,PRTT_n_0_s,L_us,o_s_us,o_r_us,g_us,G_us_per_B\n"
      "x,1,10,4.4,9.0,2.2,0.12,0.58,-nan,-nan\nx,1025,10,6.6,12.6,2.2,0.15,0.70,0.52,0.0002\n");
  const Measurements found = read_csv(file.path(), {});
  ASSERT_EQ(found.series.size(), 4U);
  EXPECT_DOUBLE_EQ(found.series[0].points[0].seconds, 2.2e-6);
  EXPECT_EQ(found.series[1].benchmark, Benchmark::send_overhead);
  EXPECT_EQ(found.series[2].benchmark, Benchmark::receive_overhead);
  EXPECT_EQ(found.series[3].benchmark, Benchmark::stream_gap);
  EXPECT_EQ(found.series[3].points.size(), 1U) << "the NaN of a first row is netgauge's 'not known'";
}

TEST(CsvReader, TakesOverheadsFromPlatformCalibrationFilesButNotTheirMixedPingPong) {
  const TemporaryFile file(
      "dataset,op_file,median_bytes,n,median_us\nx,p_Isend,1,10,0.5\nx,p_PingPong,1,10,9.0\nx,p_Recv,1,10,0.7\n");
  const Measurements found = read_csv(file.path(), {});
  ASSERT_EQ(found.series.size(), 2U);
  EXPECT_EQ(found.series[0].benchmark, Benchmark::send_overhead);
  EXPECT_EQ(found.series[1].benchmark, Benchmark::receive_overhead);
  EXPECT_EQ(found.skipped.size(), 1U);
}

void expect_csv_refused(const std::string& content, int line, const std::string& words,
                        const ReadOptions& options = {}) {
  const TemporaryFile file(content);
  test::expect_input_error([&] { read_csv(file.path(), options); }, file.path(), line, words);
}

TEST(CsvReader, RefusesWhatIsNotATable) {
  expect_csv_refused("1,2\n3,4\n", 1, "no CSV header");
  expect_csv_refused("Size,Latency\n", 1, "header without rows");
  expect_csv_refused("Size,Latency\n1,1.0,3\n", 2, "3 cells, expected 2");
  expect_csv_refused("Size,Latency\n1\n", 2, "1 cells, expected 2");
  expect_csv_refused("Size,Latency\n1,1.0\n2,1.", 3, "ends inside this line");
}

TEST(CsvReader, RefusesBadCells) {
  expect_csv_refused("Size,Latency\n1,-1.0\n", 2, "above 0");
  expect_csv_refused("Size,Latency\n1,nan\n", 2, "above 0");
  expect_csv_refused("Size,Latency\n1,1.0\n1e30,1.0\n", 3, "2^53");
  expect_csv_refused("Size,Latency\n2,1.0\n1,1.0\n", 3, "ascending");
  expect_csv_refused("Core 1,Core 2,Size,Latency\n0,0,1,1.0\n", 2, "two different cores");
  expect_csv_refused("Core 1,Core 2,Size,Latency\n-1,0,1,1.0\n", 2, "0 or more");
  expect_csv_refused("Core 1,Core 2,Size,Latency\nx,0,1,1.0\n", 2, "core number");
  expect_csv_refused("Core 1,Size,Latency\n0,1,1.0\n", 1, "both");
  expect_csv_refused("Label,Size,Latency\nSame CCX,1,1.0\n", 1, "says itself", {Distance::node, ""});
  expect_csv_refused("Label,Size,Latency\nfoo,1,1.0\n", 1, "no row to use");
}

TEST(DistanceLabels, AreKnownByTheirEnds) {
  EXPECT_EQ(distance_of_label("CrayMPICH_intraccx"), Distance::cache);
  EXPECT_EQ(distance_of_label("Same Socket (different NUMA)"), Distance::socket);
  EXPECT_EQ(distance_of_label("inter-node"), Distance::network);
  EXPECT_EQ(distance_of_label("network"), Distance::network);
  EXPECT_EQ(distance_of_label("Cross-Socket"), Distance::node);
  EXPECT_EQ(distance_of_label("CrayMPICH_cyclic"), std::nullopt);
  EXPECT_EQ(distance_of_label(""), std::nullopt);
}

}  // namespace
}  // namespace tutti
