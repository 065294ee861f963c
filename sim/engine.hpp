#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algos/payload.hpp"
#include "algos/registry.hpp"
#include "models/machine.hpp"
#include "sim/background.hpp"
#include "sim/critical_path.hpp"
#include "sim/noise.hpp"

namespace tutti {

/// What a benchmark would do around the call.
struct Mode {
  enum class Kind : std::uint8_t {
    isolated,      // every rank calls at time 0
    barrier,       // a barrier first, each rank timed from its own exit, as OSU and IMB do
    back_to_back,  // `calls` calls with nothing between; times are per call
    loop,          // ranks arrive as in skew, then `calls` times a barrier and a call, as benchmarks do; the last call
                   // counts, each rank timed from its own exit. Who leaves the barrier late is who entered it early, so
                   // that what is measured follows from the call before as well
    skew           // each rank arrives at |N(0, sigma)|, or as late as one was measured to; timed from the last arrival
  };
  Kind kind = Kind::isolated;
  int calls = 1;
  double sigma_seconds = 0;
  /// Which one comes first: what ranks wait for after it depends on who leaves it when.
  std::string barrier_algorithm = "bruck";
  /// Where it is set: how late ranks were that were measured, of which each rank of a skew draws one.
  std::shared_ptr<const std::vector<double>> measured_seconds = {};
  std::string file = {};  // where those are from

  /// Whether ranks come at different times, by the seed.
  bool is_skewed() const { return sigma_seconds > 0 || measured_seconds; }
  /// "isolated", "barrier", "barrier:tree", "loop:4:tree", "back-to-back:10", "skew:1e-06", "skew:file=late.csv"
  std::string text() const;
};
/// Throws InputError on anything else than those forms, and with its line where the file is no CSV of late_us.
Mode parse_mode(const std::string& text);

/// One simulation: a case, run by a choice, on ranks placed on cores of a machine.
struct Experiment {
  Case c;
  Choice choice;
  std::vector<int> core_of_rank;  // of the case's ranks, then of the background's
  Mode mode;
  std::uint64_t seed = 1;         // of the skew and of the noise
  bool record = false;            // keep every message, for the trace and the critical path
  MakePayload payload = nullptr;  // what the simulated messages move; then no rank stands for another
  /// Of longer makespans nothing is wanted but that they are longer: an engine may leave off when it knows.
  double most_seconds = std::numeric_limits<double>::infinity();
  std::optional<Background> background = {};  // beside all of the calls, from time 0 on
  std::optional<Noise> noise = {};            // on the processors of all ranks, from time 0 on
  bool each_call = false;                     // tell the time of each call, as beside a background or noise

  bool tells_each_call() const { return background || noise || each_call; }
};

/// A message or local operation, as recorded.
struct TraceEvent {
  enum class Kind : std::uint8_t { message, copy, combine };
  static constexpr std::int64_t kNone = -1;
  Kind kind = Kind::message;
  Rank rank = 0, peer = 0;  // source and destination; equal for local work
  std::int64_t bytes = 0;
  double posted_seconds = 0;        // when the sender (or the rank) posted it
  double started_seconds = 0;       // when its first byte left, or the work began
  double ended_seconds = 0;         // when the receiver had it, or the work was done
  std::int64_t after = kNone;       // the event whose end let it be posted; of what waited for its receive: let that be
  std::int64_t sent_after = kNone;  // the event whose end let it be posted
  double wanted_seconds = -1;       // when its receive was posted, if it waited for that
  std::vector<Spent> spent{};       // from posted_seconds on, one after the other
};

struct Result {
  std::string
      refused;  // not empty: why this engine cannot simulate it in reasonable time; the rest is then meaningless
  double makespan_seconds = 0;                    // the longest time of a rank; skew: from last arrival to last exit
  std::vector<double> seconds_per_rank;           // from the rank's own start to its end of the call
  std::int64_t messages = 0;                      // of one call
  std::map<std::string, double> bytes_per_level;  // of one call: bytes carried, by the level of the link
  std::vector<TraceEvent> trace;                  // when recorded: of the whole run, in order of posting
  std::vector<std::size_t> critical_path;         // when recorded: indices into trace, first to last
  std::vector<PathPart> path_parts{};             // when recorded: what the critical path's time was spent on
  std::string fault{};                            // what the payload found wrong; empty: nothing
  std::vector<double>
      seconds_per_call{};  // where it tells_each_call(), in order; makespan_seconds is then their median
  bool exceeded = false;   // not simulated to its end, as it takes more than most_seconds; the rest is then meaningless
};

/// A simulator. Same experiment, same answer, on every run. Safe to use from several threads at once.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;
  /// One result per experiment, in order. Throws InputError where an experiment cannot be run on this engine,
  /// std::runtime_error where the engine failed.
  virtual std::vector<Result> run(const Machine& machine, std::span<const Experiment> experiments) const = 0;
};

/// The engines built in, by name; an engine registers with one line at its end.
std::vector<std::string> engine_names();
/// Throws InputError on an unknown name, listing the known ones.
std::unique_ptr<Engine> make_engine(const std::string& name);

struct EngineRegistration {
  EngineRegistration(const char* name, std::unique_ptr<Engine> (*make)());
};

/// Chrome's and Perfetto's JSON: a process per node (of each rank: `node_of_rank`), in it the tracks of its ranks, one
/// slice per event, arrows for messages. What a rank does at the same time lies on tracks of its own beside the first,
/// for viewers drop slices of a track that overlap.
std::string chrome_trace(const Result& result, std::span<const int> node_of_rank);

}  // namespace tutti
