#pragma once
// The fabric that a machine file describes. For parse_machine alone.

#include <memory>

#include "json/document.hpp"
#include "topologies/fabric.hpp"

namespace tutti {

/// `object` holds bandwidth_bytes_per_second, latency_seconds and perhaps shared.
Channel channel_from(const nlohmann::json& object);

/// From the document's /network; the document has matched the schema.
std::unique_ptr<const Fabric> fabric_from(const Document& document);

}  // namespace tutti
