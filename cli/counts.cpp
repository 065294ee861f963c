#include "cli/counts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/error.hpp"
#include "json/text_file.hpp"

namespace tutti::cli {
namespace {

Count count_in(const std::string& word, const std::string& where) {
  Count count = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  if (error != std::errc() || end != word.data() + word.size() || count < 0)
    throw InputError(fmt::format("{}: '{}': expected a count of elements, 0 or more", where, word));
  return count;
}

std::vector<Count> counts_of_line(std::string line, const std::string& where) {
  line.erase(std::min(line.find('#'), line.size()));
  for (char& c : line)
    if (c == ',') c = ' ';
  std::vector<Count> counts;
  std::istringstream words(line);
  for (std::string word; words >> word;) counts.push_back(count_in(word, where));
  return counts;
}

}  // namespace

std::shared_ptr<const BlockCounts> read_counts(const std::string& path, int ranks, bool of_pairs) {
  const std::optional<std::string> text = read_text_file(path);
  if (!text) throw InputError(path + ":1: expected a readable file of counts, or equal, zipf:…, random:…, one:…");
  const auto p = static_cast<std::size_t>(ranks);
  const std::size_t needed = of_pairs ? p * p : p;
  std::vector<Count> all;
  std::istringstream lines(*text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string where = fmt::format("{}:{}", path, ++number);
    const std::vector<Count> counts = counts_of_line(line, where);
    if (of_pairs && !counts.empty() && counts.size() != p)
      throw InputError(fmt::format("{}: {} counts: expected {}, what a rank sends to each", where, counts.size(), p));
    all.insert(all.end(), counts.begin(), counts.end());
    if (all.size() > needed)
      throw InputError(of_pairs ? fmt::format("{}: expected {} lines of counts, one for each rank", where, p)
                                : fmt::format("{}: expected {} counts, one for each rank", where, p));
  }
  number = std::max(number, 1);
  if (all.size() < needed)
    throw InputError(
        of_pairs
            ? fmt::format("{}:{}: {} lines of counts: expected {}, one for each rank", path, number, all.size() / p, p)
            : fmt::format("{}:{}: {} counts: expected {}, one for each rank", path, number, all.size(), p));
  try {
    if (of_pairs) return std::make_shared<BlockCounts>(ranks, all);
    return std::make_shared<BlockCounts>(std::move(all));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}:{}: {}", path, number, error.what()));
  }
}

CountsOption::CountsOption(std::string text, Collective collective) : text_(std::move(text)) {
  if (text_.empty()) return;
  if (!is_irregular(collective))
    throw InputError(
        fmt::format("--counts: expected allgatherv, alltoallv, gatherv or scatterv, not {}, whose blocks "
                    "are equal",
                    name_of(collective)));
  const std::string kind = text_.substr(0, text_.find(':'));
  is_file_ = kind != "equal" && kind != "zipf" && kind != "random" && kind != "one";
}

Case CountsOption::applied(const Case& c, std::int64_t bytes) const {
  if (!given()) return c;
  if (is_file_) return with_counts(c, read_counts(text_, c.ranks, c.collective == Collective::alltoallv));
  return with_counts(c, text_, elements_in_all(c.collective, c.ranks, c.element_bytes, bytes));
}

}  // namespace tutti::cli
