#include "selection/own_parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "algos/patterns/tuned_numbers.hpp"
#include "selection/baseline_rules.hpp"

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

}  // namespace

bool has_parts(const Choice& choice) {
  return !choice.algorithm->is_by_node() &&
         std::any_of(choice.parameters.begin(), choice.parameters.end(),
                     [](const auto& parameter) { return part_named(parameter.first).has_value(); });
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
      why->parts.push_back(
          {fmt::format("{}, {}", name, bytes_text(total_bytes(part))), part_text(runs), std::move(reason)});
    value = number_in_tuned(*runs.algorithm).value();
  }
  return choice;
}

bool has_own_parts(const Baseline& baseline, Collective collective) {
  const auto rules = baseline.collectives.find(collective);
  return rules != baseline.collectives.end() && rules->second.component == "coll/tuned";
}

BaselinePick pick_with_own_parts(const Baseline& baseline, const Case& c, const RanksOnNodes& on, Explanation* why) {
  BaselinePick picked = pick_by_rules(baseline, c, on, why);
  if (!picked.not_ours.empty() || !has_own_parts(baseline, c.collective) || !has_parts(picked.choice)) return picked;
  const auto tuned = [&](const Case& part, Explanation* of_part) {
    return pick_by_rules(baseline, part, evenly(1, part.ranks), of_part).choice;
  };
  picked.choice = with_parts(std::move(picked.choice), c, tuned, why);
  if (!baseline.has_han) return picked;
  for (const auto& [name, value] : picked.choice.parameters)
    if (const auto collective = part_named(name); collective && pick_of_han(part_of(c, *collective), on, tuned))
      picked.remark += fmt::format("{}its {} coll/han serves, for which coll/tuned's stands",
                                   picked.remark.empty() ? "" : "; ", name);
  return picked;
}

}  // namespace tutti
