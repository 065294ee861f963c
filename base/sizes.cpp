#include "base/sizes.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "base/error.hpp"

namespace tutti {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 62;

[[noreturn]] void refuse(std::string_view text, const std::string& expected) {
  throw InputError("'" + std::string(text) + "': expected " + expected);
}

constexpr const char* kExpected = "a whole number, such as 65536, 64K, 64KiB (K, M, G are powers of 1024) or 1e6";

/// How often a unit doubles a byte; none where it is no unit.
std::optional<int> shift_of(std::string_view text, std::string_view unit) {
  if (unit.empty() || unit == "B") return 0;
  const std::size_t letter = std::string_view("KMG").find(static_cast<char>(std::toupper(unit.front())));
  if (letter == std::string_view::npos) return {};
  const std::string_view rest = unit.substr(1);
  if (rest == "B" || rest == "b") refuse(text, std::string(kExpected) + ": KB, MB and GB mean either");
  if (!rest.empty() && rest != "i" && rest != "iB") return {};
  return 10 * (static_cast<int>(letter) + 1);
}

/// Digits from `text` on, which is moved behind them.
std::string_view take_digits(std::string_view& text) {
  const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
  text.remove_prefix(digits.size());
  return digits;
}

/// 1.5e3 is "15" and 2.
struct Decimal {
  std::string digits;
  int tens = 0;
};

std::optional<Decimal> take_decimal(std::string_view& text) {
  Decimal number{std::string(take_digits(text)), 0};
  if (number.digits.empty()) return {};
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::string_view fraction = take_digits(text);
    if (fraction.empty()) return {};
    number.digits += fraction;
    number.tens -= static_cast<int>(fraction.size());
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(text.starts_with("e+") || text.starts_with("E+") ? 2 : 1);
    const std::string_view exponent = take_digits(text);
    if (exponent.empty() || exponent.size() > 3) return {};
    number.tens += std::stoi(std::string(exponent));
  }
  while (number.tens < 0 && number.digits.size() > 1 && number.digits.back() == '0')
    number.digits.pop_back(), ++number.tens;
  return number;
}

/// Sorts them, and leaves each once.
void expect_few_different(std::vector<std::int64_t>& values, std::string_view text, std::size_t limit) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() > limit) refuse(text, "a shorter list");
}

}  // namespace

std::int64_t parse_size(std::string_view text) {
  std::string_view rest = text;
  const std::optional<Decimal> number = take_decimal(rest);
  const std::optional<int> shift = number ? shift_of(text, rest) : std::nullopt;
  if (!number || !shift) refuse(text, kExpected);
  std::int64_t value = 0;
  bool fits =
      std::from_chars(number->digits.data(), number->digits.data() + number->digits.size(), value).ec == std::errc{};
  fits = fits && !__builtin_mul_overflow(value, std::int64_t{1} << *shift, &value);
  for (int i = 0; i < number->tens && fits && value != 0; ++i) fits = !__builtin_mul_overflow(value, 10, &value);
  if (!fits || value > kLargest) refuse(text, "at most 2^62");
  for (int i = number->tens; i < 0; ++i, value /= 10)
    if (value % 10 != 0) refuse(text, kExpected);
  return value;
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
    if (values.size() / 2 > limit) expect_few_different(values, text, limit);  // seldom: parts may say the same again
  }
  expect_few_different(values, text, limit);
  return values;
}

std::string format_size(std::int64_t bytes) {
  for (const auto& [shift, suffix] : {std::pair{30, "G"}, {20, "M"}, {10, "K"}})
    if (bytes != 0 && bytes % (std::int64_t{1} << shift) == 0) return std::to_string(bytes >> shift) + suffix;
  return std::to_string(bytes);
}

}  // namespace tutti
