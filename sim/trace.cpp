#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/engine.hpp"

namespace tutti {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMicroseconds = 1e6;

struct Slice {
  std::string name;
  Rank rank;
  double begin, end;  // seconds
  std::size_t event;
  int track = 0;  // among the rank's
};

std::vector<Slice> slices_of(const std::vector<TraceEvent>& trace) {
  std::vector<Slice> slices;
  for (std::size_t id = 0; id < trace.size(); ++id) {
    const TraceEvent& e = trace[id];
    if (e.kind == TraceEvent::Kind::message) {
      slices.push_back({"send to " + std::to_string(e.peer), e.rank, e.posted_seconds, e.started_seconds, id});
      slices.push_back({"from " + std::to_string(e.rank), e.peer, e.started_seconds, e.ended_seconds, id});
    } else if (e.bytes > 0 || e.ended_seconds > e.started_seconds) {
      slices.push_back(
          {e.kind == TraceEvent::Kind::copy ? "copy" : "combine", e.rank, e.started_seconds, e.ended_seconds, id});
    }
  }
  return slices;
}

/// Puts each slice on the first track of its rank that is free when it begins. Returns how many each rank has.
std::vector<int> put_on_tracks(std::vector<Slice>& slices, std::size_t ranks) {
  std::vector<std::size_t> order(slices.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return slices[a].begin < slices[b].begin; });
  std::vector<std::vector<double>> busy_until(ranks, {0.0});
  for (const std::size_t i : order) {
    std::vector<double>& tracks = busy_until[slices[i].rank];
    auto free = std::find_if(tracks.begin(), tracks.end(), [&](double until) { return until <= slices[i].begin; });
    if (free == tracks.end()) free = tracks.insert(free, 0.0);
    *free = slices[i].end;
    slices[i].track = static_cast<int>(free - tracks.begin());
  }
  std::vector<int> numbers;
  for (const std::vector<double>& tracks : busy_until) numbers.push_back(static_cast<int>(tracks.size()));
  return numbers;
}

Json named(const char* what, int process, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", process}, {"args", {{"name", name}}}};
}

}  // namespace

std::string chrome_trace(const Result& result, std::span<const int> node_of_rank) {
  std::vector<bool> critical(result.trace.size(), false);
  for (const std::size_t event : result.critical_path) critical[event] = true;
  std::vector<Slice> slices = slices_of(result.trace);
  const std::vector<int> tracks = put_on_tracks(slices, node_of_rank.size());
  Json events = Json::array();
  std::vector<int> first_track;  // ids of tracks count on over all ranks
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    const int node = node_of_rank[rank];
    first_track.push_back(rank == 0 ? 0 : first_track.back() + tracks[rank - 1]);
    if (rank == 0 || node != node_of_rank[rank - 1])
      events.push_back(named("process_name", node, "node " + std::to_string(node)));
    for (int i = 0; i < tracks[rank]; ++i) {
      Json name = named("thread_name", node,
                        "rank " + std::to_string(rank) + (i > 0 ? ", " + std::to_string(i + 1) : std::string()));
      name["tid"] = first_track[rank] + i;
      events.push_back(name);
    }
  }
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const Slice& slice = slices[i];
    const TraceEvent& event = result.trace[slice.event];
    const auto rank = static_cast<std::size_t>(slice.rank);
    const Json where{{"pid", node_of_rank[rank]}, {"tid", first_track[rank] + slice.track}};
    Json shown{{"name", slice.name},
               {"cat", critical[slice.event] ? "critical" : "other"},
               {"ph", "X"},
               {"ts", slice.begin * kMicroseconds},
               {"dur", (slice.end - slice.begin) * kMicroseconds}};
    shown.update(where);
    shown["args"] = {{"bytes", event.bytes},
                     {"from", event.rank},
                     {"to", event.peer},
                     {"critical", static_cast<bool>(critical[slice.event])}};
    events.push_back(shown);
    if (event.kind != TraceEvent::Kind::message) continue;
    const bool sent = i + 1 < slices.size() && slices[i + 1].event == slice.event;  // and the arrival comes next
    Json arrow{{"name", "message"}, {"cat", "message"}, {"id", slice.event}};
    arrow.update(where);
    arrow.update(sent ? Json{{"ph", "s"}, {"ts", slice.begin * kMicroseconds}}
                      : Json{{"ph", "f"}, {"bp", "e"}, {"ts", slice.end * kMicroseconds}});
    events.push_back(arrow);
  }
  return Json{{"traceEvents", events}, {"displayTimeUnit", "ns"}}.dump() + "\n";
}

}  // namespace tutti
