#include "exporters/lint_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "exporters/rule_boxes.hpp"

namespace tutti {
namespace {

class RuleLint {
 public:
  RuleLint(std::span<const ListedRule> rules, const LintedForm& form, Doubts& findings)
      : rules_(rules), form_(form), findings_(findings) {
    for (const ListedRule& rule : rules) boxes_.push_back(box_of(rule));
  }

  void run() {
    find_dead();
    find_overlaps();
    find_gaps();
    lint_sizes(rules_, form_, findings_);
    for (const ListedRule& rule : rules_)
      if (rule.choice && !dead_.at(rule.statement)) lint_choice(rule, findings_);
    lint_operators(rules_, form_, findings_);
  }

 private:
  bool can_be_before(std::size_t first, std::size_t then) const {
    return rules_[first].collective == rules_[then].collective &&
           (form_.scopes_are_ordered || rules_[first].scope == rules_[then].scope);
  }

  bool is_dead(std::size_t i) const {
    if (boxes_[i].is_empty()) return true;
    const auto ranks = ranks_in(rules_[i]);
    if (ranks.first > ranks.last) return true;
    std::vector<RuleBox> before;
    for (std::size_t k = 0; k < i; ++k)
      if (can_be_before(k, i) && boxes_[k].meets(boxes_[i])) before.push_back(boxes_[k]);
    return is_covered(boxes_[i], before);
  }

  void find_dead() {
    std::map<int, bool> statements;                                    // whether all of it is dead
    std::map<std::pair<int, Collective>, std::pair<int, int>> scopes;  // statements, and those that are dead
    std::vector<bool> dead(rules_.size());
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (rules_[i].closes) continue;
      dead[i] = is_dead(i);
      const auto [known, is_new] = statements.emplace(rules_[i].statement, dead[i]);
      known->second = known->second && dead[i];
    }
    dead_ = statements;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (rules_[i].closes || (i > 0 && rules_[i].statement == rules_[i - 1].statement)) continue;
      auto& [all, none_left] = scopes[{rules_[i].scope, rules_[i].collective}];
      ++all, none_left += statements.at(rules_[i].statement);
    }
    std::set<std::pair<int, Collective>> told;
    std::set<int> told_statements;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (rules_[i].closes || !statements.at(rules_[i].statement) ||
          !told_statements.insert(rules_[i].statement).second)
        continue;
      const std::pair<int, Collective> scope{rules_[i].scope, rules_[i].collective};
      const auto [all, none_left] = scopes.at(scope);
      const bool is_whole = all == none_left && all > 1 && rules_[i].scope > 0;
      if (is_whole && !told.insert(scope).second) continue;
      tell_dead(i, is_whole ? all : 1);
    }
  }

  void tell_dead(std::size_t i, int rules) {
    const ListedRule& rule = rules_[i];
    const std::string what = rules > 1 ? fmt::format("all {} rules for {} of this part of the file are never reached",
                                                     rules, name_of(rule.collective))
                                       : said_by(rule) + " is never reached";
    const auto ranks = ranks_in(rule);
    if (boxes_[i].is_empty() || ranks.first > ranks.last) {
      findings_.push_back({rule.line, "dead", what, "no call has such ranks, nodes and sizes at once",
                           "set a last number that is not below the first, and as many ranks as the nodes hold"});
      return;
    }
    std::vector<std::size_t> before;
    for (std::size_t k = 0; k < i; ++k)
      if (can_be_before(k, i) && boxes_[k].meets(boxes_[i]) && rules_[k].statement != rule.statement)
        before.push_back(k);
    const auto whole =
        std::find_if(before.begin(), before.end(), [&](std::size_t k) { return boxes_[k].holds(boxes_[i]); });
    const RuleBox anything = box_of({});
    const bool are_both_last = whole != before.end() && boxes_[i].holds(anything) && boxes_[*whole].holds(anything);
    const int line = whole != before.end() ? rules_[*whole].line
                     : before.empty()      ? rule.line
                                           : rules_[before.front()].line;
    if (are_both_last)
      findings_.push_back({rule.line, "fall-back",
                           fmt::format("{} is a second rule for all that is left", said_by(rule)),
                           fmt::format("the one on line {} serves every such call", line), "keep one of the two"});
    else
      findings_.push_back({rule.line, "dead", what,
                           fmt::format("{} {} come{} before it and serve{} all of its calls{}",
                                       whole != before.end() ? "the rule on line" : "the rules from line", line,
                                       whole != before.end() ? "s" : "", whole != before.end() ? "s" : "",
                                       whole != before.end() ? "" : " together"),
                           "leave it out, or put it before what is more general"});
  }

  /// Neither range holds the other, and both have something in common.
  static bool cross(const FromTo<std::int64_t>& a, const FromTo<std::int64_t>& b) {
    return (a.first < b.first && b.first <= a.last && a.last < b.last) ||
           (b.first < a.first && a.first <= b.last && b.last < a.last);
  }

  bool can_meet(std::size_t a, std::size_t b) const {
    ListedRule both = rules_[a];
    const auto narrow = [](auto& range, const auto& other) {
      range.first = std::max(range.first, other.first), range.last = std::min(range.last, other.last);
    };
    narrow(both.ranks, rules_[b].ranks), narrow(both.nodes, rules_[b].nodes), narrow(both.ppn, rules_[b].ppn);
    const auto ranks = ranks_in(both);
    return boxes_[a].meets(boxes_[b]) && ranks.first <= ranks.last;
  }

  void find_overlaps() {
    std::set<std::pair<int, int>> told;
    for (std::size_t b = 0; b < rules_.size(); ++b)
      for (std::size_t a = 0; a < b; ++a) {
        const ListedRule &first = rules_[a], &then = rules_[b];
        if (first.collective != then.collective || first.statement == then.statement || first.closes || then.closes ||
            first.choice == then.choice || !can_meet(a, b))
          continue;
        if (!form_.scopes_are_ordered && first.scope != then.scope) {
          if (told.insert({first.scope, then.scope}).second)
            findings_.push_back(
                {then.line, "overlap",
                 fmt::format("{} and, on line {}, {} serve the same calls", said_by(then), first.line, said_by(first)),
                 form_.library + " applies parts of its file in no order: luck decides which one holds",
                 "make the numbers of ranks and nodes of the two parts disjoint"});
          continue;
        }
        if (first.scope != then.scope && first.scope > 0) continue;
        for (std::size_t side = 0; side < RuleBox::kSides; ++side)
          if (cross(boxes_[a].sides[side], boxes_[b].sides[side]) &&
              told.insert({first.statement, then.statement}).second)
            findings_.push_back(
                {then.line, "overlap",
                 fmt::format("{} and, on line {}, {} serve the same calls in part", said_by(then), first.line,
                             said_by(first)),
                 "nothing but their order decides which one holds there",
                 "end the one where the other begins; bounds are inclusive unless the form says otherwise"});
      }
  }

  void find_gaps() {
    using Key = std::tuple<Collective, int, std::array<std::int64_t, 8>>;
    std::map<Key, std::vector<std::size_t>> alike;  // of one part of the file, for one layout
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (rules_[i].closes || boxes_[i].is_empty()) continue;
      Key key{rules_[i].collective, rules_[i].scope, {}};
      for (std::size_t side = 0; side < RuleBox::kBytes; ++side)
        std::get<2>(key)[2 * side] = boxes_[i].sides[side].first,
                             std::get<2>(key)[2 * side + 1] = boxes_[i].sides[side].last;
      alike[key].push_back(i);
    }
    for (auto& [key, of_layout] : alike) {
      std::stable_sort(of_layout.begin(), of_layout.end(),
                       [&](std::size_t a, std::size_t b) { return rules_[a].bytes.first < rules_[b].bytes.first; });
      std::int64_t end = rules_[of_layout.front()].bytes.last;
      for (std::size_t k = 1; k < of_layout.size(); ++k) {
        const ListedRule& rule = rules_[of_layout[k]];
        if (end != Rule::kUnlimited && rule.bytes.first > end + 1) tell_gap(rule, end + 1, rule.bytes.first - 1);
        end = std::max(end, rule.bytes.last);
      }
    }
  }

  void tell_gap(const ListedRule& rule, std::int64_t from, std::int64_t to) {
    // Who leaves sizes to the library leaves a stretch of them; one size, or what is between 64000 and 64K, is a slip.
    const std::int64_t thousands = (from - 1) / 1000;
    const bool is_slip = from == to || (from > 1000 && from - 1 == thousands * 1000 && to + 1 == thousands * 1024);
    findings_.push_back(
        {rule.line, "gap",
         fmt::format("no rule for {} serves {}, on {}", name_of(rule.collective),
                     from == to ? fmt::format("{} bytes", from) : fmt::format("{} to {} bytes", from, to),
                     layout_of(rule)),
         fmt::format("{} makes its own choice there", form_.library),
         is_slip ? "let the ranges meet; mind which ends are part of them, and that K is 1024"
                 : "nothing, if that is meant",
         !is_slip});
  }

  static std::string layout_of(ListedRule rule) {
    rule.bytes = {};
    const std::string text = text_of(rule);
    return text == "whatever the call" ? "any layout" : text;
  }

  std::span<const ListedRule> rules_;
  const LintedForm& form_;
  Doubts& findings_;
  std::vector<RuleBox> boxes_;
  std::map<int, bool> dead_;  // by statement
};

}  // namespace

std::string said_by(const ListedRule& rule) {
  return fmt::format("{} for {} ({})", rule.choice ? rule.choice->text() : "the library's own choice",
                     name_of(rule.collective), text_of(rule));
}

void lint_rules(std::span<const ListedRule> rules, const LintedForm& form, Doubts& findings) {
  RuleLint(rules, form, findings).run();
}

bool is_written_by_tutti(const std::string& text) { return text.starts_with("# Tutti: "); }

}  // namespace tutti
