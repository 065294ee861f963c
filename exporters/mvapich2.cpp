#include <fmt/core.h>

#include "exporters/job_shell.hpp"
#include "exporters/lint_rules.hpp"

// MVAPICH2's variables (MV2_INTER_ALLREDUCE_TUNING=2), which are read when a job starts, for its nodes and ranks. Its
// documents have lists of ranges of sizes ("2:0-1024,3:1024-+"), but the indexed tables, which 2.3 uses unless told
// otherwise, take a single number alone (*_is_define in src/mpi/coll/*_tuning.c of 2.3.7: with a list the table stays
// as memory was), so that one algorithm serves all sizes. Without the _TWO_LEVEL variables an algorithm is flat.

namespace tutti {
namespace {

const Library& mvapich2_names() { return find_library("mvapich2"); }

/// Empty where Tutti names no algorithm.
std::string variable_for(Collective collective) {
  if (!mvapich2_names().algorithms.contains(collective)) return "";
  if (collective == Collective::reduce_scatter) return "MV2_INTER_RED_SCAT_TUNING";
  return variable_of(collective == Collective::alltoall ? "MV2_" : "MV2_INTER_", collective) + "_TUNING";
}

class Mvapich2 final : public Exporter {
 public:
  std::string name() const override { return "mvapich2"; }
  std::string description() const override {
    return "shell lines that set MV2_*_TUNING of MVAPICH2 2.3 for the nodes and ranks of a job";
  }
  std::string library() const override { return "mvapich2"; }
  Sight sight() const override { return Sight::layouts; }
  std::string also_serves() const override { return job_shell_serves(); }
  bool all_sizes_or_none() const override { return true; }
  bool knows_sizes(Collective) const override { return false; }
  std::string cannot_tell(Collective c) const override {
    return variable_for(c).empty() ? "" : "one algorithm serves all sizes, since 2.3 takes no list of ranges";
  }
  bool can_say(const Choice& choice) const override { return name_of(mvapich2_names(), choice); }
  SwitchOn switch_on(const std::string&) const override { return {{}, true}; }

  std::string write(std::span<const FileRules> rules, const std::vector<std::string>& about) const override {
    return write_job_shell("# Tutti: MV2_*_TUNING of MVAPICH2 2.3,\n", about, rules, [](const FileRules& each) {
      const std::string& said = each.rules.front().algorithm;
      if (each.rules.size() != 1 || said == kOwnChoice) return std::string();
      const Library::Name* name = name_of(mvapich2_names(), parse_choice(each.collective, said));
      return fmt::format("  export {}={}\n", variable_for(each.collective), name->theirs);
    });
  }

  std::unique_ptr<TuningFile> read(const std::string& text, const std::string& origin) const override {
    return std::make_unique<RuleList>(rules(text, origin, nullptr), origin, ComparedPpn::ranks_over_nodes);
  }
  bool reads_as_library() const override { return false; }  // any shell script may set the variables
  void lint(const std::string& text, const std::string& origin, Doubts& findings) const override {
    lint_rules(rules(text, origin, &findings), {"MVAPICH2", true, is_written_by_tutti(text)}, findings);
  }

 private:
  static std::vector<ListedRule> rules(const std::string& text, const std::string& origin, Doubts* doubts) {
    std::vector<ListedRule> rules;
    read_job_shell(text, origin, [&](const TextLine& line, const ListedRule& place) {
      ListedRule rule = place;
      const std::string_view value = variable_in(line, origin, rule.collective);
      rule.line = line.number, rule.statement = static_cast<int>(rules.size()) + 1;
      rule.choice = choice_named(mvapich2_names(), rule.collective, value);
      const bool is_list = value.find_first_of(":,") != std::string_view::npos;
      if (!rule.choice && !doubts) refuse_line(origin, line, "one number, of an algorithm that Tutti has");
      if (!rule.choice && is_list)
        doubts->push_back({line.number, "unreadable", fmt::format("'{}' is a list of ranges", value),
                           "with its indexed tables, which it uses by itself, MVAPICH2 2.3 takes a single number alone "
                           "and leaves the table unset",
                           "name one algorithm for all sizes"});
      else if (!rule.choice)
        doubts->push_back(
            {line.number, "unknown",
             fmt::format("number {} of {} is not one of Tutti's algorithms", value, name_of(rule.collective)),
             "for numbers that it does not have MVAPICH2 runs one that it falls back to",
             "name one of those of tutti list"});
      rules.push_back(std::move(rule));
    });
    return rules;
  }

  /// What the line sets the variable of a collective to.
  static std::string_view variable_in(const TextLine& line, const std::string& origin, Collective& collective) {
    for (int i = 0; i < kCollectives; ++i) {
      collective = static_cast<Collective>(i);
      const std::string variable = variable_for(collective), begin = "export " + variable + "=";
      if (!variable.empty() && line.text.starts_with(begin) && line.text.size() > begin.size())
        return line.text.substr(begin.size());
    }
    refuse_line(origin, line, "export MV2_…_TUNING=…");
  }
};

const Mvapich2 mvapich2;
const ExporterRegistration mvapich2_registered(&mvapich2);

}  // namespace
}  // namespace tutti
