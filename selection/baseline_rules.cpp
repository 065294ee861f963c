#include "selection/baseline_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>

namespace tutti {
namespace {

using LibraryRule = Baseline::Rule;
using Answers = std::map<std::string, bool>;

/// UCC's radix of scatter-reduce-allgather (ucc_kn_get_opt_radix): of 2 to 4 the first that leaves the fewest ranks
/// out.
int ucc_radix(int ranks) {
  int best = 2, fewest = ranks;
  for (int radix = 2; radix <= 4; ++radix) {
    std::int64_t full = radix;
    while (full < ranks) full *= radix;
    if (full != ranks) full /= radix;
    const int extra = ranks % static_cast<int>(full);
    if (extra < fewest) best = radix, fewest = extra;
    if (extra == 0) break;
  }
  return best;
}

/// What a rule's conditions are asked about.
Answers facts_of(const Case& c, const RanksOnNodes& on) {
  const auto ranks = static_cast<unsigned>(c.ranks);
  return {{"power_of_two", std::has_single_bit(ranks)},
          {"commutative", is_commutative(c.op)},
          {"built_in", c.op != Operator::user && c.op != Operator::user_commutative},
          {"in_place", c.in_place},
          {"equal_blocks", c.collective == Collective::reduce_scatter ? unevenness(c) == 0 : c.count % c.ranks == 0},
          {"fewer_elements_than_power_of_two", c.count < static_cast<Count>(std::bit_floor(ranks))},
          {"fewer_elements_than_power_of_two_of_nodes",
           c.count < static_cast<Count>(std::bit_floor(static_cast<unsigned>(on.nodes)))},
          {"hierarchical", on.nodes > 1 && on.nodes < c.ranks},
          {"one_node", on.nodes == 1},
          {"eight_nodes", on.nodes >= 8},
          {"equal_nodes", on.equal()},
          {"even", c.ranks % 2 == 0},
          {"ucc_radix_2", ucc_radix(c.ranks) == 2},
          {"ucc_radix_3", ucc_radix(c.ranks) == 3}};
}

constexpr int kNoLimit = std::numeric_limits<int>::max();

/// What of a rule does not hold in a call, beside its sizes: the first such thing.
struct Unmet {
  const std::pair<const std::string, bool>* condition = nullptr;
  int ranks = 0, ranks_below = 0, ranks_per_node_below = 0;
  std::int64_t total_bytes_below = 0;

  std::string text() const {
    if (condition) return for_which_calls(condition->first, condition->second);
    if (total_bytes_below > 0) return fmt::format("for fewer than {} bytes in all", total_bytes_below);
    if (ranks_per_node_below > 0) return fmt::format("for fewer than {} ranks a node", ranks_per_node_below);
    return ranks != 0 ? fmt::format("for exactly {} ranks", ranks)
                      : fmt::format("for fewer than {} ranks", ranks_below);
  }
};

/// What of a call the rules ask for that is a number.
struct Measures {
  int ranks = 0, ranks_per_node = 0;
  std::int64_t total_bytes = 0;
};

std::optional<Unmet> unmet(const LibraryRule& rule, const Answers& facts, const Measures& call) {
  for (const auto& condition : rule.conditions)
    if (facts.at(condition.first) != condition.second) return Unmet{.condition = &condition};
  if (call.total_bytes >= rule.total_bytes_below) return Unmet{.total_bytes_below = rule.total_bytes_below};
  if (call.ranks_per_node >= rule.ranks_per_node_below) return Unmet{.ranks_per_node_below = rule.ranks_per_node_below};
  if (rule.ranks != 0 && rule.ranks != call.ranks) return Unmet{.ranks = rule.ranks};
  if (call.ranks >= rule.ranks_below) return Unmet{.ranks_below = rule.ranks_below};
  return std::nullopt;
}

const LibraryRule::Step* step_for(const LibraryRule& rule, std::int64_t bytes) {
  const auto step = std::find_if(rule.steps.begin(), rule.steps.end(),
                                 [&](const LibraryRule::Step& s) { return bytes < s.below_bytes; });
  return step == rule.steps.end() ? nullptr : &*step;
}

/// Of limits that ascend, the last says what the others do.
std::string passed_over(const std::vector<LibraryRule>& rules, std::size_t taken, const Answers& facts,
                        const Measures& call) {
  std::vector<std::string> reasons;
  Unmet limit;
  for (std::size_t i = 0; i < taken; ++i) {
    const std::optional<Unmet> why = unmet(rules[i], facts, call);
    if (why && why->ranks_below > 0) {
      if (why->ranks_below > limit.ranks_below) limit = *why;
      continue;
    }
    const std::string said =
        why ? why->text() : fmt::format("for fewer than {} bytes", rules[i].steps.back().below_bytes);
    if (std::find(reasons.begin(), reasons.end(), said) == reasons.end()) reasons.push_back(said);
  }
  if (limit.ranks_below > 0) reasons.push_back(limit.text());
  return fmt::format("{}", fmt::join(reasons, ", "));
}

std::string conditions_text(const LibraryRule& rule) {
  std::string text = rule.ranks != 0                ? fmt::format("for exactly {} ranks", rule.ranks)
                     : rule.ranks_below != kNoLimit ? fmt::format("for fewer than {} ranks", rule.ranks_below)
                                                    : "";
  if (rule.total_bytes_below != std::numeric_limits<std::int64_t>::max())
    text += (text.empty() ? "" : " and ") + fmt::format("for fewer than {} bytes in all", rule.total_bytes_below);
  if (rule.ranks_per_node_below != kNoLimit)
    text += (text.empty() ? "" : " and ") + fmt::format("for fewer than {} ranks a node", rule.ranks_per_node_below);
  for (const auto& [condition, value] : rule.conditions)
    text += (text.empty() ? "" : " and ") + for_which_calls(condition, value);
  return text.empty() ? "for all that is left" : text;
}

std::string said_by(const LibraryRule::Step& step) {
  if (!step.as.empty()) return "what " + step.as + " would run";
  return step.not_ours.empty() ? step.choice.text() : step.not_ours;
}

std::string step_text(const LibraryRule& rule, const LibraryRule::Step& step, bool by_block, std::int64_t bytes) {
  const auto at = static_cast<std::size_t>(&step - rule.steps.data());
  if (rule.steps.size() == 1 && step.below_bytes == std::numeric_limits<std::int64_t>::max())
    return fmt::format("it says {} for every size", said_by(step));
  std::string text =
      fmt::format("it goes by {}, here {}: {}", by_block ? "the bytes of one rank's block" : "the bytes of the call",
                  bytes_text(bytes), said_by(step));
  if (at > 0)
    text += fmt::format(" from {} on (below that {})", bytes_text(rule.steps[at - 1].below_bytes),
                        said_by(rule.steps[at - 1]));
  if (at + 1 < rule.steps.size())
    text += fmt::format("{} below {} (from there on {})", at > 0 ? "," : "", bytes_text(step.below_bytes),
                        said_by(rule.steps[at + 1]));
  return text;
}

void explain_step(const Baseline::Rules& rules, const LibraryRule& rule, const LibraryRule::Step& step, const Case& c,
                  const Answers& facts, const Measures& call, std::int64_t bytes, Explanation& why) {
  const auto at = static_cast<std::size_t>(&rule - rules.rules.data());
  why.component = rules.component;
  why.rule = fmt::format("rule {} of {} for {}, built in", at + 1, rules.rules.size(), name_of(c.collective));
  const std::string passed = passed_over(rules.rules, at, facts, call);
  why.because.push_back(fmt::format("the first of its rules that fits is number {} of {}, {}: there {} {} rank{}{}",
                                    at + 1, rules.rules.size(), conditions_text(rule), c.ranks == 1 ? "is" : "are",
                                    c.ranks, c.ranks == 1 ? "" : "s",
                                    passed.empty() ? "" : "; passed over are those " + passed));
  why.because.push_back(step_text(rule, step, rules.by_block, bytes));
  why.told = true;
}

BaselinePick pick_left_to(const std::string& library, const Case& c, const RanksOnNodes& on, Explanation* why) {
  Explanation below;
  BaselinePick left = pick(find_baseline(library), c, on, why ? &below : nullptr);
  if (!why) return left;
  why->because.push_back(fmt::format("{} decides instead", library));
  why->rule = fmt::format("{}'s {}", library, below.rule);
  std::move(below.because.begin(), below.because.end(), std::back_inserter(why->because));
  why->component = below.component;
  why->parts = std::move(below.parts);
  return left;
}

/// Of unequal blocks the mean.
std::int64_t bytes_of_block(const Case& c) {
  return is_regular(c.collective) ? c.count * c.element_bytes : total_bytes(c) / c.ranks;
}

}  // namespace

BaselinePick pick_by_rules(const Baseline& baseline, const Case& c, const RanksOnNodes& on, Explanation* why) {
  const Baseline::Rules& rules = baseline.collectives.at(c.collective);
  const std::int64_t bytes = rules.by_block ? bytes_of_block(c) : total_bytes(c);
  const Answers facts = facts_of(c, on);
  const Measures call{c.ranks, on.most, total_bytes(c)};
  for (const LibraryRule& rule : rules.rules) {
    if (unmet(rule, facts, call)) continue;
    const LibraryRule::Step* step = step_for(rule, bytes);
    if (!step) continue;
    if (why) explain_step(rules, rule, *step, c, facts, call, bytes, *why);
    if (!step->not_ours.empty()) return {{}, {}, step->not_ours};
    std::string remark = rule.remark;
    if (!step->as.empty()) {
      BaselinePick left = pick_left_to(step->as, c, on, why);
      left.remark += (left.remark.empty() || remark.empty() ? "" : "; ") + remark;
      return left;
    }
    if (!baseline.hierarchical_remark.empty() && facts.at("hierarchical"))
      remark += (remark.empty() ? "" : "; ") + baseline.hierarchical_remark;
    return {step->choice, remark, {}};
  }
  throw std::logic_error("baseline " + baseline.name + ": no rule for a " + std::string(name_of(c.collective)) +
                         " of " + std::to_string(c.ranks) + " ranks");
}

}  // namespace tutti
