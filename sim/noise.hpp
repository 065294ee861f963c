#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace tutti {

/// What takes a processor away from a rank now and then: the operating system, and whatever else runs on the node. The
/// model of detours of Hoefler, Schneider, Lumsdaine: "Characterizing the Influence of System Noise on Large-Scale
/// Applications by Simulation", SC 2010. What is being worked on goes on after the detour; what flows does not stop.
struct Noise {
  struct Detour {
    double begin_seconds, duration_seconds;
  };
  double every_seconds =
      0;                   ///< in the mean from the end of one to the beginning of the next, exponentially distributed
  double for_seconds = 0;  ///< each
  /// Where it is set: measured, ascending, apart; over and over in place of those, from a random one of them on.
  std::shared_ptr<const std::vector<Detour>> measured = {};
  std::string file = {};  ///< where those are from
  bool by_node = false;   ///< all processors of a node take the same at once; else each its own

  std::string text() const;  ///< "every=0.001,for=2.5e-05,by=node"
  double share() const;      ///< of the processor's time
};
/// every=SECONDS,for=SECONDS[,by=node] or file=FILE[,by=node]: a CSV of begin_us,duration_us, as a benchmark finds them
/// that does nothing but look at the clock (FTQ, selfish). Throws InputError, with the file's line where one is wrong.
Noise parse_noise(const std::string& text);

/// The detours of one processor: the same ones for the same seed, whoever asks how often.
class Detours {
 public:
  /// The noise must outlive it.
  Detours(const Noise& noise, std::uint64_t seed);
  /// How long work of `seconds` takes that begins at `begin_seconds`; both not negative. Asked in order of time.
  double stretched(double begin_seconds, double seconds);

 private:
  void go_on();

  const Noise& noise_;
  std::minstd_rand random_;
  std::size_t next_ = 0;                        // of those measured
  double offset_seconds_ = 0;                   // of their round
  double begin_seconds_ = 0, end_seconds_ = 0;  // of the detour that is under way or comes next
};

}  // namespace tutti
