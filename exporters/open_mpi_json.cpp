#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "exporters/lint_rules.hpp"
#include "exporters/open_mpi_json_reader.hpp"
#include "exporters/open_mpi_rules.hpp"
#include "exporters/rule_list.hpp"
#include "selection/own_parts.hpp"

// The rules file of Open MPI 6.0's coll/tuned (docs/tuning-apps/tuned_dynamic_file_schema.json,
// coll_tuned_dynamic_file.c): for each collective, communicators by size and by how their ranks are spread, each with
// messages by size; all bounds are inclusive, the first that matches applies, and where none does the library decides.
// Sizes as in the classic file.

namespace tutti {
namespace {

using Json = nlohmann::ordered_json;

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
      return said ? *said : picks_by_rules(find_baseline(kOpenMpiJsonLibrary))(part, of_part);
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
  std::string library() const override { return kOpenMpiJsonLibrary; }
  std::string reader() const override { return "Open MPI 6.0"; }
  bool can_say(const Choice& choice) const override {
    return open_mpi_setting(choice, find_library(kOpenMpiJsonLibrary)).has_value();
  }
  Sight sight() const override { return Sight::spread; }
  bool minds_operators(const Choice&) const override { return false; }  // *_intra_dec_dynamic of coll_tuned
  bool serves(Collective collective) const override { return is_in_open_mpi_json(collective); }
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
    std::set<Collective> mixed;
    for (const FileRules& each : rules)
      if (each.layout.kind == kMixed) mixed.insert(each.collective);
    for (const auto& [kind, spread] : kOpenMpiSpreads) {  // what holds of all communicators comes last
      for (const FileRules& each : rules) {
        if (each.layout.kind != kind) continue;
        Json communicator{{"comm_size_min", each.layout.size}};
        // Without it: any number. The library puts its "inf" of 64 bits into an int, -1.
        if (each.last_size != FileRules::kNoEnd) communicator["comm_size_max"] = each.last_size;
        communicator["comm_rank_distribution"] = spread;
        communicator["rules"] = messages(each);
        collectives[std::string(name_of(each.collective))].push_back(std::move(communicator));
      }
      if (kind == kMixed) continue;
      for (const Collective collective : mixed)  // or those of mixed ones would serve these, too
        collectives[std::string(name_of(collective))].push_back(
            {{"comm_rank_distribution", spread}, {"rules", Json::array()}});
    }
    return Json{{"rule_file_version", 3}, {"module", "tuned"}, {"collectives", std::move(collectives)}}.dump(1) + "\n";
  }
  std::unique_ptr<TuningFile> read(const std::string& text, const std::string& origin) const override {
    return std::make_unique<OpenMpiJsonFile>(read_open_mpi_json(text, origin), origin);
  }
  void lint(const std::string& text, const std::string& origin, Doubts& findings) const override {
    // Nothing in the file says who wrote it: whether its sizes were converted is not asked.
    lint_rules(read_open_mpi_json(text, origin, &findings), {"Open MPI", true, true, false}, findings);
  }

 private:
  static Json messages(const FileRules& each) {
    Json rules = Json::array();
    for (const Rule& rule : each.rules) {
      if (rule.algorithm == kOwnChoice) continue;
      const OpenMpiSetting setting =
          *open_mpi_setting(parse_choice(each.collective, rule.algorithm), find_library(kOpenMpiJsonLibrary));
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
