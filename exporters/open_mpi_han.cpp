#include "exporters/open_mpi_han.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"

namespace tutti {
namespace {

/// Words one after the other, comments left out.
class Words {
 public:
  Words(const std::string& text, const std::string& origin, std::ptrdiff_t first_line)
      : rest_(text), origin_(origin), line_(first_line) {
    if (rest_.ends_with('\n')) rest_.remove_suffix(1);  // behind it there is no line
  }

  std::string next() {
    for (;;) {
      const std::size_t skipped = std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size());
      line_ += std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(skipped), '\n');
      rest_.remove_prefix(skipped);
      if (!rest_.starts_with('#')) break;
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
    }
    const std::string word(rest_.substr(0, rest_.find_first_of(" \t\r\n#")));
    rest_.remove_prefix(word.size());
    return word;
  }
  std::int64_t number(const char* meaning, std::int64_t least) {
    const std::string word = next();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || error != std::errc{} || end != word.data() + word.size() || value < least ||
        (word.size() > 1 && word[0] == '0'))
      fail(std::string(meaning) + ", a whole number from " + std::to_string(least) + " on");
    return value;
  }
  int line() const { return static_cast<int>(line_); }
  [[noreturn]] void fail(const std::string& expected) const {
    throw InputError(origin_ + ":" + std::to_string(line_) + ": expected " + expected);
  }

 private:
  std::string_view rest_;
  std::string origin_;
  std::ptrdiff_t line_;
};

bool is_by_block_in_han(Collective c) {
  return c == Collective::allgather || c == Collective::gather || c == Collective::scatter;
}

std::int64_t bytes_looked_up_by_han(const Case& c) {
  if (c.collective == Collective::barrier) return 0;
  return is_by_block_in_han(c.collective) ? c.count * c.element_bytes : total_bytes(c);
}

Collective collective_at(Words& words) {
  const std::string name = words.next();
  for (int i = 0; i < kCollectives; ++i)
    if (const auto c = static_cast<Collective>(i); is_served_by_han(c) && name == name_of(c)) return c;
  words.fail("a collective of coll/han, each once");
}

HanSizes sizes_at(Words& words) {
  HanSizes sizes;
  for (std::int64_t left = words.number("the number of message sizes", 1); left > 0; --left) {
    const std::int64_t bytes = words.number("a message size", 0);
    if (sizes.empty() ? bytes != 0 : bytes <= sizes.rbegin()->first)
      words.fail("message sizes from 0 on, in ascending order");
    const int line = words.line();
    const std::string component = words.next();
    if (component != "tuned" && component != "han") words.fail("tuned or han");
    sizes[bytes] = {component == "tuned", line};
  }
  return sizes;
}

std::string rows(const std::map<std::int64_t, bool>& sizes) {
  std::string text = fmt::format("{}  # message sizes\n", sizes.size());
  for (const auto& [bytes, tuned] : sizes) text += fmt::format("{} {}\n", bytes, tuned ? "tuned" : "han");
  return text;
}

/// Neighbours differ.
std::map<std::int64_t, bool> sizes_of(const FileRules& of_ranks) {
  std::map<std::int64_t, bool> sizes;
  const int ranks = of_ranks.layout.size;
  for (const Rule& rule : of_ranks.rules) {
    const bool tuned = rule.algorithm != kOwnChoice;
    const std::int64_t from = is_by_block_in_han(of_ranks.collective)
                                  ? rule.from_bytes / ranks + (rule.from_bytes % ranks > 0)
                                  : rule.from_bytes;
    sizes[from] = tuned;  // of several that begin with the same block the last serves it
  }
  for (auto it = std::next(sizes.begin()); it != sizes.end();)
    it = it->second == std::prev(it)->second ? sizes.erase(it) : std::next(it);
  return sizes;
}

struct Configuration {
  std::int64_t ranks;
  std::map<std::int64_t, bool> sizes;
};

std::vector<Configuration> configurations(std::span<const FileRules> rules) {
  const std::map<std::int64_t, bool> own{{0, false}};
  std::vector<Configuration> all{{1, own}};
  const auto add = [&](std::int64_t ranks, const std::map<std::int64_t, bool>& sizes) {
    if (all.back().sizes == sizes) return;
    if (all.back().ranks == ranks) all.pop_back();
    all.push_back({ranks, sizes});
  };
  for (const FileRules& of_ranks : rules) {
    add(of_ranks.layout.size, sizes_of(of_ranks));
    if (of_ranks.last_size != FileRules::kNoEnd) add(of_ranks.last_size + 1, own);
  }
  return all;
}

}  // namespace

bool is_served_by_han(Collective c) {
  return c == Collective::allgather || c == Collective::allreduce || c == Collective::barrier ||
         c == Collective::bcast || c == Collective::gather || c == Collective::reduce || c == Collective::scatter;
}

HanRules::HanRules(const std::string& text, const std::string& origin, std::ptrdiff_t first_line) : origin_(origin) {
  Words words(text, origin, first_line);
  for (std::int64_t left = words.number("the number of collectives", 1); left > 0; --left) {
    auto& of_ranks = rules_[collective_at(words)];
    if (!of_ranks.empty()) words.fail("a collective of coll/han, each once");
    if (words.number("the number of levels", 1) != 1 || words.next() != "global_communicator")
      words.fail("one level, global_communicator");
    for (std::int64_t sizes = words.number("the number of communicator sizes", 1); sizes > 0; --sizes) {
      const std::int64_t ranks = words.number("a communicator size", 1);
      if (of_ranks.empty() ? ranks != 1 : ranks <= of_ranks.rbegin()->first)
        words.fail("communicator sizes from 1 on, in ascending order");
      of_ranks[ranks] = sizes_at(words);
    }
  }
  if (!words.next().empty()) words.fail("the end of the file");
}

bool HanRules::leaves_to_tuned(const Case& c, Explanation* why) const {
  const auto of_ranks = rules_.find(c.collective);
  if (of_ranks == rules_.end()) return false;
  const auto& [ranks, sizes] = *std::prev(of_ranks->second.upper_bound(c.ranks));
  const auto& [bytes, row] = *std::prev(sizes.upper_bound(bytes_looked_up_by_han(c)));
  if (why)
    why->because.push_back(
        fmt::format("coll/han is asked first, and told by {}:{}, for {} ranks and {} bytes{} on, to {}", origin_,
                    row.line, ranks, bytes, is_by_block_in_han(c.collective) ? " of a block" : "",
                    row.tuned ? "leave the call to coll/tuned" : "run it itself"));
  return row.tuned;
}

void leave_all_out(FileRules& rules) {
  rules.rules.resize(1);
  rules.rules[0].algorithm = kOwnChoice;
  rules.rules[0].from_bytes = 0, rules.rules[0].to_bytes = Rule::kUnlimited;
}

bool HanRules::leaves_anything_to_tuned() const {
  for (const auto& [collective, of_ranks] : rules_)
    for (const auto& [ranks, sizes] : of_ranks)
      for (const auto& [bytes, row] : sizes)
        if (row.tuned) return true;
  return false;
}

std::string mca_params(const SwitchOn& switch_on) {
  constexpr std::string_view kPrefix = "OMPI_MCA_";
  std::string text = "# Tutti: for etc/openmpi-mca-params.conf or ~/.openmpi/mca-params.conf\n";
  for (const auto& [name, value] : switch_on.variables) text += name.substr(kPrefix.size()) + " = " + value + "\n";
  return text;
}

std::string write_han_rules(std::span<const FileRules> rules) {
  std::string body;
  int collectives = 0;
  for (std::size_t begin = 0, end; begin < rules.size(); begin = end) {
    const Collective collective = rules[begin].collective;
    for (end = begin; end < rules.size() && rules[end].collective == collective;) ++end;
    if (!is_served_by_han(collective)) continue;
    const std::vector<Configuration> sizes = configurations(rules.subspan(begin, end - begin));
    if (sizes.size() == 1 && sizes.front().sizes.size() == 1) continue;  // nothing but its own choice
    ++collectives;
    body += fmt::format("{}\n1  # level\nglobal_communicator\n{}  # communicator sizes\n", name_of(collective),
                        sizes.size());
    for (const Configuration& each : sizes) body += fmt::format("{}  # ranks\n", each.ranks) + rows(each.sizes);
  }
  return collectives == 0 ? "" : fmt::format("{}  # collectives\n", collectives) + body;
}

}  // namespace tutti
