#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "algos/error.hpp"
#include "tables/table.hpp"

namespace tutti::embedded {
extern const char* const table_schema;
}

namespace tutti {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kMicroseconds = 1e6;

Json place_json(const Place& place) {
  return {{"collective", name_of(place.collective)}, {"nodes", place.nodes}, {"ppn", place.ppn}};
}

Json cell_json(const Cell& cell) {
  Json json = place_json(cell.place);
  json["bytes"] = cell.bytes;
  for (const auto& [name, seconds] : cell.seconds) json["times_us"][name] = seconds * kMicroseconds;
  return json;
}

Json rule_json(const Rule& rule, const std::string& engine) {
  Json json = place_json(rule.place);
  json["from_bytes"] = rule.from_bytes;
  json["to_bytes"] = rule.to_bytes == Rule::kUnlimited ? Json() : Json(rule.to_bytes);
  json["algorithm"] = rule.algorithm;
  json["predicted_us"] = rule.predicted_seconds * kMicroseconds;
  json["regret"] = rule.regret;
  json["runner_up"] = rule.runner_up.empty() ? Json() : Json(rule.runner_up);
  json["margin"] = rule.margin;
  json["engine"] = engine;
  return json;
}

template <class Item, class Convert>
void append_lines(std::string& text, const char* key, const std::vector<Item>& items, const Convert& convert) {
  text += " \"" + std::string(key) + "\": [";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "\n  " : ",\n  ") + convert(items[i]).dump();
  text += "\n ]";
}

void check_schema(const nlohmann::json& document, const std::string& origin) {
  const nlohmann::json schema_json = nlohmann::json::parse(embedded::table_schema);
  valijson::Schema schema;
  valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_json), schema);
  valijson::ValidationResults results;
  valijson::Validator validator;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(document), &results)) return;
  valijson::ValidationResults::Error error, deepest;
  while (results.popError(error))
    if (error.context.size() >= deepest.context.size()) deepest = error;
  std::string where;
  for (const std::string& step : deepest.context) where += step;
  throw InputError(origin + ": " + where + ": " + deepest.description);
}

Place parse_place(const nlohmann::json& json) {
  return {collective_named(json.at("collective").get<std::string>()), json.at("nodes"), json.at("ppn")};
}

}  // namespace

std::string to_json_text(const Table& table) {
  Json head{{"format", "tutti-table-1"}, {"machine", table.machine},     {"engine", table.engine},
            {"mode", table.mode},        {"placement", table.placement}, {"bound", table.bound},
            {"left_out", table.left_out}};
  std::string text = "{\n";
  for (const auto& [key, value] : head.items()) text += " " + Json(key).dump() + ": " + value.dump() + ",\n";
  append_lines(text, "cells", table.cells, cell_json);
  text += ",\n";
  append_lines(text, "rules", table.rules, [&](const Rule& rule) { return rule_json(rule, table.engine); });
  return text + "\n}\n";
}

Table parse_table(const std::string& text, const std::string& origin) {
  nlohmann::json document;
  try {
    document = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    throw InputError(origin + ":" + std::to_string(1 + std::count(text.begin(), end, '\n')) +
                     ": expected a table in JSON");
  }
  check_schema(document, origin);
  Table table;
  document.at("machine").get_to(table.machine);
  document.at("engine").get_to(table.engine);
  document.at("mode").get_to(table.mode);
  document.at("placement").get_to(table.placement);
  document.at("bound").get_to(table.bound);
  document.at("left_out").get_to(table.left_out);
  for (const auto& json : document.at("cells")) {
    Cell cell{parse_place(json), json.at("bytes"), {}};
    for (const auto& [name, microseconds] : json.at("times_us").items())
      cell.seconds[name] = microseconds.get<double>() / kMicroseconds;
    table.cells.push_back(std::move(cell));
  }
  for (const auto& json : document.at("rules")) {
    Rule rule;
    rule.place = parse_place(json);
    json.at("from_bytes").get_to(rule.from_bytes);
    if (!json.at("to_bytes").is_null()) json.at("to_bytes").get_to(rule.to_bytes);
    json.at("algorithm").get_to(rule.algorithm);
    rule.predicted_seconds = json.at("predicted_us").get<double>() / kMicroseconds;
    json.at("regret").get_to(rule.regret);
    if (!json.at("runner_up").is_null()) json.at("runner_up").get_to(rule.runner_up);
    json.at("margin").get_to(rule.margin);
    table.rules.push_back(std::move(rule));
  }
  return table;
}

Table read_table(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw InputError(path + ": cannot be opened");
  std::ostringstream text;
  text << file.rdbuf();
  return parse_table(text.str(), path);
}

}  // namespace tutti
