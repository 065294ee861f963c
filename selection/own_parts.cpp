#include "selection/own_parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "algos/patterns/tuned_numbers.hpp"
#include "selection/baseline_rules.hpp"
#include "selection/operand_order.hpp"

namespace tutti {
namespace {

/// What the parameter says the algorithm of.
std::optional<Collective> part_named(std::string_view parameter) {
  for (const Collective part : {Collective::reduce, Collective::bcast, Collective::gather, Collective::scatter})
    if (name_of(part) == parameter) return part;
  return std::nullopt;
}

Count vector_elements(const Case& c) { return static_cast<Count>(total_bytes(c)) / c.element_bytes; }

Case part_of(const Case& c, Collective collective) {
  const bool is_of_blocks = collective == Collective::gather || collective == Collective::scatter;
  const Count count = is_of_blocks ? c.count : vector_elements(c);
  return {collective, c.ranks, count, c.element_bytes, 0, false, c.op};
}

bool is_of_tuned(const Baseline& baseline, Collective collective) {
  const auto found = baseline.collectives.find(collective);
  return found != baseline.collectives.end() && found->second.component == "coll/tuned";
}

}  // namespace

bool has_parts(const Choice& choice) {
  return !choice.algorithm->is_by_node() &&
         std::any_of(choice.parameters.begin(), choice.parameters.end(),
                     [](const auto& parameter) { return part_named(parameter.first).has_value(); });
}

Choice without_parts(Choice choice) {
  if (!has_parts(choice)) return choice;
  const ParameterValues standard = choice.algorithm->default_parameters();
  for (std::size_t i = 0; i < choice.parameters.size(); ++i)
    if (part_named(choice.parameters[i].first)) choice.parameters[i] = standard[i];
  return choice;
}

Choice with_parts(Choice choice, const Case& c, const TunedPick& tuned, Explanation* why) {
  if (!has_parts(choice)) return choice;
  for (auto& [name, value] : choice.parameters) {
    const std::optional<Collective> collective = part_named(name);
    if (!collective) continue;
    const Case part = part_of(c, *collective);
    Explanation reason;
    const Choice runs = tuned(part, why ? &reason : nullptr);
    if (why)
      why->parts.push_back({fmt::format("{}, {}", name, bytes_text(total_bytes(part))), part_text(runs),
                            std::move(reason), is_plain_part(runs),
                            !is_commutative(part.op) && breaks_order(runs, part)});
    value = number_in_tuned(*runs.algorithm).value();
  }
  return choice;
}

TunedPick picks_by_rules(const Baseline& baseline) {
  return [&baseline](const Case& part, Explanation* why) {
    return pick_by_rules(baseline, part, evenly(1, part.ranks), why).choice;
  };
}

std::string remark_of_parts(const Baseline& baseline, const Choice& choice, const Case& c, const RanksOnNodes& on) {
  std::string remark;
  if (!baseline.has_han || !has_parts(choice)) return remark;
  for (const auto& [name, value] : choice.parameters)
    if (const auto collective = part_named(name);
        collective && pick_of_han(part_of(c, *collective), on, picks_by_rules(baseline)))
      remark +=
          fmt::format("{}its {} coll/han serves, for which coll/tuned's stands", remark.empty() ? "" : "; ", name);
  return remark;
}

bool rules_have_parts(const Baseline& baseline, Collective collective) {
  if (!is_of_tuned(baseline, collective)) return false;
  const std::vector<Choice> named = named_choices(baseline, collective);
  return std::any_of(named.begin(), named.end(), has_parts);
}

BaselinePick pick_with_own_parts(const Baseline& baseline, const Case& c, const RanksOnNodes& on, Explanation* why) {
  BaselinePick picked = pick_by_rules(baseline, c, on, why);
  if (!picked.choice.algorithm || !has_parts(picked.choice) || !is_of_tuned(baseline, c.collective)) return picked;
  picked.choice = with_parts(std::move(picked.choice), c, picks_by_rules(baseline), why);
  if (const std::string remark = remark_of_parts(baseline, picked.choice, c, on); !remark.empty())
    picked.remark += (picked.remark.empty() ? "" : "; ") + remark;
  return picked;
}

std::optional<Choice> choice_under(const TuningFile& file, const Case& c, const RanksOnNodes& on,
                                   const Baseline* library, Explanation* why) {
  if (auto said = file.decide(c, on, why)) return said;
  const auto own = library ? pick_if_ours(*library, c, on) : std::nullopt;
  if (!own) return std::nullopt;
  Choice runs = file.under_file(own->choice, c, on, why);
  return runs == own->choice ? std::nullopt : std::optional(std::move(runs));
}

}  // namespace tutti
