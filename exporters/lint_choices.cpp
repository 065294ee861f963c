#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "exporters/lint_rules.hpp"
#include "exporters/rule_boxes.hpp"
#include "selection/operand_order.hpp"

namespace tutti {

void lint_choice(const ListedRule& rule, Doubts& findings) {
  if (!check_parameters(*rule.choice, rule.line, findings)) return;
  constexpr std::int64_t kLooked = 64, kLargest = std::int64_t{1} << 40;
  const auto ranks = ranks_in(rule);
  if (ranks.first > ranks.last || rule.bytes.first > rule.bytes.last) return;
  std::string why, other;
  std::int64_t fails = 0, falls_back = 0, looked = 0, one = 0;
  for (std::int64_t p = ranks.first; p <= std::min({ranks.last, ranks.first + kLooked - 1, std::int64_t{1} << 20}); ++p)
    for (const std::int64_t bytes : {rule.bytes.first, std::min(rule.bytes.last, kLargest)}) {
      Case c{rule.collective, static_cast<int>(p), 0, default_element_bytes(rule.collective)};
      const std::int64_t element = c.element_bytes;
      c.count = count_for_total_bytes(
          c.collective, c.ranks, c.element_bytes,
          rule.collective == Collective::barrier ? 0 : std::min(bytes, kLargest) / element * element);
      if (p == 1) continue;  // a call of one rank is nothing to do
      ++looked;
      const std::string reason = why_not(*rule.choice, c);
      if (!reason.empty()) why = reason, one = p, ++fails;
      if (const Choice real = resolve(*rule.choice, c); reason.empty() && real.algorithm != rule.choice->algorithm)
        other = real.algorithm->name(), ++falls_back;
    }
  if (fails > 0)
    findings.push_back({rule.line, "cannot-run",
                        fmt::format("{} cannot run {}: it {}", said_by(rule),
                                    fails == looked ? "there" : fmt::format("on {} ranks", one), why),
                        "the library ends the call with an error, or runs something else without a word",
                        "name an algorithm that runs on all these ranks, or make the rule narrower", fails < looked});
  if (falls_back == looked && looked > 0)
    findings.push_back({rule.line, "fall-back", fmt::format("{}: {} runs in its place", said_by(rule), other),
                        "its name is not what runs", fmt::format("name {} itself", other), true});
}

void lint_operators(std::span<const ListedRule> rules, const LintedForm& form, Doubts& findings) {
  if (form.minds_operators) return;
  std::set<Collective> told;
  for (const ListedRule& rule : rules) {
    if (!rule.choice || told.contains(rule.collective)) continue;
    constexpr std::int64_t kElements = 1 << 18;  // fall-backs for few tell nothing of a rule
    const auto ranks = std::clamp<std::int64_t>(ranks_in(rule).first, 2, 1 << 20);
    const Case c{rule.collective, static_cast<int>(ranks), kElements, default_element_bytes(rule.collective)};
    if (!breaks_order(*rule.choice, c)) continue;
    told.insert(rule.collective);
    findings.push_back({rule.line, "operator",
                        fmt::format("{} combines operands in another order, and is the first such rule", said_by(rule)),
                        fmt::format("{} follows its file for every operator: those of a program that do not commute "
                                    "get wrong results",
                                    form.library),
                        "nothing, if programs have none such; else name algorithms that keep the order (tutti export "
                        "--any-operator)",
                        true});
  }
}

bool check_parameters(const Choice& choice, int line, Doubts& findings) {
  bool are_right = true;
  for (const ParameterSpec& spec : choice.algorithm->parameters())
    for (const auto& [name, value] : choice.parameters) {
      if (name != spec.name || (value >= spec.minimum && value <= spec.maximum)) continue;
      are_right = false;
      findings.push_back({line, "parameter", fmt::format("{} of {} is {}", name, choice.algorithm->full_name(), value),
                          "the library takes another value, or refuses the call",
                          spec.maximum == std::numeric_limits<std::int64_t>::max()
                              ? fmt::format("set it to {} or more", spec.minimum)
                              : fmt::format("set it from {} to {}", spec.minimum, spec.maximum)});
    }
  return are_right;
}

}  // namespace tutti
