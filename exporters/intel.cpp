#include <fmt/core.h>

#include "exporters/job_shell.hpp"
#include "exporters/lint_rules.hpp"
#include "exporters/rule_list.hpp"

// Intel MPI's I_MPI_ADJUST_* ("ID:FROM-TO;ID:FROM-TO", inclusive), which are read when a job starts: a shell's lines
// that set them for the job's nodes and ranks per node. A list has to cover all sizes, and conditions on ranks are not
// followed as they are documented (measured with 2021.x), so that there are none: what a job's communicators of fewer
// ranks get is the whole job's. Sizes are those of the vector, of allgather and alltoall those of one rank's block
// (measured with 2021.18 by the messages that it sends); of gathers and scatters they were not measured. Those of
// reduce_scatter are the vector's, too, but none of its algorithms is one of ours.

namespace tutti {
namespace {

const Library& intel_names() { return find_library("intel"); }

constexpr std::int64_t kMostIntelBytes = std::numeric_limits<int>::max();

const std::string kVariablePrefix = "I_MPI_ADJUST_";

bool is_by_block_at_intel(Collective c) { return c == Collective::allgather || c == Collective::alltoall; }

class Intel final : public Exporter {
 public:
  std::string name() const override { return "intel"; }
  std::string description() const override {
    return "shell lines that set I_MPI_ADJUST_* of Intel MPI 2019 and later for the nodes and ranks of a job";
  }
  std::string library() const override { return "intel"; }
  Sight sight() const override { return Sight::layouts; }
  std::string also_serves() const override { return job_shell_serves(); }
  bool all_sizes_or_none() const override { return true; }
  bool knows_sizes(Collective c) const override {
    return c == Collective::bcast || c == Collective::allreduce || c == Collective::reduce || is_by_block_at_intel(c);
  }
  std::string cannot_tell(Collective c) const override {
    if (!intel_names().algorithms.contains(c))
      return "no algorithm that Intel MPI has here is known to be one of Tutti's; the file says nothing of it";
    return knows_sizes(c) || c == Collective::barrier
               ? ""
               : "one algorithm serves all sizes, since nobody measured what Intel MPI compares here";
  }
  bool can_say(const Choice& choice) const override { return name_of(intel_names(), choice); }
  SwitchOn switch_on(const std::string&) const override { return {{}, true}; }

  /// Sizes of blocks that are those of one number of ranks are no others'.
  std::vector<FileRules> settled(std::vector<FileRules> rules,
                                 const std::vector<FileRules>& /*certain*/) const override {
    std::vector<FileRules> settled;
    for (FileRules& each : rules) {
      settled.push_back(std::move(each));
      FileRules& first = settled.back();
      if (!is_by_block_at_intel(first.collective) || first.rules.size() == 1 || first.last_size == first.layout.size)
        continue;
      FileRules others = first;
      first.last_size = first.layout.size;
      ++others.layout.size, others.between = true, others.layouts.clear();
      others.rules.resize(1);
      others.rules[0].to_bytes = Rule::kUnlimited, others.rules[0].algorithm = kOwnChoice;
      settled.push_back(std::move(others));
    }
    return settled;
  }

  std::string write(std::span<const FileRules> rules, const std::vector<std::string>& about) const override {
    return write_job_shell("# Tutti: I_MPI_ADJUST_* of Intel MPI,\n", about, rules, [](const FileRules& each) {
      const std::string list = list_of(each);
      return list.empty() ? list
                          : fmt::format("  export {}='{}'\n", variable_of(kVariablePrefix, each.collective), list);
    });
  }

  std::unique_ptr<TuningFile> read(const std::string& text, const std::string& origin) const override {
    return std::make_unique<RuleList>(rules(text, origin, nullptr), origin, ComparedPpn::ranks_over_nodes);
  }
  bool reads_as_library() const override { return false; }  // any shell script may set the variables
  void lint(const std::string& text, const std::string& origin, Doubts& findings) const override {
    lint_rules(rules(text, origin, &findings), {"Intel MPI", true, is_written_by_tutti(text)}, findings);
  }

 private:
  static std::vector<ListedRule> rules(const std::string& text, const std::string& origin, Doubts* doubts) {
    std::vector<ListedRule> rules;
    read_job_shell(text, origin, [&](const TextLine& line, const ListedRule& place) {
      read_export(line, origin, place, rules, doubts);
    });
    return rules;
  }

  /// Empty: the library's own choice.
  static std::string list_of(const FileRules& each) {
    const std::int64_t unit =
        is_by_block_at_intel(each.collective) ? std::int64_t{each.layout.kind} * each.layout.size : 1;
    std::string list;
    std::int64_t from = 0;
    for (const Rule& rule : each.rules) {
      if (rule.algorithm == kOwnChoice) return "";
      const std::string& id = name_of(intel_names(), parse_choice(each.collective, rule.algorithm))->theirs;
      if (each.rules.size() == 1) return id;
      const std::int64_t to = std::min(rule.to_bytes / unit, kMostIntelBytes);
      if (to < from) continue;  // no block is between two sizes of the rule
      list += fmt::format("{}{}:{}-{}", list.empty() ? "" : ";", id, from, to);
      from = to + 1;
    }
    return list;
  }

  /// Sizes of blocks are other sizes in all on each number of nodes.
  static void add(const TextLine& line, const std::string& origin, const ListedRule& rule,
                  std::vector<ListedRule>& rules) {
    constexpr int kMostNodes = 1024;
    if (!is_by_block_at_intel(rule.collective) || (rule.bytes.first == 0 && rule.bytes.last >= Rule::kUnlimited)) {
      rules.push_back(rule);
      return;
    }
    if (rule.nodes.last - rule.nodes.first >= kMostNodes)
      refuse_line(origin, line, fmt::format("sizes of blocks for at most {} numbers of nodes", kMostNodes));
    for (int nodes = rule.nodes.first; nodes <= rule.nodes.last; ++nodes) {
      const std::int64_t ranks = std::int64_t{nodes} * rule.ppn.first;
      ListedRule here = rule;
      here.nodes = {nodes, nodes};
      here.bytes.first = rule.bytes.first * ranks;
      if (rule.bytes.last < Rule::kUnlimited) here.bytes.last = rule.bytes.last * ranks + ranks - 1;
      rules.push_back(std::move(here));
    }
  }

  static void tell_range(int line, const FromTo<std::int64_t>& range, std::int64_t expected, Doubts& doubts) {
    if (range.first < expected || range.last < range.first)
      doubts.push_back(
          {line, "overlap", fmt::format("{}-{} after what ends with {}", range.first, range.last, expected - 1),
           "which of the two Intel MPI takes follows from no document", "begin where the one before ends"});
    else if (range.first > expected)
      doubts.push_back(
          {line, "gap", fmt::format("no range serves {} to {} bytes", expected, range.first - 1),
           "a list that does not cover all sizes is followed where it should not be (7:640-640 was seen to "
           "apply at 512 bytes)",
           "cover all sizes from 0 on"});
  }

  static void read_export(const TextLine& line, const std::string& origin, const ListedRule& place,
                          std::vector<ListedRule>& rules, Doubts* doubts) {
    for (int i = 0; i < kCollectives; ++i) {
      const auto collective = static_cast<Collective>(i);
      const std::string begin = "export " + variable_of(kVariablePrefix, collective) + "='";
      if (!line.text.starts_with(begin) || !line.text.ends_with("'") || line.text.size() <= begin.size()) continue;
      const std::vector<std::string_view> parts =
          split_at(line.text.substr(begin.size(), line.text.size() - begin.size() - 1), ';');
      std::int64_t expected = 0;
      for (std::size_t part = 0; part < parts.size(); ++part) {
        ListedRule rule = place;
        rule.collective = collective, rule.line = line.number;
        rule.statement = static_cast<int>(rules.size()) + 1;
        const std::size_t colon = parts[part].find(':');
        rule.choice = choice_named(intel_names(), collective, parts[part].substr(0, colon));
        if (!rule.choice && !doubts) refuse_line(origin, line, "the number of an algorithm that Tutti has");
        if (!rule.choice)
          doubts->push_back({line.number, "unknown",
                             fmt::format("number {} of {} is not one of Tutti's algorithms",
                                         parts[part].substr(0, colon), name_of(collective)),
                             "what Intel MPI runs by it is not known here", "name one of those of tutti list"});
        if (colon != std::string_view::npos || parts.size() > 1) {
          const std::vector<std::string_view> ends =
              split_at(colon == std::string_view::npos ? "" : parts[part].substr(colon + 1), '-');
          const auto first = whole_number(ends.front()), last = whole_number(ends.back());
          const bool is_range = ends.size() == 2 && first && last && *last <= kMostIntelBytes;
          if (is_range && doubts)
            tell_range(line.number, {*first, *last}, expected, *doubts);
          else if (!is_range || *first != expected || *last < *first)
            refuse_line(origin, line, "ID:FROM-TO between ; that cover all sizes from 0 on in ascending order");
          expected = *last + 1;
          rule.bytes = {*first, part + 1 == parts.size() ? Rule::kUnlimited : *last};
        }
        add(line, origin, rule, rules);
      }
      return;
    }
    refuse_line(origin, line, "export I_MPI_ADJUST_COLLECTIVE='…'");
  }
};

const Intel intel;
const ExporterRegistration intel_registered(&intel);

}  // namespace
}  // namespace tutti
