#include "calibration/readers.hpp"
#include "samples.hpp"

namespace tutti {
namespace {

using test::TemporaryFile;

const std::string ping_pong =
    "#---------------------------------------------------\n"
    "# Benchmarking PingPong \n"
    "# #processes = 2 \n"
    "#---------------------------------------------------\n"
    "       #bytes #repetitions      t[usec]   Mbytes/sec\n"
    "            0         1000         0.97         0.00\n"
    "            1         1000         0.98         1.02\n";

TEST(ImbReader, ReadsEverySectionOfPingPongAndNamesOtherBenchmarks) {
  const TemporaryFile file("#    Intel(R) MPI Benchmarks 2018, MPI-1 part\n" + ping_pong +
                           "\n\n# All processes entering MPI_Finalize\n" + ping_pong +
                           "# Benchmarking Sendrecv \n"
                           "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n"
                           "            0         1000         1.97         1.97         1.97         0.00\n");
  const Measurements found = read_imb(file.path(), {Distance::socket, ""});
  ASSERT_EQ(found.series.size(), 2U);
  EXPECT_EQ(found.series[1].distance, Distance::socket);
  ASSERT_EQ(found.series[1].points.size(), 2U);
  EXPECT_DOUBLE_EQ(found.series[1].points[1].seconds, 0.98e-6);
  ASSERT_EQ(found.skipped.size(), 1U);
  EXPECT_NE(found.skipped[0].find("Sendrecv"), std::string::npos);
}

TEST(ImbReader, TakesTheAverageWhereThereAreThreeTimes) {
  const TemporaryFile file(
      "# Benchmarking PingPong\n"
      "#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n"
      "     8         1000         1.00         3.00         2.00         4.00\n");
  EXPECT_DOUBLE_EQ(read_imb(file.path(), {}).series[0].points[0].seconds, 2e-6);
}

TEST(ImbReader, AsksWhereTwoRanksOfALargerJobWereUnlessThatIsGiven) {
  std::string larger = ping_pong;
  larger.replace(larger.find("# #processes = 2 \n"), 18,
                 "# #processes = 2 \n# ( 30 additional processes waiting in MPI_Barrier)\n");
  const TemporaryFile file(larger + ping_pong);
  const Measurements found = read_imb(file.path(), {});
  ASSERT_EQ(found.skipped.size(), 1U);
  EXPECT_NE(found.skipped[0].find("ranks 0 and 1, beside 30 that wait, are taken for ranks of two nodes"),
            std::string::npos)
      << found.skipped[0];
  EXPECT_TRUE(read_imb(file.path(), {Distance::node, ""}).skipped.empty());
  const TemporaryFile pair(ping_pong);
  EXPECT_TRUE(read_imb(pair.path(), {}).skipped.empty());
}

TEST(ImbReader, RefusesADamagedTable) {
  const TemporaryFile cut(ping_pong + "            2         1000\n");
  test::expect_input_error([&] { read_imb(cut.path(), {}); }, cut.path(), 8, "2 cells, expected 4");
  const TemporaryFile bare("# Benchmarking PingPong\n");
  test::expect_input_error([&] { read_imb(bare.path(), {}); }, bare.path(), 1, "'#bytes'");
  const TemporaryFile other("# Benchmarking Bcast\n");
  test::expect_input_error([&] { read_imb(other.path(), {}); }, other.path(), 1, "expected PingPong");
}

}  // namespace
}  // namespace tutti
