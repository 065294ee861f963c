#include "algos/patterns/mirror.hpp"

#include <cmath>

#include "algos/patterns/recursive_exchange.hpp"

namespace tutti {

int mirror_of(const Fold& fold, int number) { return RecursiveExchange(fold.core, 2).reversed(number); }

namespace {
double bytes_moved(const Facts& facts, const Fold& fold) {
  double moved = 0;
  for (Rank rank = 0; rank < fold.ranks; ++rank) {
    const int number = fold.core_number(rank);
    if (!fold.takes_part(rank) || mirror_of(fold, number) != number) moved += static_cast<double>(facts.count_of(rank));
  }
  return (facts["p"] - 1) * facts["n"] + moved * facts["e"];
}
}  // namespace

double bytes_with_mirrors(const Facts& facts) { return bytes_moved(facts, Fold(static_cast<int>(facts["p"]))); }

double bytes_with_mirrors_by_halves(const Facts& facts) {
  const Fold fold(static_cast<int>(facts["p"]), 0);
  return bytes_moved(facts, fold) + fold.extra * std::ceil(facts["n"] / facts["e"] / 2) * facts["e"];
}

}  // namespace tutti
