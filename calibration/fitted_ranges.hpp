#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "calibration/collective_rows.hpp"
#include "calibration/distance_curves.hpp"

namespace tutti {

/// The machine's key "fitted": one entry for each collective, number of nodes and ranks per node among the rows.
nlohmann::ordered_json fitted_ranges(const std::vector<CollectiveRow>& rows, const std::string& source);
/// Adds messages of one distance to the machine's "fitted". What was fitted to other messages of that distance goes;
/// where these are the network's, so do collectives, whose figures are replaced.
void add_fitted_messages(nlohmann::ordered_json& machine, const DistanceCurve& curve, const std::string& source);

}  // namespace tutti
