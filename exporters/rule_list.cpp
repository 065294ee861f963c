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

namespace {

/// The choice without its radix, where the library takes that apart.
Choice without_radix(Choice choice) {
  for (std::size_t i = 0; i < choice.parameters.size(); ++i)
    if (choice.parameters[i].first == "radix") choice.parameters[i].second = choice.algorithm->parameters()[i].standard;
  return choice;
}

/// A name may be of an algorithm that is not there.
std::optional<Choice> ours_of(const NameInLibrary& name) {
  const std::string_view text = name.ours;
  for (const Algorithm* algorithm : algorithms_of(name.collective))
    if (algorithm->name() == text.substr(0, text.find(':'))) return parse_choice(name.collective, text);
  return std::nullopt;
}

}  // namespace

const NameInLibrary* name_of_choice(std::span<const NameInLibrary> names, const Choice& choice) {
  for (const NameInLibrary& name : names) {
    if (name.collective != choice.algorithm->collective()) continue;
    const std::optional<Choice> ours = ours_of(name);
    if (ours && (name.radix ? without_radix(choice) == without_radix(*ours) : choice == *ours)) return &name;
  }
  return nullptr;
}

std::optional<Choice> choice_named(std::span<const NameInLibrary> names, Collective collective, std::string_view theirs,
                                   std::optional<std::int64_t> radix) {
  for (const NameInLibrary& name : names) {
    if (name.collective != collective || name.theirs != theirs) continue;
    std::optional<Choice> choice = ours_of(name);
    if (!choice) continue;
    if (name.radix && radix)
      for (std::size_t i = 0; i < choice->parameters.size(); ++i)
        if (choice->parameters[i].first == "radix") {
          const ParameterSpec& spec = choice->algorithm->parameters()[i];
          if (*radix < spec.minimum || *radix > spec.maximum) return std::nullopt;
          choice->parameters[i].second = *radix;
        }
    return choice;
  }
  return std::nullopt;
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
