#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tutti {

/// What `tutti calibrate --json` wrote (residuals_json or fit_json), by calibration/residuals.schema.json, also within
/// what `tutti machine --from --json` did. Throws InputError "FILE:LINE: /json/pointer: what was expected".
nlohmann::json read_residuals(const std::string& path);
nlohmann::json parse_residuals(const std::string& text, const std::string& origin);

}  // namespace tutti
