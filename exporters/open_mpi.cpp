#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "exporters/open_mpi_han.hpp"
#include "exporters/open_mpi_lint.hpp"
#include "exporters/open_mpi_rules.hpp"
#include "selection/baseline_rules.hpp"
#include "selection/han_pick.hpp"
#include "selection/own_parts.hpp"

// All that an Open MPI 5.0 needs to follow a table on any number of nodes with any number of ranks each. On several
// nodes with several ranks coll/han comes first: a file of its own tells it what to leave to coll/tuned, whose classic
// rules say what runs then. coll/tuned also serves what coll/han runs on nodes and between them, by the same rules:
// where coll/han is kept, the rules for communicators of those sizes are left out (settled), so that it stays what it
// was. The classic file holds the other one as comments ("#han …"), so that it says all; FILE.han and FILE.conf are
// made of it.

namespace tutti {
namespace {

constexpr std::string_view kCarried = "#han ";
constexpr std::int64_t kSegmentBytes = 65536;  // coll/han's

const Exporter& classic_exporter() { return find_exporter("open-mpi-classic-5.0"); }

/// With an empty line for each between that holds something else.
std::string carried_in(const std::string& text, std::ptrdiff_t& first_line) {
  std::string carried;
  std::ptrdiff_t line = 0, last = 0;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    ++line;
    const std::string_view here = std::string_view(text).substr(begin, end - begin);
    if (!here.starts_with(kCarried)) continue;
    if (carried.empty())
      first_line = line;
    else
      carried.append(static_cast<std::size_t>(line - last - 1), '\n');
    last = line;
    carried += std::string(here.substr(kCarried.size())) + "\n";
  }
  return carried;
}

HanRules han_rules_in(const std::string& text, const std::string& origin, Doubts* doubts = nullptr) {
  std::ptrdiff_t line = 1;
  const std::string han = carried_in(text, line);
  return han.empty() ? HanRules() : HanRules(han, origin, line, doubts);
}

/// Rules that nobody asks for on several nodes with several ranks each, where coll/han keeps the calls: the first of
/// each collective.
void find_ignored(const OpenMpiRules& rules, const HanRules& han, Doubts& findings) {
  for (const auto& [collective, communicators] : rules.communicators()) {
    if (!is_served_by_han(collective)) continue;
    for (const auto& [ranks, communicator] : communicators) {
      const auto is_kept = [&, &collective = collective, &ranks = ranks](const OpenMpiLine& line,
                                                                         std::int64_t next_bytes) {
        Case c{collective, static_cast<int>(std::clamp<std::int64_t>(ranks, 1, 1 << 24)), 0, 1};
        if (line.setting.algorithm == 0 || line.from_bytes > kLargestTotalBytes / 2) return false;
        // What a line of the classic file begins with may lie within a block, by which coll/han counts.
        const std::int64_t bytes = (line.from_bytes + c.ranks - 1) / c.ranks * c.ranks;
        c.count = count_for_total_bytes(collective, c.ranks, 1, bytes);
        return bytes < next_bytes && !han.names_tuned(c);
      };
      const auto end = communicator.lines.end();
      auto kept = communicator.lines.begin();
      while (kept != end && !is_kept(*kept, std::next(kept) == end ? Rule::kUnlimited : std::next(kept)->from_bytes))
        ++kept;
      if (kept == end) continue;
      findings.push_back(
          {kept->number, "ignored",
           fmt::format("coll/han serves {} before this rule on several nodes with several ranks each",
                       name_of(collective)),
           "there it is followed for what coll/han runs on nodes and between them alone",
           "tutti export --to open-mpi writes the file of coll/han that leaves the call to coll/tuned; or "
           "set coll_han_priority to 0 and lint with --for open-mpi-classic-5.0"});
      break;
    }
  }
}

class OpenMpiFiles final : public TuningFile {
 public:
  OpenMpiFiles(const std::string& text, const std::string& origin)
      : rules_(text, origin, find_library("open-mpi-5.0")), han_(han_rules_in(text, origin)) {}

  std::optional<Choice> decide(const Case& c, const RanksOnNodes& on, Explanation* why) const override {
    if (!is_hierarchical(c, on.nodes) || !han_.leaves_to_tuned(c, why)) {
      if (const auto han = pick_of_han(c, on, tuned(), why))
        return han->choice == pick(library(), c, on).choice ? std::nullopt : std::optional(han->choice);
    }
    if (auto choice = open_mpi_choice_by(rules_, c, find_library("open-mpi-5.0"), why))
      return under_file(*std::move(choice), c, on, why);
    Choice fixed = pick_by_rules(library(), c, on, why).choice;
    const bool is_own = pick_with_own_parts(library(), c, on, nullptr).choice == pick(library(), c, on).choice;
    return is_own ? std::nullopt : std::optional(under_file(std::move(fixed), c, on, why));
  }
  Choice under_file(Choice choice, const Case& c, const RanksOnNodes&, Explanation* why) const override {
    return with_parts(std::move(choice), c, tuned(), why);
  }

 private:
  static const Baseline& library() { return find_baseline("open-mpi-5.0"); }
  TunedPick tuned() const { return open_mpi_picks_by(rules_, find_library("open-mpi-5.0")); }

  OpenMpiRules rules_;
  HanRules han_;
};

/// Sizes of a collective on communicators of so many ranks that coll/han's own choice needs as they are.
struct Needed {
  Collective collective;
  int ranks;
  std::int64_t from_bytes, to_bytes;
};

void add_needs(std::vector<Needed>& needs, Collective collective, int nodes, int ppn, std::int64_t from,
               std::int64_t to) {
  const auto add = [&](Collective part, int ranks, std::int64_t first, std::int64_t last) {
    needs.push_back({part, ranks, std::max<std::int64_t>(0, first), last});
  };
  // Of a vector of more than a segment, the last one may have any size.
  const std::int64_t first = to > kSegmentBytes ? 0 : from, last = std::min(to, kSegmentBytes);
  // What a node holds of all blocks; sizes are rounded down to whole blocks.
  const std::int64_t node_from = from / nodes - ppn, node_to = to / nodes + (to < Rule::kUnlimited);
  switch (collective) {
    case Collective::bcast:
      add(Collective::bcast, ppn, first, last);
      return add(Collective::bcast, nodes, std::min(from, kSegmentBytes), last);
    case Collective::reduce:
      return add(Collective::reduce, ppn, first, last);
    case Collective::allreduce:
      add(Collective::reduce, ppn, first, last);
      return add(Collective::bcast, ppn, first, last);
    case Collective::allgather:
      add(Collective::gather, ppn, node_from, node_to);
      add(Collective::allgather, nodes, from, to);
      return add(Collective::bcast, ppn, from, to);
    default:  // gather, scatter, barrier
      add(collective, ppn, node_from, node_to);
      return add(collective, nodes, from, to);
  }
}

bool is_own(const Rule& rule) { return rule.algorithm == kOwnChoice; }

std::vector<Needed> needs_of(const std::vector<FileRules>& rules) {
  std::vector<Needed> needs;
  for (const FileRules& of_ranks : rules) {
    if (!is_served_by_han(of_ranks.collective)) continue;
    for (const auto& [nodes, ppn] : of_ranks.layouts)
      for (const Rule& rule : of_ranks.rules) {
        // Only what was tuned was priced with coll/han as it is.
        const std::int64_t from = std::max(rule.from_bytes, of_ranks.tuned_from_bytes),
                           to = std::min(rule.to_bytes, of_ranks.tuned_to_bytes);
        if (nodes > 1 && ppn > 1 && is_own(rule) && from <= to)
          add_needs(needs, of_ranks.collective, nodes, ppn, from, to);
      }
  }
  return needs;
}

/// Splits the rule: what lies within the sizes is left to the library.
bool leave_out(std::vector<Rule>& rules, std::int64_t from, std::int64_t to) {
  bool changed = false;
  std::vector<Rule> after;
  for (const Rule& rule : rules) {
    if (is_own(rule) || rule.to_bytes < from || rule.from_bytes > to) {
      after.push_back(rule);
      continue;
    }
    changed = true;
    Rule before = rule, own = rule, rest = rule;
    own.algorithm = kOwnChoice;
    own.from_bytes = std::max(rule.from_bytes, from), own.to_bytes = std::min(rule.to_bytes, to);
    before.to_bytes = own.from_bytes - 1, rest.from_bytes = own.to_bytes + 1;
    if (rule.from_bytes < own.from_bytes) after.push_back(before);
    after.push_back(own);
    if (own.to_bytes < rule.to_bytes) after.push_back(rest);
  }
  rules = std::move(after);
  for (std::size_t i = 1; i < rules.size();)  // neighbours differ
    if (rules[i].algorithm == rules[i - 1].algorithm)
      rules[i - 1].to_bytes = rules[i].to_bytes, rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  return changed;
}

/// Both files look a block up by different sizes, which agree on one number of ranks only: of a range of numbers the
/// first, where it was tuned, has rules of its own, and the others none where some sizes are left to the library.
std::vector<FileRules> with_single_numbers(const std::vector<FileRules>& rules) {
  std::vector<FileRules> single;
  for (const FileRules& of_ranks : rules) {
    single.push_back(of_ranks);
    if (!is_by_block_in_han(of_ranks.collective) || of_ranks.last_size == of_ranks.layout.size ||
        std::none_of(of_ranks.rules.begin(), of_ranks.rules.end(), is_own))
      continue;
    if (of_ranks.between) {
      leave_all_out(single.back());
      continue;
    }
    single.back().last_size = of_ranks.layout.size;
    FileRules others = of_ranks;
    ++others.layout.size, others.between = true, others.layouts.clear();
    leave_all_out(others);
    single.push_back(std::move(others));
  }
  return single;
}

class OpenMpi final : public Exporter {
 public:
  std::string name() const override { return "open-mpi"; }
  std::string description() const override {
    return "rules of Open MPI 5.0's coll/tuned and, beside them, of its coll/han (FILE.han), and the lines for "
           "openmpi-mca-params.conf that name both (FILE.conf)";
  }
  std::string library() const override { return "open-mpi-5.0"; }
  bool can_say(const Choice& choice) const override { return classic_exporter().can_say(choice); }
  Sight sight() const override { return Sight::ranks; }
  bool minds_operators() const override { return false; }  // rules of coll/tuned
  std::string also_serves() const override {
    return classic_exporter().also_serves() +
           "; coll/han, which serves several nodes with several ranks each, runs on nodes and between them what is "
           "said for so many ranks: rules for N ranks also steer N nodes, or N ranks a node, of any larger job";
  }
  std::string not_left() const override { return "what coll/han runs inside"; }
  bool serves(Collective collective) const override { return classic_exporter().serves(collective); }
  bool knows_sizes(Collective collective) const override { return classic_exporter().knows_sizes(collective); }
  std::int64_t looked_up_bytes(Collective collective, int ranks, std::int64_t bytes) const override {
    return classic_exporter().looked_up_bytes(collective, ranks, bytes);
  }
  std::string cannot_tell(Collective collective) const override { return classic_exporter().cannot_tell(collective); }

  std::vector<FileRules> settled(std::vector<FileRules> rules) const override {
    rules = with_single_numbers(rules);
    // What is left out makes coll/han's own choice of what was another rule, which needs more to be left out.
    for (bool changed = true; changed;) {
      changed = false;
      for (const Needed& needed : needs_of(rules))
        for (FileRules& of_ranks : rules) {
          if (of_ranks.collective != needed.collective || needed.ranks < of_ranks.layout.size ||
              needed.ranks > of_ranks.last_size)
            continue;
          if (of_ranks.last_size > of_ranks.layout.size || !knows_sizes(of_ranks.collective)) {
            const bool was_said = !std::all_of(of_ranks.rules.begin(), of_ranks.rules.end(), is_own);
            leave_all_out(of_ranks);
            changed = changed || was_said;
          } else {
            changed = leave_out(of_ranks.rules, needed.from_bytes, needed.to_bytes) || changed;
          }
        }
    }
    return rules;
  }

  std::string write(std::span<const FileRules> rules, const std::vector<std::string>& about) const override {
    std::string text = classic_exporter().write(rules, about);
    const std::string han = write_han_rules(rules);
    for (std::size_t begin = 0, end; begin < han.size(); begin = end + 1) {
      end = han.find('\n', begin);
      text += std::string(kCarried) + han.substr(begin, end - begin) + "\n";
    }
    return text;
  }
  std::unique_ptr<TuningFile> read(const std::string& text, const std::string& origin) const override {
    return std::make_unique<OpenMpiFiles>(text, origin);
  }

  void lint(const std::string& text, const std::string& origin, Doubts& findings) const override {
    const OpenMpiRules rules(text, origin, find_library("open-mpi-5.0"), &findings);
    lint_open_mpi(rules, text, find_library(library()), findings);
    find_ignored(rules, han_rules_in(text, origin, &findings), findings);
  }

  std::vector<std::pair<std::string, std::string>> beside(const std::string& text,
                                                          const std::string& path) const override {
    std::ptrdiff_t line = 1;
    const std::string han = carried_in(text, line);
    return {{".han", "# Tutti: made of " + std::filesystem::path(path).filename().string() + "\n" +
                         (han.empty() ? kSaysNothing : han)},
            {".conf", mca_params(switch_on(std::filesystem::absolute(path).lexically_normal().string()))}};
  }
  SwitchOn switch_on(const std::string& path) const override {
    return {{{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"},
             {"OMPI_MCA_coll_tuned_dynamic_rules_filename", path},
             {"OMPI_MCA_coll_han_use_dynamic_file_rules", "1"},
             {"OMPI_MCA_coll_han_dynamic_rules_filename", path + ".han"}}};
  }
};

const OpenMpi open_mpi;
const ExporterRegistration open_mpi_registered(&open_mpi);

}  // namespace
}  // namespace tutti
