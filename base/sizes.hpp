#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

/// "123", "64K", "4M", "1G", also "64k", "64Ki", "64KiB", "1.5M", "1e6", "8B": K, M and G are powers of 1024. Throws
/// InputError on anything else ("64KB" may be either), on what is no whole number, and on more than 2^62.
std::int64_t parse_size(std::string_view text);

/// A list of whole numbers: "2,4,8", ranges "2-64", doubling "4:16M" (4, 8, … up to 16M), and mixtures. Ascending and
/// unique. Throws InputError naming the part that cannot be read, on an empty list, or where a range is longer than
/// `limit` values.
std::vector<std::int64_t> parse_list(std::string_view text, std::size_t limit = 1'000'000);

/// 65536 -> "64K": the shortest exact form.
std::string format_size(std::int64_t bytes);

/// "8", or "8 (0)" where blocks of whole elements make other bytes of it.
inline std::string with_simulated(const std::string& bytes, const std::string& simulated) {
  return simulated == bytes ? bytes : bytes + " (" + simulated + ")";
}
inline constexpr const char* kSimulatedNote =
    "(bytes in brackets are those that blocks of whole elements make of what was asked for, and were simulated)\n";

}  // namespace tutti
