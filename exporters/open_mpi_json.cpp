#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "exporters/lint_rules.hpp"
#include "exporters/open_mpi_rules.hpp"
#include "exporters/rule_list.hpp"
#include "json/document.hpp"
#include "selection/own_parts.hpp"

// The rules file of Open MPI 6.0's coll/tuned (docs/tuning-apps/tuned_dynamic_file_schema.json,
// coll_tuned_dynamic_file.c): for each collective, communicators by size and by how their ranks are spread, each with
// messages by size; all bounds are inclusive, the first that matches applies, and where none does the library decides.
// Sizes as in the classic file.

namespace tutti {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLibrary = "open-mpi-5.0-without-han";  // its algorithms have the numbers of 5.0
constexpr std::pair<int, const char*> kSpreads[] = {
    {kOnePerNode, "one-per-node"}, {kOneNode, "single-node"}, {kMixed, "any"}};

std::string key_of(Collective collective) {
  if (collective == Collective::reduce_scatter) return "reducescatter";
  if (collective == Collective::reduce_scatter_block) return "reducescatterblock";
  return std::string(name_of(collective));
}

/// Whether the file has rules that are read: of an allgatherv its schema knows nothing.
bool is_read(Collective collective) { return is_regular(collective) || collective == Collective::alltoallv; }

/// Other collectives that the file may name.
constexpr const char* kOthers[] = {
    "alltoallw",           "gatherv",           "scatterv",           "neighbor_allgather",
    "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw"};

class RulesReader {
 public:
  /// With `doubts` it reads on wherever the library would, too.
  RulesReader(const std::string& text, const std::string& origin, Doubts* doubts = nullptr)
      : document_(text, origin), doubts_(doubts) {}

  std::vector<ListedRule> rules() {
    const nlohmann::json& root =
        object("", document_.root(), {"rule_file_version", "module", "collectives", "$schema"});
    if (root.value("rule_file_version", nlohmann::json()) != 3) document_.fail("", "expected rule_file_version 3");
    if (root.value("module", nlohmann::json()) != "tuned") document_.fail("", "expected the module tuned");
    if (!root.contains("collectives") || !root["collectives"].is_object())
      document_.fail("", "expected collectives, an object");
    for (const auto& [key, communicators] : root["collectives"].items()) read_collective(key, communicators);
    return std::move(rules_);
  }

 private:
  const nlohmann::json& object(const std::string& pointer, const nlohmann::json& json,
                               const std::vector<std::string>& keys) {
    if (!json.is_object()) document_.fail(pointer, "expected an object");
    for (const auto& [key, value] : json.items())
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        document_.fail(fmt::format("{}/{}", pointer, key), "expected one of the keys that Open MPI knows");
    return json;
  }

  void read_collective(const std::string& key, const nlohmann::json& communicators) {
    const std::string pointer = "/collectives/" + key;
    std::optional<Collective> collective;
    for (int i = 0; i < kAllCollectives; ++i)
      if (const auto each = static_cast<Collective>(i); is_read(each) && key_of(each) == key) collective = each;
    if (!collective && std::find(std::begin(kOthers), std::end(kOthers), key) == std::end(kOthers))
      document_.fail(pointer, "expected a collective's name");
    if (!communicators.is_array()) document_.fail(pointer, "expected an array of communicators");
    if (!collective && doubts_)
      doubts_->push_back({document_.line_of(pointer), "ignored", key + " is not one of Tutti's collectives",
                          "its rules were not checked", "nothing", true});
    if (!collective) return;
    for (std::size_t i = 0; i < communicators.size(); ++i)
      read_communicator(*collective, communicators[i], pointer + "/" + std::to_string(i));
  }

  void read_communicator(Collective collective, const nlohmann::json& json, const std::string& pointer) {
    object(pointer, json, {"comm_size_min", "comm_size_max", "comm_rank_distribution", "rules"});
    ListedRule rule;
    rule.collective = collective, rule.line = document_.line_of(pointer), rule.scope = ++scope_;
    rule.ranks = bounds<int>(json, pointer, "comm_size_min", "comm_size_max");
    if (json.contains("comm_rank_distribution")) {
      const auto known = std::find_if(std::begin(kSpreads), std::end(kSpreads), [&](const auto& spread) {
        return json["comm_rank_distribution"] == spread.second;
      });
      if (known == std::end(kSpreads))
        document_.fail(pointer + "/comm_rank_distribution", "expected any, one-per-node or single-node");
      if (known->first != kMixed) rule.kind = known->first;
    }
    if (!json.contains("rules") || !json["rules"].is_array()) document_.fail(pointer, "expected rules, an array");
    const nlohmann::json& messages = json["rules"];
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const std::string here = pointer + "/rules/" + std::to_string(i);
      ListedRule each = rule;
      each.line = document_.line_of(here), each.statement = static_cast<int>(rules_.size()) + 1;
      each.choice = read_message(collective, messages[i], here, each.bytes);
      rules_.push_back(each);
    }
    rule.closes = true;  // what comes after is not asked
    rules_.push_back(rule);
  }

  std::optional<Choice> read_message(Collective collective, const nlohmann::json& json, const std::string& pointer,
                                     FromTo<std::int64_t>& bytes) {
    object(pointer, json, {"msg_size_min", "msg_size_max", "alg", "reqs", "faninout", "seg_size", "bine_imp"});
    bytes = bounds<std::int64_t>(json, pointer, "msg_size_min", "msg_size_max");
    if (has_one_rule(collective)) bytes = {};
    OpenMpiSetting setting;
    if (!json.contains("alg")) document_.fail(pointer, "expected alg");
    setting.algorithm = static_cast<int>(number(json, pointer, "alg", 0, 1 << 30));
    setting.fanout = number(json, pointer, "faninout", 0, std::numeric_limits<int>::max());
    setting.segment = number(json, pointer, "seg_size", 0, std::numeric_limits<int>::max());
    if (setting.algorithm == 0) return std::nullopt;
    std::optional<Choice> choice = open_mpi_choice(collective, setting, find_library(kLibrary));
    if (!choice && !doubts_)
      document_.fail(pointer + "/alg", "expected the number of an algorithm of " + key_of(collective));
    if (!choice)
      doubts_->push_back(
          {document_.line_of(pointer + "/alg"), "unknown",
           "Open MPI has no algorithm " + std::to_string(setting.algorithm) + " of " + key_of(collective),
           "the library leaves out this rule alone: the next one that serves the call holds",
           "name an algorithm's number, or 0 for the library's own choice"});
    return choice;
  }

  std::int64_t number(const nlohmann::json& json, const std::string& pointer, const char* key, std::int64_t otherwise,
                      std::int64_t most) {
    if (!json.contains(key)) return otherwise;
    const nlohmann::json& value = json[key];
    const bool is_whole = value.is_number_integer() && (!value.is_number_unsigned() ||
                                                        value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most));
    if (!is_whole || value.get<std::int64_t>() < 0 || value.get<std::int64_t>() > most)
      document_.fail(fmt::format("{}/{}", pointer, key), fmt::format("expected a whole number from 0 to {}", most));
    return value.get<std::int64_t>();
  }

  template <class T>
  FromTo<T> bounds(const nlohmann::json& json, const std::string& pointer, const char* first, const char* last) {
    const T most = std::numeric_limits<T>::max();
    const auto bound = [&](const char* key, T otherwise) {
      const bool is_infinite = json.contains(key) && (json[key] == "inf" || json[key] == "Inf" || json[key] == "INF");
      return is_infinite ? most : static_cast<T>(number(json, pointer, key, otherwise, most));
    };
    return {bound(first, 0), bound(last, most)};
  }

  Document document_;
  Doubts* const doubts_;
  std::vector<ListedRule> rules_;
  int scope_ = 0;
};

class OpenMpiJsonFile final : public TuningFile {
 public:
  OpenMpiJsonFile(std::vector<ListedRule> rules, const std::string& origin) : rules_(std::move(rules), origin) {}
  std::optional<Choice> decide(const Case& c, const RanksOnNodes& on, Explanation* why) const override {
    if (is_one_in_place(c, why)) return std::nullopt;
    std::optional<Choice> said = rules_.decide(c, on, why);
    return said ? std::optional(under_file(*std::move(said), c, on, why)) : std::nullopt;
  }
  Choice under_file(Choice choice, const Case& c, const RanksOnNodes& on, Explanation* why) const override {
    const auto picks = [&](const Case& part, Explanation* of_part) {
      const std::optional<Choice> said = rules_.decide(part, on, of_part);
      return said ? *said : picks_by_rules(find_baseline(kLibrary))(part, of_part);
    };
    return with_parts(std::move(choice), c, picks, why);
  }

 private:
  RuleList rules_;
};

class OpenMpiJson final : public Exporter {
 public:
  std::string name() const override { return "open-mpi-json"; }
  std::string description() const override {
    return "rules file of Open MPI 6.0, whose own choices are taken for those of 5.0 "
           "(coll_tuned_dynamic_rules_filename)";
  }
  std::string library() const override { return kLibrary; }
  bool can_say(const Choice& choice) const override {
    return open_mpi_setting(choice, find_library(kLibrary)).has_value();
  }
  Sight sight() const override { return Sight::spread; }
  bool serves(Collective collective) const override { return is_read(collective); }
  bool knows_sizes(Collective collective) const override { return !has_one_rule(collective); }
  bool has_comments() const override { return false; }
  std::string cannot_tell(Collective collective) const override {
    return has_one_rule(collective) && collective != Collective::barrier
               ? "Open MPI cannot choose by size here; one algorithm serves all sizes"
               : "";
  }
  SwitchOn switch_on(const std::string& path) const override {
    return {{{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"},
             {"OMPI_MCA_coll_tuned_dynamic_rules_filename", path},
             {"OMPI_MCA_coll_han_priority", "0"}}};  // else HAN comes first
  }

  std::string write(std::span<const FileRules> rules, const std::vector<std::string>&) const override {
    Json collectives = Json::object();
    for (const auto& [kind, spread] : kSpreads)  // what holds of all communicators comes last
      for (const FileRules& each : rules) {
        if (each.layout.kind != kind) continue;
        Json communicator{{"comm_size_min", each.layout.size}};
        // Without it: any number. The library puts its "inf" of 64 bits into an int, -1.
        if (each.last_size != FileRules::kNoEnd) communicator["comm_size_max"] = each.last_size;
        communicator["comm_rank_distribution"] = spread;
        communicator["rules"] = messages(each);
        collectives[key_of(each.collective)].push_back(std::move(communicator));
      }
    return Json{{"rule_file_version", 3}, {"module", "tuned"}, {"collectives", std::move(collectives)}}.dump(1) + "\n";
  }
  std::unique_ptr<TuningFile> read(const std::string& text, const std::string& origin) const override {
    return std::make_unique<OpenMpiJsonFile>(RulesReader(text, origin).rules(), origin);
  }
  void lint(const std::string& text, const std::string& origin, Doubts& findings) const override {
    // Nothing in the file says who wrote it: whether its sizes were converted is not asked.
    lint_rules(RulesReader(text, origin, &findings).rules(), {"Open MPI", true, true}, findings);
  }

 private:
  static Json messages(const FileRules& each) {
    Json rules = Json::array();
    for (const Rule& rule : each.rules) {
      if (rule.algorithm == kOwnChoice) continue;
      const OpenMpiSetting setting =
          *open_mpi_setting(parse_choice(each.collective, rule.algorithm), find_library(kLibrary));
      Json message{{"msg_size_min", rule.from_bytes}};
      message["msg_size_max"] = rule.to_bytes == Rule::kUnlimited ? Json("inf") : Json(rule.to_bytes);
      message["alg"] = setting.algorithm;
      if (setting.fanout > 0) message["faninout"] = setting.fanout;
      if (setting.segment > 0) message["seg_size"] = setting.segment;
      rules.push_back(std::move(message));
    }
    return rules;
  }
};

const OpenMpiJson json_rules;
const ExporterRegistration json_rules_registered(&json_rules);

}  // namespace
}  // namespace tutti
