#include "selection/confirm.hpp"

#include <algorithm>

#include "selection/candidates.hpp"

namespace tutti {
namespace {

struct Close {
  std::vector<Query> queries;
  double messages = 0;
};

/// Empty where nothing is to be decided, or it takes too many messages.
Close close_ones(const Simulations& simulations, const Cell& cell, const std::vector<Choice>& candidates,
                 double margin) {
  const double best = best_seconds(cell);
  Close close;
  for (const Choice& choice : candidates) {
    const auto time = cell.seconds.find(choice.text());
    if (time == cell.seconds.end() || time->second > best * (1 + margin)) continue;
    if (cell.inferred.contains(time->first)) return {};
    close.queries.push_back({cell.place, cell.bytes, choice});
    close.messages += simulations.messages(close.queries.back());
  }
  if (close.queries.size() < 2 || close.messages > kMostConfirmed) return {};
  return close;
}

}  // namespace

double messages_to_confirm(const Simulations& simulations, const std::vector<Choice>& candidates, double margin,
                           const std::vector<Cell>& cells) {
  double messages = 0;
  for (const Cell& cell : cells) messages += close_ones(simulations, cell, candidates, margin).messages;
  return messages;
}

void confirm_close(Simulations& simulations, const std::string& engine, const std::vector<Choice>& candidates,
                   double margin, std::vector<Cell>& cells) {
  std::vector<Query> queries;
  std::vector<std::size_t> of_cell;
  for (const Cell& cell : cells) {
    const std::vector<Query> here = close_ones(simulations, cell, candidates, margin).queries;
    queries.insert(queries.end(), here.begin(), here.end());
    of_cell.push_back(here.size());
  }
  const std::vector<Time> times = simulations.times(engine, queries);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < cells.size(); begin += of_cell[i++]) {
    const auto here = std::span(times).subspan(begin, of_cell[i]);
    if (std::any_of(here.begin(), here.end(), [](const Time& time) { return time.seconds == kRefused; })) continue;
    for (std::size_t q = begin; q < begin + of_cell[i]; ++q) {
      const std::string name = queries[q].choice.text();
      cells[i].seconds[name] = times[q].seconds;
      cells[i].confirmed.insert(name);
    }
  }
}

}  // namespace tutti
