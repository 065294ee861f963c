#include "sim/background.hpp"

#include <set>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "base/sizes.hpp"

namespace tutti {
namespace {

constexpr double kMostSeconds = 100;

double parse_seconds(const std::string& text, const std::string& what) {
  const double value = number_from<double>(text).value_or(-1);
  if (!(value >= 0 && value <= kMostSeconds))
    throw InputError(what + ": expected seconds, 0 to 100, got '" + text + "'");
  return value;
}

}  // namespace

std::string Background::text() const {
  std::string text = std::string(kind == Kind::incast ? "incast" : "alltoall") + ":" +
                     (ranks > 0 ? "nodes=" + std::to_string(ranks) + "," : "") + "bytes=" + std::to_string(bytes);
  if (burst_seconds > 0) text += ",burst=" + shortest(burst_seconds) + ",pause=" + shortest(pause_seconds);
  if (gap_seconds > 0) text += ",gap=" + shortest(gap_seconds);
  return text;
}

BackgroundOptions parse_background(const std::string& text) {
  const std::string where = "background '" + text + "'";
  BackgroundOptions options;
  Background& background = options.background;
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  if (kind != "incast" && kind != "alltoall") throw InputError(where + ": expected incast:… or alltoall:…");
  background.kind = kind == "incast" ? Background::Kind::incast : Background::Kind::alltoall;
  std::set<std::string> seen;
  for (std::size_t begin = colon; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', ++begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end;
    const std::size_t equals = part.find('=');
    const std::string key = part.substr(0, equals), value = equals == std::string::npos ? "" : part.substr(equals + 1);
    if (value.empty()) throw InputError(where + ": expected KEY=VALUE, got '" + part + "'");
    if (!seen.insert(key).second) throw InputError(where + ": expected " + key + " once");
    if (key == "nodes") {
      const std::int64_t nodes = parse_size(value);
      if (nodes < 2 || nodes > 1 << 20) throw InputError(where + ": expected 2 to 2^20 nodes");
      background.ranks = static_cast<int>(nodes);
    } else if (key == "bytes") {
      background.bytes = parse_size(value);
      if (background.bytes < 1) throw InputError(where + ": expected 1 byte or more");
    } else if (key == "burst") {
      background.burst_seconds = parse_seconds(value, where + ", burst");
    } else if (key == "pause") {
      background.pause_seconds = parse_seconds(value, where + ", pause");
    } else if (key == "gap") {
      background.gap_seconds = parse_seconds(value, where + ", gap");
    } else if (key == "placement") {
      options.placement = value;
    } else {
      throw InputError(where + ": expected nodes, bytes, burst, pause, gap or placement, got '" + key + "'");
    }
  }
  if (!seen.contains("bytes")) throw InputError(where + ": expected bytes=SIZE");
  if (!seen.contains("nodes") && options.placement == "after")
    throw InputError(where + ": expected nodes=N, or placement=FILE");
  if (seen.contains("burst") != seen.contains("pause") || (seen.contains("burst") && background.burst_seconds == 0))
    throw InputError(where + ": expected burst and pause together, and a burst above 0");
  return options;
}

}  // namespace tutti
