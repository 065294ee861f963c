#include "exporters/rule_boxes.hpp"

#include <algorithm>

namespace tutti {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

template <class T>
FromTo<std::int64_t> widened(const FromTo<T>& range) {
  return {range.first, range.last == std::numeric_limits<T>::max() ? kMost : std::int64_t{range.last}};
}

FromTo<std::int64_t> common(const FromTo<std::int64_t>& a, const FromTo<std::int64_t>& b) {
  return {std::max(a.first, b.first), std::min(a.last, b.last)};
}

/// What of `box` the other does not hold, in boxes that do not meet.
void subtract(const RuleBox& box, const RuleBox& other, std::vector<RuleBox>& rest) {
  RuleBox left = box;
  for (std::size_t side = 0; side < RuleBox::kSides; ++side) {
    const auto cut = common(left.sides[side], other.sides[side]);
    if (left.sides[side].first < cut.first) {
      rest.push_back(left);
      rest.back().sides[side].last = cut.first - 1;
    }
    if (cut.last < left.sides[side].last) {
      rest.push_back(left);
      rest.back().sides[side].first = cut.last + 1;
    }
    left.sides[side] = cut;
  }
}

std::int64_t product(std::int64_t a, std::int64_t b) { return a == 0 || b <= kMost / a ? a * b : kMost; }

}  // namespace

bool RuleBox::is_empty() const {
  return std::any_of(sides.begin(), sides.end(), [](const auto& side) { return side.first > side.last; });
}

bool RuleBox::meets(const RuleBox& other) const {
  for (std::size_t side = 0; side < kSides; ++side)
    if (const auto both = common(sides[side], other.sides[side]); both.first > both.last) return false;
  return true;
}

bool RuleBox::holds(const RuleBox& other) const {
  for (std::size_t side = 0; side < kSides; ++side)
    if (other.sides[side].first < sides[side].first || other.sides[side].last > sides[side].last) return false;
  return true;
}

RuleBox box_of(const ListedRule& rule) {
  // Numbers that no call has are no part of it: there are no layouts of 0 ranks.
  const auto from_one = [](FromTo<std::int64_t> range) {
    range.first = std::max<std::int64_t>(range.first, 1);
    return range;
  };
  RuleBox box{{from_one(widened(rule.ranks)), from_one(widened(rule.nodes)), from_one(widened(rule.ppn)),
               rule.kind ? FromTo<std::int64_t>{*rule.kind, *rule.kind} : FromTo<std::int64_t>{kMixed, kOneNode},
               rule.bytes}};
  return box;
}

bool is_covered(const RuleBox& box, std::span<const RuleBox> others) {
  constexpr std::size_t kMostPieces = 4096;
  std::vector<RuleBox> pieces{box};
  for (const RuleBox& other : others) {
    std::vector<RuleBox> rest;
    for (const RuleBox& piece : pieces)
      if (piece.meets(other))
        subtract(piece, other, rest);
      else
        rest.push_back(piece);
    pieces = std::move(rest);
    if (pieces.empty()) return true;
    if (pieces.size() > kMostPieces) return false;
  }
  return pieces.empty();
}

FromTo<std::int64_t> ranks_in(const ListedRule& rule) {
  const RuleBox box = box_of(rule);
  const auto &nodes = box.sides[1], &ppn = box.sides[2];
  // Ranks per node are those of the fullest node.
  const FromTo<std::int64_t> by_layout{
      std::max(nodes.first, product(nodes.first, ppn.first - 1) + (ppn.first > 1 ? 1 : 0)),
      product(nodes.last, ppn.last)};
  return common(box.sides[0], by_layout);
}

}  // namespace tutti
