#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "exporters/ucc_names.hpp"
#include "exporters/ucc_section.hpp"

// UCC's configuration file (ucc.conf; ucc_parser.c): sections [team_size=A-B ppn=A-B nnodes=A-B], inclusive, disjoint
// since overlapping ones apply in no order, each with variables of TL/UCP: UCC_TL_UCP_TUNE, tokens
// COLLECTIVE:FROM-TO:@ALGORITHM between #, of which later ones win and a range goes up to, but not including, its end;
// and radices: one for all sizes, or of some algorithms FROM-TO:host:RADIX, where a range has its end and the first one
// applies (ucc_mrange_uint_get). Sizes are those of the total convention (ucc_coll_args_msgsize), but of reduce_scatter
// of one block.

namespace tutti {
namespace {

class Ucc final : public Exporter {
 public:
  std::string name() const override { return "ucc"; }
  std::string description() const override { return "configuration file of UCC 1.3 and later (UCC_CONFIG_FILE)"; }
  std::string library() const override { return "ucc"; }
  Sight sight() const override { return Sight::layouts; }
  bool knows_sizes(Collective collective) const override {
    return collective != Collective::barrier && collective != Collective::reduce_scatter_block;
  }
  std::string cannot_tell(Collective collective) const override {
    return collective == Collective::reduce_scatter_block
               ? "UCC compares the bytes of a rank's block here, not those of all; one algorithm serves all sizes"
               : "";
  }
  bool can_say(const Choice& choice) const override {
    const Library::Name* name = name_of(ucc_names(), choice);
    const Collective collective = choice.algorithm->collective();
    const char* variable = name ? ucc_radix_variable(collective, name->theirs) : nullptr;
    if (!variable || !knows_sizes(collective)) return name;
    return ucc_radix_is_by_size(variable) || *value_of(choice, ParameterRole::radix) == kUccRadix;
  }
  SwitchOn switch_on(const std::string& path) const override {
    return {{{"UCC_CONFIG_FILE", path}, {"UCC_CLS", "basic"}}};  // CL/HIER would come first
  }

  std::string write(std::span<const FileRules> rules, const std::vector<std::string>& about) const override {
    std::string text = "# Tutti: for UCC's TL/UCP; CL/HIER comes before it unless UCC_CLS=basic\n";
    for (const std::string& line : about) text += "# " + line + "\n";
    // One section for each layout that any rule begins or ends with.
    std::map<int, std::vector<int>> firsts;  // by ranks per node: numbers of nodes from which on something else is said
    for (const FileRules& each : rules) {
      firsts[each.layout.kind].push_back(each.layout.size);
      firsts[each.layout.kind].push_back(each.last_size == FileRules::kNoEnd ? FileRules::kNoEnd : each.last_size + 1);
    }
    for (auto& [ppn, sizes] : firsts) {
      std::sort(sizes.begin(), sizes.end());
      sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
      for (std::size_t i = 0; i + 1 < sizes.size(); ++i)
        text += section(rules, ppn, sizes[i], sizes[i + 1] == FileRules::kNoEnd ? kMostNodes : sizes[i + 1] - 1);
    }
    return text;
  }

  std::unique_ptr<TuningFile> read(const std::string& text, const std::string& origin) const override {
    return std::make_unique<RuleList>(rules(text, origin, nullptr), origin);
  }
  bool reads_as_library() const override { return false; }  // a file may be without sections, and set much else
  void lint(const std::string& text, const std::string& origin, Doubts& findings) const override {
    for (const TextLine& line : lines_of(text, origin))
      if (line.text.size() > kLongestLine)
        findings.push_back({line.number, "unreadable", fmt::format("a line of {} characters", line.text.size()),
                            fmt::format("UCC reads {} of them", kLongestLine), "split the section by nodes or sizes"});
    lint_rules(rules(text, origin, &findings), {"UCC", false, is_written_by_tutti(text)}, findings);
  }

 private:
  static std::vector<ListedRule> rules(const std::string& text, const std::string& origin, Doubts* doubts) {
    std::vector<ListedRule> rules;
    std::optional<UccSection> section;
    for (const TextLine& line : lines_of(text, origin)) {
      if (line.text[0] != '[') {
        if (!section) refuse_line(origin, line, "a section, [team_size=A-B ppn=A-B nnodes=A-B]");
        section->add(line);
        continue;
      }
      if (section) section->append_to(rules);
      section.emplace(line, origin, doubts);
    }
    if (section) section->append_to(rules);
    return rules;
  }

  static constexpr int kMostNodes = 1 << 24;
  static constexpr std::size_t kLongestLine = 8189;  // UCC_INI_MAX_LINE of 8,192 holds its end, too

  static std::string section(std::span<const FileRules> rules, int ppn, int first, int last) {
    std::string tokens, pairwise;
    std::map<std::string, std::string> radices;
    for (const FileRules& each : rules) {
      if (each.layout.kind != ppn || each.layout.size > first || each.last_size < first) continue;
      for (const Rule& rule : each.rules) {
        if (rule.algorithm == kOwnChoice) continue;
        const Choice choice = parse_choice(each.collective, rule.algorithm);
        const std::string& theirs = name_of(ucc_names(), choice)->theirs;
        const std::string range = fmt::format(
            "{}-{}", rule.from_bytes, rule.to_bytes == Rule::kUnlimited ? "inf" : std::to_string(rule.to_bytes + 1));
        tokens += fmt::format("{}{}:{}:@{}", tokens.empty() ? "" : "#", ucc_collective(each.collective), range, theirs);
        if (const char* variable = ucc_radix_variable(each.collective, theirs)) {
          std::string& list = radices[variable];
          const std::string radix = std::to_string(*value_of(choice, ParameterRole::radix));
          if (ucc_radix_is_by_size(variable))
            list += fmt::format("{}{}-{}:host:{}", list.empty() ? "" : ",", rule.from_bytes,
                                rule.to_bytes == Rule::kUnlimited ? "inf" : std::to_string(rule.to_bytes), radix);
          else
            list = radix;
        }
        if (each.collective == Collective::alltoall && theirs == "pairwise") pairwise = kUccPairwise;
      }
    }
    if (tokens.empty()) return "";
    std::string text = fmt::format("\n[ppn={}-{} nnodes={}-{}]\n", ppn, ppn, first, last);
    radices["TUNE"] = tokens;
    for (const auto& [variable, value] : radices) {
      const std::string line = fmt::format("UCC_TL_UCP_{}={}", variable, value);
      if (line.size() > kLongestLine)
        throw InputError(fmt::format(
            "UCC reads lines of at most {} characters: UCC_TL_UCP_{} for {} ranks per node on {} nodes takes "
            "{}; tune fewer sizes or collectives, or with a larger bound",
            kLongestLine, variable, ppn, first, line.size()));
      text += line + "\n";
    }
    return text + pairwise;
  }
};

const Ucc ucc;
const ExporterRegistration ucc_registered(&ucc);

}  // namespace
}  // namespace tutti
