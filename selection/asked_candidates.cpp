#include "selection/asked_candidates.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "algos/named_choice.hpp"
#include "algos/what_runs.hpp"
#include "base/error.hpp"
#include "selection/candidates.hpp"

namespace tutti {
namespace {

/// What is there already stays there once; what is also named itself is not of "all" any more.
void add_once(std::vector<Candidate>& candidates, Candidate candidate) {
  const auto same = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& other) {
    return other.baseline == candidate.baseline && other.choice == candidate.choice;
  });
  if (same == candidates.end())
    candidates.push_back(std::move(candidate));
  else
    same->of_all = same->of_all && candidate.of_all;
}

}  // namespace

std::vector<Candidate> candidates_of(Collective collective, const std::string& text, const Network& network) {
  std::vector<Candidate> candidates;
  for (const std::string& name : split_choices(text)) {
    if (name == "all") {
      std::vector<Choice> all = candidate_choices(collective, {}, network);
      add_named_choices(all, baseline_names(), collective);
      for (Choice& choice : all) add_once(candidates, {std::move(choice), nullptr, true});
    } else if (name.starts_with(kDefault)) {
      add_once(candidates, {{}, &find_baseline(name.substr(kDefault.size())), false});
    } else {
      const Choice choice = parse_choice(collective, name);
      expect_levels(choice, network);
      add_once(candidates, {choice, nullptr, false});
    }
  }
  return candidates;
}

std::vector<const Candidate*> candidates_for(const std::vector<Candidate>& candidates, const Case& c) {
  std::vector<Choice> grid;
  std::vector<const Candidate*> of_grid, chosen;
  for (const Candidate& candidate : candidates)
    if (candidate.of_all) grid.push_back(candidate.choice), of_grid.push_back(&candidate);
  std::set<const Candidate*> distinct;
  for (const std::size_t i : distinct_choices(grid, c)) distinct.insert(of_grid[i]);
  for (const Candidate& candidate : candidates)
    if (!candidate.of_all || candidate.choice == default_choice(*candidate.choice.algorithm) ||
        distinct.contains(&candidate))
      chosen.push_back(&candidate);
  return chosen;
}

std::optional<AskedRun> run_of(const Candidate& candidate, const Case& c, const RanksOnNodes& on, const Places& places,
                               bool several, std::set<std::string>& remarks) {
  AskedRun run{candidate.baseline ? std::string(kDefault) + candidate.baseline->name : candidate.choice.text(),
               candidate.choice, candidate.of_all || several};
  if (candidate.baseline) {
    std::optional<BaselinePick> picked = pick_if_ours(*candidate.baseline, c, on);
    if (!picked && several) {
      remarks.insert("left out: " + run.name + " where it runs none of our algorithms");
      return std::nullopt;
    }
    if (!picked) picked = pick(*candidate.baseline, c, on);  // which says what it runs
    run.choice = std::move(picked->choice);
    if (!picked->remark.empty()) remarks.insert(candidate.baseline->name + ": " + picked->remark);
  }
  const std::string reason = why_not(run.choice, c, places);
  if (reason.empty()) return run;
  const std::string name = run.choice.algorithm->full_name();
  if (!run.optional) throw InputError(name + " cannot run: it " + reason);
  if (!candidate.of_all) remarks.insert("left out: " + name + " where it " + reason);
  return std::nullopt;
}

std::vector<std::size_t> stretches_of(const std::vector<double>& works) {
  constexpr double kStretches = 256;
  const double all = std::accumulate(works.begin(), works.end(), 0.0);
  std::vector<std::size_t> begins;
  double stretch = 0;
  for (std::size_t i = 0; i < works.size(); ++i) {
    if (i == 0 || stretch >= all / kStretches) begins.push_back(i), stretch = 0;
    stretch += works[i];
  }
  begins.push_back(works.size());
  return begins;
}

}  // namespace tutti
