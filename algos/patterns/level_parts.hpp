#pragma once

#include <functional>
#include <vector>

#include "algos/patterns/hier.hpp"

namespace tutti {

// Of compositions by levels (hier.hpp) whose ranks ask where others are: what comes of dividing ranks, in a call as the
// groups say, in a count as the places.

/// A number that ranks share exactly if they share the level's node (socket, …). Valid as long as what it is made from.
using PlaceOf = std::function<int(Rank, Level)>;
PlaceOf place_of(const Comm& comm);
PlaceOf place_of(const Facts& facts);

/// 0, 1, … of so many.
std::vector<Rank> all_ranks(int ranks);

/// The ranks of each place at the level, ascending; places in the order of their first ranks.
std::vector<std::vector<Rank>> divide(const std::vector<Rank>& ranks, Level level, const PlaceOf& place);
bool are_equal(const std::vector<std::vector<Rank>>& parts);  // in size

}  // namespace tutti
