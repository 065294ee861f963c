// Neighbourhoods by what people write.
#include <algorithm>
#include <charconv>
#include <numeric>
#include <random>

#include "algos/neighborhood.hpp"
#include "base/error.hpp"

namespace tutti {
namespace {

constexpr Count kMostBlocks = 4096;  // of a rank

[[noreturn]] void refuse(const std::string& text) {
  throw InputError("neighbours '" + text +
                   "': expected a grid as 4x4x2, 4x4:open, 4x4:box or 4x4:box=2:open, or "
                   "random:DEGREE[:SEED]");
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

int extent_of(const std::string& text, std::string_view part, int least) {
  int value = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc() || end != part.data() + part.size() || value < least) refuse(text);
  return value;
}

/// Each rank's targets are drawn among the others; the same with every standard library.
std::vector<Neighborhood::Edge> drawn(int ranks, int degree, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Neighborhood::Edge> edges;
  std::vector<Rank> others(static_cast<std::size_t>(ranks));
  std::iota(others.begin(), others.end(), 0);
  for (Rank from = 0; from < ranks; ++from) {
    int found = 0;
    for (std::size_t i = 0; i < others.size() && found < degree; ++i) {
      std::swap(others[i], others[i + random() % (others.size() - i)]);
      if (others[i] == from) continue;
      edges.emplace_back(from, others[i]);
      ++found;
    }
  }
  return edges;
}

Grid grid_of(const std::string& text, const std::vector<std::string_view>& parts) {
  std::vector<int> extents;
  for (const std::string_view extent : split(parts[0], 'x')) extents.push_back(extent_of(text, extent, 1));
  bool is_open = false;
  int reach = 0;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i] == "open" && !is_open)
      is_open = true;
    else if (parts[i].starts_with("box") && reach == 0)
      reach = parts[i] == "box" ? 1 : extent_of(text, parts[i].substr(parts[i][3] == '=' ? 4 : 0), 1);
    else
      refuse(text);
  }
  double blocks = 1;
  for (std::size_t k = 0; k < extents.size(); ++k) blocks *= reach == 0 ? 1 : 2.0 * reach + 1;
  if (blocks > kMostBlocks || extents.size() > kMostBlocks / 2)
    throw InputError("neighbours '" + text + "': expected at most " + std::to_string(kMostBlocks) + " of a rank");
  const std::vector<bool> wraps(extents.size(), !is_open);
  return reach == 0 ? Grid::star(extents, wraps) : Grid::box(extents, wraps, reach);
}

}  // namespace

std::shared_ptr<const Neighborhood> Neighborhood::from(const std::string& text, int ranks) {
  const std::vector<std::string_view> parts = split(text, ':');
  std::shared_ptr<Neighborhood> made;
  if (parts[0] == "random") {
    if (parts.size() < 2 || parts.size() > 3) refuse(text);
    const int degree = extent_of(text, parts[1], 0), seed = parts.size() > 2 ? extent_of(text, parts[2], 0) : 1;
    if (degree >= std::max(2, ranks) || degree > kMostBlocks)
      throw InputError("neighbours '" + text + "': expected fewer than the " + std::to_string(ranks) + " ranks");
    made =
        std::make_shared<Neighborhood>(ranks, drawn(ranks, ranks == 1 ? 0 : degree, static_cast<std::uint64_t>(seed)));
  } else {
    Grid grid = grid_of(text, parts);
    double product = 1;
    for (const int extent : grid.extents) product *= extent;
    if (product != ranks)
      throw InputError("neighbours '" + text + "': a grid of " +
                       std::to_string(static_cast<std::int64_t>(std::min(product, 1e18))) + " ranks: expected " +
                       std::to_string(ranks));
    made = std::make_shared<Neighborhood>(std::move(grid));
  }
  made->text_ = text;
  return made;
}

}  // namespace tutti
