#include "mpi/plan.hpp"

#include <fstream>
#include <sstream>

#include "mpi/fail.hpp"

namespace tutti::mpi {

std::vector<PlannedCell> read_plan(const std::string& path, int ranks) {
  std::ifstream file(path);
  if (!file) fail(path + ": cannot be read: expected a plan");
  std::vector<PlannedCell> plan;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string where = path + ":" + std::to_string(number) + ": ";
    std::istringstream words(line.substr(0, line.find('#')));
    PlannedCell cell;
    if (!(words >> cell.collective)) continue;
    Arm arm;
    if (!(words >> cell.ranks >> cell.bytes >> arm.name) || cell.ranks < 1 || cell.bytes < 0)
      fail(where + "expected COLLECTIVE RANKS BYTES ARM [VARIABLE=VALUE ...]");
    if (cell.ranks > ranks) fail(where + "expected at most the job's " + std::to_string(ranks) + " ranks");
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      std::size_t used = 0;
      int value = 0;
      try {
        if (equals != std::string::npos) value = std::stoi(word.substr(equals + 1), &used);
      } catch (const std::exception&) {
        used = 0;
      }
      if (used == 0 || used != word.size() - equals - 1) fail(where + "expected VARIABLE=VALUE, found " + word);
      arm.settings[word.substr(0, equals)] = value;
    }
    if (plan.empty() || plan.back().collective != cell.collective || plan.back().ranks != cell.ranks ||
        plan.back().bytes != cell.bytes)
      plan.push_back(cell);
    plan.back().arms.push_back(arm);
  }
  if (plan.empty()) fail(path + ":1: expected at least one call");
  return plan;
}

}  // namespace tutti::mpi
