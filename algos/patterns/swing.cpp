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

std::vector<std::vector<SwingExchange>> swing_exchanges(int size, Rank rank, int dimensions, int parts,
                                                        const View& vector, const View& inbox) {
  const Blocks cut = Blocks::split(vector.elements(), parts);
  std::vector<std::vector<SwingExchange>> exchanges;  // by part and step
  for (int part = 0; part < parts; ++part) {
    View window = cut.of(vector, part);
    exchanges.emplace_back();
    for (const SwingStep& step : swing_steps(size, rank, dimensions, {part % dimensions, part >= dimensions})) {
      const Blocks two = Blocks::split(window.elements(), 2);
      const View kept = two.of(window, step.keeps_upper);
      exchanges.back().push_back(
          {step.peer, kept, two.of(window, !step.keeps_upper), inbox.slice(cut.first(part), kept.elements())});
      window = kept;
    }
  }
  return exchanges;
}

}  // namespace tutti
