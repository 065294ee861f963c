#include "algos/valid_case.hpp"

#include "base/error.hpp"

namespace tutti {

bool may_be_in_place(const Case& c) {
  const bool of_pairs = c.counts && c.counts->of_pairs();
  return c.collective != Collective::bcast && c.collective != Collective::barrier && !of_pairs &&
         !is_of_neighbors(c.collective);
}

void expect_valid(const Case& c) {
  const std::string name(name_of(c.collective));
  if (c.root != 0 && !is_rooted(c.collective)) throw InputError(name + ": expected no root, for it has none");
  if (c.root < 0 || c.root >= c.ranks)
    throw InputError("root " + std::to_string(c.root) + ": expected a rank of " + std::to_string(c.ranks));
  if (c.op != Operator::sum && !is_reduction(c.collective))
    throw InputError(name + ": expected no operator, for it combines nothing");
  if (c.collective == Collective::barrier && c.element_bytes != 1)
    throw InputError(name + ": expected no size of elements, for it has none");
  if (c.in_place && !may_be_in_place(c)) throw InputError(name + ": expected two buffers, not a call in place");
}

}  // namespace tutti
