#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/error.hpp"
#include "exporters/lint_rules.hpp"
#include "exporters/rule_list.hpp"

// UCC's configuration file (ucc.conf; ucc_parser.c): sections [team_size=A-B ppn=A-B nnodes=A-B], inclusive, disjoint
// since overlapping ones apply in no order, each with variables of TL/UCP: UCC_TL_UCP_TUNE, tokens
// COLLECTIVE:FROM-TO:@ALGORITHM between #, of which later ones win and a range goes up to, but not including, its end;
// and radices: one for all sizes, or of some algorithms FROM-TO:host:RADIX, where a range has its end and the first one
// applies (ucc_mrange_uint_get). Sizes are those of the total convention (ucc_coll_args_msgsize), but of reduce_scatter
// of one block.

namespace tutti {
namespace {

const Library& names() { return find_library("ucc"); }

/// The variable of an algorithm's radix, after UCC_TL_UCP_; `by_size`: it may have several.
struct RadixVariable {
  Collective collective;
  const char* algorithm;
  const char* variable;
  bool by_size = false;
};

constexpr RadixVariable kVariables[] = {{Collective::allreduce, "knomial", "ALLREDUCE_KN_RADIX", true},
                                        {Collective::allreduce, "sra_knomial", "ALLREDUCE_SRA_KN_RADIX", true},
                                        {Collective::bcast, "knomial", "BCAST_KN_RADIX"},
                                        {Collective::reduce, "knomial", "REDUCE_KN_RADIX"},
                                        {Collective::allgather, "knomial", "ALLGATHER_KN_RADIX", true},
                                        {Collective::barrier, "knomial", "BARRIER_KN_RADIX"}};

const char* variable_of(Collective collective, std::string_view theirs) {
  for (const RadixVariable& each : kVariables)
    if (each.collective == collective && each.algorithm == theirs) return each.variable;
  return nullptr;
}

bool is_by_size(std::string_view variable) {
  return std::any_of(std::begin(kVariables), std::end(kVariables),
                     [&](const RadixVariable& each) { return each.variable == variable && each.by_size; });
}

/// UCC's reduce_scatter has blocks that are alike.
std::string collective_name(Collective collective) {
  if (collective == Collective::reduce_scatter) return "reduce_scatterv";
  if (collective == Collective::reduce_scatter_block) return "reduce_scatter";
  return std::string(name_of(collective));
}

std::optional<Collective> collective_of(std::string_view name) {
  for (const auto& [collective, algorithms] : names().algorithms)
    if (collective_name(collective) == name) return collective;
  return std::nullopt;
}

/// False where the algorithm does not take it.
bool set_radix(Choice& choice, std::int64_t value) {
  for (std::size_t i = 0; i < choice.parameters.size(); ++i) {
    const ParameterSpec& spec = choice.algorithm->parameters()[i];
    if (spec.role != ParameterRole::radix) continue;
    choice.parameters[i].second = value;
    return value >= spec.minimum && value <= spec.maximum;
  }
  return false;
}

constexpr std::int64_t kRadix = 4;  // where none is given, and where sizes share one
constexpr std::string_view kPrefix = "UCC_TL_UCP_";
/// The library posts a block at a time only where it is told so.
constexpr const char* kPairwise = "UCC_TL_UCP_ALLTOALL_PAIRWISE_NUM_POSTS=1\n";

class Section {
 public:
  /// With `doubts` unknown algorithms and radices are told there.
  Section(const TextLine& line, const std::string& origin, Doubts* doubts)
      : origin_(origin), doubts_(doubts), line_(line.number) {
    if (line.text.back() != ']') refuse_line(origin, line, "a section that ends with ]");
    for (const std::string_view word : split_at(line.text.substr(1, line.text.size() - 2), ' ')) {
      if (word.empty()) continue;
      const std::size_t equal = word.find('=');
      const std::string_view key = word.substr(0, equal);
      FromTo<int>* range = key == "team_size" ? &ranks_ : key == "ppn" ? &ppn_ : key == "nnodes" ? &nodes_ : nullptr;
      if (equal == std::string_view::npos || !range) refuse_line(origin, line, "team_size=, ppn= or nnodes=");
      const std::vector<std::string_view> ends = split_at(word.substr(equal + 1), '-');
      const auto first = whole_number(ends.front()), last = whole_number(ends.back());
      constexpr int kMost = std::numeric_limits<int>::max();
      if (ends.size() > 2 || !first || !last || *first > *last || *last > kMost)
        refuse_line(origin, line, "A or A-B after " + std::string(key) + "=");
      *range = {static_cast<int>(*first), static_cast<int>(*last)};
    }
  }

  void add(const TextLine& line) {
    const std::size_t equal = line.text.find('=');
    const std::string_view name = line.text.substr(0, equal);
    if (equal == std::string_view::npos || !name.starts_with(kPrefix))
      refuse_line(origin_, line, "UCC_TL_UCP_NAME=VALUE");
    const std::string_view value = line.text.substr(equal + 1);
    if (name == "UCC_TL_UCP_TUNE")
      for (const std::string_view token : split_at(value, '#')) add_token(line, token);
    else if (name.ends_with("_KN_RADIX"))
      for (const std::string_view part : split_at(value, ',')) add_radix(line, name.substr(kPrefix.size()), part);
    else if (std::string(line.text) + "\n" != kPairwise)
      refuse_line(origin_, line, "UCC_TL_UCP_TUNE, a radix or one post of a pairwise all-to-all");
  }

  /// Sizes with several radices are several rules; later tokens come first, since they win.
  void append_to(std::vector<ListedRule>& rules) const {
    int statement = rules.empty() ? 0 : rules.back().statement;
    for (auto token = tokens_.rbegin(); token != tokens_.rend(); ++token) {
      ++statement;
      const char* variable = variable_of(token->collective, token->algorithm);
      if (variable)
        for (const Radix& radix : radices_) {
          if (radix.variable != variable) continue;
          const FromTo<std::int64_t> both{std::max(token->bytes.first, radix.bytes.first),
                                          std::min(token->bytes.last, radix.bytes.last)};
          if (both.first <= both.last) append(rules, *token, both, radix.line, radix.value, statement);
        }
      append(rules, *token, token->bytes, token->line, variable ? std::optional(kRadix) : std::nullopt, statement);
    }
  }

 private:
  struct Token {
    TextLine line;
    Collective collective;
    FromTo<std::int64_t> bytes;
    std::string_view algorithm;
  };
  struct Radix {
    TextLine line;
    std::string_view variable;
    FromTo<std::int64_t> bytes;
    std::int64_t value;
  };

  void append(std::vector<ListedRule>& rules, const Token& token, const FromTo<std::int64_t>& bytes,
              const TextLine& line, std::optional<std::int64_t> radix, int statement) const {
    ListedRule rule{token.collective, ranks_, nodes_, ppn_, std::nullopt, bytes, {}, token.line.number};
    rule.statement = statement, rule.scope = line_;
    rule.choice = choice_named(names(), token.collective, token.algorithm);
    const bool is_right = rule.choice && (!radix || set_radix(*rule.choice, *radix));
    if (!is_right && !doubts_) refuse_line(origin_, line, "an algorithm and a radix that Tutti has");
    if (!rule.choice)
      doubts_->push_back(
          {line.number, "unknown",
           fmt::format("{} of {} is not one of Tutti's algorithms", token.algorithm, collective_name(token.collective)),
           "whether UCC has it is not known here; ucc_info -A and its score map (UCC_LOG_LEVEL=info) show it",
           "name one that ucc_info -A lists"});
    rules.push_back(std::move(rule));
  }

  static std::optional<std::int64_t> size_of(std::string_view text) {
    if (text == "inf") return Rule::kUnlimited;
    constexpr std::string_view kSuffixes = "kmg";
    int shift = 0;
    if (!text.empty())
      if (const std::size_t at = kSuffixes.find(static_cast<char>(text.back() | 0x20)); at != std::string_view::npos) {
        shift = 10 * (static_cast<int>(at) + 1);
        text.remove_suffix(1);
      }
    const std::optional<std::int64_t> number = whole_number(text);
    if (!number || *number > (Rule::kUnlimited >> shift)) return std::nullopt;
    return *number << shift;
  }

  /// `with_end`: the end is part of it.
  FromTo<std::int64_t> range(const TextLine& line, std::string_view text, bool with_end) const {
    const std::vector<std::string_view> ends = split_at(text, '-');
    if (ends.size() != 2) refuse_line(origin_, line, "a range of sizes, FROM-TO");
    const auto first = size_of(ends[0]), last = size_of(ends[1]);
    if (!first || !last || *first > *last || (!with_end && *first == *last))
      refuse_line(origin_, line, "a range of sizes, FROM-TO");
    return {*first, with_end || *last == Rule::kUnlimited ? *last : *last - 1};
  }

  void add_token(const TextLine& line, std::string_view text) {
    const std::vector<std::string_view> parts = split_at(text, ':');
    const std::optional<Collective> collective = collective_of(parts[0]);
    if (parts.size() < 2 || parts.size() > 3 || !collective || parts.back().size() < 2 || parts.back()[0] != '@')
      refuse_line(origin_, line, "COLLECTIVE:FROM-TO:@ALGORITHM between #");
    tokens_.push_back({line, *collective, parts.size() == 3 ? range(line, parts[1], false) : FromTo<std::int64_t>{},
                       parts.back().substr(1)});
  }

  void add_radix(const TextLine& line, std::string_view variable, std::string_view text) {
    const std::vector<std::string_view> parts = split_at(text, ':');
    const std::optional<std::int64_t> value = whole_number(parts.back());
    constexpr std::int64_t kMost = std::numeric_limits<std::uint16_t>::max();  // ucc_kn_radix_t
    if (parts.size() == 2 || parts.size() > 3 || !value || *value > kMost || (parts.size() == 3 && parts[1] != "host"))
      refuse_line(origin_, line, "RADIX or FROM-TO:host:RADIX between commas, at most 65535");
    if (parts.size() == 3 && !is_by_size(variable)) refuse_line(origin_, line, "one radix for all sizes");
    const FromTo<std::int64_t> sizes = parts.size() == 3 ? range(line, parts[0], true) : FromTo<std::int64_t>{};
    radices_.push_back({line, variable, sizes, *value});
  }

  std::string origin_;
  Doubts* doubts_;
  int line_;
  FromTo<int> ranks_, nodes_, ppn_;
  std::vector<Token> tokens_;
  std::vector<Radix> radices_;
};

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
    const Library::Name* name = name_of(names(), choice);
    const Collective collective = choice.algorithm->collective();
    const char* variable = name ? variable_of(collective, name->theirs) : nullptr;
    if (!variable || !knows_sizes(collective)) return name;
    return is_by_size(variable) || *value_of(choice, ParameterRole::radix) == kRadix;
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
    std::optional<Section> section;
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
        const std::string& theirs = name_of(names(), choice)->theirs;
        const std::string range = fmt::format(
            "{}-{}", rule.from_bytes, rule.to_bytes == Rule::kUnlimited ? "inf" : std::to_string(rule.to_bytes + 1));
        tokens +=
            fmt::format("{}{}:{}:@{}", tokens.empty() ? "" : "#", collective_name(each.collective), range, theirs);
        if (const char* variable = variable_of(each.collective, theirs)) {
          std::string& list = radices[variable];
          const std::string radix = std::to_string(*value_of(choice, ParameterRole::radix));
          if (is_by_size(variable))
            list += fmt::format("{}{}-{}:host:{}", list.empty() ? "" : ",", rule.from_bytes,
                                rule.to_bytes == Rule::kUnlimited ? "inf" : std::to_string(rule.to_bytes), radix);
          else
            list = radix;
        }
        if (each.collective == Collective::alltoall && theirs == "pairwise") pairwise = kPairwise;
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
const ExporterRegistration registered(&ucc);

}  // namespace
}  // namespace tutti
