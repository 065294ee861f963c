#include "sim/measured_lines.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "json/text_file.hpp"

namespace tutti {
namespace {

/// None where one is no number.
std::optional<std::vector<double>> numbers_in(std::string_view line) {
  std::vector<double> numbers;
  for (bool is_last = false; !is_last;) {
    const std::size_t comma = line.find(',');
    is_last = comma == std::string_view::npos;
    const std::optional<double> number = number_from<double>(line.substr(0, comma));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    if (!is_last) line.remove_prefix(comma + 1);
  }
  return numbers;
}

}  // namespace

void MeasuredLine::refuse(const std::string& expected) const {
  throw InputError(file_ + ":" + std::to_string(number_) + ": expected " + expected);
}

void read_measured(const std::string& file, const std::string& head, int least,
                   const std::function<void(const MeasuredLine& line)>& read) {
  const std::string text = text_of_file(file, "file of " + head);
  const auto columns = static_cast<std::size_t>(1 + std::count(head.begin(), head.end(), ','));
  int number = 0;
  const auto refuse = [&](const std::string& expected) {
    MeasuredLine(file, std::max(number, 1), {}).refuse(expected);
  };
  for (std::string_view rest = without_byte_order_mark(text); !rest.empty();) {
    ++number;
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) refuse("a line end, for the last number may be cut");
    std::string_view here = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (here.ends_with('\r')) here.remove_suffix(1);
    if (number == 1) {
      if (here != head) refuse("the head " + head);
      continue;
    }
    std::optional<std::vector<double>> values = numbers_in(here);
    if (!values || values->size() != columns) refuse(head + ", which are numbers");
    read(MeasuredLine(file, number, *std::move(values)));
  }
  if (number - 1 < least) refuse(least == 1 ? "a line or more" : std::to_string(least) + " lines or more");
}

}  // namespace tutti
