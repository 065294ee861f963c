#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "exporters/open_mpi_han.hpp"
#include "exporters/open_mpi_inside.hpp"
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
// made of it (open_mpi_inside.hpp: what coll/han runs inside).

namespace tutti {
namespace {

constexpr std::string_view kCarried = "#han ";

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
/// each collective of which no simple variant is made.
void find_ignored(const OpenMpiRules& rules, const HanRules& han, Doubts& findings) {
  for (const auto& [collective, communicators] : rules.communicators()) {
    if (!is_served_by_han(collective) || han.asks_for(collective)) continue;
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
    const HanRow::By by = is_hierarchical(c, on.nodes) ? han_.served_by(c, why) : HanRow::By::han;
    if (by != HanRow::By::tuned) {
      if (const auto han = pick_of_han(c, on, tuned(), why, variant_of(by)))
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

class OpenMpi final : public Exporter {
 public:
  std::string name() const override { return "open-mpi"; }
  std::string description() const override {
    return "rules of Open MPI 5.0's coll/tuned and, beside them, of its coll/han (FILE.han), and the lines for "
           "openmpi-mca-params.conf that name both (FILE.conf)";
  }
  std::string library() const override { return "open-mpi-5.0"; }
  bool can_say(const Choice& choice) const override {
    return classic_exporter().can_say(choice) || is_told_to_han(choice);
  }
  bool can_say_here(const Choice& choice, const Place& place) const override {
    return classic_exporter().can_say(choice) || (is_told_to_han(choice) && place.nodes > 1 && place.ppn > 1);
  }
  bool may_give_way(const Choice& choice) const override { return is_told_to_han(choice); }
  Sight sight() const override { return Sight::ranks; }
  /// coll/han does; but what is said for its parts, coll/tuned runs whatever the operator where others have as many
  /// ranks.
  bool minds_operators(const Choice& choice) const override {
    return is_told_to_han(choice) && keeps_order_inside(choice);
  }
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

  std::vector<FileRules> settled(std::vector<FileRules> rules, const std::vector<FileRules>& certain) const override {
    return settled_with_han(with_single_numbers(rules), with_single_numbers(certain));
  }

  std::string write(std::span<const FileRules> rules, const std::vector<std::string>& about) const override {
    std::string text = classic_exporter().write(without_han(rules), about);
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
