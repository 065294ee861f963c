#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "algos/comm.hpp"

namespace tutti {

/// 0: all ranks.
inline std::uint32_t group_id(const CallScope& scope) { return scope.group ? scope.group->id : 0; }

/// Says of a number that its call was made by another one.
inline constexpr std::uint32_t kMadeByAnother = 1u << 31;
/// Of the call of that place among those that a call makes in one group. Multiples of the golden ratio stay far apart:
/// the numbers of a thousand calls that follow each other differ for the first half million calls that each makes.
inline std::uint32_t number_within(std::uint32_t maker, std::uint32_t place) {
  return (maker * 0x9E3779B1u + place) | kMadeByAnother;
}

/// Numbers the calls of one rank such that all ranks number a call alike. A call that nobody made is numbered by a
/// count; one that another call makes by that call's number and a count within it: how many calls an algorithm makes
/// may differ between ranks (a folded rank combines nothing), and calls under way side by side make theirs in any
/// order.
class CallNumbers {
 public:
  std::uint32_t next(const CallScope& scope) {
    if (!scope.parent && !scope.group) return of_all_++ & ~kMadeByAnother;
    if (!scope.parent) return made_[{nullptr, group_id(scope)}]++ & ~kMadeByAnother;
    return number_within(scope.parent->number, ++made_[{scope.parent, group_id(scope)}]);
  }
  /// The call is over.
  void forget(const CallScope& scope) {
    if (made_.empty()) return;
    const auto first = made_.lower_bound({&scope, 0});
    auto last = first;
    while (last != made_.end() && last->first.first == &scope) ++last;
    made_.erase(first, last);
  }

 private:
  std::uint32_t of_all_ = 0;                                                  // made by nobody, among all ranks
  std::map<std::pair<const CallScope*, std::uint32_t>, std::uint32_t> made_;  // by maker and group
};

}  // namespace tutti
