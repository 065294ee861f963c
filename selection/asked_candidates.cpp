#include "selection/asked_candidates.hpp"

#include <algorithm>
#include <set>

#include "algos/named_choice.hpp"
#include "selection/candidates.hpp"

namespace tutti {

std::vector<Candidate> candidates_of(Collective collective, const std::string& text) {
  std::vector<Candidate> candidates;
  for (const std::string& name : split_choices(text)) {
    if (name == "all") {
      std::vector<Choice> all = candidate_choices(collective, {});
      add_named_choices(all, baseline_names(), collective);
      for (Choice& choice : all) candidates.push_back({std::move(choice), nullptr, true});
    } else if (name.starts_with(kDefault)) {
      candidates.push_back({{}, &find_baseline(name.substr(kDefault.size())), false});
    } else {
      candidates.push_back({parse_choice(collective, name), nullptr, false});
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

}  // namespace tutti
