#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/engine.hpp"

namespace tutti::cli {

/// A link of a recorded run, with what messages passed it.
struct BusyLink {
  std::string level, name;
  std::int64_t bytes = 0;
  double busy_seconds = 0;  // those bytes at its bandwidth
};

/// Those that some message passes, the one that they keep busy for longest first; of equally busy ones, in the order of
/// the network's links. `core_of_rank`: of the experiment that was recorded.
std::vector<BusyLink> busy_links(const Result& result, const Network& network, std::span<const int> core_of_rank);

/// The first of them; nothing where no message passes a link.
std::optional<BusyLink> hottest_link(const Result& result, const Network& network, std::span<const int> core_of_rank);

/// By level, in the order of its first link: how many links, their least, median and greatest bandwidth (bytes a
/// second) and latency (seconds), and of those with less bandwidth than the median one some names, the slowest first.
nlohmann::ordered_json link_levels_json(const Network& network);

}  // namespace tutti::cli
