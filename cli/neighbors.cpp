#include "cli/neighbors.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "calibration/input_text.hpp"

namespace tutti::cli {

std::shared_ptr<const Neighborhood> read_neighbors(const std::string& path, int ranks) {
  const InputText text = InputText::load(path, "edges (or a grid as 4x4x2, or random:DEGREE)");
  std::vector<Neighborhood::Edge> edges;
  for (int line = 1; line <= text.lines(); ++line) {
    std::string content(text.line(line));
    content.erase(std::min(content.find('#'), content.size()));
    std::vector<Rank> edge;
    for (const std::string_view word : split_words(content)) {
      Rank rank = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), rank);
      if (error != std::errc() || end != word.data() + word.size() || rank < 0 || rank >= ranks)
        throw text.error(line, fmt::format("'{}': expected a rank, 0 to {}", word.substr(0, 40), ranks - 1));
      edge.push_back(rank);
    }
    if (edge.empty()) continue;
    if (edge.size() != 2) throw text.error(line, fmt::format("{} ranks: expected two, from and to", edge.size()));
    edges.emplace_back(edge[0], edge[1]);
  }
  return std::make_shared<Neighborhood>(ranks, edges);
}

NeighborsOption::NeighborsOption(std::string text, Collective collective) : text_(std::move(text)) {
  if (is_of_neighbors(collective) && text_.empty())
    throw InputError(
        fmt::format("{}: expected --neighbors, as 4x4x2, 4x4:box, random:6 or a file of edges", name_of(collective)));
  if (!is_of_neighbors(collective) && !text_.empty())
    throw InputError(
        fmt::format("--neighbors: expected neighbor_allgather(v) or neighbor_alltoall(v), not {}, in which "
                    "all ranks take part",
                    name_of(collective)));
  const std::string kind = text_.substr(0, text_.find(':'));
  const bool is_grid = kind.find_first_not_of("0123456789x") == std::string::npos && !kind.starts_with('x');
  is_file_ = !text_.empty() && !is_grid && kind != "random";
}

std::shared_ptr<const Neighborhood> NeighborsOption::of(int ranks) const {
  if (text_.empty()) return nullptr;
  return is_file_ ? read_neighbors(text_, ranks) : Neighborhood::from(text_, ranks);
}

Case NeighborsOption::applied(const Case& c) const { return text_.empty() ? c : with_neighborhood(c, of(c.ranks)); }

}  // namespace tutti::cli
