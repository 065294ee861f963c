#include "calibration/fitted_ranges.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "models/trust.hpp"

namespace tutti {
namespace {

using Json = nlohmann::ordered_json;

Json range_json(const std::string& what, std::int64_t least_bytes, std::int64_t most_bytes, int nodes, int ppn,
                const std::string& source) {
  return {{"what", what},        {"least_bytes", least_bytes}, {"most_bytes", most_bytes}, {"least_nodes", nodes},
          {"most_nodes", nodes}, {"least_ppn", ppn},           {"most_ppn", ppn},          {"source", source}};
}

}  // namespace

Json fitted_ranges(const std::vector<CollectiveRow>& rows, const std::string& source) {
  std::map<std::tuple<Collective, int, int>, std::pair<std::int64_t, std::int64_t>> bytes;
  for (const CollectiveRow& row : rows) {
    const auto [place, is_new] =
        bytes.try_emplace({row.collective, (row.ranks + row.ppn - 1) / row.ppn, row.ppn}, row.bytes, row.bytes);
    if (is_new) continue;
    place->second.first = std::min(place->second.first, row.bytes);
    place->second.second = std::max(place->second.second, row.bytes);
  }
  Json all = Json::array();
  for (const auto& [place, size] : bytes)
    all.push_back(range_json(std::string(name_of(std::get<0>(place))), size.first, size.second, std::get<1>(place),
                             std::get<2>(place), source));
  return all;
}

void add_fitted_messages(Json& machine, const DistanceCurve& curve, const std::string& source) {
  const bool network = curve.distance == Distance::network;
  const int nodes = network ? 2 : 1, ppn = network ? 1 : 2;
  Json kept = Json::array();
  for (const Json& range : machine.value("fitted", Json::array())) {
    const bool is_pair = range["what"] == FittedRange::kPointToPoint;
    if (is_pair ? range["least_nodes"] != nodes : !network) kept.push_back(range);
  }
  kept.push_back(range_json(FittedRange::kPointToPoint, curve.points.front().bytes, curve.points.back().bytes, nodes,
                            ppn, source));
  machine["fitted"] = std::move(kept);
}

}  // namespace tutti
