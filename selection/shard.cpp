#include "selection/shard.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "base/in_parallel.hpp"
#include "selection/sweep_forecast.hpp"
#include "selection/sweep_plan.hpp"
#include "selection/sweep_progress.hpp"
#include "selection/sweep_steps.hpp"

namespace tutti {
namespace {

/// The times of one part: those of its file and of parts beside it, which may have simulated the same, and what is
/// simulated now, which goes into its file. Used by one thread.
class PartTimes final : public TimeStore {
 public:
  PartTimes(PartFile& file, std::vector<Simulated> others) : file_(file), known_(std::move(others)) {
    known_.insert(known_.end(), file.times.begin(), file.times.end());
  }
  std::vector<Simulated> all() override { return std::move(known_); }
  void put(std::span<const Simulated> times) override {
    file_.times.insert(file_.times.end(), times.begin(), times.end());
  }

 private:
  PartFile& file_;
  std::vector<Simulated> known_;
};

/// One part of a sweep, and the numbers of its places in the progress.
struct Piece {
  Chain* chain;
  std::string name;
  std::vector<std::string> beside;  // parts of the same collective with as many ranks per node
  std::vector<std::size_t> steps;
};

/// What parts beside this one, whose extrapolations rest on the same smaller simulations, have there.
std::vector<Simulated> times_beside(const SweepFolder& folder, const Piece& piece) {
  std::vector<Simulated> times;
  for (const std::string& name : piece.beside)
    if (const SweepFolder::Found found = folder.look(name); found.part)
      times.insert(times.end(), found.part->times.begin(), found.part->times.end());
  return times;
}

void make_piece(const TuneRequest& request, const std::shared_ptr<const SweepCandidates>& candidates,
                const SweepFolder& folder, const Piece& piece, PartFile file, SweepProgress& progress) {
  const bool goes_on = !file.times.empty();
  file.by = who_is_this();
  folder.write(file);
  PartTimes times(file, times_beside(folder, piece));
  SweepSteps steps(request, &times, candidates);
  Chain& chain = *piece.chain;
  std::size_t done = 0;
  for (const std::size_t i : search_order(chain)) {
    const Part& part = chain[i];
    const double seconds = progress.step(piece.steps[i], [&] {
      const std::size_t before = Simulations::simulated_by_this_thread();
      steps.search(chain, i);
      if (!steps.confirming().empty()) {
        Part as_found = part;  // which it stays unless other layouts of as many ranks change it
        steps.confirm(as_found);
      }
      return !goes_on || Simulations::simulated_by_this_thread() > before;
    });
    const auto is_here = [&](const PartFile::Place& place) { return place.nodes == part.place.nodes; };
    if (std::none_of(file.places.begin(), file.places.end(), is_here))
      file.places.push_back({part.place.nodes, seconds});
    file.done = ++done == chain.size();
    folder.write(file);
  }
  folder.remove_failure(piece.name);
  for (Part& part : chain) part.result = {};  // the times alone are wanted
}

/// The order of `work`, most first; of equal ones the first.
std::vector<std::size_t> by_work(const std::vector<double>& work) {
  std::vector<std::size_t> order(work.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });
  return order;
}

std::vector<double> work_of(const TuneRequest& request, const SweepCandidates& candidates,
                            const std::vector<Chain>& chains) {
  std::vector<double> work;
  work.reserve(chains.size());
  for (const Chain& chain : chains) work.push_back(expected_work(request, candidates, chain));
  return work;
}

}  // namespace

double expected_work(const TuneRequest& request, const SweepCandidates& all, const Chain& chain) {
  const std::vector<Choice>& candidates = all.at(chain.front().place.collective);
  double work = 0;
  for (const Part& part : chain) {
    double messages = 0;
    const std::size_t looked_at[] = {0, part.bytes.size() / 2, part.bytes.size() - 1};
    for (const std::size_t i : looked_at) {
      const Case c = case_for(part.place, part.bytes[i]);
      const double most = request.budget.most(c.ranks);
      for (const std::size_t a : distinct_choices(candidates, c)) {
        const Choice real = resolve(candidates[a], c);
        const Quantity& sent = real.algorithm->messages();
        const bool is_known = !real.algorithm->is_by_node() && !sent.text().empty();
        messages += c.ranks + (is_known ? std::min(sent(Facts(c, real.parameters)), most) : 0);
      }
    }
    work += messages / static_cast<double>(std::size(looked_at)) * static_cast<double>(part.bytes.size());
  }
  return work;
}

std::vector<int> shard_of_each(const std::vector<double>& work, int shards) {
  std::vector<double> load(static_cast<std::size_t>(shards), 0);
  std::vector<int> shard(work.size());
  for (const std::size_t c : by_work(work)) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += work[c];
    shard[c] = 1 + static_cast<int>(least - load.begin());
  }
  return shard;
}

ShardResult make_shard(const TuneRequest& request, const SweepFolder& folder, const Shard& shard,
                       const std::function<void(const std::string& what)>& damaged) {
  folder.look_anew();
  std::int64_t left_out = 0;
  std::vector<Chain> chains = pieces_of(chains_of(request, left_out));
  const auto candidates = std::make_shared<const SweepCandidates>(candidates_of(request));
  const std::vector<double> work = work_of(request, *candidates, chains);
  const std::vector<int> shard_of = shard_of_each(work, shard.count);
  std::map<std::pair<Collective, int>, std::vector<std::string>> alike;
  const auto kind = [](const Chain& chain) {
    return std::pair(chain.front().place.collective, chain.front().place.ppn);
  };
  for (const Chain& chain : chains) alike[kind(chain)].push_back(name_of(chain));

  ShardResult result;
  SweepProgress progress(request.progress);
  std::vector<Piece> pieces;
  std::vector<PartFile> files;
  for (const std::size_t c : by_work(work)) {
    if (shard_of[c] != shard.number) continue;
    ++result.parts;
    Piece piece{&chains[c], name_of(chains[c]), alike[kind(chains[c])], {}};
    std::erase(piece.beside, piece.name);
    const SweepFolder::Found there = folder.look(piece.name);
    if (!there.damage.empty()) damaged(there.damage);
    result.were_done += there.part && there.part->done;
    if (there.part && there.part->done) continue;
    for (std::size_t i = 0; i < chains[c].size(); ++i)
      piece.steps.push_back(progress.expect(search_item(chains[c], i)));
    files.push_back(there.part.value_or(PartFile{folder.checksum(), piece.name, "", {}, {}, false}));
    pieces.push_back(std::move(piece));
  }
  std::mutex mutex;
  in_parallel(request.jobs, pieces.size(), [&](std::size_t i, std::size_t) {
    try {
      make_piece(request, candidates, folder, pieces[i], std::move(files[i]), progress);
    } catch (const std::exception& error) {
      folder.write_failure(pieces[i].name, who_is_this() + ": " + error.what());
      const std::lock_guard lock(mutex);
      result.failed.emplace_back(pieces[i].name, error.what());
    }
  });
  return result;
}

}  // namespace tutti
