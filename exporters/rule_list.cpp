#include "exporters/rule_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"

namespace tutti {

namespace {

/// "2 to 8 ranks", "4 ranks", "from 4 ranks on"; empty: any number.
template <class T>
std::string range_text(const FromTo<T>& range, const char* what) {
  const bool is_open = range.last == std::numeric_limits<T>::max();
  if (range.first == range.last) return fmt::format("{} {}", range.first, what);
  if (is_open) return range.first <= 0 ? "" : fmt::format("from {} {} on", range.first, what);
  return fmt::format("{} to {} {}", range.first, range.last, what);
}

}  // namespace

std::string text_of(const ListedRule& rule) {
  std::vector<std::string> parts{range_text(rule.ranks, "ranks"), range_text(rule.nodes, "nodes"),
                                 range_text(rule.ppn, "ranks per node"), range_text(rule.bytes, "bytes")};
  if (rule.kind) parts.emplace_back(*rule.kind == kOneNode ? "all on one node" : "one rank on each node");
  std::erase(parts, "");
  return parts.empty() ? "whatever the call" : fmt::format("{}", fmt::join(parts, ", "));
}

bool RuleList::serves(const ListedRule& rule, const Case& c, const RanksOnNodes& on) const {
  const bool has_ppn = compared_ == ComparedPpn::of_each_node
                           ? rule.ppn.holds(on.fewest) && rule.ppn.holds(on.most)
                           : c.ranks % on.nodes == 0 && rule.ppn.holds(c.ranks / on.nodes);
  return has_ppn && rule.ranks.holds(c.ranks) && rule.nodes.holds(on.nodes) &&
         (!rule.kind || *rule.kind == seen(Sight::spread, on.nodes, c.ranks).kind) && rule.bytes.holds(total_bytes(c));
}

std::optional<Choice> RuleList::decide(const Case& c, const RanksOnNodes& on, Explanation* why) const {
  std::size_t passed = 0;
  for (const ListedRule& rule : rules_) {
    if (rule.collective != c.collective) continue;
    if (!serves(rule, c, on)) {
      ++passed;
      continue;
    }
    if (why) {
      why->because.push_back(fmt::format(
          "the first rule of {} that serves the call is on line {}, for {}{}; it {}", origin_, rule.line, text_of(rule),
          passed == 0 ? "" : fmt::format(" ({} before it for {} do not fit)", passed, name_of(c.collective)),
          rule.choice ? "says " + rule.choice->text() : "leaves the call to the library"));
      why->told = rule.choice.has_value();
      if (why->told) why->rule = fmt::format("{}:{}", origin_, rule.line);
    }
    return rule.choice;
  }
  if (why)
    why->because.push_back(passed == 0 ? fmt::format("{} has no rules for {}", origin_, name_of(c.collective))
                                       : fmt::format("none of the {} rules of {} for {} serves the call", passed,
                                                     origin_, name_of(c.collective)));
  return std::nullopt;
}

std::optional<Choice> choice_named(const Library& library, Collective collective, std::string_view theirs) {
  const Library::Name* name = find_name(library, collective, theirs);
  return name ? std::optional(name->ours) : std::nullopt;
}

std::vector<TextLine> lines_of(std::string_view text, const std::string& origin) {
  constexpr std::string_view kSpace = " \t\r\v\f";
  std::vector<TextLine> lines;
  TextLine line;
  while (!text.empty()) {
    ++line.number;
    const std::size_t end = text.find('\n');
    line.text = text.substr(0, end);
    if (end == std::string_view::npos) refuse_line(origin, line, "a line that ends");
    text.remove_prefix(end + 1);
    line.text.remove_prefix(std::min(line.text.find_first_not_of(kSpace), line.text.size()));
    line.text = line.text.substr(0, line.text.find_last_not_of(kSpace) + 1);
    if (!line.text.empty() && line.text[0] != '#') lines.push_back(line);
  }
  return lines;
}

void refuse_line(const std::string& origin, const TextLine& line, const std::string& expected) {
  throw InputError(origin + ":" + std::to_string(std::max(1, line.number)) + ": expected " + expected);
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace tutti
