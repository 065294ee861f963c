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
    const std::int64_t calls = parse_size(value.substr(0, second));
    if (calls < 1 || calls > 1000) throw InputError("mode '" + text + "': expected 1 to 1000 calls");
    const std::string barrier = second == std::string::npos ? "bruck" : value.substr(second + 1);
    return {Mode::Kind::loop, static_cast<int>(calls), kLoopSkewSeconds,
            find_algorithm(Collective::barrier, barrier).name()};
  }
  if (kind == "back-to-back" && !value.empty()) {
    const std::int64_t calls = parse_size(value);
    if (calls < 1 || calls > 1'000'000) throw InputError("mode '" + text + "': expected 1 to 1000000 calls");
    return {Mode::Kind::back_to_back, static_cast<int>(calls), 0};
  }
  constexpr std::string_view kFile = "file=";
  if (kind == "skew" && value.size() > kFile.size() && value.starts_with(kFile)) {
    const std::string file = value.substr(kFile.size());
    return {Mode::Kind::skew, 1, 0, Mode().barrier_algorithm, read_lateness(file), file};
  }
  if (kind == "skew" && !value.empty()) return {Mode::Kind::skew, 1, parse_seconds(value, text)};
  const std::vector<std::string> kinds{"isolated", "barrier", "loop", "back-to-back", "skew"};
  const bool is_known = std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  throw InputError((is_known ? "mode '" : "unknown mode '") + text +
                   "': expected isolated, barrier, barrier:ALGORITHM, "
                   "loop:CALLS[:ALGORITHM], back-to-back:CALLS, skew:SECONDS or skew:file=FILE" +
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
      if (measured_seconds) return "skew:file=" + file;
      char buffer[32];
      const auto end = std::to_chars(buffer, buffer + sizeof buffer, sigma_seconds).ptr;
      return "skew:" + std::string(buffer, end);
    }
  }
  return "";
}

}  // namespace tutti
