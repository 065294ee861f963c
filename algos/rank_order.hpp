#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "algos/comm.hpp"

namespace tutti {

// Orders of ranks that are given as lists. "2-0-1": of every three ranks the third first, then the first, then the
// second; of ranks that are left over at the end, or fewer than the list has, those that there are in that order. A
// list of all ranks is any permutation. A number stands for a list in this process alone. Thread-safe.

/// From 0 on, the same for the same list. Throws InputError but on a list of two ranks or more, from 0 on, each once.
std::int64_t number_of_order(std::string_view list);
std::string text_of_order(std::int64_t number);

/// So many ranks in that order. Valid as long as the program runs.
const Group& ranks_in_order(std::int64_t number, int ranks);

}  // namespace tutti
