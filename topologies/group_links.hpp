#pragma once
// Which switch of a group holds which of the cables to other groups; dragonfly and dragonfly+ alike.

namespace tutti {

/// Each two of `groups` groups are joined by `cables` cables. A group counts its cables to the groups in order, leaving
/// itself out, and deals them out to its `switches` in turn, so that every number of groups and cables has its place.
struct GroupLinks {
  int groups;
  int switches;
  int cables;

  /// The switch, counted inside `group`, that holds cable `cable` to `other`.
  int holder(int group, int other, int cable) const {
    return static_cast<int>(((other < group ? other : other - 1) * static_cast<long long>(cables) + cable) % switches);
  }
  /// Number of that cable's direction from `group` to `other` among all such directions.
  long long index(int group, int other, int cable) const {
    return (static_cast<long long>(group) * (groups - 1) + (other < group ? other : other - 1)) * cables + cable;
  }
};

}  // namespace tutti
