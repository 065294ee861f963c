#include "exporters/open_mpi_inside.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "exporters/open_mpi_han.hpp"
#include "exporters/open_mpi_needs.hpp"
#include "selection/candidates.hpp"
#include "selection/operand_order.hpp"

namespace tutti {
namespace {

bool is_own(const Rule& rule) { return rule.algorithm == kOwnChoice; }
/// Whether the rules of coll/tuned say nothing there.
bool is_left(const Rule& rule) { return is_own(rule) || is_simple_in_han(rule); }

bool has_simple(const FileRules& of_ranks) {
  return std::any_of(of_ranks.rules.begin(), of_ranks.rules.end(), is_simple_in_han);
}

/// Whose simple variant is in the way of the most; nothing where none is in the way of anything. Where it is said of
/// ranks that were not tuned, nobody knows its parts.
std::optional<std::size_t> most_in_the_way(const std::vector<FileRules>& rules) {
  for (std::size_t i = 0; i < rules.size(); ++i)
    if (has_simple(rules[i]) && (rules[i].layouts.empty() || rules[i].last_size != rules[i].layout.size)) return i;
  const std::vector<Needed> needs = needs_of_simple(rules), own = needs_of_own(rules);
  std::map<std::size_t, std::size_t> contradictions;
  for (const Needed& needed : needs) {
    const auto of_needed = [&](const Needed& other) { return contradict(needed, other); };
    const auto count = std::count_if(needs.begin(), needs.end(), of_needed) +
                       std::count_if(own.begin(), own.end(), of_needed) +
                       std::count_if(rules.begin(), rules.end(),
                                     [&](const FileRules& of_ranks) { return contradicts(needed, of_ranks); });
    if (count > 0) contradictions[needed.by] += static_cast<std::size_t>(count);
  }
  const auto most = std::max_element(contradictions.begin(), contradictions.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == contradictions.end() ? std::nullopt : std::optional(most->first);
}

bool is_before(const FileRules& a, const FileRules& b) {
  return std::tie(a.collective, a.layout) < std::tie(b.collective, b.layout);
}

/// Puts what is certain in the place of the rules: of so many ranks, or, where these have no rules of their own there,
/// of the collective.
void give_way(std::vector<FileRules>& rules, std::size_t number, const std::vector<FileRules>& certain) {
  const FileRules given = rules[number];
  for (const FileRules& of_ranks : certain)
    if (of_ranks.collective == given.collective && of_ranks.layout == given.layout &&
        of_ranks.last_size == given.last_size) {
      rules[number] = of_ranks;
      return;
    }
  std::erase_if(rules, [&](const FileRules& of_ranks) { return of_ranks.collective == given.collective; });
  for (const FileRules& of_ranks : certain)
    if (of_ranks.collective == given.collective) rules.push_back(of_ranks);
  std::sort(rules.begin(), rules.end(), is_before);
}

/// Neighbours differ.
void join_alike(std::vector<Rule>& rules) {
  for (std::size_t i = 1; i < rules.size();)
    if (rules[i].algorithm == rules[i - 1].algorithm)
      rules[i - 1].to_bytes = rules[i].to_bytes, rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
}

/// Splits rules, so that the algorithm is said of these sizes. Whether anything has changed.
bool say(std::vector<Rule>& rules, std::int64_t from, std::int64_t to, const std::string& algorithm) {
  bool changed = false;
  std::vector<Rule> after;
  for (const Rule& rule : rules) {
    const bool is_said = rule.algorithm == algorithm || (algorithm == kOwnChoice && is_left(rule));
    if (is_said || rule.to_bytes < from || rule.from_bytes > to) {
      after.push_back(rule);
      continue;
    }
    changed = true;
    Rule before = rule, here = rule, rest = rule;
    here.algorithm = algorithm;
    here.from_bytes = std::max(rule.from_bytes, from), here.to_bytes = std::min(rule.to_bytes, to);
    before.to_bytes = here.from_bytes - 1, rest.from_bytes = here.to_bytes + 1;
    if (rule.from_bytes < here.from_bytes) after.push_back(before);
    after.push_back(here);
    if (here.to_bytes < rule.to_bytes) after.push_back(rest);
  }
  rules = std::move(after);
  join_alike(rules);
  return changed;
}

/// Leaves out what the own choice needs to be as it is. Whether anything has changed.
bool leave_to_own(std::vector<FileRules>& rules, const Exporter& classic) {
  bool changed = false;
  for (const Needed& needed : needs_of_own(rules))
    for (FileRules& of_ranks : rules) {
      if (of_ranks.collective != needed.collective || needed.ranks < of_ranks.layout.size ||
          needed.ranks > of_ranks.last_size)
        continue;
      if (of_ranks.last_size > of_ranks.layout.size || !classic.knows_sizes(of_ranks.collective)) {
        const bool was_said = !std::all_of(of_ranks.rules.begin(), of_ranks.rules.end(), is_left);
        leave_all_out(of_ranks);
        changed = changed || was_said;
      } else {
        changed = say(of_ranks.rules, needed.from_bytes, needed.to_bytes, kOwnChoice) || changed;
      }
    }
  return changed;
}

/// The parts of simple variants of which no rule says what runs on so many ranks.
void add_parts(std::vector<FileRules>& rules) {
  std::map<std::pair<Collective, int>, std::vector<Rule>> parts;
  for (const Needed& needed : needs_of_simple(rules)) {
    const bool is_said = std::any_of(rules.begin(), rules.end(), [&](const FileRules& of_ranks) {
      return of_ranks.collective == needed.collective && of_ranks.layout.size <= needed.ranks &&
             needed.ranks <= of_ranks.last_size;
    });
    if (is_said) continue;  // and says the same
    Rule all;
    all.algorithm = kOwnChoice, all.from_bytes = 0, all.to_bytes = Rule::kUnlimited;
    auto& of_ranks = parts.try_emplace({needed.collective, needed.ranks}, std::vector{all}).first->second;
    say(of_ranks, needed.from_bytes, needed.to_bytes, needed.algorithm);
  }
  for (auto& [key, of_ranks] : parts) {
    FileRules inside{key.first, {kMixed, key.second}, key.second, false, std::move(of_ranks)};
    inside.inside = true;
    rules.push_back(std::move(inside));
  }
  std::sort(rules.begin(), rules.end(), is_before);
}

}  // namespace

bool is_told_to_han(const Choice& choice) {
  if (choice.algorithm->name() != "han_simple" || !has_simple_variant(choice.algorithm->collective())) return false;
  const std::vector<SimplePart> parts = parts_of_simple(choice);
  return std::all_of(parts.begin(), parts.end(), [](const SimplePart& part) { return part.algorithm.has_value(); });
}

bool keeps_order_inside(const Choice& choice) {
  const std::vector<SimplePart> parts = parts_of_simple(choice);
  return std::none_of(parts.begin(), parts.end(), [](const SimplePart& part) {
    constexpr std::int64_t kBytes = 1 << 20;  // fall-backs for few elements tell nothing of a rule
    return breaks_order(parse_choice(part.of.collective, part.algorithm.value()),
                        case_for({part.of.collective, 1, 8}, kBytes));
  });
}

std::vector<FileRules> settled_with_han(std::vector<FileRules> rules, const std::vector<FileRules>& certain) {
  const Exporter& classic = find_exporter("open-mpi-classic-5.0");
  // What is left out makes coll/han's own choice of what was another rule, which needs more to be left out.
  for (bool changed = true; changed;) {
    while (const auto number = most_in_the_way(rules)) give_way(rules, *number, certain);
    changed = leave_to_own(rules, classic);
  }
  add_parts(rules);
  return rules;
}

std::vector<FileRules> with_single_numbers(const std::vector<FileRules>& rules) {
  std::vector<FileRules> single;
  for (const FileRules& of_ranks : rules) {
    single.push_back(of_ranks);
    if (!is_by_block_in_han(of_ranks.collective) || of_ranks.last_size == of_ranks.layout.size ||
        std::none_of(of_ranks.rules.begin(), of_ranks.rules.end(), is_own))
      continue;
    if (of_ranks.between) {
      leave_all_out(single.back());
      continue;
    }
    single.back().last_size = of_ranks.layout.size;
    FileRules others = of_ranks;
    ++others.layout.size, others.between = true, others.layouts.clear();
    leave_all_out(others);
    single.push_back(std::move(others));
  }
  return single;
}

std::vector<FileRules> without_han(std::span<const FileRules> rules) {
  std::vector<FileRules> left(rules.begin(), rules.end());
  for (FileRules& of_ranks : left) {
    for (Rule& rule : of_ranks.rules)
      if (is_simple_in_han(rule)) rule.algorithm = kOwnChoice;
    join_alike(of_ranks.rules);
  }
  return left;
}

}  // namespace tutti
