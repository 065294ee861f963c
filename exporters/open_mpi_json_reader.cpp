#include "exporters/open_mpi_json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "exporters/open_mpi_names.hpp"
#include "exporters/open_mpi_rules.hpp"
#include "json/document.hpp"

namespace tutti {
namespace {

/// Other collectives that the file may name.
constexpr const char* kOthers[] = {
    "alltoallw",           "gatherv",           "scatterv",           "neighbor_allgather",
    "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw"};

class RulesReader {
 public:
  RulesReader(const std::string& text, const std::string& origin, Doubts* doubts)
      : document_(text, origin), doubts_(doubts) {}

  std::vector<ListedRule> rules() {
    const nlohmann::json& root =
        object("", document_.root(), {"rule_file_version", "module", "collectives", "$schema"});
    constexpr const char* kNotAsked = "Open MPI's schema asks for it, its reader does not";
    if (root.value("rule_file_version", nlohmann::json()) != 3)
      expect("", "expected rule_file_version 3", "ignored", "no rule_file_version 3", kNotAsked, true);
    if (root.value("module", nlohmann::json()) != "tuned")
      expect("", "expected the module tuned", "ignored", "no module tuned", kNotAsked, true);
    if (!root.contains("collectives") || !root["collectives"].is_object())
      document_.fail("", "expected collectives, an object");
    for (const auto& [key, communicators] : root["collectives"].items()) read_collective(key, communicators);
    return std::move(rules_);
  }

 private:
  /// Refuses what the library takes, or takes note of it.
  void expect(const std::string& pointer, const std::string& expected, const char* kind, const std::string& what,
              const char* matters, bool is_note = false) {
    if (!doubts_) document_.fail(pointer, expected);
    doubts_->push_back({document_.line_of(pointer), kind, what, matters, "put there what is " + expected, is_note});
  }

  const nlohmann::json& object(const std::string& pointer, const nlohmann::json& json,
                               const std::vector<std::string>& keys) {
    if (!json.is_object()) document_.fail(pointer, "expected an object");
    for (const auto& [key, value] : json.items())
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        expect(fmt::format("{}/{}", pointer, key), "expected one of the keys that Open MPI knows", "ignored",
               fmt::format("the key {}", key), "Open MPI's reader does not look at it");
    return json;
  }

  void read_collective(const std::string& key, const nlohmann::json& communicators) {
    const std::string pointer = "/collectives/" + key;
    const std::string name = name_for_reader(key, pointer);
    std::optional<Collective> collective;
    for (int i = 0; i < kAllCollectives; ++i)
      if (const auto each = static_cast<Collective>(i); is_in_open_mpi_json(each) && name_of(each) == name)
        collective = each;
    if (!collective && std::find(std::begin(kOthers), std::end(kOthers), name) == std::end(kOthers))
      document_.fail(pointer, "expected a collective's name");
    if (!communicators.is_array()) document_.fail(pointer, "expected an array of communicators");
    if (!collective && doubts_)
      doubts_->push_back({document_.line_of(pointer), "ignored",
                          key + " is a collective of which Tutti reads no rules here", "its rules were not checked",
                          "nothing", true});
    if (!collective) return;
    for (std::size_t i = 0; i < communicators.size(); ++i)
      read_communicator(*collective, communicators[i], pointer + "/" + std::to_string(i));
  }

  /// Two collectives have other names in the schema than the reader knows (mca_coll_base_name_to_colltype).
  std::string name_for_reader(const std::string& key, const std::string& pointer) {
    std::string name = key == "reducescatter"        ? "reduce_scatter"
                       : key == "reducescatterblock" ? "reduce_scatter_block"
                                                     : key;
    if (name != key && !doubts_)
      document_.fail(pointer, "expected " + name + ", the name that Open MPI's reader knows");
    if (name != key)
      doubts_->push_back({document_.line_of(pointer), "unknown",
                          fmt::format("{} is the name in Open MPI's schema; its reader knows {} alone", key, name),
                          "the library ignores the whole file without a word", "write " + name});
    return name;
  }

  void read_communicator(Collective collective, const nlohmann::json& json, const std::string& pointer) {
    object(pointer, json, {"comm_size_min", "comm_size_max", "comm_rank_distribution", "rules"});
    ListedRule rule;
    rule.collective = collective, rule.line = document_.line_of(pointer), rule.scope = ++scope_;
    rule.ranks = ranks(json, pointer);
    if (rule.ranks.last < 0) return;  // nobody follows it
    if (json.contains("comm_rank_distribution")) {
      const auto known = std::find_if(std::begin(kOpenMpiSpreads), std::end(kOpenMpiSpreads), [&](const auto& spread) {
        return json["comm_rank_distribution"] == spread.second;
      });
      if (known == std::end(kOpenMpiSpreads))
        expect(pointer + "/comm_rank_distribution", "expected any, one-per-node or single-node", "unknown",
               "a distribution of ranks that Open MPI does not know", "it takes it for any");
      else if (known->first != kMixed)
        rule.kind = known->first;
    }
    if (!json.contains("rules") || !json["rules"].is_array()) document_.fail(pointer, "expected rules, an array");
    const nlohmann::json& messages = json["rules"];
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const std::string here = pointer + "/rules/" + std::to_string(i);
      ListedRule each = rule;
      each.line = document_.line_of(here), each.statement = static_cast<int>(rules_.size()) + 1;
      if (read_message(messages[i], here, each)) rules_.push_back(each);
    }
    rule.closes = true;  // what comes after is not asked
    rules_.push_back(rule);
  }

  /// The library puts numbers of ranks into an int, infinity as -1; a lower bound below 0 bounds nothing.
  FromTo<int> ranks(const nlohmann::json& json, const std::string& pointer) {
    constexpr int kMost = std::numeric_limits<int>::max();
    const auto bound = [&](const char* key, int otherwise) {
      if (!json.contains(key)) return otherwise;
      if (is_infinite(json[key])) return -1;
      if (doubts_ && json[key].is_number_integer() && json[key] < 0 && json[key] >= -kMost) return json[key].get<int>();
      return static_cast<int>(number(json, pointer, key, otherwise, kMost));
    };
    const FromTo<int> read{bound("comm_size_min", 0), bound("comm_size_max", kMost)};
    if (doubts_ && (read.first < 0 || read.last < 0))
      doubts_->push_back({document_.line_of(pointer), read.last < 0 ? "dead" : "ignored",
                          "a number of ranks that is below 0, or infinite",
                          read.last < 0 ? "Open MPI takes infinity for -1: no communicator follows these rules"
                                        : "Open MPI takes infinity for -1: all numbers of ranks are above it",
                          "leave out a bound that bounds nothing"});
    return {std::max(read.first, 0), read.last};
  }

  /// False where the library leaves the rule out.
  bool read_message(const nlohmann::json& json, const std::string& pointer, ListedRule& rule) {
    object(pointer, json, {"msg_size_min", "msg_size_max", "alg", "reqs", "faninout", "seg_size", "bine_imp"});
    rule.bytes = bounds(json, pointer, "msg_size_min", "msg_size_max");
    if (has_one_rule(rule.collective)) rule.bytes = {};
    OpenMpiSetting setting;
    setting.fanout = number(json, pointer, "faninout", 0, std::numeric_limits<int>::max());
    setting.segment = number(json, pointer, "seg_size", 0, std::numeric_limits<int>::max());
    const std::optional<int> known = algorithm(rule.collective, json, pointer);
    if (!known) return false;
    setting.algorithm = *known;
    if (setting.algorithm == 0) return true;
    rule.choice = open_mpi_choice(rule.collective, setting, find_library(kOpenMpiJsonLibrary));
    if (!rule.choice) tell_not_ours(rule.collective, setting.algorithm, pointer + "/alg");
    return true;
  }

  /// The library's number for the algorithm that stands there by number or by name; nothing where it has none.
  std::optional<int> algorithm(Collective collective, const nlohmann::json& json, const std::string& pointer) {
    if (!json.contains("alg")) {
      expect(pointer, "expected alg", "unknown", "a rule without alg", "the library's own choice holds there");
      return 0;
    }
    const nlohmann::json& alg = json["alg"];
    const std::string there = pointer + "/alg", key(name_of(collective));
    const std::string expected = "expected the number or the name of an algorithm of " + key;
    if (!alg.is_string() && !alg.is_number_integer()) document_.fail(there, expected);
    const std::optional<int> number =
        open_mpi_number(collective, alg.is_string() ? alg.get<std::string>() : alg.dump());
    if (number) return number;
    if (!doubts_) document_.fail(there, expected);
    doubts_->push_back({document_.line_of(there), "unknown",
                        fmt::format("Open MPI has no algorithm {} of {}", alg.dump(), key),
                        "the library leaves out this rule alone: the next one that serves the call holds",
                        "name one of " + open_mpi_names(collective) + ", or 0 for the library's own choice"});
    return std::nullopt;
  }

  /// The library runs it, and nobody here can say what that takes.
  void tell_not_ours(Collective collective, int number, const std::string& pointer) {
    const std::string what =
        fmt::format("{} ({}) of {}", open_mpi_name(collective, number), number, name_of(collective));
    if (!doubts_) document_.fail(pointer, "expected an algorithm that Tutti has, not " + what);
    doubts_->push_back({document_.line_of(pointer), "unknown", what + " is not one of Tutti's algorithms",
                        "Open MPI runs it; what it takes is not known here", "nothing, if that is meant", true});
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

  /// By its first three letters, as the library compares them.
  static bool is_infinite(const nlohmann::json& json) {
    if (!json.is_string()) return false;
    const std::string begin = json.get<std::string>().substr(0, 3);
    return begin == "inf" || begin == "Inf" || begin == "INF";
  }

  FromTo<std::int64_t> bounds(const nlohmann::json& json, const std::string& pointer, const char* first,
                              const char* last) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const auto bound = [&](const char* key, std::int64_t otherwise) {
      return json.contains(key) && is_infinite(json[key]) ? most : number(json, pointer, key, otherwise, most);
    };
    return {bound(first, 0), bound(last, most)};
  }

  Document document_;
  Doubts* const doubts_;
  std::vector<ListedRule> rules_;
  int scope_ = 0;
};

}  // namespace

bool is_in_open_mpi_json(Collective collective) {
  return is_regular(collective) || collective == Collective::alltoallv;
}

std::vector<ListedRule> read_open_mpi_json(const std::string& text, const std::string& origin, Doubts* doubts) {
  return RulesReader(text, origin, doubts).rules();
}

}  // namespace tutti
