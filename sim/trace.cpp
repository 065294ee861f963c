#include <nlohmann/json.hpp>

#include "sim/engine.hpp"

namespace tutti {

std::string chrome_trace(const Result& result) {
  using Json = nlohmann::ordered_json;
  constexpr double kMicroseconds = 1e6;
  std::vector<bool> critical(result.trace.size(), false);
  for (const std::size_t event : result.critical_path) critical[event] = true;
  Json events = Json::array();
  const auto slice = [&](const std::string& name, Rank track, double begin, double end, std::size_t id) {
    const TraceEvent& event = result.trace[id];
    events.push_back(
        {{"name", name},
         {"cat", critical[id] ? "critical" : "other"},
         {"ph", "X"},
         {"ts", begin * kMicroseconds},
         {"dur", (end - begin) * kMicroseconds},
         {"pid", 0},
         {"tid", track},
         {"args",
          {{"bytes", event.bytes}, {"from", event.rank}, {"to", event.peer}, {"critical", bool(critical[id])}}}});
  };
  for (std::size_t id = 0; id < result.trace.size(); ++id) {
    const TraceEvent& e = result.trace[id];
    if (e.kind != TraceEvent::Kind::message) {
      slice(e.kind == TraceEvent::Kind::copy ? "copy" : "combine", e.rank, e.started_seconds, e.ended_seconds, id);
      continue;
    }
    slice("send to " + std::to_string(e.peer), e.rank, e.posted_seconds, e.started_seconds, id);
    slice("from " + std::to_string(e.rank), e.peer, e.started_seconds, e.ended_seconds, id);
    const Json arrow{{"name", "message"}, {"cat", "message"}, {"id", id}, {"pid", 0}};
    Json begin = arrow, end = arrow;
    begin.update({{"ph", "s"}, {"ts", e.posted_seconds * kMicroseconds}, {"tid", e.rank}});
    end.update({{"ph", "f"}, {"bp", "e"}, {"ts", e.ended_seconds * kMicroseconds}, {"tid", e.peer}});
    events.push_back(begin);
    events.push_back(end);
  }
  return Json{{"traceEvents", events}, {"displayTimeUnit", "ns"}}.dump() + "\n";
}

}  // namespace tutti
