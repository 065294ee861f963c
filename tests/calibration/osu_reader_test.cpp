#include <map>

#include "calibration/readers.hpp"
#include "calibration/text_table.hpp"
#include "samples.hpp"

namespace tutti {
namespace {

using test::TemporaryFile;

Measurements read_file(const TemporaryFile& file) { return read_osu(file.path(), {}); }

TEST(OsuReader, ReadsAVersion5Table) {
  const TemporaryFile file(
      "# OSU MPI Latency Test v5.8\n"
      "# Size          Latency (us)\n"
      "0                       1.16\n"
      "1                       1.13\n"
      "4194304               308.35\n");
  const Measurements found = read_file(file);
  ASSERT_EQ(found.series.size(), 1U);
  const Series& series = found.series[0];
  EXPECT_EQ(series.benchmark, Benchmark::one_way);
  EXPECT_EQ(series.distance, Distance::network);
  ASSERT_EQ(series.points.size(), 3U);
  EXPECT_EQ(series.points[2].bytes, 4194304);
  EXPECT_DOUBLE_EQ(series.points[2].seconds, 308.35e-6);
  EXPECT_EQ(series.points[2].line, 5);
}

TEST(OsuReader, TakesTheAverageAmongTheColumnsOfVersion7) {
  const TemporaryFile file(
      "# OSU MPI Latency Test v7.5\n"
      "# Datatype: MPI_CHAR.\n"
      "# Size       Avg Latency(us)  P50 Tail Lat(us)  P90 Tail Lat(us)  P99 Tail Lat(us)\n"
      "1                       2.00              1.90              2.50              9.00\n"
      "2                       2.10              1.95              2.60              9.10\n");
  EXPECT_DOUBLE_EQ(read_file(file).series[0].points[1].seconds, 2.10e-6);
}

TEST(OsuReader, PassesOverCommentsBelowTheHeaderAndTheValidationColumn) {
  const TemporaryFile file(
      "# OSU MPI Latency Test v7.2\n"
      "# Size       Avg Latency(us)        Validation\n"
      "# Datatype: MPI_CHAR.\n"
      "1                       3.00              Pass\n"
      "2                       3.10              Pass\n");
  EXPECT_EQ(read_file(file).series[0].points.size(), 2U);
}

TEST(OsuReader, RefusesAFailedValidation) {
  const TemporaryFile file(
      "# OSU MPI Latency Test v7.2\n"
      "# Size       Avg Latency(us)        Validation\n"
      "1                       3.00              Fail\n");
  test::expect_input_error([&] { read_file(file); }, file.path(), 3, "expected Pass");
}

TEST(OsuReader, RefusesUnitsThatOsuDoesNotPrint) {
  for (const char* column : {"Latency (ms)", "Avg Latency(ns)"}) {
    const TemporaryFile file("# OSU MPI Latency Test v5.8\n# Size          " + std::string(column) +
                             "\n8 1.5\n64 1.6\n");
    test::expect_input_error([&] { read_file(file); }, file.path(), 2, "expected microseconds, (us)");
  }
  const TemporaryFile rate("# OSU MPI Bandwidth Test v5.8\n# Size      Bandwidth (GB/s)\n8 1.5\n64 1.6\n");
  test::expect_input_error([&] { read_file(rate); }, rate.path(), 2, "expected (MB/s)");
}

TEST(OsuReader, RefusesARateOfWhichNoTimeFollows) {
  for (const char* rate : {"1e308", "1e-300"}) {
    const TemporaryFile file("# OSU MPI Bandwidth Test v5.8\n# Size      Bandwidth (MB/s)\n8 1.5\n1000 " +
                             std::string(rate) + "\n");
    test::expect_input_error([&] { read_file(file); }, file.path(), 4, "for a message of 1000 bytes, expected a time");
  }
}

TEST(OsuReader, SeesThroughRankPrefixesAndChatter) {
  const TemporaryFile file(
      "Lmod is automatically replacing gcc/12 with intel/2021\n"
      "[1,1]<stderr>: 4 8 not a row\n"
      "[1,0]<stdout>:# OSU MPI Latency Test v6.2\n"
      "[1,0]<stdout>:# Size          Latency (us)\n"
      "[1,0]<stdout>:1                       1.50\n"
      "[1,1]<stderr>:7                       9.99\n"
      "[node7:4711] UCX  WARN  transport is not available\n"
      "2026-01-31 12:00:01 still running\n"
      "[1,0]<stdout>:2                       1.51\n"
      "real 6.19\n");
  EXPECT_EQ(read_file(file).series[0].points.size(), 2U);

  const TemporaryFile labelled(
      "0: # OSU MPI Latency Test v6.2\n"
      "0: # Size          Latency (us)\n"
      "0: 1                       1.50\n"
      "0: 2                       1.51\n");
  EXPECT_EQ(read_file(labelled).series[0].points.size(), 2U);
}

TEST(OsuReader, TakesOffNothingButAPrefixOfALauncher) {
  for (const auto& [line, rest] : std::map<std::string_view, std::string_view>{{"[3] 1 2", "1 2"},
                                                                               {"[3]:1 2", "1 2"},
                                                                               {"[3,11]<stdout>: 1 2", "1 2"},
                                                                               {"[3,11]<stdout>  1 2", " 1 2"},
                                                                               {"[3,11]<stderr>: 1 2", ""},
                                                                               {"[3,11]<stddiag>: 1 2", ""},
                                                                               {"[3,11]<stdlog>: 1 2", "<stdlog>: 1 2"},
                                                                               {"12:\t1 2", "\t1 2"},
                                                                               {"12:1 2", "12:1 2"},
                                                                               {"12:", "12:"},
                                                                               {"12 1", "12 1"},
                                                                               {"[,1] 1 2", "[,1] 1 2"},
                                                                               {"[1,] 1 2", "[1,] 1 2"},
                                                                               {"[1 2", "[1 2"},
                                                                               {"[] 1 2", "[] 1 2"},
                                                                               {"", ""}})
    EXPECT_EQ(strip_rank_prefix(line), rest) << line;
}

TEST(OsuReader, RefusesPairsThatAreNoNumber) {
  for (const std::string pairs : {"0", "-1", "99999999999", "many", ""}) {
    const TemporaryFile file(
        "# OSU MPI Multiple Bandwidth / Message Rate Test v5.8\n# [ pairs: " + pairs +
        " ] [ window size: 64 ]\n# Size                  MB/s        Messages/s\n1 27.82 2781.3\n");
    test::expect_input_error([&] { read_file(file); }, file.path(), 2, "expected 1 to 16777216 pairs");
  }
}

TEST(OsuReader, PicksThePointToPointTablesOfSeveralProgramsAndNamesTheRest) {
  const TemporaryFile file(
      "# OSU MPI Multiple Bandwidth / Message Rate Test v5.8\n"
      "# [ pairs: 8 ] [ window size: 64 ]\n"
      "# Size                  MB/s        Messages/s\n"
      "1                      27.82       27816638.37\n"
      "# OSU MPI Bandwidth Test v5.8\n"
      "# Size      Bandwidth (MB/s)\n"
      "1000                 2000.00\n"
      "# OSU MPI Latency Test v5.8\n"
      "# Size          Latency (us)\n"
      "1                       1.13\n"
      "real 2.45\n"
      "\n"
      "# OSU MPI Allreduce Latency Test v5.8\n"
      "# Size       Avg Latency(us)\n"
      "4                       4.79\n");
  const Measurements found = read_file(file);
  ASSERT_EQ(found.series.size(), 3U);
  EXPECT_EQ(found.series[0].benchmark, Benchmark::stream_gap);
  EXPECT_DOUBLE_EQ(found.series[0].points[0].seconds, 8 / 27816638.37);
  EXPECT_EQ(found.series[0].pairs, 8);
  EXPECT_EQ(found.series[1].pairs, 1);
  EXPECT_DOUBLE_EQ(found.series[1].points[0].seconds, 0.5e-6);
  EXPECT_EQ(found.series[2].points.size(), 1U);
  ASSERT_EQ(found.skipped.size(), 1U);
  EXPECT_NE(found.skipped[0].find("Allreduce"), std::string::npos);
}

TEST(OsuReader, RefusesAFileWithoutAPointToPointTable) {
  const TemporaryFile text("srun: error: nothing here\n");
  test::expect_input_error([&] { read_file(text); }, text.path(), 1, "no OSU benchmark");
  const TemporaryFile collective("# OSU MPI Allreduce Latency Test v5.8\n# Size       Avg Latency(us)\n4   4.79\n");
  test::expect_input_error([&] { read_file(collective); }, collective.path(), 1,
                           "expected a table of osu_latency, osu_bw or osu_mbw_mr");
}

}  // namespace
}  // namespace tutti
