#include "calibration/input_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include "json/text_file.hpp"

namespace tutti {
namespace {

constexpr std::int64_t max_bytes = std::int64_t{1} << 53;

std::optional<double> number(std::string_view cell) {
  if (!cell.empty() && cell.front() == '+') cell.remove_prefix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (end != cell.data() + cell.size()) return std::nullopt;
  if (code == std::errc::result_out_of_range) return HUGE_VAL;
  if (code != std::errc{}) return std::nullopt;
  return value;
}

}  // namespace

InputText InputText::load(const std::filesystem::path& file, std::string_view what) {
  InputText text = load_open_ended(file, what);
  if (!text.ends())
    throw text.error(text.lines(),
                     "the file ends inside this line, so its last number may be cut; expected a line end");
  return text;
}

InputText InputText::load_open_ended(const std::filesystem::path& file, std::string_view what) {
  InputText text;
  text.file_ = file.string();
  const std::string content = text_of_file(text.file_, fmt::format("file of {}", what));
  if (content.find_first_not_of(" \t\r\n") == std::string::npos)
    throw text.error(1, fmt::format("the file is empty, expected {}", what));

  std::string_view rest = without_byte_order_mark(content);
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    text.lines_.emplace_back(line);
    if (line.find('\0') != std::string_view::npos) throw text.error(text.lines(), "a NUL byte, expected text");
    if (end == std::string_view::npos) {
      text.ends_ = false;
      break;
    }
    rest.remove_prefix(end + 1);
  }
  return text;
}

InputError InputText::error(int line, std::string_view message) const {
  return InputError(fmt::format("{}:{}: {}", file_, line, message));
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = trim(text); !text.empty(); text = trim(text)) {
    const auto end = std::min(text.find_first_of(" \t"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool looks_numeric(std::string_view cell) { return number(cell).has_value(); }

std::int64_t parse_bytes(const InputText& text, int line, std::string_view cell) {
  const auto value = number(cell);
  if (!value || std::isnan(*value) || *value != std::floor(*value))
    throw text.error(line, fmt::format("'{}', expected a message size in whole bytes", cell));
  if (*value < 0) throw text.error(line, fmt::format("message size {}, expected 0 or more bytes", cell));
  if (*value > static_cast<double>(max_bytes))
    throw text.error(line, fmt::format("message size {}, expected at most 2^53 bytes", cell));
  return static_cast<std::int64_t>(*value);
}

double parse_positive(const InputText& text, int line, std::string_view cell, std::string_view what) {
  const auto value = number(cell);
  if (!value || !std::isfinite(*value) || *value <= 0)
    throw text.error(line, fmt::format("'{}', expected {} as a finite number above 0", cell, what));
  return *value;
}

}  // namespace tutti
