#include "algos/neighborhood.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tutti {

Grid Grid::star(std::vector<int> extents, std::vector<bool> wraps) {
  Grid grid{std::move(extents), std::move(wraps), {}};
  for (std::size_t k = 0; k < grid.extents.size(); ++k)
    for (const int step : {-1, 1}) {
      grid.offsets.emplace_back(grid.extents.size(), 0);
      grid.offsets.back()[k] = step;
    }
  return grid;
}

Grid Grid::box(std::vector<int> extents, std::vector<bool> wraps, int reach) {
  Grid grid{std::move(extents), std::move(wraps), {}};
  for (Coordinates offset(grid.extents.size(), -reach);;) {
    if (std::any_of(offset.begin(), offset.end(), [](int x) { return x != 0; })) grid.offsets.push_back(offset);
    std::size_t k = offset.size();
    while (k > 0 && offset[k - 1] == reach) offset[--k] = -reach;
    if (k == 0) return grid;
    ++offset[k - 1];
  }
}

int Grid::ranks() const {
  int product = 1;
  for (const int extent : extents) product *= extent;
  return product;
}

Rank Grid::at(Rank from, const Coordinates& offset) const {
  Rank there = 0, stride = 1;
  for (std::size_t k = extents.size(); k-- > 0;) {
    const int extent = extents[k];
    int x = from % extent + offset[k];
    if (!wraps[k] && (x < 0 || x >= extent)) return kNobody;
    x = (x % extent + extent) % extent;
    there += x * stride;
    from /= extent;
    stride *= extent;
  }
  return there;
}

std::size_t Grid::opposite(std::size_t offset) const {
  Coordinates other = offsets[offset];
  for (int& x : other) x = -x;
  return static_cast<std::size_t>(std::find(offsets.begin(), offsets.end(), other) - offsets.begin());
}

Neighborhood::Neighborhood(Grid grid)
    : ranks_(grid.ranks()),
      grid_(std::move(grid)),
      targets_(static_cast<std::size_t>(ranks_)),
      sources_(static_cast<std::size_t>(ranks_)) {
  for (std::size_t i = 0; i < grid_->offsets.size(); ++i) {
    const auto slot = static_cast<int>(grid_->opposite(i));
    for (Rank rank = 0; rank < ranks_; ++rank) {
      const Neighbor neighbor{grid_->at(rank, grid_->offsets[i]), slot};
      targets_[rank].push_back(neighbor);
      sources_[rank].push_back(neighbor);
    }
  }
  for (std::size_t k = 0; k < grid_->extents.size(); ++k)
    text_ += (k == 0 ? "" : "x") + std::to_string(grid_->extents[k]) + (grid_->wraps[k] ? "" : "o");
}

Neighborhood::Neighborhood(int ranks, const std::vector<Edge>& edges)
    : ranks_(ranks),
      text_(std::to_string(edges.size()) + " edges"),
      targets_(static_cast<std::size_t>(ranks)),
      sources_(static_cast<std::size_t>(ranks)) {
  for (const auto& [from, to] : edges) {
    for (const Rank rank : {from, to})
      if (rank < 0 || rank >= ranks)
        throw InputError("neighbours " + std::to_string(from) + " and " + std::to_string(to) + ": expected two of " +
                         std::to_string(ranks) + " ranks");
    auto &targets = targets_[from], &sources = sources_[to];
    targets.push_back({to, static_cast<int>(sources.size())});
    sources.push_back({from, static_cast<int>(targets.size()) - 1});
  }
}

Count Neighborhood::edges() const {
  Count all = 0;
  for (Rank rank = 0; rank < ranks_; ++rank)
    for (const Neighbor& target : targets(rank)) all += target.rank != kNobody && target.rank != rank;
  return all;
}

}  // namespace tutti
