// What every reader refuses, through the OSU reader.
#include "calibration/readers.hpp"
#include "samples.hpp"

namespace tutti {
namespace {

const std::string head =
    "# OSU MPI Latency Test v5.8\n"
    "# Size          Latency (us)\n"
    "1                       1.13\n";

void expect_osu_refused(const std::string& content, int line, const std::string& words) {
  const test::TemporaryFile file(content);
  test::expect_input_error([&] { read_osu(file.path(), {}); }, file.path(), line, words);
}

TEST(BadMeasurements, AnEmptyFileIsRefused) {
  expect_osu_refused("", 1, "empty");
  expect_osu_refused(" \n\n", 1, "empty");
}

TEST(BadMeasurements, AMissingFileIsRefused) { EXPECT_THROW(read_osu("/nonexistent/osu.txt", {}), InputError); }

TEST(BadMeasurements, AHeaderWithoutRowsIsRefused) {
  expect_osu_refused("# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n", 2, "header without rows");
}

TEST(BadMeasurements, ATitleWithoutAHeaderIsRefused) {
  expect_osu_refused("# OSU MPI Latency Test v5.8\n", 1, "without a '# Size' header");
}

TEST(BadMeasurements, ARowCutShortIsRefused) {
  expect_osu_refused(head + "2\n", 4, "1 cells, expected 2");
  expect_osu_refused(head + "2                       1.", 4, "ends inside this line");
}

TEST(BadMeasurements, LinesOfAnyLengthAreRead) {
  for (const std::size_t length : {30'000, 1'000'000})
    for (const char c : {'a', '1', ' ', '#', '[', 'T'}) {
      const std::string run(length, c);
      for (const std::string& line :
           {run, "# OSU " + run, "# OSU MPI Latency Test v" + run, "#" + run + " Test v1", "# Benchmarking " + run,
            "[" + run, "1" + run + ":", "# [ pairs: " + run, "# [" + run + "pairs: 2 ]", "# Size" + run}) {
        const test::TemporaryFile osu(line + "\n" + head), imb(line + "\n");
        try {
          EXPECT_EQ(read_osu(osu.path(), {}).series.size(), 1U);
        } catch (const InputError& error) {
          EXPECT_TRUE(std::string(error.what()).starts_with(osu.path().string() + ":")) << line.substr(0, 40);
        }
        EXPECT_THROW(read_imb(imb.path(), {}), InputError);
      }
    }
}

TEST(BadMeasurements, ATimeThatIsNoTimeIsRefused) {
  for (const std::string time : {"-1.13", "nan", "-nan", "inf", "0", "1e999", "1.1.3", "fast"})
    expect_osu_refused(head + "2    " + time + "\n", 4, "'" + time + "', expected");
}

TEST(BadMeasurements, ASizeThatIsNoSizeIsRefused) {
  expect_osu_refused(head + "-2   1.13\n", 4, "expected 0 or more bytes");
  expect_osu_refused(head + "2.5   1.13\n", 4, "whole bytes");
  expect_osu_refused(head + "two   1.13\n", 4, "whole bytes");
  expect_osu_refused(head + "nan   1.13\n", 4, "whole bytes");
  expect_osu_refused(head + "1O24   1.13\n", 4, "whole bytes");
}

TEST(BadMeasurements, ASizeAbove2To53IsRefusedAndThatSizeIsNot) {
  expect_osu_refused(head + "9007199254740994   1.13\n", 4, "at most 2^53");
  expect_osu_refused(head + "1e30   1.13\n", 4, "at most 2^53");
  const test::TemporaryFile file(head + "9007199254740992   1.13\n");
  EXPECT_EQ(read_osu(file.path(), {}).series[0].points[1].bytes, std::int64_t{1} << 53);
}

TEST(BadMeasurements, SizesOutOfOrderOrTwiceAreRefused) {
  expect_osu_refused(head + "4   1.13\n2   1.13\n", 5, "ascending");
  expect_osu_refused(head + "4   1.13\n4   1.13\n", 5, "each size once");
}

TEST(BadMeasurements, ANulByteIsRefused) { expect_osu_refused(head + std::string("2  \0 1.13\n", 10), 4, "NUL"); }

}  // namespace
}  // namespace tutti
