#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topologies/network.hpp"

namespace tutti {

/// What a point-to-point benchmark measured. Every value is in seconds per message.
enum class Benchmark {
  one_way,           ///< one message from send to receipt: half a ping-pong round trip, as OSU and IMB print it
  stream_gap,        ///< time between messages of one sender that does not wait: 1 / message rate
  send_overhead,     ///< time the sending core is busy with one message (o_s of LogGP)
  receive_overhead,  ///< time the receiving core is busy with one message that has arrived (o_r of LogGP)
};

const char* benchmark_name(Benchmark benchmark);

struct MeasuredPoint {
  std::int64_t bytes;
  double seconds;
  int line;  ///< 1-based, in the series' file
};

struct CorePair {
  int first, second;
  auto operator<=>(const CorePair&) const = default;
};

/// One measured curve: one table of a benchmark's output, or the rows of one core pair in a CSV. Bytes strictly ascend.
struct Series {
  Benchmark benchmark = Benchmark::one_way;
  /// What the file or the caller says; where only `cores` is known the machine decides.
  std::optional<Distance> distance;
  std::optional<CorePair> cores;
  std::string label;  ///< the file's own name for it (dataset, tag, table), for reports
  std::string file;
  std::vector<MeasuredPoint> points;
  int pairs = 1;  ///< that sent at the same time, each as the points say
  int run = 0;    ///< which of the tables of this benchmark in its file, where each is a run of its own; else 0
};

/// What a reader found in one file.
struct Measurements {
  std::vector<Series> series;
  std::vector<std::string> skipped;  ///< one line each: what is in the file and was not used, and why
};

}  // namespace tutti
