#include "algos/patterns/mirror.hpp"

#include "algos/patterns/recursive_exchange.hpp"

namespace tutti {

int mirror_of(const Fold& fold, int number) { return RecursiveExchange(fold.core, 2).reversed(number); }

double bytes_with_mirrors(const Facts& facts) {
  const Fold fold(static_cast<int>(facts["p"]));
  double moved = 0;
  for (Rank rank = 0; rank < fold.ranks; ++rank) {
    const int number = fold.core_number(rank);
    if (!fold.takes_part(rank) || mirror_of(fold, number) != number) moved += static_cast<double>(facts.count_of(rank));
  }
  return (facts["p"] - 1) * facts["n"] + moved * facts["e"];
}

}  // namespace tutti
