#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "selection/schedule.hpp"
#include "selection/sweep_folder.hpp"
#include "selection/sweep_plan.hpp"

namespace tutti {

/// What a process makes of a sweep: shard `number`, from 1, of `count`.
struct Shard {
  int number = 1, count = 1;
};

/// About how long a part takes beside others, by the messages that its candidates send.
double expected_work(const TuneRequest& request, const SweepCandidates& candidates, const Chain& chain);

/// By chain, of which this is the work: which shard makes it, from 1. Those that take long are dealt out first, each to
/// the shard that has least to do, so that all take about as long. The same for the same sweep, whoever asks.
std::vector<int> shard_of_each(const std::vector<double>& work, int shards);

struct ShardResult {
  std::size_t parts = 0, were_done = 0;
  std::vector<std::pair<std::string, std::string>> failed;  // name and why
};

/// Makes the parts of a shard that are not done, `request.jobs` at a time: searches their places and simulates again
/// what the confirming engine will be asked for. Of a part that was under way, only what is missing is simulated. After
/// every place its file is written; who is killed loses what he simulated since then. A part that fails says so in the
/// folder and does not keep the others from being made. `request`: the folder's, with machine, jobs and progress.
/// `damaged` is told of files that are made anew, since they cannot be read.
ShardResult make_shard(const TuneRequest& request, const SweepFolder& folder, const Shard& shard,
                       const std::function<void(const std::string& what)>& damaged);

}  // namespace tutti
