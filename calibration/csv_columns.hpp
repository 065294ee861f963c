#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/input_text.hpp"
#include "calibration/measurement.hpp"

namespace tutti {

/// One line of CSV as cells; double quotes may enclose a cell, doubled inside for one.
std::vector<std::string> split_csv(std::string_view line);

/// A column of values and how it becomes seconds.
struct ValueColumn {
  std::size_t index;
  std::string name;
  Benchmark benchmark;
  double seconds_per_unit;
  /// Parameters that the measuring program derived by regression (LogGP's o and g): it writes NaN or a negative figure
  /// where that failed, which says "not known"; such cells are left out. A time that was measured is never NaN.
  bool derived;
};

/// Which column of a CSV means what. Names are compared by their letters and digits alone, in lower case:
///   size      size, messagesize, bytes, xbytes, sizebytes, medianbytes
///   one-way   latency, latencyus, avglatencyus, tusec, tavgus, tavgusec, medianus, timeus (microseconds);
///             latencyseconds, timeseconds (seconds); prtt10s (LogGP's round trip by netgauge, microseconds)
///   o_s, o_r, g   osus, orus, gus (microseconds)
///   cores     core1 and core2           label    label, tag, distance
///   system    dataset, systemmpi, system   kind   mode, opfile, benchmark
struct CsvColumns {
  int header_line;
  std::size_t count;
  std::size_t size;
  std::vector<ValueColumn> values;
  std::optional<std::size_t> label, system, mode, operation, benchmark, first_core, second_core;
};

/// Finds the header: the first line with a size and a value column. What stands above it (a command line, notes) is
/// passed over. Throws InputError if there is none, or it is of collectives.
CsvColumns find_columns(const InputText& text);

}  // namespace tutti
