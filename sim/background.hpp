#pragma once

#include <cstdint>
#include <string>

namespace tutti {

/// What another job does on the same machine, one rank on each of its nodes, over and over while the case's calls are
/// under way. In a round of an incast rank 0 posts a receive from each of the others, in order, which send `bytes` to
/// it; in a round of an all-to-all every rank goes through all others in ascending order and posts a send of `bytes`
/// and a receive. A rank's next round begins when all that it posted is complete.
struct Background {
  enum class Kind : std::uint8_t { incast, alltoall };
  Kind kind = Kind::incast;
  int ranks = 0;
  std::int64_t bytes = 0;  ///< of each message
  /// Not 0: after each round rank 0 tells the others down a binomial tree whether so much time has passed since the
  /// burst began; then all sleep for pause_seconds, and the next burst begins.
  double burst_seconds = 0, pause_seconds = 0;
  double gap_seconds = 0;  ///< every rank sleeps so long after each of its rounds

  std::string text() const;  ///< "incast:nodes=16,bytes=2097152,burst=0.1,pause=0.01"
};

/// `placement`: a CSV file of rank,node[,group[,leaf]], or "after": on the nodes that follow the case's.
struct BackgroundOptions {
  Background background;
  std::string placement = "after";
};
/// KIND:nodes=N,bytes=SIZE[,burst=SECONDS,pause=SECONDS][,gap=SECONDS][,placement=FILE]; nodes may be left out where a
/// file says them (then ranks is 0). Throws InputError, saying what was expected.
BackgroundOptions parse_background(const std::string& text);

}  // namespace tutti
