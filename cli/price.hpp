#pragma once

#include <nlohmann/json.hpp>

#include "selection/pricing.hpp"

namespace tutti::cli {

/// What a tuning file does to the cells of a table, for machines: docs/formats.md.
nlohmann::ordered_json price_json(const Table& table, const PricedFile& priced);

}  // namespace tutti::cli
