#include "topologies/torus_job.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace tutti {
namespace {

std::vector<int> prime_factors_largest_first(int number) {
  std::vector<int> factors;
  for (int factor = 2; number > 1; ++factor)
    for (; number % factor == 0; number /= factor) factors.insert(factors.begin(), factor);
  return factors;
}

}  // namespace

TorusJob::TorusJob(const Torus& torus, std::span<const int> lengths) : nodes_per_router_(torus.nodes_per_router()) {
  const std::vector<int> sizes = torus.sizes();
  for (std::size_t axis = 0; axis < lengths.size(); ++axis) {
    std::vector<std::size_t> dimensions;
    for (std::size_t d = axis; d < sizes.size(); d += lengths.size()) dimensions.push_back(d);
    std::vector<int> parts(dimensions.size(), 1);
    std::size_t turn = 0;
    for (const int factor : prime_factors_largest_first(lengths[axis])) {
      std::size_t tried = 0;
      const auto fits = [&] { return parts[turn] * factor <= sizes[dimensions[turn]]; };
      for (; tried < parts.size() && !fits(); ++tried) turn = (turn + 1) % parts.size();
      if (tried == parts.size())
        throw InputError("expected an axis that fits the machine's torus, got one of " + std::to_string(lengths[axis]));
      parts[turn] *= factor;
      turn = (turn + 1) % parts.size();
    }
    axes_.emplace_back();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      int stride = 1;
      for (std::size_t d = 0; d < dimensions[i]; ++d) stride *= sizes[d];
      axes_.back().push_back({parts[i], stride});
    }
  }
}

int TorusJob::node(std::span<const int> at) const {
  int router = 0;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    int rest = at[axis];
    for (const Part& part : axes_[axis]) {
      const int digit = rest % part.length;
      rest /= part.length;
      router += (rest % 2 == 0 ? digit : part.length - 1 - digit) * part.stride;  // back again on every other way
    }
  }
  return router * nodes_per_router_;
}

}  // namespace tutti
