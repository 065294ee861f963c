#include "sim/engine.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "base/sizes.hpp"
#include "sim/measured_lines.hpp"

namespace tutti {
namespace {

using Makers = std::map<std::string, std::unique_ptr<Engine> (*)()>;

Makers& makers() {
  static Makers all;
  return all;
}

/// Beyond that a clock in doubles no longer tells picoseconds.
constexpr double kMostSkewSeconds = 100;
/// Long after what a barrier takes, so that some rank comes last.
constexpr double kLoopSkewSeconds = 1e-4;
constexpr std::int64_t kMostCalls = 1000;  // that differ from each other

std::shared_ptr<const std::vector<double>> read_lateness(const std::string& file) {
  auto seconds = std::make_shared<std::vector<double>>();
  read_measured(file, "late_us", 1, [&](const MeasuredLine& line) {
    if (!(line[0] >= 0 && line[0] <= kMostSkewSeconds * 1e6)) line.refuse("late_us: 0 to 100 s");
    seconds->push_back(line[0] * 1e-6);
  });
  return seconds;
}

double parse_seconds(const std::string& text, const std::string& whole) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0 && value <= kMostSkewSeconds))
    throw InputError("mode '" + whole + "': expected seconds, 0 to 100, after the colon");
  return value;
}

std::int64_t parse_calls(const std::string& calls, std::int64_t most, const std::string& whole) {
  const std::int64_t count = parse_size(calls);
  if (count < 1 || count > most)
    throw InputError("mode '" + whole + "': expected 1 to " + std::to_string(most) + " calls");
  return count;
}

/// Of "5e-6", "5e-6:32", "file=late.csv" or "file=late.csv:32".
Mode parse_skew(const std::string& value, const std::string& whole) {
  constexpr std::string_view kFile = "file=";
  const std::size_t last = value.rfind(':');
  const bool has_calls = last != std::string::npos && last + 1 < value.size() &&
                         value.find_first_not_of("0123456789", last + 1) == std::string::npos;
  Mode mode{Mode::Kind::skew};
  if (has_calls) mode.calls = static_cast<int>(parse_calls(value.substr(last + 1), kMostCalls, whole));
  const std::string late = has_calls ? value.substr(0, last) : value;
  if (late.size() > kFile.size() && late.starts_with(kFile)) {
    mode.file = late.substr(kFile.size());
    mode.measured_seconds = read_lateness(mode.file);
  } else {
    mode.sigma_seconds = parse_seconds(late, whole);
  }
  return mode;
}

}  // namespace

EngineRegistration::EngineRegistration(const char* name, std::unique_ptr<Engine> (*make)()) { makers()[name] = make; }

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const auto& [name, make] : makers()) names.push_back(name);
  return names;
}

std::unique_ptr<Engine> make_engine(const std::string& name) {
  const auto found = makers().find(name);
  if (found != makers().end()) return found->second();
  std::string known;
  for (const auto& other : engine_names()) known += (known.empty() ? "" : ", ") + other;
  throw InputError("unknown engine '" + name + "': built in are " + (known.empty() ? "none" : known) +
                   did_you_mean(name, engine_names()));
}

Mode parse_mode(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon), value = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (text == "isolated") return {};
  if (text == "barrier") return {Mode::Kind::barrier, 1, 0};
  if (kind == "barrier" && !value.empty())
    return {Mode::Kind::barrier, 1, 0, find_algorithm(Collective::barrier, value).name()};
  if (kind == "loop" && !value.empty()) {
    const std::size_t second = value.find(':');
    const std::int64_t calls = parse_calls(value.substr(0, second), kMostCalls, text);
    const std::string barrier = second == std::string::npos ? "bruck" : value.substr(second + 1);
    return {Mode::Kind::loop, static_cast<int>(calls), kLoopSkewSeconds,
            find_algorithm(Collective::barrier, barrier).name()};
  }
  if (kind == "back-to-back" && !value.empty()) {
    return {Mode::Kind::back_to_back, static_cast<int>(parse_calls(value, 1'000'000, text)), 0};
  }
  if (kind == "skew" && !value.empty()) return parse_skew(value, text);
  const std::vector<std::string> kinds{"isolated", "barrier", "loop", "back-to-back", "skew"};
  const bool is_known = std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  throw InputError((is_known ? "mode '" : "unknown mode '") + text +
                   "': expected isolated, barrier, barrier:ALGORITHM, "
                   "loop:CALLS[:ALGORITHM], back-to-back:CALLS, skew:SECONDS[:CALLS] or skew:file=FILE[:CALLS]" +
                   (is_known ? "" : did_you_mean(kind, kinds)));
}

std::string Mode::text() const {
  switch (kind) {
    case Kind::isolated:
      return "isolated";
    case Kind::barrier:
      return barrier_algorithm == "bruck" ? "barrier" : "barrier:" + barrier_algorithm;
    case Kind::loop:
      return "loop:" + std::to_string(calls) + (barrier_algorithm == "bruck" ? "" : ":" + barrier_algorithm);
    case Kind::back_to_back:
      return "back-to-back:" + std::to_string(calls);
    case Kind::skew: {
      char buffer[32];
      const auto end = std::to_chars(buffer, buffer + sizeof buffer, sigma_seconds).ptr;
      return (measured_seconds ? "skew:file=" + file : "skew:" + std::string(buffer, end)) +
             (calls == 1 ? "" : ":" + std::to_string(calls));
    }
  }
  return "";
}

}  // namespace tutti
