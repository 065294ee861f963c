#include "calibration/series_builder.hpp"

#include <fmt/format.h>

namespace tutti {

const char* benchmark_name(Benchmark benchmark) {
  switch (benchmark) {
    case Benchmark::one_way:
      return "one-way time";
    case Benchmark::stream_gap:
      return "gap between streamed messages";
    case Benchmark::send_overhead:
      return "send overhead";
    case Benchmark::receive_overhead:
      return "receive overhead";
  }
  return "unknown";
}

SeriesBuilder::SeriesBuilder(const InputText& text, Benchmark benchmark, std::string label) : text_(text) {
  series.benchmark = benchmark;
  series.label = std::move(label);
  series.file = text.file();
}

void SeriesBuilder::add(std::int64_t bytes, double seconds, int line) {
  constexpr double kLeastSeconds = 1e-15, kMostSeconds = 1e6;
  if (!(seconds >= kLeastSeconds && seconds <= kMostSeconds))  // of a rate, too, which may be beyond all numbers
    throw text_.error(line, fmt::format("{:.3g} s for a message of {} bytes, expected a time from {:.0e} to {:.0e} s",
                                        seconds, bytes, kLeastSeconds, kMostSeconds));
  if (!series.points.empty()) {
    const MeasuredPoint& before = series.points.back();
    if (bytes == before.bytes)
      throw text_.error(line, fmt::format("size {} again (first on line {}), expected each size once in a table", bytes,
                                          before.line));
    if (bytes < before.bytes)
      throw text_.error(line, fmt::format("size {} after {} (line {}), expected ascending sizes in a table", bytes,
                                          before.bytes, before.line));
  }
  series.points.push_back({bytes, seconds, line});
}

}  // namespace tutti
