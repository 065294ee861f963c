#include "selection/confirm.hpp"

#include <algorithm>

#include "selection/candidates.hpp"

namespace tutti {
namespace {

std::vector<Query> close_ones(const Cell& cell, const std::vector<Choice>& candidates, double margin) {
  double best = kRefused, messages = 0;
  for (const auto& [name, seconds] : cell.seconds) best = std::min(best, seconds);
  std::vector<Query> queries;
  const Case c = case_for(cell.place, cell.bytes);
  for (const Choice& choice : candidates) {
    const auto time = cell.seconds.find(choice.text());
    if (time == cell.seconds.end() || time->second > best * (1 + margin)) continue;
    if (cell.inferred.contains(time->first)) return {};
    const Choice real = resolve(choice, c);
    if (!real.algorithm->messages().text().empty()) messages += real.algorithm->messages()(Facts(c, real.parameters));
    queries.push_back({cell.place, cell.bytes, choice});
  }
  if (queries.size() < 2 || messages > kMostConfirmed) return {};
  return queries;
}

}  // namespace

void confirm_close(Simulations& simulations, const std::string& engine, const std::vector<Choice>& candidates,
                   double margin, std::vector<Cell>& cells) {
  std::vector<Query> queries;
  std::vector<std::size_t> of_cell;
  for (const Cell& cell : cells) {
    const std::vector<Query> here = close_ones(cell, candidates, margin);
    queries.insert(queries.end(), here.begin(), here.end());
    of_cell.push_back(here.size());
  }
  const std::vector<double> seconds = simulations.seconds(engine, queries);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < cells.size(); begin += of_cell[i++]) {
    const auto first = seconds.begin() + static_cast<std::ptrdiff_t>(begin);
    if (std::find(first, first + static_cast<std::ptrdiff_t>(of_cell[i]), kRefused) !=
        first + static_cast<std::ptrdiff_t>(of_cell[i]))
      continue;
    for (std::size_t q = begin; q < begin + of_cell[i]; ++q) {
      const std::string name = queries[q].choice.text();
      cells[i].seconds[name] = seconds[q];
      cells[i].confirmed.insert(name);
    }
  }
}

}  // namespace tutti
