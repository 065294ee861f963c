#include "topologies/torus.hpp"

#include "base/error.hpp"

namespace tutti {

Torus::Torus(const TorusShape& shape) : nodes_per_router_(shape.nodes_per_router) {
  if (shape.dimensions.empty()) throw InputError("torus: expected at least one dimension");
  check_count(shape.nodes_per_router, 1, "torus: nodes per router");
  check_channel(shape.cable, "torus: cable");
  std::int64_t routers = 1;
  for (const int size : shape.dimensions) {
    check_count(size, 1, "torus: routers along a dimension");
    check_count(routers *= size, 1, "torus: routers");
  }
  check_count(routers * shape.nodes_per_router, 1, "torus: nodes");
  check_count(routers * 2 * static_cast<std::int64_t>(shape.dimensions.size()), 0, "torus: links");
  set_size(static_cast<int>(routers * shape.nodes_per_router), static_cast<int>(routers));

  int stride = 1;
  for (std::size_t d = 0; d < shape.dimensions.size(); ++d) {
    const int size = shape.dimensions[d];
    const LinkLevel level(LinkLevel::Kind::torus, static_cast<int>(d));
    Dimension dimension{size, stride, 0, 0};
    for (const int step : {1, -1}) {
      if (size == 1 || (size == 2 && step == -1)) continue;
      (step == 1 ? dimension.first_up : dimension.first_down) = static_cast<LinkId>(links().size());
      for (int from = 0; from < switches(); ++from) {
        const int at = from / stride % size;
        const int to = from + ((at + step + size) % size - at) * stride;
        add_link(from, to, shape.cable, level.label() + "/" + std::to_string(from) + "/" + std::to_string(to), level);
      }
    }
    dimensions_.push_back(dimension);
    stride *= size;
  }
}

std::vector<int> Torus::sizes() const {
  std::vector<int> sizes;
  for (const Dimension& dimension : dimensions_) sizes.push_back(dimension.size);
  return sizes;
}

void Torus::route(int from_node, int to_node, std::int64_t /*destination*/, std::vector<LinkId>& into) const {
  int at = switch_of(from_node);
  const int to = switch_of(to_node);
  for (const Dimension& dimension : dimensions_) {
    const int target = to / dimension.stride % dimension.size;
    int place = at / dimension.stride % dimension.size;
    const bool up = (target - place + dimension.size) % dimension.size * 2 <= dimension.size;
    while (place != target) {
      into.push_back((up ? dimension.first_up : dimension.first_down) + static_cast<LinkId>(at));
      const int next = (place + (up ? 1 : dimension.size - 1)) % dimension.size;
      at += (next - place) * dimension.stride;
      place = next;
    }
  }
}

}  // namespace tutti
