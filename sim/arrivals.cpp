#include "sim/arrivals.hpp"

#include <limits>

#include "base/error.hpp"
#include "sim/spread.hpp"

namespace tutti {
namespace {

/// Far apart, so that the calls of one seed are not those of the next.
std::uint64_t seed_of_call(std::uint64_t seed, int call) {
  constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
  return seed + static_cast<std::uint64_t>(call) * kGoldenRatio;
}

}  // namespace

bool has_several_arrivals(const Mode& mode) { return mode.kind == Mode::Kind::skew && mode.calls > 1; }

Result over_arrivals(const Experiment& experiment, const std::function<Result(const Experiment&)>& run) {
  const Mode& mode = experiment.mode;
  if (!has_several_arrivals(mode)) return run(experiment);
  if (experiment.background)
    throw InputError("mode '" + mode.text() +
                     "': expected one call, or another mode, beside another job, at whose beginning each would be");
  Experiment one = experiment;
  one.mode.calls = 1;
  one.most_seconds = std::numeric_limits<double>::infinity();  // one call that takes longer says nothing of the median
  Result last;
  std::vector<double> seconds;
  for (int call = 0; call < mode.calls; ++call) {
    one.seed = seed_of_call(experiment.seed, call);
    one.record = experiment.record && call + 1 == mode.calls;
    std::string fault = std::move(last.fault);
    last = run(one);
    if (!last.refused.empty()) return last;
    if (!fault.empty()) last.fault = std::move(fault);
    seconds.push_back(last.makespan_seconds);
  }
  last.makespan_seconds = median_of(seconds);
  last.seconds_per_call = std::move(seconds);
  return last;
}

}  // namespace tutti
