#include "selection/own_parts.hpp"

#include <fmt/core.h>

#include <optional>
#include <string_view>

#include "algos/patterns/tuned_numbers.hpp"
#include "selection/baseline_rules.hpp"
#include "selection/han_pick.hpp"

namespace tutti {
namespace {

/// What the parameter says the algorithm of.
std::optional<Collective> part_named(std::string_view parameter) {
  for (const Collective part : {Collective::reduce, Collective::bcast, Collective::scatter})
    if (name_of(part) == parameter) return part;
  return std::nullopt;
}

Count vector_elements(const Case& c) { return static_cast<Count>(total_bytes(c)) / c.element_bytes; }

Case part_of(const Case& c, Collective collective) {
  const Count count = collective == Collective::scatter ? c.count : vector_elements(c);
  return {collective, c.ranks, count, c.element_bytes, 0, false, c.op};
}

}  // namespace

bool has_own_parts(const Baseline& baseline, Collective collective) {
  const auto rules = baseline.collectives.find(collective);
  return rules != baseline.collectives.end() && rules->second.component == "coll/tuned";
}

BaselinePick pick_with_own_parts(const Baseline& baseline, const Case& c, const RanksOnNodes& on, Explanation* why) {
  BaselinePick picked = pick_by_rules(baseline, c, on, why);
  if (!picked.not_ours.empty() || !has_own_parts(baseline, c.collective)) return picked;
  const auto tuned = [&](const Case& part, Explanation* of_part) {
    return pick_by_rules(baseline, part, evenly(1, part.ranks), of_part).choice;
  };
  for (auto& [name, value] : picked.choice.parameters) {
    const std::optional<Collective> collective = part_named(name);
    if (!collective) continue;
    const Case part = part_of(c, *collective);
    Explanation reason;
    const Choice choice = tuned(part, why ? &reason : nullptr);
    if (why)
      why->parts.push_back(
          {fmt::format("{}, {}", name, bytes_text(total_bytes(part))), choice.text(), std::move(reason)});
    value = number_in_tuned(*choice.algorithm).value();
    if (baseline.has_han && pick_of_han(part, on, tuned))
      picked.remark += fmt::format("{}its {} coll/han serves, for which coll/tuned's {} stands",
                                   picked.remark.empty() ? "" : "; ", name, choice.text());
  }
  return picked;
}

}  // namespace tutti
