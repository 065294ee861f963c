#include "selection/kept_results.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace tutti {
namespace {

using Json = nlohmann::json;

Json spent_json(const Spent& spent) { return {static_cast<int>(spent.on), spent.which, spent.until_seconds}; }

Spent spent_of(const Json& json) {
  const int on = json.at(0);
  if (on < 0 || on > static_cast<int>(Spent::On::retransmission)) throw InputError("expected what time is spent on");
  return {static_cast<Spent::On>(on), json.at(1), json.at(2)};
}

Json event_json(const TraceEvent& event) {
  Json spent = Json::array();
  for (const Spent& one : event.spent) spent.push_back(spent_json(one));
  return {static_cast<int>(event.kind),
          event.rank,
          event.peer,
          event.bytes,
          event.posted_seconds,
          event.started_seconds,
          event.ended_seconds,
          event.after,
          event.sent_after,
          event.wanted_seconds,
          spent};
}

TraceEvent event_of(const Json& json) {
  const int kind = json.at(0);
  if (kind < 0 || kind > static_cast<int>(TraceEvent::Kind::combine)) throw InputError("expected a kind of event");
  TraceEvent event{static_cast<TraceEvent::Kind>(kind),
                   json.at(1),
                   json.at(2),
                   json.at(3),
                   json.at(4),
                   json.at(5),
                   json.at(6),
                   json.at(7),
                   json.at(8),
                   json.at(9)};
  for (const Json& one : json.at(10)) event.spent.push_back(spent_of(one));
  return event;
}

}  // namespace

std::string bytes_of(const Result& result) {
  Json trace = Json::array(), parts = Json::array();
  for (const TraceEvent& event : result.trace) trace.push_back(event_json(event));
  for (const PathPart& part : result.path_parts)
    parts.push_back({part.event, spent_json(part.spent), part.begin_seconds});
  const Json all = Json::array({result.refused, result.makespan_seconds, result.seconds_per_rank, result.messages,
                                Json(result.bytes_per_level), trace, result.critical_path, parts, result.fault,
                                result.seconds_per_call, result.exceeded});
  std::string bytes;
  Json::to_cbor(all, bytes);  // has infinity, and every number as it is
  return bytes;
}

Result result_of(const std::string& bytes) {
  try {
    const Json all = Json::from_cbor(bytes);
    Result result;
    all.at(0).get_to(result.refused);
    all.at(1).get_to(result.makespan_seconds);
    all.at(2).get_to(result.seconds_per_rank);
    all.at(3).get_to(result.messages);
    all.at(4).get_to(result.bytes_per_level);
    for (const Json& event : all.at(5)) result.trace.push_back(event_of(event));
    all.at(6).get_to(result.critical_path);
    for (const Json& part : all.at(7)) result.path_parts.push_back({part.at(0), spent_of(part.at(1)), part.at(2)});
    all.at(8).get_to(result.fault);
    all.at(9).get_to(result.seconds_per_call);
    all.at(10).get_to(result.exceeded);
    for (const std::size_t event : result.critical_path)
      if (event >= result.trace.size()) throw InputError("expected an event of the trace");
    for (const PathPart& part : result.path_parts)
      if (part.event >= result.trace.size()) throw InputError("expected an event of the trace");
    return result;
  } catch (const Json::exception& error) {
    throw InputError(std::string("expected a result: ") + error.what());
  }
}

std::optional<Result> KeptResults::find(const std::string& key) {
  const std::optional<std::string> bytes = texts_.find(key);
  if (!bytes) return std::nullopt;
  try {
    return result_of(*bytes);
  } catch (const InputError&) {  // by another way of writing
    texts_.count_damaged();
    return std::nullopt;
  }
}

void KeptResults::keep(const std::string& key, const Result& result) { texts_.keep(key, bytes_of(result)); }

}  // namespace tutti
