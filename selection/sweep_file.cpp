#include "selection/sweep_file.hpp"

#include <map>

#include "base/error.hpp"
#include "json/document.hpp"
#include "selection/part_file.hpp"
#include "selection/sweep_plan.hpp"

namespace tutti {
namespace embedded {
const std::map<std::string, std::string>& sweep_schema();
}

using nlohmann::json;

std::string short_identity(const TuneRequest& request) { return checksum_of(identity_of(request)); }

std::string sweep_text(const TuneRequest& request, const std::string& machine) {
  nlohmann::ordered_json sweep;
  sweep["format"] = 2;
  sweep["identity"] = short_identity(request);
  sweep["machine"] = machine;
  sweep["nodes"] = request.nodes;
  sweep["ppn"] = request.ppn;
  sweep["bytes"] = request.bytes;
  sweep["osu_sizes"] = request.osu_sizes;
  sweep["collectives"] = json::array();
  for (const Collective collective : request.collectives) sweep["collectives"].push_back(name_of(collective));
  sweep["counts"] = request.counts;
  sweep["algorithms"] = request.algorithms;
  sweep["library"] = request.library;
  sweep["baselines"] = request.baselines;
  sweep["placement"] = request.placement;
  sweep["engine"] = request.engine;
  sweep["confirming"] = request.confirming;
  sweep["mode"] = request.mode.text();
  sweep["loads"] = request.loads.texts();
  sweep["robust"] = request.loads.robust_text();
  sweep["statistic"] = request.loads.statistic_text();
  sweep["bound"] = request.bound;
  sweep["exhaustive"] = request.exhaustive;
  sweep["most_messages"] = request.budget.whole;
  sweep["most_messages_of_smaller"] = request.budget.in_all;
  sweep["most_messages_per_rank"] = request.budget.per_rank;
  std::string text = "{";  // a line for each, so that a refusal can name it
  try {
    for (const auto& [key, value] : sweep.items())
      text += (text.size() > 1 ? ",\n  " : "\n  ") + json(key).dump() + ": " + value.dump();
  } catch (const json::type_error&) {
    throw InputError("a sweep in parts: expected names of machine, plug-ins and placement in UTF-8");
  }
  return text + "\n}\n";
}

SweepFile parse_sweep(const std::string& text, const std::string& origin) {
  const Document document(text, origin);
  document.validate(json::parse(embedded::sweep_schema().at("sweep.schema")));
  const json& sweep = document.root();
  SweepFile file{sweep["machine"], sweep["identity"], {}};
  TuneRequest& request = file.request;
  request.nodes = sweep["nodes"].get<std::vector<int>>();
  request.ppn = sweep["ppn"].get<std::vector<int>>();
  request.bytes = sweep["bytes"].get<std::vector<std::int64_t>>();
  request.osu_sizes = sweep["osu_sizes"];
  const auto at = [&](const std::string& pointer, const auto& parse) {
    try {
      parse(sweep.at(json::json_pointer(pointer)).template get<std::string>());
    } catch (const InputError& error) {
      document.fail(pointer, error.what());
    }
  };
  for (std::size_t i = 0; i < sweep["collectives"].size(); ++i)
    at("/collectives/" + std::to_string(i),
       [&](const std::string& name) { request.collectives.push_back(any_collective_named(name)); });
  at("/counts", [&](const std::string& counts) {
    request.counts = counts;
    expect_spread_counts(request);
  });
  request.algorithms = sweep["algorithms"].get<std::vector<std::string>>();
  request.library = sweep["library"];
  request.baselines = sweep["baselines"].get<std::vector<std::string>>();
  request.placement = sweep["placement"];
  request.engine = sweep["engine"];
  request.confirming = sweep["confirming"];
  at("/mode", [&](const std::string& mode) { request.mode = parse_mode(mode); });
  at("/robust", [&](const std::string& robust) {
    request.loads = parse_loads(sweep["loads"].get<std::vector<std::string>>(), robust, sweep["statistic"]);
  });
  request.bound = sweep["bound"];
  request.exhaustive = sweep["exhaustive"];
  request.budget.whole = sweep["most_messages"];
  request.budget.in_all = sweep["most_messages_of_smaller"];
  request.budget.per_rank = sweep["most_messages_per_rank"];
  return file;
}

}  // namespace tutti
