#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "exporters/rule_list.hpp"

namespace tutti {

/// The calls of one collective that a rule is for: ranks, nodes, ranks per node, kind of layout, bytes, each from the
/// first to the last, inclusive.
struct RuleBox {
  static constexpr std::size_t kSides = 5, kBytes = 4;
  std::array<FromTo<std::int64_t>, kSides> sides;

  bool is_empty() const;
  bool meets(const RuleBox& other) const;
  bool holds(const RuleBox& other) const;
};

RuleBox box_of(const ListedRule& rule);
/// Whether the others together hold all of it. False, too, where that would take too long to say.
bool is_covered(const RuleBox& box, std::span<const RuleBox> others);
/// The numbers of ranks that the layouts allow.
FromTo<std::int64_t> ranks_in(const ListedRule& rule);

}  // namespace tutti
