#include "cli/plan_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "algos/case.hpp"
#include "base/error.hpp"
#include "base/sizes.hpp"
#include "calibration/input_text.hpp"
#include "selection/baselines.hpp"

namespace tutti::cli {
namespace {

constexpr int most_ranks = 1 << 24;

int parse_ranks(std::string_view word) {
  int ranks = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), ranks);
  if (error != std::errc() || end != word.data() + word.size() || ranks < 1 || ranks > most_ranks)
    throw InputError(fmt::format("'{}': expected 1 to {} ranks", word, most_ranks));
  return ranks;
}

void check_arm(Collective collective, const std::string& arm) {
  if (arm.starts_with(kDefaultArm))
    find_baseline(arm.substr(kDefaultArm.size()));
  else if (arm != kTableArm)
    parse_choice(collective, arm);
}

}  // namespace

std::vector<PlannedCell> read_plan(const std::string& path, int ranks) {
  const InputText text = InputText::load(path, "a plan");
  std::vector<PlannedCell> plan;
  for (int line = 1; line <= text.lines(); ++line) {
    const std::vector<std::string_view> words = split_words(text.line(line).substr(0, text.line(line).find('#')));
    if (words.empty()) continue;
    if (words.size() != 4) throw text.error(line, "expected COLLECTIVE RANKS BYTES ARM");
    try {
      const Collective collective = collective_named(std::string(words[0]));
      const int of_ranks = parse_ranks(words[1]);
      const std::int64_t bytes = parse_size(words[2]);
      count_for_total_bytes(collective, of_ranks, default_element_bytes(collective), bytes);  // refuses what is none
      const std::string arm(words[3]);
      check_arm(collective, arm);
      if (of_ranks != ranks) continue;
      if (plan.empty() || plan.back().collective != collective || plan.back().bytes != bytes)
        plan.push_back({collective, bytes, {}, line});
      plan.back().arms.push_back(arm);
    } catch (const InputError& error) {
      throw text.error(line, error.what());
    }
  }
  if (plan.empty())
    throw text.error(std::max(1, text.lines()),
                     "expected a line of " + std::to_string(ranks) + " ranks, which is how many came");
  return plan;
}

}  // namespace tutti::cli
