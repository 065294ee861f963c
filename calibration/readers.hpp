#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "calibration/measurement.hpp"

namespace tutti {

/// What the caller says about a file beyond its name.
struct ReadOptions {
  std::optional<Distance> distance;  ///< of every curve in the file; none: the reader's own rule
  std::string dataset;               ///< in a CSV of several systems: those whose name contains this text
};

/// Reads a whole file or throws InputError ("FILE:LINE: …"); never returns half of one.
struct Reader {
  std::string_view name;  ///< as in `tutti calibrate --NAME FILE`
  Measurements (*read)(const std::filesystem::path& file, const ReadOptions& options);
};

/// Every reader. A new one is one file and one line in readers.cpp.
std::span<const Reader> readers();

/// Throws InputError naming the known readers.
const Reader& find_reader(std::string_view name);

/// OSU micro-benchmarks 5 to 7: osu_latency as one-way times, osu_bw and osu_mbw_mr as stream gaps of one pair
/// (Series::pairs says of how many). Several programs in one file, rank prefixes, further columns and chatter between
/// are read or named in `skipped`. Between nodes unless options say otherwise.
Measurements read_osu(const std::filesystem::path& file, const ReadOptions& options);

/// Intel MPI Benchmarks (IMB-MPI1) PingPong sections. Between nodes unless options say otherwise.
Measurements read_imb(const std::filesystem::path& file, const ReadOptions& options);

/// CSV with a recognised header, see csv_columns.hpp. Between nodes unless the file has labels or core pairs or options
/// say otherwise.
Measurements read_csv(const std::filesystem::path& file, const ReadOptions& options);

}  // namespace tutti
