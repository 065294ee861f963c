#include "algos/patterns/swing.hpp"

#include "algos/patterns/bine.hpp"

namespace tutti {

std::vector<SwingStep> swing_steps(int size, Rank rank, int dimensions, SwingPart part) {
  struct Dimension {
    int length, distance, at;  // `distance`: between the rank numbers of neighbours
  };
  std::vector<Dimension> torus;
  const int all = bine_steps(size);
  for (int d = 0, distance = 1; d < dimensions; ++d) {
    const int length = 1 << (all + dimensions - 1 - d) / dimensions;
    const int at = rank / distance % length;
    torus.push_back({length, distance, part.mirrored ? (length - at) % length : at});
    distance *= length;
  }
  std::vector<SwingStep> steps;
  for (int turn = 0; static_cast<int>(steps.size()) < all; ++turn)
    for (int i = 0; i < dimensions; ++i) {
      const Dimension& along = torus[static_cast<std::size_t>((part.first_dimension + i) % dimensions)];
      if (along.length >> turn <= 1) continue;
      const int met = bine_peer(along.at, turn, along.length), way = (met - along.at) * (part.mirrored ? -1 : 1);
      const int own = part.mirrored ? (along.length - along.at) % along.length : along.at;
      const int there = ((own + way) % along.length + along.length) % along.length;
      steps.push_back({rank + (there - own) * along.distance,
                       (bine_number(along.at, along.length) & along.length >> (turn + 1)) != 0});
    }
  return steps;
}

}  // namespace tutti
