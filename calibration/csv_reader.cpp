#include <fmt/format.h>

#include <map>
#include <tuple>

#include "calibration/csv_columns.hpp"
#include "calibration/distance_labels.hpp"
#include "calibration/readers.hpp"
#include "calibration/series_builder.hpp"

namespace tutti {
namespace {

/// A row's place: rows of one key are one curve.
struct RowKind {
  std::string system, label;
  std::optional<CorePair> cores;
  std::optional<Distance> distance;
  std::optional<Benchmark> only;  ///< where the row says what it measured
  std::string skip;               ///< why the row is not used; empty: it is
};

class CsvFile {
 public:
  CsvFile(const std::filesystem::path& file, const ReadOptions& options)
      : text_(InputText::load(file)), columns_(find_columns(text_)), options_(options) {
    if (options.distance && (columns_.label || columns_.first_core))
      throw text_.error(columns_.header_line,
                        fmt::format("this file says itself which distance each row has, expected it without '{}='",
                                    to_string(*options.distance)));
  }

  Measurements read() {
    int rows = 0;
    for (int line = columns_.header_line + 1; line <= text_.lines(); ++line) {
      if (trim(text_.line(line)).empty() || trim(text_.line(line)) == trim(text_.line(columns_.header_line))) continue;
      ++rows;
      read_row(line);
    }
    if (rows == 0) throw text_.error(columns_.header_line, "a header without rows, expected sizes and times below it");
    return finish();
  }

 private:
  using Key = std::tuple<std::string, std::string, std::optional<CorePair>, Benchmark>;

  void read_row(int line) {
    const std::vector<std::string> cells = split_csv(text_.line(line));
    if (cells.size() != columns_.count)
      throw text_.error(line, fmt::format("{} cells, expected {} as in the header on line {}", cells.size(),
                                          columns_.count, columns_.header_line));
    const std::int64_t bytes = parse_bytes(text_, line, cells[columns_.size]);
    const RowKind kind = classify(line, cells);
    for (const ValueColumn& column : columns_.values) {
      const Benchmark benchmark = kind.only.value_or(column.benchmark);
      if (column.derived && !is_positive(cells[column.index])) {
        ++skipped_[fmt::format("cells of {} without a positive figure", column.name)];
        continue;
      }
      const double seconds = parse_positive(text_, line, cells[column.index], column.name) * column.seconds_per_unit;
      if (!kind.skip.empty()) continue;
      builder(kind, benchmark).add(bytes, seconds, line);
    }
    if (!kind.skip.empty()) ++skipped_["rows " + kind.skip];
  }

  static bool is_positive(std::string_view cell) {
    return looks_numeric(cell) && !cell.starts_with('-') && cell.find("nan") == std::string_view::npos &&
           cell.find_first_of("123456789") != std::string_view::npos;
  }

  RowKind classify(int line, const std::vector<std::string>& cells) {
    RowKind kind;
    kind.distance = options_.distance.value_or(Distance::network);
    if (columns_.system) kind.system = cells[*columns_.system];
    if (columns_.operation) classify_operation(cells[*columns_.operation], kind);
    if (columns_.mode) {
      const std::string& mode = cells[*columns_.mode];
      kind.label = mode;
      if (mode != "conc1" && mode != "stripe1")
        kind.skip = "of modes other than conc1 and stripe1: several processes or both directions at once";
    }
    if (columns_.benchmark && cells[*columns_.benchmark] != "PingPong")
      kind.skip = fmt::format("of benchmark {}: not PingPong", cells[*columns_.benchmark]);
    if (columns_.label) {
      kind.label = cells[*columns_.label];
      kind.distance = distance_of_label(kind.label);
      if (!kind.distance) kind.skip = fmt::format("labelled '{}': no distance known by that name", kind.label);
    }
    if (columns_.first_core) {
      kind.cores = CorePair{core(line, cells[*columns_.first_core]), core(line, cells[*columns_.second_core])};
      if (kind.cores->first == kind.cores->second)
        throw text_.error(line, fmt::format("core {} twice, expected two different cores", kind.cores->first));
      kind.distance.reset();
    }
    if (kind.system.find(options_.dataset) == std::string::npos)
      kind.skip = fmt::format("of systems other than '{}'", options_.dataset);
    else if (!kind.system.empty())
      systems_.emplace(kind.system, line);
    if (mixes_systems()) kind.skip = "of a second system";  // finish() refuses the file
    return kind;
  }

  bool mixes_systems() const { return systems_.size() > 1 && options_.dataset.empty(); }

  // SimGrid's platform calibration names a file per operation: SYSTEM_Isend and so on.
  static void classify_operation(const std::string& operation, RowKind& kind) {
    const auto bar = std::min(operation.rfind('_'), operation.size());
    const std::string what = operation.substr(bar);
    kind.system += "/" + operation.substr(0, bar);
    if (what == "_Isend") {
      kind.only = Benchmark::send_overhead;
    } else if (what == "_Recv") {
      kind.only = Benchmark::receive_overhead;
    } else {
      kind.skip = fmt::format("of operation *{}: durations of send and receive calls mixed, not one-way times", what);
    }
  }

  int core(int line, std::string_view cell) const {
    const std::int64_t value = looks_numeric(cell) ? parse_bytes(text_, line, cell) : -1;
    if (value < 0 || value >= 1 << 20)
      throw text_.error(line, fmt::format("'{}', expected a core number from 0", cell));
    return static_cast<int>(value);
  }

  SeriesBuilder& builder(const RowKind& kind, Benchmark benchmark) {
    const Key key{kind.system, kind.label, kind.cores, benchmark};
    const auto [at, is_new] = index_.try_emplace(key, builders_.size());
    if (is_new) {
      const std::string label = kind.cores ? fmt::format("cores {} and {}", kind.cores->first, kind.cores->second)
                                           : std::string(trim(kind.system + " " + kind.label));
      Series& series = builders_.emplace_back(text_, benchmark, label).series;
      series.distance = kind.distance;
      series.cores = kind.cores;
    }
    return builders_[at->second];
  }

  Measurements finish() {
    if (mixes_systems()) {
      std::string names;
      int first_line = text_.lines();
      for (const auto& [name, line] : systems_) {
        if (names.size() < 160) names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
        first_line = std::min(first_line, line);
      }
      throw text_.error(first_line,
                        fmt::format("rows of {} systems, expected one: choose by FILE@NAME with a part of {}",
                                    systems_.size(), names));
    }
    Measurements found;
    for (const auto& [what, count] : skipped_)
      found.skipped.push_back(fmt::format("{}: {} {}", text_.file(), count, what));
    if (builders_.empty())
      throw text_.error(columns_.header_line,
                        fmt::format("no row to use ({}), expected one-way times of single messages",
                                    found.skipped.empty() ? "none" : found.skipped.front()));
    for (SeriesBuilder& builder : builders_) found.series.push_back(std::move(builder.series));
    return found;
  }

  InputText text_;
  CsvColumns columns_;
  const ReadOptions& options_;
  std::map<std::string, int> systems_;  ///< and the line where each first appears
  std::map<std::string, int> skipped_;
  std::map<Key, std::size_t> index_;
  std::vector<SeriesBuilder> builders_;
};

}  // namespace

Measurements read_csv(const std::filesystem::path& file, const ReadOptions& options) {
  return CsvFile(file, options).read();
}

}  // namespace tutti
