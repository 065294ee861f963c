#include "topologies/torus_job.hpp"

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace tutti {
namespace {

std::vector<int> prime_factors_largest_first(int number) {
  std::vector<int> factors;
  for (int factor = 2; number > 1; ++factor)
    for (; number % factor == 0; number /= factor) factors.insert(factors.begin(), factor);
  return factors;
}

/// Deals an axis's factors out to the dimensions that it lies in, in turn as far as they fit.
class Dealt {
 public:
  explicit Dealt(std::vector<int> sizes) : sizes_(std::move(sizes)), parts_(sizes_.size(), 1) {}
  /// How long the axis is in each dimension; nothing where it does not fit.
  std::optional<std::vector<int>> parts_of(int length) {
    factors_ = prime_factors_largest_first(length);
    return deal(0, 0) ? std::optional(parts_) : std::nullopt;
  }

 private:
  bool deal(std::size_t from, std::size_t turn) {
    if (from == factors_.size()) return true;
    if (failed_.contains({from, parts_})) return false;
    for (std::size_t tried = 0; tried < parts_.size(); ++tried) {
      const std::size_t here = (turn + tried) % parts_.size();
      if (parts_[here] * factors_[from] > sizes_[here]) continue;
      parts_[here] *= factors_[from];
      if (deal(from + 1, (here + 1) % parts_.size())) return true;
      parts_[here] /= factors_[from];
    }
    failed_.insert({from, parts_});
    return false;
  }

  std::vector<int> sizes_, parts_, factors_;
  std::set<std::pair<std::size_t, std::vector<int>>> failed_;
};

}  // namespace

TorusJob::TorusJob(const Torus& torus, std::span<const int> lengths) : nodes_per_router_(torus.nodes_per_router()) {
  const std::vector<int> sizes = torus.sizes();
  for (std::size_t axis = 0; axis < lengths.size(); ++axis) {
    std::vector<std::size_t> dimensions;
    for (std::size_t d = axis; d < sizes.size(); d += lengths.size()) dimensions.push_back(d);
    std::vector<int> lie_in;
    lie_in.reserve(dimensions.size());
    for (const std::size_t d : dimensions) lie_in.push_back(sizes[d]);
    const auto parts = Dealt(lie_in).parts_of(lengths[axis]);
    if (!parts) {
      std::string known;
      for (const int size : lie_in) known += (known.empty() ? "" : " x ") + std::to_string(size);
      throw InputError("expected axes that fit the machine's torus: axis " + std::to_string(axis) + " is " +
                       std::to_string(lengths[axis]) + " long and lies in dimensions of " + known);
    }
    axes_.emplace_back();
    for (std::size_t i = 0; i < parts->size(); ++i) {
      int stride = 1;
      for (std::size_t d = 0; d < dimensions[i]; ++d) stride *= sizes[d];
      axes_.back().push_back({(*parts)[i], stride});
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
