#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "tables/table.hpp"

namespace tutti {
namespace {

Table sample() {
  Table table{"a machine", "simgrid", "isolated", "block", 0.05, 2, 3, {}, {}};
  // Times that a double cannot hold exactly, in seconds or in microseconds.
  double seconds = 1.234567e-6;
  for (const Collective collective : {Collective::allgather, Collective::bcast})
    for (const int nodes : {2, 3, 7})
      for (std::int64_t bytes = 0; bytes <= 1 << 20; bytes = bytes == 0 ? 1 : bytes * 8) {
        table.cells.push_back(
            {{collective, nodes, 5},
             bytes,
             {{"linear", seconds}, {collective == Collective::bcast ? "knomial:radix=3" : "ring", 1 / seconds / 1e10}},
             {{"a library", seconds * 1.1}}});
        seconds *= 1.37;
      }
  derive_rules(table);
  return table;
}

std::string refusal(const std::string& text) {
  try {
    parse_table(text, "t.json");
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "accepted";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string line_of(const std::string& text, const std::string& part) {
  const auto at = static_cast<long>(text.find(part));
  return std::to_string(std::count(text.begin(), text.begin() + at, '\n') + 1);
}

TEST(TableJson, IsReadAndWrittenAgainByteForByte) {
  const Table table = sample();
  const std::string text = to_json_text(table);
  const Table read = parse_table(text, "t.json");
  EXPECT_EQ(to_json_text(read), text);
  ASSERT_EQ(read.cells.size(), table.cells.size());
  for (std::size_t i = 0; i < table.cells.size(); ++i) {
    EXPECT_EQ(read.cells[i].place, table.cells[i].place);
    EXPECT_EQ(read.cells[i].bytes, table.cells[i].bytes);
    for (const auto& [name, seconds] : table.cells[i].seconds)
      EXPECT_NEAR(read.cells[i].seconds.at(name), seconds, 1e-12 * seconds);
  }
  ASSERT_EQ(read.rules.size(), table.rules.size());
  for (std::size_t i = 0; i < table.rules.size(); ++i) {
    EXPECT_EQ(read.rules[i].algorithm, table.rules[i].algorithm);
    EXPECT_EQ(read.rules[i].to_bytes, table.rules[i].to_bytes);
    EXPECT_EQ(read.rules[i].runner_up, table.rules[i].runner_up);
    EXPECT_EQ(read.rules[i].regret, table.rules[i].regret);
  }
}

TEST(TableJson, WhatRunsUnderANameThatFallsBackIsSaid) {
  Table table{"m", "e", "isolated", "block", 0.05, 0, 0, {}, {}};
  const Place place{Collective::allreduce, 7, 1};
  table.cells = {{place, 8, {{"ring", 1e-6}}}, {place, 1 << 20, {{"ring", 1e-3}}}};
  derive_rules(table);
  ASSERT_EQ(table.rules.size(), 1U);
  const std::string text = to_json_text(table);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["cells"][0]["runs"], (nlohmann::json{{"ring", "recursive_doubling"}}));
  EXPECT_FALSE(json["cells"][1].contains("runs"));
  EXPECT_EQ(json["rules"][0]["runs"], (nlohmann::json{"recursive_doubling", "ring"}));
  EXPECT_EQ(to_json_text(parse_table(text, "t.json")), text);
  table.cells.erase(table.cells.begin());
  derive_rules(table);
  EXPECT_EQ(to_json_text(table).find("runs"), std::string::npos);
}

TEST(TableJson, AnyTimeSurvivesTheUnitConversion) {
  Table table{"m", "e", "isolated", "block", 0, 0, 0, {}, {}};
  double seconds = 1e-12;
  for (std::int64_t bytes = 0; bytes < 3000; ++bytes, seconds *= 1.0137)
    table.cells.push_back({{Collective::bcast, 2, 1}, bytes, {{"linear", seconds}}});
  derive_rules(table);
  const std::string text = to_json_text(table);
  EXPECT_EQ(to_json_text(parse_table(text, "t.json")), text);
}

TEST(TableJson, HasOneSortedLineForEveryCellAndRule) {
  const Table table = sample();
  std::istringstream text(to_json_text(table));
  std::vector<std::tuple<std::string, int, int, std::int64_t>> cells, rules;
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("  {")) continue;
    if (line.ends_with(",")) line.pop_back();
    const auto json = nlohmann::json::parse(line);
    auto& list = json.contains("from_bytes") ? rules : cells;
    list.emplace_back(json["collective"], json["nodes"], json["ppn"],
                      json.contains("from_bytes") ? json["from_bytes"] : json["bytes"]);
  }
  EXPECT_EQ(cells.size(), table.cells.size());
  EXPECT_EQ(rules.size(), table.rules.size());
  EXPECT_TRUE(std::is_sorted(cells.begin(), cells.end()));
  EXPECT_TRUE(std::is_sorted(rules.begin(), rules.end()));
}

TEST(TableJson, TimesOfDefaultsAndGainsAreThereWhereKnown) {
  Table table = sample();
  const std::string text = to_json_text(table);
  const Table read = parse_table(text, "t.json");
  EXPECT_NEAR(read.cells[3].default_seconds.at("a library"), table.cells[3].default_seconds.at("a library"), 1e-18);
  EXPECT_EQ(read.rules[0].gains, table.rules[0].gains);
  EXPECT_TRUE(refusal(replaced(text, "\"defaults_us\":{\"a library\":", "\"defaults_us\":{\"a library\":-"))
                  .starts_with("t.json:15: /cells/0/defaults_us/a library: "));
  for (Cell& cell : table.cells) cell.default_seconds.clear();
  derive_rules(table);
  EXPECT_EQ(to_json_text(table).find("defaults_us"), std::string::npos);
  EXPECT_EQ(to_json_text(table).find("gains"), std::string::npos);
}

TEST(TableJson, WhatWasInferredAndWhatAnotherEngineDecidedIsSaid) {
  Table table = sample();
  table.confirming = "other";
  table.dropped = 5;
  for (Cell& cell : table.cells) {
    for (const auto& [name, seconds] : cell.seconds) cell.confirmed.insert(name);
    if (cell.place.nodes == 3) {
      cell.inferred.insert("linear");
      cell.between_seconds["linear"] = {1e-6, 2e-6};
    }
  }
  derive_rules(table);
  const std::string text = to_json_text(table);
  const Table read = parse_table(text, "t.json");
  EXPECT_EQ(to_json_text(read), text);
  EXPECT_EQ(read.dropped, 5);
  const nlohmann::json json = nlohmann::json::parse(text);
  EXPECT_EQ(json["inferred"], table.cells.size() / 3);
  EXPECT_EQ(json["simulated"], table.cells.size() * 2 - table.cells.size() / 3);
  for (std::size_t i = 0; i < read.rules.size(); ++i) {
    EXPECT_TRUE(read.rules[i].confirmed);
    EXPECT_EQ(json["rules"][i]["engine"], "other");
    EXPECT_EQ(read.rules[i].inferred, read.rules[i].place.nodes == 3 && read.rules[i].algorithm == "linear");
  }
  EXPECT_NE(refusal(replaced(text, "\"inferred\":[\"linear\"]", "\"inferred\":[\"bruck\"]")).find("times_us"),
            std::string::npos);
  EXPECT_NE(refusal(replaced(text, "\"engine\":\"other\"", "\"engine\":\"third\"")).find("/rules/0/engine: "),
            std::string::npos);
}

TEST(TableJson, WhatIsNotDecidedAndWhatDefaultsTakeAtLeastIsKept) {
  Table table = sample();
  table.cells[0].undecided = {"bruck"};  // which has no time
  table.cells[0].least_default_seconds = 1.234e-6;
  derive_rules(table);
  const std::string text = to_json_text(table);
  const Table read = parse_table(text, "t.json");
  EXPECT_EQ(to_json_text(read), text);
  EXPECT_EQ(read.cells[0].undecided, table.cells[0].undecided);
  EXPECT_NEAR(read.cells[0].least_default_seconds, 1.234e-6, 1e-18);
  EXPECT_TRUE(read.cells[1].undecided.empty());
  EXPECT_TRUE(read.rules[0].undecided);
  EXPECT_FALSE(read.rules.back().undecided);
  EXPECT_TRUE(read.rules.back().regret && read.rules.back().margin);
  EXPECT_NE(
      refusal(replaced(text, "\"undecided\":[\"bruck\"]", "\"undecided\":[\"brook\"]")).find("/cells/0/undecided"),
      std::string::npos);
}

TEST(TableJson, ARegretThatNobodyKnowsIsNullAlsoOfTablesThatHadANumberThere) {
  Table table = sample();
  table.cells[0].undecided = {"bruck"};
  derive_rules(table);
  const std::string text = to_json_text(table);
  const auto rule = nlohmann::json::parse(text)["rules"][0];
  EXPECT_TRUE(rule["regret"].is_null());
  EXPECT_TRUE(rule["margin"].is_null());
  EXPECT_FALSE(rule["runner_up"].is_null()) << "the closest of those whose times are known";
  std::string earlier =
      replaced(replaced(text, "\"regret\":null", "\"regret\":0.0"), "\"margin\":null", "\"margin\":0.5");
  EXPECT_EQ(to_json_text(parse_table(earlier, "t.json")), text);
  for (const char* key : {"regret", "margin"}) {
    auto without = nlohmann::json::parse(to_json_text(sample()));
    without["rules"][0][key] = nullptr;
    EXPECT_TRUE(
        refusal(without.dump())
            .ends_with(std::string("/rules/0/") + key + ": expected a number, for the rule is not marked undecided"));
  }
}

TEST(TableJson, WhatWasMeasuredIsKept) {
  Table table = sample();
  table.cells[3].measured_seconds = {{"ring", 1.5e-3}, {"bruck", 2e-3}};
  table.rules[0].measured_regret = 0.25;
  const std::string text = to_json_text(table);
  const Table read = parse_table(text, "t.json");
  EXPECT_EQ(to_json_text(read), text);
  EXPECT_EQ(read.cells[3].measured_seconds.at("bruck"), 2e-3);
  EXPECT_EQ(read.rules[0].measured_regret, 0.25);
  EXPECT_FALSE(read.rules[1].measured_regret);
  EXPECT_NE(refusal(replaced(text, "\"bruck\":2000", "\"brock\":2000")).find("/cells/3/measured_us: "),
            std::string::npos);
}

TEST(TableJson, NamesOfSeveralLinesAreRefused) {
  const std::string text = to_json_text(sample());
  EXPECT_TRUE(refusal(replaced(text, "\"a machine\"", "\"a machine\\n1 2 3\"")).starts_with("t.json:3: /machine: "));
}

TEST(TableJson, AnEmptyTableIsATable) {
  const Table table{"m", "e", "isolated", "block", 0.05, 7, 12, {}, {}};
  const Table read = parse_table(to_json_text(table), "t.json");
  EXPECT_EQ(read.refused, 7);
  EXPECT_EQ(read.left_out, 12);
  EXPECT_TRUE(read.cells.empty() && read.rules.empty());
}

TEST(TableJson, WhatBreaksTheSchemaIsRefusedByLineAndPointer) {
  const std::string text = to_json_text(sample());
  const std::string first_cell = "t.json:" + line_of(text, "  {\"collective\"") + ": /cells/0";
  EXPECT_EQ(refusal(text), "accepted");
  EXPECT_TRUE(refusal(replaced(text, "tutti-table-1", "tutti-table-0")).starts_with("t.json:2: /format: "));
  EXPECT_TRUE(refusal(replaced(text, " \"bound\": 0.05,\n", "")).starts_with("t.json:1: "));
  EXPECT_TRUE(refusal(replaced(text, "\"bound\": 0.05", "\"bound\": -1")).starts_with("t.json:8: /bound: "));
  EXPECT_TRUE(refusal(replaced(text, "\"bound\"", "\"regret_bound\"")).starts_with("t.json:"));
  EXPECT_TRUE(refusal(replaced(text, "\"bytes\":0", "\"bytes\":-1")).starts_with(first_cell + "/bytes: "));
  EXPECT_TRUE(refusal(replaced(text, "\"bytes\":0", "\"bytes\":1e30")).starts_with(first_cell + "/bytes: "));
  EXPECT_TRUE(
      refusal(replaced(text, "\"bytes\":0", "\"bytes\":9223372036854775807")).starts_with(first_cell + "/bytes: "));
  EXPECT_TRUE(
      refusal(replaced(text, "\"bytes\":0", "\"bytes\":18446744073709551615")).starts_with(first_cell + "/bytes: "));
  EXPECT_TRUE(
      refusal(replaced(text, "\"bytes\":0", "\"bytes\":72057594037927937")).starts_with(first_cell + "/bytes: "))
      << "above 2^56";
  EXPECT_TRUE(
      refusal(replaced(text, "\"bytes\":0", "\"bytes\":72057594037927937")).starts_with(first_cell + "/bytes: "))
      << "above 2^56";
  EXPECT_TRUE(refusal(replaced(text, "\"nodes\":2", "\"nodes\":0")).starts_with(first_cell + "/nodes: "));
  EXPECT_TRUE(refusal(replaced(text, "\"nodes\":2", "\"nodes\":4294967298")).starts_with(first_cell + "/nodes: "));
  EXPECT_TRUE(refusal(replaced(text, "\"nodes\":2", "\"nodes\":1073741824")).starts_with(first_cell + "/nodes: "));
  EXPECT_EQ(refusal(replaced(text, "\"nodes\":2", "\"nodes\":1000000000")),
            first_cell + "/nodes: expected at most 16777216 ranks");
  EXPECT_TRUE(refusal(replaced(text, "\"nodes\":2", "\"nodes\":2,\"more\":1")).find("/more: unknown key") !=
              std::string::npos);
  EXPECT_TRUE(refusal(replaced(text, "{\"linear\":", "{\"linear\":-")).starts_with(first_cell + "/times_us/linear: "));
  EXPECT_TRUE(refusal(replaced(text, "{\"linear\":", "{\"linear\":1e999,\"ring\":")).starts_with("t.json:15: "));
  EXPECT_TRUE(refusal(replaced(text, "\"allgather\"", "\"allgathers\"")).starts_with(first_cell + "/collective: "));
}

TEST(TableJson, AnUnknownAlgorithmIsRefusedByLine) {
  const std::string text = to_json_text(sample());
  const std::string refused = refusal(replaced(text, "{\"linear\":", "{\"quadratic\":"));
  EXPECT_TRUE(refused.starts_with("t.json:15: /cells/0/times_us: unknown algorithm 'quadratic' for allgather"))
      << refused;
  const std::string rule = refusal(replaced(text, "\"algorithm\":\"", "\"algorithm\":\"un"));
  EXPECT_TRUE(rule.starts_with("t.json:" + line_of(text, "\"algorithm\"") + ": /rules/0/algorithm: ")) << rule;
}

TEST(TableJson, WhatIsNotSortedIsRefusedAsLookUpsWouldGoWrong) {
  const std::string text = to_json_text(sample());
  EXPECT_TRUE(refusal(replaced(text, "\"bytes\":8,", "\"bytes\":80000,")).starts_with("t.json:18: /cells/3: "));
  EXPECT_TRUE(refusal(replaced(text, "\"bytes\":8,", "\"bytes\":1,")).starts_with("t.json:17: /cells/2: "));
  const std::string rule_line = line_of(text, "\"from_bytes\":0");
  EXPECT_NE(refusal(replaced(text, "\"from_bytes\":0", "\"from_bytes\":4611686018427387904")), "accepted");
  const std::size_t second = text.find("\"from_bytes\":", text.find("\"from_bytes\":0") + 1);
  std::string overlapping = text;
  overlapping.replace(second, text.find(',', second) - second, "\"from_bytes\":1");
  EXPECT_TRUE(refusal(overlapping).starts_with("t.json:" + std::to_string(std::stoi(rule_line) + 1) + ": /rules/1: "))
      << refusal(overlapping);
}

TEST(TableJson, ABrokenTextIsRefusedWithItsLine) {
  const std::string text = to_json_text(sample());
  EXPECT_TRUE(refusal("").starts_with("t.json:1: expected JSON"));
  EXPECT_TRUE(refusal("[]").starts_with("t.json:1: "));
  EXPECT_TRUE(refusal(text.substr(0, text.find("\"bytes\":8,"))).starts_with("t.json:17: expected JSON"));
  EXPECT_TRUE(refusal(replaced(text, "\"bytes\":8,", "\"bytes\":,")).starts_with("t.json:17: expected JSON"));
  EXPECT_TRUE(refusal(replaced(text, "\"bytes\":8,", "\"bytes\":8,\"bytes\":9,")).starts_with("t.json:17: "));
}

TEST(TableJson, AFileThatCannotBeReadIsNamed) {
  for (const std::string path : {"/nonexistent/table.json", "/"}) {
    try {
      read_table(path);
      FAIL() << path;
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path + ":1: ")) << error.what();
      EXPECT_TRUE(std::string(error.what()).ends_with("expected a readable table")) << error.what();
    }
  }
}

}  // namespace
}  // namespace tutti
