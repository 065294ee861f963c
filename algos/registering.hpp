#pragma once
// The registry while algorithms still come to it: for those who load more of them at run time. Not thread-safe.

#include <cstddef>
#include <string>
#include <vector>

namespace tutti {

class Algorithm;

/// "bcast/mine: …": what of the algorithm's declaration cannot be; empty: nothing is known to be wrong.
std::string fault_in(const Algorithm& algorithm);
/// The same, and what cannot be among all others: fall-backs to none of them, or in a circle. Of one that comes at run
/// time its formulas are tried, too.
std::string fault_among(const Algorithm& algorithm, const std::vector<Algorithm>& all);

/// Whether anybody has looked at the registry: others may then hold pointers into it, and nothing may be added.
bool registry_was_read();

/// How many there are, in order of coming.
std::size_t registered_algorithms();
/// "bcast/binomial": of those from number `from` on.
std::vector<std::string> registered_names(std::size_t from);
/// What is wrong with the first from number `from` on whose metadata cannot be; empty: none.
std::string registered_wrong(std::size_t from);
/// "bcast/binomial": the first from number `from` on whose name another one has; empty: none.
std::string registered_twice(std::size_t from);
/// Takes those from number `from` on out again. Only before the registry is read.
void forget_registered(std::size_t from);

}  // namespace tutti
