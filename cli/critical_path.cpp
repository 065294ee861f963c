#include "cli/critical_path.hpp"

#include <fmt/core.h>

#include <cmath>

namespace tutti::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kRounding = 1e-9;  // of all that is added up

const char* kind_of(const TraceEvent& event) {
  if (event.kind == TraceEvent::Kind::message) return "message";
  return event.kind == TraceEvent::Kind::copy ? "copy" : "combine";
}

/// "nic-out node/0/nic/0/out", "latency".
std::string place_text(Spent::On on, int which, const Network& network) {
  const std::string place = place_of(on, which, network);
  return tutti::kind_of(on, which, network) + (place.empty() ? "" : " " + place);
}

}  // namespace

Json critical_path_json(const Result& result, const Network& network) {
  Json path = Json::array();
  std::size_t part = 0;
  for (const std::size_t i : result.critical_path) {
    const TraceEvent& e = result.trace[i];
    Json spent = Json::array();
    for (; part < result.path_parts.size() && result.path_parts[part].event == i; ++part) {
      const auto& [event, on, begin] = result.path_parts[part];
      spent.push_back({{"on", tutti::kind_of(on.on, on.which, network)},
                       {"place", place_of(on.on, on.which, network)},
                       {"begin_us", begin * 1e6},
                       {"end_us", on.until_seconds * 1e6}});
    }
    path.push_back({{"kind", kind_of(e)},
                    {"from", e.rank},
                    {"to", e.peer},
                    {"bytes", e.bytes},
                    {"posted_us", e.posted_seconds * 1e6},
                    {"started_us", e.started_seconds * 1e6},
                    {"ended_us", e.ended_seconds * 1e6},
                    {"spent", spent}});
  }
  return path;
}

Json bounds_json(const Result& result, const Network& network) {
  Json bounds = Json::array();
  for (const Bound& bound : bounds_of(result))
    bounds.push_back({{"on", tutti::kind_of(bound.on, bound.which, network)},
                      {"place", place_of(bound.on, bound.which, network)},
                      {"us", bound.seconds * 1e6}});
  return bounds;
}

int calls_on_path(const Mode& mode) { return mode.kind == Mode::Kind::back_to_back ? mode.calls : 1; }

std::string critical_path_text(const std::string& name, const Result& result, const Mode& mode,
                               const Network& network) {
  const std::string calls =
      mode.calls == 1 ? ""
                      : fmt::format("{} {} calls of ", calls_on_path(mode) == 1 ? "the last of" : "all", mode.calls);
  std::string text = fmt::format("critical path of {}{}:\n{:>14} {:>14}  spent on\n", calls, name, "from us", "to us");
  double all = 0;
  for (const PathPart& part : result.path_parts) {
    const TraceEvent& e = result.trace[part.event];
    const std::string what = e.kind == TraceEvent::Kind::message
                                 ? fmt::format("message {} to {}, {} bytes", e.rank, e.peer, e.bytes)
                                 : fmt::format("{} on {}, {} bytes", kind_of(e), e.rank, e.bytes);
    text += fmt::format("{:>14.3f} {:>14.3f}  {}: {}\n", part.begin_seconds * 1e6, part.spent.until_seconds * 1e6,
                        place_text(part.spent.on, part.spent.which, network), what);
    all += part.spent.until_seconds - part.begin_seconds;
  }
  text += "in all:\n";
  for (const Bound& bound : bounds_of(result))
    text += fmt::format("{:>14.3f} {:>13.1f}%  {}\n", bound.seconds * 1e6, 100 * bound.seconds / all,
                        place_text(bound.on, bound.which, network));
  const double told = result.makespan_seconds * calls_on_path(mode);
  if (result.seconds_per_call.empty() && std::abs(all - told) > kRounding)
    text += fmt::format(
        "which is {:.3f}, not {:.3f}: where messages are recorded, what happens at one instant may come in another "
        "order\n",
        all * 1e6, told * 1e6);
  return text;
}

}  // namespace tutti::cli
