#include "exporters/rule_list.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"

namespace tutti {

std::optional<Choice> RuleList::choice(const Case& c, int nodes) const {
  const SeenLayout layout = seen(Sight::layouts, nodes, c.ranks);
  const int kind = seen(Sight::spread, nodes, c.ranks).kind;
  for (const ListedRule& rule : rules_)
    if (rule.collective == c.collective && rule.ranks.holds(c.ranks) && rule.nodes.holds(nodes) &&
        rule.ppn.holds(layout.kind) && (!rule.kind || *rule.kind == kind) && rule.bytes.holds(total_bytes(c)))
      return rule.choice;
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
