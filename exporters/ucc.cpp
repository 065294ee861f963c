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
  std::string description() const override { return "configuration file of UCC 1.4 and later (UCC_CONFIG_FILE)"; }
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
    // CL/HIER would come first, and TL/SHARP's score is above that of TL/UCP.
    return {{{"UCC_CONFIG_FILE", path}, {"UCC_CLS", "basic"}, {"UCC_CL_BASIC_TLS", "ucp"}}};
  }

  std::string write(std::span<const FileRules> rules, const std::vector<std::string>& about) const override {
    std::string text =
        "# Tutti: for UCC's TL/UCP; CL/HIER comes before it unless UCC_CLS=basic, others may unless "
        "UCC_CL_BASIC_TLS=ucp\n"
        "# UCC reads this file alone, then: no ucc.conf of the site or of the home folder\n";
    for (const std::string& line : about) text += comment(line);
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
                            fmt::format("UCC up to 1.8 reads {} of them, takes the rest for another line, and does not "
                                        "start (1.3: {})",
                                        kLongestLine, kLongestComment),
                            "name fewer sizes; K, M and G are shorter, and a collective without sizes is for all"});
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
  // UCC_INI_MAX_LINE holds two ends, too: 500 up to UCC 1.8, 8,192 from 1.9 on, 200 up to 1.3, which names less.
  static constexpr std::size_t kLongestLine = 498, kLongestComment = 198;

  struct Token {
    Collective collective;
    std::string theirs;
    std::int64_t from_bytes, to_bytes;
  };

  static std::string comment(std::string_view line) {
    constexpr std::string_view kBegin = "# ";
    std::string text;
    while (!line.empty()) {
      std::size_t end = std::min(line.size(), kLongestComment - kBegin.size());
      if (const std::size_t blank = line.rfind(' ', end); end < line.size() && blank != std::string_view::npos)
        end = blank;
      text.append(kBegin).append(line.substr(0, end)) += "\n";
      line.remove_prefix(std::min(line.find_first_not_of(' ', end), line.size()));
    }
    return text;
  }

  static std::string size_text(std::int64_t bytes) {
    for (const auto& [suffix, shift] : {std::pair("G", 30), {"M", 20}, {"K", 10}})
      if (bytes > 0 && bytes % (std::int64_t{1} << shift) == 0) return std::to_string(bytes >> shift) + suffix;
    return std::to_string(bytes);
  }
  /// "A-B:" or nothing, for all sizes; `end`: 1 where B is no more part of it.
  static std::string range_text(std::int64_t first, std::int64_t last, int end) {
    if (first == 0 && last == Rule::kUnlimited) return "";
    return size_text(first) + "-" + (last == Rule::kUnlimited ? "inf" : size_text(last + end)) + ":";
  }

  static std::string section(std::span<const FileRules> rules, int ppn, int first, int last) {
    std::vector<Token> tokens;
    std::string pairwise;
    std::map<std::string, std::string> values;
    for (const FileRules& each : rules) {
      if (each.layout.kind != ppn || each.layout.size > first || each.last_size < first) continue;
      for (const Rule& rule : each.rules) {
        if (rule.algorithm == kOwnChoice) continue;
        const Choice choice = parse_choice(each.collective, rule.algorithm);
        const std::string& theirs = name_of(ucc_names(), choice)->theirs;
        if (!tokens.empty() && tokens.back().collective == each.collective && tokens.back().theirs == theirs &&
            tokens.back().to_bytes + 1 == rule.from_bytes)
          tokens.back().to_bytes = rule.to_bytes;  // another radix
        else
          tokens.push_back({each.collective, theirs, rule.from_bytes, rule.to_bytes});
        if (const char* variable = ucc_radix_variable(each.collective, theirs)) {
          std::string& list = values[variable];
          const std::string radix = std::to_string(*value_of(choice, ParameterRole::radix));
          const std::string range = range_text(rule.from_bytes, rule.to_bytes, 0);
          if (ucc_radix_is_by_size(variable) && !range.empty())
            list += (list.empty() ? "" : ",") + range + "host:" + radix;
          else
            list = radix;
        }
        if (each.collective == Collective::alltoall && theirs == "pairwise") pairwise = kUccPairwise;
      }
    }
    if (tokens.empty()) return "";
    std::string& tune = values["TUNE"];
    for (const Token& token : tokens)
      tune += fmt::format("{}{}:{}@{}", tune.empty() ? "" : "#", ucc_collective(token.collective),
                          range_text(token.from_bytes, token.to_bytes, 1), token.theirs);
    std::string text = fmt::format("\n[ppn={}-{} nnodes={}-{}]\n", ppn, ppn, first, last);
    for (const auto& [variable, value] : values) {
      const std::string line = fmt::format("UCC_TL_UCP_{}={}", variable, value);
      if (line.size() > kLongestLine)
        throw InputError(fmt::format(
            "UCC up to 1.8 reads lines of at most {} characters: UCC_TL_UCP_{} for {} ranks per node on {} nodes takes "
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
