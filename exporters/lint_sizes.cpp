#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "exporters/lint_rules.hpp"
#include "exporters/rule_boxes.hpp"

namespace tutti {
namespace {

std::string text_of_ranks(const FromTo<std::int64_t>& ranks) {
  if (ranks.first == ranks.last) return fmt::format("{} ranks", ranks.first);
  if (ranks.last == std::numeric_limits<std::int64_t>::max()) return fmt::format("{} or more ranks", ranks.first);
  return fmt::format("{} to {} ranks", ranks.first, ranks.last);
}

bool is_linted_by_block(Collective c) {
  return c == Collective::allgather || c == Collective::alltoall || c == Collective::gather ||
         c == Collective::scatter || c == Collective::reduce_scatter_block;
}

/// Sizes of blocks are those of all blocks: multiples of the ranks. Below one byte of each rank there is none; who
/// writes such sizes means those of one rank.
void find_sizes_of_no_call(std::span<const ListedRule> rules, const LintedForm& form, Doubts& findings) {
  for (const ListedRule& rule : rules) {
    const auto ranks = ranks_in(rule);
    if (rule.closes || !is_linted_by_block(rule.collective) || rule.bytes.first == 0 || rule.bytes.last >= ranks.first)
      continue;
    findings.push_back({rule.line, "unit",
                        fmt::format("no {} of {} has {} to {} bytes in all", name_of(rule.collective),
                                    text_of_ranks(ranks), rule.bytes.first, rule.bytes.last),
                        form.library + " compares the bytes of all blocks together, which are multiples of the ranks",
                        "if the sizes are those of one rank (as OSU prints them), multiply them by the ranks"});
  }
}

/// Sizes per rank that were copied for every communicator.
void find_equal_sizes(std::span<const ListedRule> rules, const LintedForm& form, Doubts& findings) {
  constexpr std::size_t kLayouts = 3, kSizes = 2;
  constexpr std::int64_t kSpread = 4;
  if (form.is_converted) return;
  for (int i = 0; i < kCollectives; ++i) {
    const auto collective = static_cast<Collective>(i);
    if (!is_linted_by_block(collective)) continue;
    std::map<std::int64_t, std::set<std::int64_t>> sizes;  // by the least number of ranks
    int line = 0;
    for (const ListedRule& rule : rules) {
      if (rule.closes || rule.collective != collective) continue;
      if (line == 0) line = rule.line;
      auto& of_ranks = sizes[ranks_in(rule).first];
      if (rule.bytes.first > 0) of_ranks.insert(rule.bytes.first);
    }
    std::erase_if(sizes, [](const auto& each) { return each.second.empty(); });
    if (sizes.size() < kLayouts || sizes.begin()->second.size() < kSizes ||
        sizes.rbegin()->first < kSpread * std::max<std::int64_t>(1, sizes.begin()->first))
      continue;
    if (std::all_of(sizes.begin(), sizes.end(), [&](const auto& each) { return each.second == sizes.begin()->second; }))
      findings.push_back(
          {line, "unit",
           fmt::format("the sizes for {} are the same on {} to {} ranks", name_of(collective), sizes.begin()->first,
                       sizes.rbegin()->first),
           form.library + " compares the bytes of all ranks together; sizes of one rank that are meant would grow "
                          "with the ranks",
           "if they were measured per rank (as OSU prints them), multiply them by the ranks; else leave them"});
  }
}

}  // namespace

void lint_sizes(std::span<const ListedRule> rules, const LintedForm& form, Doubts& findings) {
  find_sizes_of_no_call(rules, form, findings);
  find_equal_sizes(rules, form, findings);
}

}  // namespace tutti
