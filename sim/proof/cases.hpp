#pragma once

#include <optional>
#include <vector>

#include "algos/registry.hpp"

/// Which cases the proof goes through.
namespace tutti::proof {

/// All combinations of values that the proof takes for an algorithm's parameters: those that are tried (algos/
/// parameter.hpp), the default, the smallest and an odd one; of a size in bytes also one element, so that short vectors
/// have many segments, and so many that long ones have few. Of levels that are left out unless they are named: each
/// alone, and all, these in segments, too.
std::vector<Choice> parameter_variants(const Algorithm& algorithm);

/// Whether the proof of the algorithm holds for the choice: one of its variants differs from it in sizes at most, which
/// algorithms see in whole elements only, and so many of the proof's cases have as many segments.
bool covers(const Choice& choice);

/// Where ranks may be, for algorithms that ask: apart, together, in blocks, in turn, on nodes of different sizes; where
/// they go by other levels, too, these are nested in one another, or are not.
std::vector<Places> node_shapes(const Algorithm& algorithm, int ranks);

/// What of the cases is fixed beforehand.
struct Only {
  std::optional<Rank> root;  // default: 0, 1, P-1 of a rooted collective
  // Default: 0, 1, P-1, P, 3P+1, such that there are up to four segments and phases, and on a few ranks beyond 2^32.
  std::optional<Count> count;
  std::optional<std::int32_t> element;  // bytes; default: see propositions()
};

/// Larger counts are such as no index of 32 bits takes.
constexpr Count kBeyondIndicesOf32Bits = Count{1} << 32;

struct Proposition {
  std::size_t variant, shape;  // of the lists given
  Case c;
};

/// All cases of an algorithm at a number of ranks, smallest count first. Elements are the usual ones, and twice as
/// large where there are as many as ranks; of the defaults there so many are proven with elements of 16 bytes, and with
/// every operator, too.
std::vector<Proposition> propositions(const std::vector<Choice>& variants, const std::vector<Places>& shapes, int ranks,
                                      const Only& only);

}  // namespace tutti::proof
