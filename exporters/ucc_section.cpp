#include "exporters/ucc_section.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "exporters/ucc_names.hpp"

namespace tutti {
namespace {

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

std::optional<std::int64_t> size_of(std::string_view text) {
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

}  // namespace

UccSection::UccSection(const TextLine& line, const std::string& origin, Doubts* doubts)
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

void UccSection::add(const TextLine& line) {
  const std::size_t equal = line.text.find('=');
  const std::string_view name = line.text.substr(0, equal);
  if (equal == std::string_view::npos || !name.starts_with(kUccPrefix))
    refuse_line(origin_, line, "UCC_TL_UCP_NAME=VALUE");
  const std::string_view value = line.text.substr(equal + 1);
  if (name == "UCC_TL_UCP_TUNE")
    for (const std::string_view token : split_at(value, '#')) add_token(line, token);
  else if (name.ends_with("_KN_RADIX"))
    for (const std::string_view part : split_at(value, ',')) add_radix(line, name.substr(kUccPrefix.size()), part);
  else if (std::string(line.text) + "\n" != kUccPairwise)
    refuse_line(origin_, line, "UCC_TL_UCP_TUNE, a radix or one post of a pairwise all-to-all");
}

void UccSection::append_to(std::vector<ListedRule>& rules) const {
  int statement = rules.empty() ? 0 : rules.back().statement;
  for (auto token = tokens_.rbegin(); token != tokens_.rend(); ++token) {
    ++statement;
    const char* variable = ucc_radix_variable(token->collective, token->algorithm);
    if (variable)
      for (const Radix& radix : radices_) {
        if (radix.variable != variable) continue;
        const FromTo<std::int64_t> both{std::max(token->bytes.first, radix.bytes.first),
                                        std::min(token->bytes.last, radix.bytes.last)};
        if (both.first <= both.last) append(rules, *token, both, radix.line, radix.value, statement);
      }
    append(rules, *token, token->bytes, token->line, variable ? std::optional(kUccRadix) : std::nullopt, statement);
  }
}

void UccSection::append(std::vector<ListedRule>& rules, const Token& token, const FromTo<std::int64_t>& bytes,
                        const TextLine& line, std::optional<std::int64_t> radix, int statement) const {
  ListedRule rule{token.collective, ranks_, nodes_, ppn_, std::nullopt, bytes, {}, token.line.number};
  rule.statement = statement, rule.scope = line_;
  rule.choice = choice_named(ucc_names(), token.collective, token.algorithm);
  const bool is_right = rule.choice && (!radix || set_radix(*rule.choice, *radix));
  if (!is_right && !doubts_) refuse_line(origin_, line, "an algorithm and a radix that Tutti has");
  if (!rule.choice)
    doubts_->push_back(
        {line.number, "unknown",
         fmt::format("{} of {} is not one of Tutti's algorithms", token.algorithm, ucc_collective(token.collective)),
         "whether UCC has it is not known here; ucc_info -A and its score map (UCC_LOG_LEVEL=info) show it",
         "name one that ucc_info -A lists"});
  rules.push_back(std::move(rule));
}

FromTo<std::int64_t> UccSection::range(const TextLine& line, std::string_view text, bool with_end) const {
  const std::vector<std::string_view> ends = split_at(text, '-');
  if (ends.size() != 2) refuse_line(origin_, line, "a range of sizes, FROM-TO");
  const auto first = size_of(ends[0]), last = size_of(ends[1]);
  if (!first || !last || *first > *last || (!with_end && *first == *last))
    refuse_line(origin_, line, "a range of sizes, FROM-TO");
  return {*first, with_end || *last == Rule::kUnlimited ? *last : *last - 1};
}

void UccSection::add_token(const TextLine& line, std::string_view text) {
  const std::vector<std::string_view> parts = split_at(text, ':');
  const std::optional<Collective> collective = ucc_collective_of(parts[0]);
  if (parts.size() < 2 || parts.size() > 3 || !collective || parts.back().size() < 2 || parts.back()[0] != '@')
    refuse_line(origin_, line, "COLLECTIVE:FROM-TO:@ALGORITHM between #");
  tokens_.push_back({line, *collective, parts.size() == 3 ? range(line, parts[1], false) : FromTo<std::int64_t>{},
                     parts.back().substr(1)});
}

void UccSection::add_radix(const TextLine& line, std::string_view variable, std::string_view text) {
  const std::vector<std::string_view> parts = split_at(text, ':');
  const std::optional<std::int64_t> value = whole_number(parts.back());
  constexpr std::int64_t kMost = std::numeric_limits<std::uint16_t>::max();  // ucc_kn_radix_t
  if (parts.size() == 2 || parts.size() > 3 || !value || *value > kMost || (parts.size() == 3 && parts[1] != "host"))
    refuse_line(origin_, line, "RADIX or FROM-TO:host:RADIX between commas, at most 65535");
  if (parts.size() == 3 && !ucc_radix_is_by_size(variable)) refuse_line(origin_, line, "one radix for all sizes");
  const FromTo<std::int64_t> sizes = parts.size() == 3 ? range(line, parts[0], true) : FromTo<std::int64_t>{};
  radices_.push_back({line, variable, sizes, *value});
}

}  // namespace tutti
