#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "algos/named_choice.hpp"
#include "algos/what_runs.hpp"
#include "base/error.hpp"
#include "json/document.hpp"
#include "json/text_file.hpp"
#include "tables/table.hpp"

namespace tutti {
namespace embedded {
const std::map<std::string, std::string>& table_schema();
}

namespace {

using Json = nlohmann::ordered_json;
constexpr double kMicroseconds = 1e6;
constexpr std::int64_t kMostRanks = 1 << 24;  // some bytes of each are kept

/// Fourteen digits: what is read from a table is written the same again, whatever the unit's conversion rounds.
double microseconds(double seconds) {
  char text[32];
  const char* end =
      std::to_chars(text, text + sizeof text, seconds * kMicroseconds, std::chars_format::general, 14).ptr;
  double value = 0;
  std::from_chars(text, end, value);
  return value;
}

Json place_json(const Place& place) {
  Json json{{"collective", name_of(place.collective)}, {"nodes", place.nodes}, {"ppn", place.ppn}};
  if (!place.counts.empty()) json["counts"] = place.counts;
  return json;
}

/// A table knows nodes alone: whether it can be told what the choice divides by.
bool divides_by_nodes_alone(const Choice& choice) {
  return std::all_of(choice.parameters.begin(), choice.parameters.end(), [](const auto& parameter) {
    const auto& [name, value] = parameter;
    return value < kFirstChoice || !is_level(name) || is_none(value) || level_of(name) == Level::node;
  });
}

/// What runs under the choice's name there, with the collective's usual elements.
std::string runs_as(const std::string& choice, const Place& place, std::int64_t bytes) {
  Case c{place.collective, place.ranks(), 0, default_element_bytes(place.collective)};
  if (is_reduction(place.collective) && bytes % c.element_bytes != 0) return choice;  // no whole elements: no such call
  c.count = count_for_total_bytes(c.collective, c.ranks, c.element_bytes, bytes);
  const Choice named = parse_choice(place.collective, choice);
  if (!divides_by_nodes_alone(named)) return resolve(named, c).text();
  NodeOfRank nodes;
  for (Rank r = 0; r < c.ranks; ++r) nodes.push_back(r / place.ppn);
  return text_of_what_runs(named, c, nodes);
}

Json cell_json(const Cell& cell) {
  Json json = place_json(cell.place);
  json["bytes"] = cell.bytes;
  for (const auto& [name, seconds] : cell.seconds) json["times_us"][name] = microseconds(seconds);
  for (const auto& [name, seconds] : cell.default_seconds) json["defaults_us"][name] = microseconds(seconds);
  for (const auto& [name, seconds] : cell.seconds)
    if (const std::string ran = runs_as(name, cell.place, cell.bytes); ran != name) json["runs"][name] = ran;
  if (cell.least_default_seconds < std::numeric_limits<double>::infinity())
    json["least_default_us"] = microseconds(cell.least_default_seconds);
  if (!cell.undecided.empty()) json["undecided"] = cell.undecided;
  if (!cell.inferred.empty()) json["inferred"] = cell.inferred;
  for (const auto& [name, range] : cell.between_seconds)
    json["between_us"][name] = {microseconds(range.first), microseconds(range.second)};
  if (!cell.confirmed.empty()) json["confirmed"] = cell.confirmed;
  for (const auto& [name, beside_each] : cell.beside_each_seconds)
    for (const double seconds : beside_each) json["loads_us"][name].push_back(microseconds(seconds));
  for (const auto& [name, seconds] : cell.measured_seconds) json["measured_us"][name] = microseconds(seconds);
  for (const auto& [name, seconds] : cell.simulated_seconds) json["simulated_us"][name] = microseconds(seconds);
  return json;
}

std::vector<Cell>::const_iterator first_cell_of(const Rule& rule, const Table& table) {
  return std::lower_bound(table.cells.begin(), table.cells.end(), std::tie(rule.place, rule.from_bytes),
                          [](const Cell& c, const auto& from) { return std::tie(c.place, c.bytes) < from; });
}

/// At the sizes of the rule's range that were looked at.
std::set<std::string> runs_in(const Rule& rule, const Table& table) {
  const auto cell = first_cell_of(rule, table);
  std::set<std::string> ran;
  for (auto i = cell; i != table.cells.end() && i->place == rule.place && i->bytes <= rule.to_bytes; ++i)
    ran.insert(runs_as(rule.algorithm, i->place, i->bytes));
  return ran.empty() ? std::set{rule.algorithm} : ran;
}

Json rule_json(const Rule& rule, const Table& table) {
  Json json = place_json(rule.place);
  json["from_bytes"] = rule.from_bytes;
  json["to_bytes"] = rule.to_bytes == Rule::kUnlimited ? Json() : Json(rule.to_bytes);
  json["algorithm"] = rule.algorithm;
  if (const std::set<std::string> ran = runs_in(rule, table); ran != std::set{rule.algorithm}) json["runs"] = ran;
  json["predicted_us"] = microseconds(rule.predicted_seconds);
  if (const auto cell = first_cell_of(rule, table); table.loads.size() > 1 && cell != table.cells.end())
    if (const auto beside = cell->beside_each_seconds.find(rule.algorithm); beside != cell->beside_each_seconds.end())
      for (std::size_t l = 0; l < table.loads.size(); ++l)
        json["loads_us"][table.loads[l]] = microseconds(beside->second[l]);
  json["regret"] = rule.regret ? Json(*rule.regret) : Json();
  json["runner_up"] = rule.runner_up.empty() ? Json() : Json(rule.runner_up);
  json["margin"] = rule.margin ? Json(*rule.margin) : Json();
  for (const auto& [name, gain] : rule.gains) json["gains"][name] = gain;
  json["engine"] = rule.confirmed ? table.confirming : table.engine;
  json["inferred"] = rule.inferred;
  if (!rule.trust.empty()) json["trust"] = rule.trust;
  if (rule.undecided) json["undecided"] = true;
  if (rule.measured_regret) json["measured_regret"] = *rule.measured_regret;
  return json;
}

template <class Item, class Convert>
void append_lines(std::string& text, const char* key, const std::vector<Item>& items, const Convert& convert) {
  text += " \"" + std::string(key) + "\": [";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "\n  " : ",\n  ") + convert(items[i]).dump();
  text += "\n ]";
}

Place place_at(const Document& document, const std::string& pointer) {
  const nlohmann::json& json = document.root().at(nlohmann::json::json_pointer(pointer));
  Place place{any_collective_named(json.at("collective").get<std::string>()), json.at("nodes"), json.at("ppn"),
              json.value("counts", "")};
  if (std::int64_t{place.nodes} * place.ppn > kMostRanks)
    document.fail(pointer + "/nodes", "expected at most " + std::to_string(kMostRanks) + " ranks");
  if (!is_regular(place.collective) && place.counts.empty()) document.fail(pointer, "expected \"counts\"");
  if (!place.counts.empty()) try {
      expect_spread(place.collective, place.counts, place.ranks());
    } catch (const InputError& error) {
      document.fail(pointer + "/counts", error.what());
    }
  return place;
}

/// The name of a choice of ours, at `pointer`.
std::string choice_at(const Document& document, const std::string& pointer, Collective collective,
                      const std::string& text) {
  try {
    return parse_choice(collective, text).text();
  } catch (const InputError& error) {
    const std::string why = error.what();
    document.fail(pointer, why + (why.starts_with("unknown algorithm") ? " (or --plugin FILE, which has it)" : ""));
  }
}

Cell cell_at(const Document& document, const std::string& pointer, std::size_t loads) {
  const nlohmann::json& json = document.root().at(nlohmann::json::json_pointer(pointer));
  Cell cell{place_at(document, pointer), json.at("bytes"), {}};
  if (cell.bytes > kLargestTotalBytes) document.fail(pointer + "/bytes", "expected at most 2^56");
  const auto times = [&](const char* key, std::map<std::string, double>& into) {
    const nlohmann::json by_name = json.value(key, nlohmann::json::object());
    for (const auto& [name, microseconds] : by_name.items())
      into[choice_at(document, pointer + "/" + key, cell.place.collective, name)] =
          microseconds.get<double>() / kMicroseconds;
  };
  times("times_us", cell.seconds);
  times("measured_us", cell.measured_seconds);
  times("simulated_us", cell.simulated_seconds);
  if (const auto defaults = json.find("defaults_us"); defaults != json.end())
    for (const auto& [name, microseconds] : defaults->items())
      cell.default_seconds[name] = microseconds.get<double>() / kMicroseconds;
  if (const auto least = json.find("least_default_us"); least != json.end())
    cell.least_default_seconds = least->get<double>() / kMicroseconds;
  const auto names = [&](const char* key, std::set<std::string>& into, bool have_times = true) {
    for (const auto& name : json.value(key, nlohmann::json::array())) {
      into.insert(choice_at(document, pointer + "/" + key, cell.place.collective, name));
      if (have_times &&
          !std::all_of(into.begin(), into.end(), [&](const std::string& one) { return cell.seconds.contains(one); }))
        document.fail(pointer + "/" + key, "expected names that are in times_us");
    }
  };
  names("undecided", cell.undecided, false);
  names("inferred", cell.inferred);
  if (const auto between = json.find("between_us"); between != json.end())
    for (const auto& [name, range] : between->items()) {
      if (!cell.inferred.contains(name)) document.fail(pointer + "/between_us", "expected names that are inferred");
      cell.between_seconds[name] = {range[0].get<double>() / kMicroseconds, range[1].get<double>() / kMicroseconds};
    }
  names("confirmed", cell.confirmed);
  if (const auto beside = json.find("loads_us"); beside != json.end())
    for (const auto& [name, by_load] : beside->items()) {
      if (!cell.seconds.contains(name)) document.fail(pointer + "/loads_us", "expected names that are in times_us");
      if (by_load.size() != loads)
        document.fail(pointer + "/loads_us", "expected a time beside each of the loads: " + std::to_string(loads));
      for (const double microseconds : by_load) cell.beside_each_seconds[name].push_back(microseconds / kMicroseconds);
    }
  return cell;
}

Rule rule_at(const Document& document, const std::string& pointer, const Table& table) {
  const nlohmann::json& json = document.root().at(nlohmann::json::json_pointer(pointer));
  const auto name = [&](const char* key) {
    return choice_at(document, pointer + "/" + key, any_collective_named(json.at("collective").get<std::string>()),
                     json.at(key));
  };
  Rule rule;
  rule.place = place_at(document, pointer);
  json.at("from_bytes").get_to(rule.from_bytes);
  if (!json.at("to_bytes").is_null()) json.at("to_bytes").get_to(rule.to_bytes);
  rule.algorithm = name("algorithm");
  rule.predicted_seconds = json.at("predicted_us").get<double>() / kMicroseconds;
  if (!json.at("runner_up").is_null()) rule.runner_up = name("runner_up");
  rule.gains = json.value("gains", std::map<std::string, double>());
  json.at("inferred").get_to(rule.inferred);
  rule.trust = json.value("trust", "");
  rule.undecided = json.value("undecided", false);
  const auto known = [&](const char* key) -> double {
    if (json.at(key).is_null())
      document.fail(pointer + "/" + key, "expected a number, for the rule is not marked undecided");
    return json.at(key);
  };
  // Earlier tables have numbers, such as 0, also where neither is known.
  if (!rule.undecided) rule.regret = known("regret");
  if (!rule.undecided && !rule.runner_up.empty()) rule.margin = known("margin");
  if (const auto regret = json.find("measured_regret"); regret != json.end()) rule.measured_regret = *regret;
  const std::string engine = json.at("engine");
  rule.confirmed = !table.confirming.empty() && engine == table.confirming;
  if (!rule.confirmed && engine != table.engine)
    document.fail(pointer + "/engine", "expected the engine or the confirming engine of the table");
  return rule;
}

/// Look-ups search by halves: a table that is not sorted would answer wrongly.
void check_order(const Document& document, const Table& table) {
  for (std::size_t i = 1; i < table.cells.size(); ++i)
    if (std::tie(table.cells[i - 1].place, table.cells[i - 1].bytes) >=
        std::tie(table.cells[i].place, table.cells[i].bytes))
      document.fail("/cells/" + std::to_string(i), "expected cells sorted by collective, nodes, ppn, counts and bytes");
  for (std::size_t i = 0; i < table.rules.size(); ++i) {
    const std::string pointer = "/rules/" + std::to_string(i);
    const Rule& rule = table.rules[i];
    if (rule.to_bytes < rule.from_bytes) document.fail(pointer + "/to_bytes", "expected no less than from_bytes");
    if (i == 0) continue;
    const Rule& before = table.rules[i - 1];
    if (rule.place < before.place || (rule.place == before.place && rule.from_bytes <= before.to_bytes))
      document.fail(pointer, "expected rules sorted by collective, nodes, ppn, counts and sizes, which do not overlap");
  }
}

/// Who reads a table asks for the time of each cell's choice.
void check_choices(const Document& document, const Table& table) {
  for (std::size_t i = 0; i < table.cells.size(); ++i) {
    const Cell& cell = table.cells[i];
    const Rule* const rule = look_up(table, cell.place, cell.bytes);
    if (!rule || !cell.seconds.contains(rule->algorithm))
      document.fail("/cells/" + std::to_string(i),
                    rule ? "expected a time of " + rule->algorithm + ", which a rule names for it" : "expected a rule");
  }
}

}  // namespace

std::string to_json_text(const Table& table) {
  std::size_t times = 0, inferred = 0;
  for (const Cell& cell : table.cells) times += cell.seconds.size(), inferred += cell.inferred.size();
  Json head{{"format", "tutti-table-1"}, {"machine", table.machine},
            {"engine", table.engine},    {"confirming", table.confirming.empty() ? Json() : Json(table.confirming)},
            {"mode", table.mode},        {"placement", table.placement},
            {"bound", table.bound},      {"simulated", times - inferred},
            {"inferred", inferred},      {"dropped", table.dropped},
            {"refused", table.refused},  {"left_out", table.left_out}};
  if (!table.library.empty()) head["for"] = table.library;
  if (!table.loads.empty()) head["loads"] = table.loads, head["robust"] = table.robust;
  if (!table.loads.empty() && table.statistic != "median") head["statistic"] = table.statistic;
  if (!table.notes.empty()) head["notes"] = table.notes;
  std::string text = "{\n";
  for (const auto& [key, value] : head.items()) text += " " + Json(key).dump() + ": " + value.dump() + ",\n";
  append_lines(text, "cells", table.cells, cell_json);
  text += ",\n";
  append_lines(text, "rules", table.rules, [&](const Rule& rule) { return rule_json(rule, table); });
  return text + "\n}\n";
}

Table parse_table(const std::string& text, const std::string& origin) {
  static const nlohmann::json schema = nlohmann::json::parse(embedded::table_schema().at("table.schema"));
  const Document document(text, origin);
  document.validate(schema);
  const nlohmann::json& root = document.root();
  Table table;
  root.at("machine").get_to(table.machine);
  root.at("engine").get_to(table.engine);
  root.at("mode").get_to(table.mode);
  root.at("placement").get_to(table.placement);
  root.at("bound").get_to(table.bound);
  root.at("refused").get_to(table.refused);
  root.at("left_out").get_to(table.left_out);
  root.at("dropped").get_to(table.dropped);
  if (const auto notes = root.find("notes"); notes != root.end()) notes->get_to(table.notes);
  if (!root.at("confirming").is_null()) root.at("confirming").get_to(table.confirming);
  table.library = root.value("for", "");
  table.loads = root.value("loads", std::vector<std::string>());
  table.robust = root.value("robust", "");
  if (table.loads.empty() != table.robust.empty()) document.fail("/loads", "expected loads and robust together");
  table.statistic = root.value("statistic", table.loads.empty() ? "" : "median");
  if (table.loads.empty() && !table.statistic.empty()) document.fail("/statistic", "expected loads beside it");
  // Exporters write them into comments of one line.
  std::vector<std::pair<std::string, const std::string*>> lines{{"machine", &table.machine},
                                                                {"engine", &table.engine},
                                                                {"mode", &table.mode},
                                                                {"for", &table.library},
                                                                {"placement", &table.placement}};
  for (const std::string& load : table.loads) lines.emplace_back("loads", &load);
  for (const auto& [key, line] : lines)
    if (std::any_of(line->begin(), line->end(), [](unsigned char c) { return c < ' '; }))
      document.fail("/" + key, "expected a text without line breaks or control characters");
  for (std::size_t i = 0; i < root.at("cells").size(); ++i)
    table.cells.push_back(cell_at(document, "/cells/" + std::to_string(i), table.loads.size()));
  for (std::size_t i = 0; i < root.at("rules").size(); ++i)
    table.rules.push_back(rule_at(document, "/rules/" + std::to_string(i), table));
  check_order(document, table);
  check_choices(document, table);
  return table;
}

Table read_table(const std::string& path) { return parse_table(text_of_file(path, "table"), path); }

}  // namespace tutti
