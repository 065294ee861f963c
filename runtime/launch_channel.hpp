#pragma once

#include <optional>
#include <string>

#include "runtime/loss.hpp"

/// Between `tutti launch` and its ranks: a pair of sockets, of which all ranks share one. What the launcher says stays
/// there, for all to look at. What ranks say it takes.
namespace tutti::launch_channel {

/// In the environment of a rank: its descriptor's number.
inline constexpr const char* kVariable = "TUTTI_LAUNCHER";

/// Of a rank whose process has ended, as wait() tells.
struct Obituary {
  Rank rank = 0;
  int wait_status = 0;
  bool has_left = false;  // its last team, in order: one that is being set up has lost it, that team has not

  std::string reason() const;
};
/// Of a rank that joins a team, or leaves it.
struct Membership {
  static constexpr Rank kJoins = -2, kLeavesInOrder = -1;
  Rank rank = 0;
  Rank why = kLeavesInOrder;  // or the rank whose loss is why it leaves
};

/// The ranks' ends. Where the launcher has said nothing yet, nothing.
std::optional<Obituary> look(int channel);
void say(int channel, const Membership& membership);

/// The launcher's, which says one obituary: of those behind it nobody would hear.
void say(int channel, const Obituary& obituary);
std::optional<Membership> hear(int channel);

}  // namespace tutti::launch_channel
