#include "algos/sizes.hpp"

#include <algorithm>
#include <charconv>

#include "algos/error.hpp"

namespace tutti {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 62;

[[noreturn]] void refuse(std::string_view text, const std::string& expected) {
  throw InputError("'" + std::string(text) + "': expected " + expected);
}

}  // namespace

std::int64_t parse_size(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const int shift = suffix.empty() ? 0 : suffix == "K" ? 10 : suffix == "M" ? 20 : suffix == "G" ? 30 : -1;
  if (error != std::errc{} || shift < 0 || number < 0)
    refuse(text, "a whole number, with K, M or G for powers of 1024");
  if (number > (kLargest >> shift)) refuse(text, "at most 2^62");
  return number << shift;
}

std::vector<std::int64_t> parse_list(std::string_view text, std::size_t limit) {
  std::vector<std::int64_t> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, comma - begin);
    begin = comma + 1;
    const std::size_t separator = part.find_first_of(":-", 1);
    const std::int64_t first = parse_size(part.substr(0, separator));
    const std::int64_t last = separator == std::string_view::npos ? first : parse_size(part.substr(separator + 1));
    if (last < first) refuse(part, "a range that ascends");
    const bool doubling = separator != std::string_view::npos && part[separator] == ':';
    if (doubling && first == 0) refuse(part, "a doubling list that starts at 1 or more");
    if (!doubling && static_cast<std::uint64_t>(last - first) >= limit) refuse(part, "a shorter range");
    for (std::int64_t v = first; v <= last; v = doubling ? v * 2 : v + 1) values.push_back(v);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() > limit) refuse(text, "a shorter list");
  return values;
}

std::string format_size(std::int64_t bytes) {
  for (const auto& [shift, suffix] : {std::pair{30, "G"}, {20, "M"}, {10, "K"}})
    if (bytes != 0 && bytes % (std::int64_t{1} << shift) == 0) return std::to_string(bytes >> shift) + suffix;
  return std::to_string(bytes);
}

}  // namespace tutti
