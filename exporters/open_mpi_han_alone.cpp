#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "exporters/open_mpi_han.hpp"
#include "exporters/open_mpi_tuned_picks.hpp"
#include "exporters/rule_list.hpp"
#include "selection/candidates.hpp"
#include "selection/own_parts.hpp"

// coll/han's file without one for coll/tuned: where coll/han would serve a call, it says whether coll/tuned does, by
// its built-in rules. So it can name an algorithm exactly where these pick it.

namespace tutti {
namespace {

const Baseline& library() { return find_baseline("open-mpi-5.0"); }
const Baseline& tuned() { return find_baseline("open-mpi-5.0-without-han"); }

class OpenMpiHanFile final : public TuningFile {
 public:
  OpenMpiHanFile(const std::string& text, const std::string& origin) : rules_(text, origin) {
    lines_of(text, origin);  // the last one may be cut
  }

  std::optional<Choice> decide(const Case& c, const RanksOnNodes& on, Explanation* why) const override {
    const bool is_served = is_hierarchical(c, on.nodes);
    const HanRow::By by = is_served ? rules_.served_by(c, why) : HanRow::By::han;
    if (by == HanRow::By::simple) {
      if (auto simple = pick_of_han(c, on, picks_by_rules(tuned()), why, HanVariant::simple))
        return std::move(simple->choice);
      return std::nullopt;
    }
    if (by == HanRow::By::han) {
      if (why && why->because.empty())
        why->because.push_back(is_served ? "no line of coll/han's file leaves the call to coll/tuned"
                                         : "coll/han serves several nodes with several ranks each");
      return std::nullopt;
    }
    const Choice choice = tuned_pick(c, why);
    return choice == pick(library(), c, on).choice ? std::nullopt : std::optional(choice);
  }

 private:
  HanRules rules_;
};

/// The parts of the rule in which coll/tuned picks its algorithm; the library's own choice elsewhere.
void append_parts(std::vector<Rule>& parts, const Rule& rule, Collective collective, int ranks) {
  std::set<std::int64_t> begins = tuned_thresholds(collective, ranks);
  begins.erase(begins.begin(), begins.upper_bound(rule.from_bytes));
  begins.erase(begins.upper_bound(rule.to_bytes), begins.end());
  begins.insert(rule.from_bytes);
  for (const std::int64_t from : begins) {
    Rule part = rule;
    part.from_bytes = from;
    if (rule.algorithm != kOwnChoice) {
      const Case c{collective, ranks, count_for_total_bytes(collective, ranks, 1, from), 1};
      if (normalized(parse_choice(collective, rule.algorithm), c) != normalized(tuned_pick(c), c))
        part.algorithm = kOwnChoice;
    }
    if (!parts.empty()) {
      parts.back().to_bytes = from - 1;
      if (parts.back().algorithm == part.algorithm) part.from_bytes = parts.back().from_bytes, parts.pop_back();
    }
    parts.push_back(part);
  }
  parts.back().to_bytes = rule.to_bytes;
}

class OpenMpiHan final : public Exporter {
 public:
  std::string name() const override { return "open-mpi-han"; }
  std::string description() const override {
    return "rules of Open MPI 5.0's coll/han alone (coll_han_dynamic_rules_filename): where the built-in rules of "
           "coll/tuned serve a call instead, and the lines for openmpi-mca-params.conf that name it (FILE.conf)";
  }
  std::string library() const override { return "open-mpi-5.0"; }
  bool can_say(const Choice& choice) const override {
    if (!is_served_by_han(choice.algorithm->collective()) || has_parts(choice)) return false;
    const std::vector<Choice> named = named_choices(tuned(), choice.algorithm->collective());
    return std::find(named.begin(), named.end(), choice) != named.end();
  }
  Sight sight() const override { return Sight::ranks; }
  std::string also_serves() const override {
    return "rules for N ranks also serve every other communicator of N ranks on several nodes with several ranks each, "
           "a part of a larger job, too";
  }
  bool serves_beyond() const override { return false; }
  std::string cannot_tell(Collective collective) const override {
    return is_served_by_han(collective) ? "" : "coll/han does not serve it";
  }

  std::vector<FileRules> settled(std::vector<FileRules> rules,
                                 const std::vector<FileRules>& /*certain*/) const override {
    for (FileRules& of_ranks : rules) {
      if (of_ranks.last_size == FileRules::kNoEnd) of_ranks.last_size = of_ranks.layout.size;
      if (of_ranks.last_size > of_ranks.layout.size || !is_served_by_han(of_ranks.collective)) {
        leave_all_out(of_ranks);  // what coll/tuned picks differs from one number of ranks to the next
        continue;
      }
      std::vector<Rule> parts;
      for (const Rule& rule : of_ranks.rules) append_parts(parts, rule, of_ranks.collective, of_ranks.layout.size);
      of_ranks.rules = std::move(parts);
    }
    return rules;
  }

  std::string write(std::span<const FileRules> rules, const std::vector<std::string>& about) const override {
    std::string text;
    for (const std::string& line : about) text += "# " + line + "\n";
    const std::string said = write_han_rules(rules);
    return text + (said.empty() ? kSaysNothing : said);
  }
  std::unique_ptr<TuningFile> read(const std::string& text, const std::string& origin) const override {
    return std::make_unique<OpenMpiHanFile>(text, origin);
  }
  void lint(const std::string& text, const std::string& origin, Doubts& findings) const override {
    const HanRules rules(text, origin, 1, &findings);
    if (!rules.changes_anything())
      findings.push_back({1, "ignored", "coll/han keeps all calls", "it does so without the file, too",
                          "name tuned where coll/tuned is to serve a call", true});
  }

  std::vector<std::pair<std::string, std::string>> beside(const std::string& /*text*/,
                                                          const std::string& path) const override {
    return {{".conf", mca_params(switch_on(std::filesystem::absolute(path).lexically_normal().string()))}};
  }
  SwitchOn switch_on(const std::string& path) const override {
    return {{{"OMPI_MCA_coll_han_use_dynamic_file_rules", "1"}, {"OMPI_MCA_coll_han_dynamic_rules_filename", path}}};
  }
};

const OpenMpiHan open_mpi_han;
const ExporterRegistration han_registered(&open_mpi_han);

}  // namespace
}  // namespace tutti
