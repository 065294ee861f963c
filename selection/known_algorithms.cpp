#include "selection/known_algorithms.hpp"

#include <algorithm>

#include "algos/named_choice.hpp"
#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "selection/candidates.hpp"

namespace tutti {

void expect_known(const std::vector<std::string>& choices, const std::vector<Collective>& collectives) {
  for (const std::string& text : choices) {
    if (std::any_of(collectives.begin(), collectives.end(),
                    [&](Collective collective) { return !candidate_choices(collective, {text}).empty(); }))
      continue;
    std::vector<std::string> names;
    for (const Collective collective : collectives)
      for (const Algorithm* algorithm : algorithms_of(collective))
        if (std::find(names.begin(), names.end(), algorithm->name()) == names.end()) names.push_back(algorithm->name());
    throw InputError("unknown algorithm '" + text + "' for all of the collectives" +
                     did_you_mean(name_in_choice(text), names));
  }
}

}  // namespace tutti
