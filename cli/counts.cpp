#include "cli/counts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <vector>

#include "base/counted.hpp"
#include "base/near_spelling.hpp"
#include "calibration/input_text.hpp"

namespace tutti::cli {
namespace {

std::vector<Count> counts_of_line(const InputText& text, int number) {
  std::string line(text.line(number));
  line.erase(std::min(line.find('#'), line.size()));
  std::replace(line.begin(), line.end(), ',', ' ');
  std::vector<Count> counts;
  for (const std::string_view word : split_words(line)) {
    Count count = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
    if (error != std::errc() || end != word.data() + word.size() || count < 0)
      throw text.error(number, fmt::format("'{}': expected a count of elements, 0 or more", word.substr(0, 40)));
    counts.push_back(count);
  }
  return counts;
}

}  // namespace

std::shared_ptr<const BlockCounts> read_counts(const std::string& path, int ranks, bool of_pairs) {
  const InputText text = InputText::load(path, "counts (or equal, zipf:…, random:…, one:…)");
  const auto p = static_cast<std::size_t>(ranks);
  const std::size_t needed = of_pairs ? p * p : p;
  std::vector<Count> all;
  for (int line = 1; line <= text.lines(); ++line) {
    const std::vector<Count> counts = counts_of_line(text, line);
    if (of_pairs && !counts.empty() && counts.size() != p)
      throw text.error(line,
                       fmt::format("{}: expected {}, what a rank sends to each", counted(counts.size(), "count"), p));
    all.insert(all.end(), counts.begin(), counts.end());
    if (all.size() > needed)
      throw text.error(line, of_pairs ? fmt::format("expected {} of counts, one for each rank", counted(p, "line"))
                                      : fmt::format("expected {}, one for each rank", counted(p, "count")));
  }
  if (all.size() < needed)
    throw text.error(
        text.lines(),
        of_pairs ? fmt::format("{} of counts: expected {}, one for each rank", counted(all.size() / p, "line"), p)
                 : fmt::format("{}: expected {}, one for each rank", counted(all.size(), "count"), p));
  try {
    if (of_pairs) return std::make_shared<BlockCounts>(ranks, all);
    return std::make_shared<BlockCounts>(all);
  } catch (const InputError& error) {
    throw text.error(text.lines(), error.what());
  }
}

std::shared_ptr<const BlockCounts> read_counts_among(const std::string& path, const Neighborhood& neighborhood,
                                                     bool of_blocks) {
  std::vector<Count> all;
  if (!of_blocks) {
    const auto of_ranks = read_counts(path, neighborhood.ranks(), false);
    for (Rank rank = 0; rank < neighborhood.ranks(); ++rank) all.push_back(of_ranks->blocks().count(rank));
    return std::make_shared<BlockCounts>(neighborhood, all, false);
  }
  const InputText text = InputText::load(path, "counts (or zipf:…, random:…, one:…)");
  std::vector<Rank> senders;
  for (Rank rank = 0; rank < neighborhood.ranks(); ++rank)
    if (!neighborhood.targets(rank).empty()) senders.push_back(rank);
  std::size_t lines = 0;
  for (int line = 1; line <= text.lines(); ++line) {
    const std::vector<Count> counts = counts_of_line(text, line);
    if (counts.empty()) continue;
    if (lines == senders.size())
      throw text.error(line, fmt::format("expected {} of counts, one for each rank that sends to somebody",
                                         counted(senders.size(), "line")));
    const Rank rank = senders[lines++];
    const auto targets = neighborhood.targets(rank);
    if (counts.size() != targets.size())
      throw text.error(line, fmt::format("{}: expected {}, one for each block of rank {}",
                                         counted(counts.size(), "count"), targets.size(), rank));
    for (std::size_t i = 0; i < targets.size(); ++i)
      if (targets[i].rank == kNobody && counts[i] != 0)
        throw text.error(line,
                         fmt::format("block {} of rank {} is for nobody: expected 0, not {}", i, rank, counts[i]));
    all.insert(all.end(), counts.begin(), counts.end());
  }
  if (lines < senders.size())
    throw text.error(text.lines(), fmt::format("{} of counts: expected {}, one for each rank that sends to somebody",
                                               counted(lines, "line"), senders.size()));
  try {
    return std::make_shared<BlockCounts>(neighborhood, all, true);
  } catch (const InputError& error) {
    throw text.error(text.lines(), error.what());
  }
}

bool is_counts_file(const std::string& text) {
  static const std::vector<std::string> kKinds{"equal", "zipf", "random", "one", "as"};
  const std::string kind = text.substr(0, text.find(':'));
  if (text.empty() || std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end()) return false;
  const std::string meant = std::filesystem::exists(text) ? "" : did_you_mean(kind, kKinds);
  if (!meant.empty())
    throw InputError(
        fmt::format("--counts {}: expected equal, zipf:S, random, one, as:COUNT:COUNT… or a file{}", text, meant));
  return true;
}

std::string spread_of_file(const std::string& path, int ranks, bool of_pairs) {
  const std::shared_ptr<const BlockCounts> counts = read_counts(path, ranks, of_pairs);
  std::string text = "as";
  for (Rank rank = 0; rank < ranks; ++rank)
    for (Rank to = 0; to < (of_pairs ? ranks : 1); ++to)
      text += fmt::format(":{}", of_pairs ? counts->from_to(rank, to) : counts->blocks().count(rank));
  return text;
}

std::int64_t bytes_of_file(const std::string& path, int ranks, Collective collective) {
  const bool of_pairs = collective == Collective::alltoallv;  // the total is then what each sends
  return read_counts(path, ranks, of_pairs)->total() / (of_pairs ? ranks : 1) * default_element_bytes(collective);
}

CountsOption::CountsOption(std::string text, Collective collective) : text_(std::move(text)) {
  if (text_.empty()) return;
  if (!is_irregular(collective))
    throw InputError(fmt::format(
        "--counts: expected allgatherv, alltoallv, gatherv, reduce_scatter, scatterv or neighbor_…v, not {}, whose "
        "blocks are equal",
        name_of(collective)));
  is_file_ = is_counts_file(text_);
}

Case CountsOption::applied(const Case& c, std::int64_t bytes) const {
  if (!given()) return c;
  if (is_file_ && c.neighborhood)
    return with_counts(c, read_counts_among(text_, *c.neighborhood, c.collective == Collective::neighbor_alltoallv));
  if (is_file_) return with_counts(c, read_counts(text_, c.ranks, c.collective == Collective::alltoallv));
  return with_counts(c, text_, elements_in_all(c.collective, c.ranks, c.element_bytes, bytes));
}

}  // namespace tutti::cli
