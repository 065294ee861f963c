#include "cli/simulated.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/csv_field.hpp"
#include "base/sizes.hpp"
#include "cli/critical_path.hpp"
#include "sim/spread.hpp"

namespace tutti::cli {
namespace {

std::string row_bytes_text(const SimulatedRow& row) {
  return with_simulated(std::to_string(row.bytes), std::to_string(row.bytes_simulated));
}

bool is_default(const SimulatedRow& row) { return row.algorithm.starts_with("default:"); }

const char* times_are(const SimulatedHead& head, bool has_spread) {
  return !has_spread             ? "those of one call"
         : head.several_arrivals ? "medians of calls, each with arrivals of its own"
                                 : "medians of calls in turn";
}

std::string background_note(const SimulatedHead& head, bool has_spread) {
  return "beside " + head.background + ": times are " + times_are(head, has_spread) + "; " +
         (head.no_congestion_trees.empty() ? "messages wait in its congestion trees" : head.no_congestion_trees) + "\n";
}

std::string value_text(const nlohmann::ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string remark_of(const SimulatedRow& row) {
  if (is_default(row)) return "  " + row.chosen;
  return row.chosen == row.algorithm ? "" : "  runs " + row.chosen;
}

}  // namespace

nlohmann::ordered_json asked_otherwise(const std::string& placement, Rank root, std::optional<std::int32_t> element,
                                       const std::string& op, bool in_place) {
  nlohmann::ordered_json asked = nlohmann::ordered_json::object();
  if (placement != "block") asked["placement"] = placement;
  if (root != 0) asked["root"] = root;
  if (element) asked["element"] = *element;
  if (op != "sum") asked["op"] = op;
  if (in_place) asked["in_place"] = true;
  return asked;
}

std::string asked_text(const nlohmann::ordered_json& asked) {
  std::string text;
  for (const auto& [name, value] : asked.items())
    text += value.is_boolean() ? ", in place" : fmt::format(", {} {}", name, value_text(value));
  return text;
}

std::string csv_of(const SimulatedHead& head, std::span<const SimulatedRow> rows) {
  std::string text =
      "system,collective,algorithm,ranks,nodes,ppn,bytes,bytes_simulated,time_us,messages,engine,mode,chosen,trust";
  if (head.has_spread()) text += ",p05_us,p95_us,mean_us,calls";
  if (!head.background.empty()) text += ",background";
  if (!head.noise.empty()) text += ",noise";
  for (const auto& [name, value] : head.asked.items()) text += "," + name;
  if (head.seed) text += ",seed";
  if (!head.counts.empty()) text += ",counts";
  if (!head.neighbors.empty()) text += ",neighbors";
  text += "\n";
  for (const SimulatedRow& row : rows) {
    text += fmt::format("{},{},{},{},{},{},{},{},{:.6f},{},{},{},{},{}", head.system, head.collective,
                        csv_field(row.algorithm), row.ranks, row.nodes, row.ppn, row.bytes, row.bytes_simulated,
                        row.result.makespan_seconds * 1e6, row.result.messages, head.engine, head.mode,
                        csv_field(row.chosen), to_string(row.trust));
    if (head.has_spread()) {
      const Spread spread = spread_of(row.result.seconds_per_call);
      text += fmt::format(",{:.6f},{:.6f},{:.6f},{}", spread.p05 * 1e6, spread.p95 * 1e6, spread.mean * 1e6,
                          row.result.seconds_per_call.size());
    }
    const auto add = [&](const std::string& beside) {
      if (!beside.empty()) text += fmt::format(",\"{}\"", beside);
    };
    add(head.background);
    add(head.noise);
    for (const nlohmann::ordered_json& value : head.asked) text += "," + csv_field(value_text(value));
    if (head.seed) text += fmt::format(",{}", *head.seed);
    add(head.counts);
    add(head.neighbors);
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json json_of(const SimulatedHead& head, std::span<const SimulatedRow> rows, const Network& network,
                               bool checked) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const SimulatedRow& row : rows) {
    nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
    for (const double seconds : row.result.seconds_per_rank) ranks.push_back(seconds * 1e6);
    all.push_back({{"system", head.system},
                   {"collective", head.collective},
                   {"algorithm", row.algorithm},
                   {"chosen", row.chosen},
                   {"ranks", row.ranks},
                   {"nodes", row.nodes},
                   {"ppn", row.ppn},
                   {"bytes", row.bytes},
                   {"bytes_simulated", row.bytes_simulated},
                   {"time_us", row.result.makespan_seconds * 1e6},
                   {"messages", row.result.messages},
                   {"engine", head.engine},
                   {"mode", head.mode},
                   {"time_us_per_rank", ranks},
                   {"bytes_per_level", row.result.bytes_per_level},
                   {"critical_path", critical_path_json(row.result, network)},
                   {"bounds", bounds_json(row.result, network)},
                   {"trust", to_string(row.trust)},
                   {"contention", contention_word(head.fabric)}});
    all.back().update(head.asked);
    if (head.seed) all.back()["seed"] = *head.seed;
    if (!head.counts.empty()) all.back()["counts"] = head.counts;
    if (!head.neighbors.empty()) all.back()["neighbors"] = head.neighbors;
    if (checked) all.back()["wrong"] = row.result.fault;
    if (!head.has_spread()) continue;
    all.back().erase("time_us_per_rank");  // of the last call, which is not the one that time_us is of
    if (!head.background.empty()) {
      all.back()["background"] = head.background;
      all.back()["congestion_trees"] = head.no_congestion_trees.empty();
    }
    if (!head.noise.empty()) all.back()["noise"] = head.noise;
    nlohmann::ordered_json& calls = all.back()["time_us_per_call"] = nlohmann::ordered_json::array();
    for (const double seconds : row.result.seconds_per_call) calls.push_back(seconds * 1e6);
  }
  return all;
}

std::string table_of(const SimulatedHead& head, std::span<const SimulatedRow> rows) {
  const SimulatedRow& first = rows.front();
  const auto is_there = [&](const SimulatedRow& row) {
    return std::pair(row.nodes, row.ppn) == std::pair(first.nodes, first.ppn) && row.ranks == first.ranks;
  };
  const bool several = !std::all_of(rows.begin(), rows.end(), is_there);
  const std::string where = several ? fmt::format("{} to {} ranks", first.ranks, rows.back().ranks)
                                    : fmt::format("{} ranks, {} nodes, {}{} per node", first.ranks, first.nodes,
                                                  first.ranks < first.nodes * first.ppn ? "up to " : "", first.ppn);
  const std::string seed = head.seed ? fmt::format(", seed {}", *head.seed) : "";
  std::string text = fmt::format("{} on {}: {}{}, {}, {}{}\n", head.collective, head.system, where,
                                 asked_text(head.asked), head.engine, head.mode, head.noise.empty() ? seed : "");
  const std::string note = contention_note(head.fabric);
  if (!note.empty() && std::any_of(rows.begin(), rows.end(), [](const SimulatedRow& row) { return row.nodes > 1; }))
    text += note + "\n";
  if (!head.losses.empty()) text += head.losses + "\n";
  if (!head.counts.empty()) text += "counts " + head.counts + "\n";
  if (!head.neighbors.empty()) text += "neighbours " + head.neighbors + "\n";
  const bool has_spread = head.has_spread() && std::any_of(rows.begin(), rows.end(), [](const SimulatedRow& row) {
                            return row.result.seconds_per_call.size() > 1;
                          });
  if (!head.background.empty()) text += background_note(head, has_spread);
  if (head.several_arrivals && head.noise.empty())
    text += fmt::format("late ranks: times are {}\n", times_are(head, has_spread));
  if (!head.noise.empty())
    text += fmt::format("noise {}{}, {:.3g} % of the processors' time: times are {}\n", head.noise, seed,
                        100 * head.noise_share, times_are(head, has_spread));
  const std::string columns = several ? fmt::format("{:>8} {:>7} {:>5} ", "ranks", "nodes", "ppn") : "";
  const std::string spread_columns =
      !has_spread ? "" : fmt::format(" {:>12} {:>12} {:>12}", "5 % us", "95 % us", "mean us");
  std::size_t width = 34, bytes_width = 12;
  for (const SimulatedRow& row : rows) {
    width = std::max(width, row.algorithm.size());
    bytes_width = std::max(bytes_width, row_bytes_text(row).size());
  }
  text += fmt::format("{}{:<{}} {:>{}} {:>14}{} {:>10}  {}\n", columns, "algorithm", width, "bytes", bytes_width,
                      "time us", spread_columns, "messages", "trust");
  for (const SimulatedRow& row : rows) {
    if (several) text += fmt::format("{:>8} {:>7} {:>5} ", row.ranks, row.nodes, row.ppn);
    std::string spread;
    if (has_spread) {
      const Spread of = spread_of(row.result.seconds_per_call);
      spread = fmt::format(" {:>12.3f} {:>12.3f} {:>12.3f}", of.p05 * 1e6, of.p95 * 1e6, of.mean * 1e6);
    }
    text += fmt::format("{:<{}} {:>{}} {:>14.3f}{} {:>10}  {:<11}{}\n", row.algorithm, width, row_bytes_text(row),
                        bytes_width, row.result.makespan_seconds * 1e6, spread, row.result.messages,
                        to_string(row.trust), remark_of(row));
    while (text.ends_with(" \n")) text.erase(text.size() - 2, 1);
  }
  const auto is_rounded = [](const SimulatedRow& row) { return row.bytes != row.bytes_simulated; };
  return std::any_of(rows.begin(), rows.end(), is_rounded) ? text + kSimulatedNote : text;
}

}  // namespace tutti::cli
