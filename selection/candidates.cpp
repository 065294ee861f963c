#include "selection/candidates.hpp"

#include <algorithm>
#include <set>

#include "algos/named_choice.hpp"
#include "algos/patterns/parts.hpp"
#include "algos/patterns/permuted.hpp"
#include "algos/what_runs.hpp"
#include "base/error.hpp"
#include "sim/rank_groups.hpp"

namespace tutti {
namespace {

/// What means little without the others of its kind (dimensions of a torus and whether both ways around each are gone):
/// tried with each of theirs. Sizes and radices are tried with the others' defaults.
bool goes_with_others(const ParameterSpec& spec) {
  return spec.role == ParameterRole::other && !spec.in_bytes && !is_choice(spec);
}

}  // namespace

std::vector<Choice> candidate_choices(Collective collective, const std::vector<std::string>& only) {
  std::vector<Choice> choices;
  for (const std::string& text : only) {
    const auto algorithms = algorithms_of(collective);
    const std::string_view name = name_in_choice(text);
    if (std::any_of(algorithms.begin(), algorithms.end(), [&](const Algorithm* a) { return a->name() == name; }))
      choices.push_back(parse_choice(collective, text));
  }
  if (!only.empty()) return choices;
  for (const Algorithm* algorithm : algorithms_of(collective)) {
    choices.push_back(default_choice(*algorithm));
    std::vector<Choice> together{default_choice(*algorithm)};
    for (std::size_t i = 0; i < algorithm->parameters().size(); ++i) {
      const ParameterSpec& spec = algorithm->parameters()[i];
      const std::vector<Choice> others = goes_with_others(spec) ? together : std::vector{default_choice(*algorithm)};
      for (const std::int64_t value : spec.tried)
        for (Choice choice : others) {
          choice.parameters[i].second = value;
          choices.push_back(choice);
          if (goes_with_others(spec)) together.push_back(std::move(choice));
        }
    }
  }
  return choices;
}

bool has_levels(const Choice& choice, const Network& network) { return !absent_level(choice, levels_of(network)); }

void expect_levels(const Choice& choice, const Network& network) {
  const std::vector<Level> there = levels_of(network);
  if (const std::optional<Level> absent = absent_level(choice, there))
    throw InputError(choice.text() + ": the machine has no level '" + name_of(*absent) + "': expected " +
                     names_of(there));
}

namespace {

/// A composition by all levels that are there, not by one more than usual alone, whole and in segments.
void add_by_all_levels(std::vector<Choice>& choices, const Algorithm& algorithm, const std::vector<Level>& there) {
  Choice choice = default_choice(algorithm);
  const auto& specs = algorithm.parameters();
  int added = 0;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!is_choice(specs[i]) || !is_none(specs[i].standard)) continue;
    if (std::find(there.begin(), there.end(), level_of(specs[i].name)) == there.end()) continue;
    choice.parameters[i].second = specs[i].tried.front();
    ++added;
  }
  if (added > 1) choices.push_back(choice);
  for (std::size_t i = 0; added > 0 && i < specs.size(); ++i)
    for (const std::int64_t value : specs[i].tried) {
      if (specs[i].role != ParameterRole::segment) continue;
      choice.parameters[i].second = value;
      choices.push_back(choice);
    }
}

}  // namespace

std::vector<Choice> candidate_choices(Collective collective, const std::vector<std::string>& only,
                                      const Network& network) {
  std::vector<Choice> choices = candidate_choices(collective, only);
  if (!only.empty()) {
    for (const Choice& choice : choices) expect_levels(choice, network);
    return choices;
  }
  const std::vector<Level> there = levels_of(network);
  std::erase_if(choices, [&](const Choice& c) { return absent_level(c, there).has_value(); });
  for (const Algorithm* algorithm : algorithms_of(collective)) add_by_all_levels(choices, *algorithm, there);
  return choices;
}

Case case_for(const Place& place, std::int64_t bytes) {
  Case c;
  c.collective = place.collective;
  c.ranks = place.ranks();
  c.element_bytes = default_element_bytes(place.collective);
  c.count = count_for_total_bytes(place.collective, c.ranks, c.element_bytes, bytes);
  if (place.counts.empty()) return c;
  return with_counts(c, place.counts, elements_in_all(place.collective, c.ranks, c.element_bytes, bytes));
}

Choice normalized(const Choice& choice, const Case& c) {
  Choice real = resolve(choice, c);
  if (std::int64_t* segment = value_of(real, ParameterRole::segment); segment && *segment >= total_bytes(c))
    *segment = 0;
  return real;
}

std::optional<Counts> declared(const Choice& choice, const Case& c, const Places& places) {
  const Choice real = normalized(choice, c);
  const Algorithm& algorithm = *real.algorithm;
  for (const Quantity* quantity : {&algorithm.rounds(), &algorithm.messages(), &algorithm.bytes()})
    if (quantity->text().empty()) return std::nullopt;
  const Facts facts(c, real.parameters, algorithm.is_by_node() ? places : Places());
  const CountedOnce once(facts);
  return Counts{algorithm.rounds()(facts), algorithm.messages()(facts), algorithm.bytes()(facts)};
}

std::vector<std::size_t> distinct_choices(const std::vector<Choice>& choices, const Case& c, const Places* places) {
  std::vector<std::size_t> kept;
  std::set<std::string> seen;
  // First those that run under their own name, then those that fall back to what is not among them.
  for (const bool as_itself : {true, false})
    for (std::size_t i = 0; i < choices.size(); ++i)
      if ((resolve(choices[i], c) == choices[i]) == as_itself && why_not(choices[i], c).empty() &&
          seen.insert(normalized(choices[i], c).text()).second)
        kept.push_back(i);
  std::sort(kept.begin(), kept.end());
  if (places == nullptr) return kept;
  std::erase_if(kept, [&](std::size_t i) {
    const Choice real = resolve(choices[i], c);
    if (!real.algorithm->is_by_node()) return false;
    if (!why_not(real, c, *places).empty()) return true;
    if (const auto same = what_needs_no_order(real, c, *places)) return seen.contains(normalized(*same, c).text());
    const std::vector<Choice> run = what_runs(choices[i], c, *places);
    return run.size() == 1 && !run[0].algorithm->is_by_node() && seen.contains(normalized(run[0], c).text());
  });
  return kept;
}

std::vector<Choice> only_distinct(const std::vector<Choice>& choices, const Case& c) {
  std::vector<Choice> kept;
  for (const std::size_t i : distinct_choices(choices, c)) kept.push_back(choices[i]);
  return kept;
}

}  // namespace tutti
