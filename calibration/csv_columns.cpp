#include "calibration/csv_columns.hpp"

#include <algorithm>
#include <cctype>

namespace tutti {
namespace {

std::string letters_and_digits(std::string_view name) {
  std::string result;
  for (const char c : lower(name))
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) result += c;
  return result;
}

struct ValueName {
  std::string_view name;
  Benchmark benchmark;
  double seconds_per_unit;
  bool derived;
};

// In order of preference: a file may hold both t_avg and t_min.
constexpr ValueName value_names[] = {
    {"latency", Benchmark::one_way, 1e-6, false},       {"latencyus", Benchmark::one_way, 1e-6, false},
    {"avglatencyus", Benchmark::one_way, 1e-6, false},  {"tusec", Benchmark::one_way, 1e-6, false},
    {"tavgus", Benchmark::one_way, 1e-6, false},        {"tavgusec", Benchmark::one_way, 1e-6, false},
    {"medianus", Benchmark::one_way, 1e-6, false},      {"timeus", Benchmark::one_way, 1e-6, false},
    {"latencyseconds", Benchmark::one_way, 1.0, false}, {"timeseconds", Benchmark::one_way, 1.0, false},
    {"prtt10s", Benchmark::one_way, 0.5e-6, false},     {"osus", Benchmark::send_overhead, 1e-6, true},
    {"orus", Benchmark::receive_overhead, 1e-6, true},  {"gus", Benchmark::stream_gap, 1e-6, true},
};

class Names {
 public:
  explicit Names(const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) names_.push_back(letters_and_digits(cell));
  }

  std::optional<std::size_t> find(std::initializer_list<std::string_view> wanted) const {
    for (const std::string_view name : wanted) {
      const auto at = std::find(names_.begin(), names_.end(), name);
      if (at != names_.end()) return static_cast<std::size_t>(at - names_.begin());
    }
    return std::nullopt;
  }

 private:
  std::vector<std::string> names_;
};

std::vector<ValueColumn> find_values(const Names& names, const std::vector<std::string>& cells) {
  std::vector<ValueColumn> values;
  for (const ValueName& known : value_names) {
    const auto index = names.find({known.name});
    const bool have = std::any_of(values.begin(), values.end(),
                                  [&](const ValueColumn& value) { return value.benchmark == known.benchmark; });
    if (index && !have)
      values.push_back({*index, cells[*index], known.benchmark, known.seconds_per_unit, known.derived});
  }
  return values;
}

}  // namespace

std::vector<std::string> split_csv(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  for (std::string& cell : cells) cell = std::string(trim(cell));
  return cells;
}

CsvColumns find_columns(const InputText& text) {
  for (int line = 1; line <= text.lines(); ++line) {
    const std::vector<std::string> cells = split_csv(text.line(line));
    const Names names(cells);
    const auto size = names.find({"size", "messagesize", "bytes", "xbytes", "sizebytes", "medianbytes"});
    std::vector<ValueColumn> values = find_values(names, cells);
    if (!size || values.empty()) continue;
    if (names.find({"collective"}))
      throw text.error(line,
                       "a column 'collective', expected times of single messages: --collectives takes such files");
    CsvColumns columns{line, cells.size(), *size, std::move(values), {}, {}, {}, {}, {}, {}, {}};
    columns.label = names.find({"label", "tag", "distance"});
    columns.system = names.find({"dataset", "systemmpi", "system"});
    columns.mode = names.find({"mode"});
    columns.operation = names.find({"opfile"});
    columns.benchmark = names.find({"benchmark"});
    columns.first_core = names.find({"core1"});
    columns.second_core = names.find({"core2"});
    if (columns.first_core.has_value() != columns.second_core.has_value())
      throw text.error(line, "one core column, expected both 'Core 1' and 'Core 2'");
    return columns;
  }
  throw text.error(1, "no CSV header with a size and a time column, expected one such as 'Size,Latency'");
}

}  // namespace tutti
