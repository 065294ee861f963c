#include "mpi/plan.hpp"

#include <charconv>
#include <fstream>
#include <sstream>

#include "mpi/fail.hpp"

namespace tutti::mpi {
namespace {

template <class Number>
bool is_whole(const std::string& word, Number& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

std::vector<PlannedCell> read_plan(const std::string& path, int ranks) {
  std::ifstream file(path);
  if (!file) fail(path + ":1: cannot be read: expected a plan");
  std::vector<PlannedCell> plan;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string where = path + ":" + std::to_string(number) + ": ";
    if (file.eof()) fail(where + "the file ends inside this line, so its last number may be cut: expected a line end");
    std::istringstream words(line.substr(0, line.find('#')));
    PlannedCell cell;
    if (!(words >> cell.collective)) continue;
    Arm arm;
    std::string of_ranks, bytes;
    if (!(words >> of_ranks >> bytes >> arm.name) || !is_whole(of_ranks, cell.ranks) || !is_whole(bytes, cell.bytes) ||
        cell.ranks < 1 || cell.bytes < 0)
      fail(where + "expected COLLECTIVE RANKS BYTES ARM [VARIABLE=VALUE ...]");
    if (cell.ranks > ranks) fail(where + "expected at most the job's " + std::to_string(ranks) + " ranks");
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      int value = 0;
      if (equals == std::string::npos || equals == 0 || !is_whole(word.substr(equals + 1), value))
        fail(where + "expected VARIABLE=VALUE, found " + word);
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
