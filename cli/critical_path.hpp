#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/engine.hpp"

namespace tutti::cli {

/// The events of the critical path, each with what its time was spent on.
nlohmann::ordered_json critical_path_json(const Result& result, const Network& network);
/// What all of its time was spent on, the most first.
nlohmann::ordered_json bounds_json(const Result& result, const Network& network);
/// How many calls of a run in that mode the critical path goes through: of a loop, and of late arrivals, the last one.
int calls_on_path(const Mode& mode);
/// The same for people, stretch by stretch, of a run in that mode; `name` says of what.
std::string critical_path_text(const std::string& name, const Result& result, const Mode& mode, const Network& network);

}  // namespace tutti::cli
