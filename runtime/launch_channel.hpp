#pragma once

#include <optional>

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
};
/// Of a rank that leaves its team.
struct Parting {
  static constexpr Rank kInOrder = -1;
  Rank rank = 0;
  Rank lost = kInOrder;  // the rank whose loss is why
};

/// The ranks' ends. Where the launcher has said nothing yet, nothing.
std::optional<Loss> look(int channel);
void say(int channel, const Parting& parting);

/// The launcher's.
void say(int channel, const Obituary& obituary);
std::optional<Parting> hear(int channel);

}  // namespace tutti::launch_channel
