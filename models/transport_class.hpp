#pragma once
// Where a machine's JSON says what messages at a distance cost.

#include <nlohmann/json.hpp>
#include <string>

#include "models/machine.hpp"

namespace tutti {

/// All figures of messages at a distance: those of the class of that name, or of the next farther one that is given;
/// to jobs that are larger than /larger_jobs says, with what differs there. Its "guess" names keys, all that are
/// guesses. Null where nothing is given. `machine`: a valid machine.
nlohmann::json transport_class(const nlohmann::json& machine, Distance distance, bool larger_job);

/// Where a figure of it stands, or would: "/transport/network" + `key` ("/gap_seconds"), or the same in /larger_jobs.
/// "" where nothing is given for the distance.
std::string place_in_class(const nlohmann::json& machine, Distance distance, bool larger_job, const std::string& key);

}  // namespace tutti
