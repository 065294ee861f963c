#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algos/registry.hpp"
#include "models/machine.hpp"
#include "tables/table.hpp"

namespace tutti {

/// The choices worth trying for a collective: every algorithm at its defaults and with one parameter varied; or, where
/// `only` is not empty, those of its texts that the collective has.
std::vector<Choice> candidate_choices(Collective collective, const std::vector<std::string>& only);

/// Whether the network has all levels that the choice goes by.
bool has_levels(const Choice& choice, const Network& network);
/// Throws InputError where the choice goes by a level that the network does not have, with those that it has.
void expect_levels(const Choice& choice, const Network& network);

/// The same for a machine: without those that go by a level which it does not have, which `only` must not name; and,
/// where nothing is named, with compositions by all levels that it has.
std::vector<Choice> candidate_choices(Collective collective, const std::vector<std::string>& only,
                                      const Network& network);

/// The call of `bytes` in the total convention at this place, with the collective's usual elements.
Case case_for(const Place& place, std::int64_t bytes);

/// Which of the choices do something that none before them does in this case: what cannot run, and what falls back to
/// another of them, is not among them; with `places` nor is what is put together by nodes, but of parts that cannot run
/// there, or such that there runs one of the others on all ranks, or what another order of ranks is asked for that is
/// the one they have. Indices, ascending.
std::vector<std::size_t> distinct_choices(const std::vector<Choice>& choices, const Case& c,
                                          const Places* places = nullptr);

/// Those themselves.
std::vector<Choice> only_distinct(const std::vector<Choice>& choices, const Case& c);

/// What the choice does in this case: fall-backs followed, and a segment as long as the vector is none.
Choice normalized(const Choice& choice, const Case& c);

/// What the algorithm that runs declares, exactly: of all ranks, but for the rounds.
struct Counts {
  double rounds = 0, messages = 0, bytes = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};
/// Nothing for an algorithm that is not a registered one. `places` may be empty unless is_by_node().
std::optional<Counts> declared(const Choice& choice, const Case& c, const Places& places);

}  // namespace tutti
