#include "algos/what_runs.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "algos/named_choice.hpp"
#include "algos/patterns/tuned_numbers.hpp"

namespace tutti {
namespace {

/// By parameter: what runs where it says what does, in the order in which it was come across.
using Seen = std::map<std::string, std::vector<std::int64_t>, std::less<>>;

Seen parts_seen(const Choice& choice, const Case& c, const Places& places) {
  Seen seen;
  Facts facts(c, choice.parameters, choice.algorithm->is_by_node() ? places : Places());
  facts.watch_parts([&](std::string_view parameter, int ranks, std::int64_t runs) {
    std::vector<std::int64_t>& all = seen[std::string(parameter)];
    if (ranks > 1 && std::find(all.begin(), all.end(), runs) == all.end()) all.push_back(runs);
  });
  choice.algorithm->messages()(facts);
  return seen;
}

/// With the n-th of what runs in place of each part, or its last.
Choice with_parts(const Choice& choice, const Seen& seen, std::size_t n) {
  Choice real = choice;
  bool divides = false, leaves_out = false;
  for (auto& [name, value] : real.parameters) {
    const bool divides_by_it = value >= kFirstChoice && is_level(name) && !is_none(value);
    const auto found = seen.find(name);
    if (divides_by_it && found == seen.end()) {
      value = number_of_none(choice_of_number(value).algorithm->collective());
      leaves_out = true;
      continue;
    }
    divides = divides || divides_by_it;
    if (found != seen.end() && !found->second.empty()) value = found->second[std::min(n, found->second.size() - 1)];
  }
  if (leaves_out && !divides)
    for (const auto& [name, value] : real.parameters)
      if (name == "global") return choice_of_number(value);
  return real;
}

/// Of coll/tuned's algorithms, by number, those that not every number of ranks, or every call, can have.
bool is_demanding_number(const Algorithm& whole, const std::string& parameter, std::int64_t value) {
  static const std::set<std::pair<std::int64_t, Collective>> all = [] {
    std::set<std::pair<std::int64_t, Collective>> found;
    for (const Algorithm& a : registry())
      if (const auto number = number_in_tuned(a); number && !a.requirements().empty())
        found.emplace(*number, a.collective());
    return found;
  }();
  for (auto it = all.lower_bound({value, Collective{}}); it != all.end() && it->first == value; ++it)
    if (it->second == whole.collective() || name_of(it->second) == parameter) return true;  // "up", "bcast"
  return false;
}

/// Whether parts may be such: only then are they counted to know.
bool has_demanding_parts(const Choice& choice) {
  for (std::size_t i = 0; i < choice.parameters.size(); ++i) {
    const ParameterSpec& spec = choice.algorithm->parameters()[i];
    const std::int64_t value = choice.parameters[i].second;
    const bool demands = is_choice(spec) ? !is_none(value) && !choice_of_number(value).algorithm->requirements().empty()
                                         : is_demanding_number(*choice.algorithm, spec.name, value);
    if (demands) return true;
  }
  return false;
}

}  // namespace

std::vector<Choice> what_runs(const Choice& choice, const Case& c, const Places& places) {
  const Choice real = resolve(choice, c);
  const Quantity& counted = real.algorithm->messages();
  if (c.ranks == 1 || counted.text().empty() || counted.is_formula()) return {real};
  const Seen seen = parts_seen(real, c, places);
  if (const auto all = seen.find(kAllParts); all != seen.end()) return {choice_of_number(all->second.front())};
  std::vector<Choice> choices{with_parts(real, seen, 0)};
  for (const auto& [parameter, parts] : seen)
    for (std::size_t n = choices.size(); n < parts.size(); ++n) choices.push_back(with_parts(real, seen, n));
  return choices;
}

std::string text_of_what_runs(const Choice& choice, const Case& c, const Places& places) {
  std::string text;
  for (const Choice& each : what_runs(choice, c, places)) text += (text.empty() ? "" : "|") + each.text();
  return text;
}

PartCannotRun::PartCannotRun(const Choice& part, int ranks, const std::string& why)
    : InputError(part.algorithm->full_name() + " on " + std::to_string(ranks) + " ranks: it " + why),
      reason_("runs " + part.algorithm->full_name() + " on " + std::to_string(ranks) + " ranks, which " + why) {}

void expect_part_runs(const Choice& part, const Case& c) {
  if (const std::string reason = why_not(part, c); !reason.empty()) throw PartCannotRun(part, c.ranks, reason);
}

std::string why_not(const Choice& choice, const Case& c, const Places& places) {
  if (std::string reason = why_not(choice, c); !reason.empty()) return reason;
  const Choice real = resolve(choice, c);
  const Quantity& counted = real.algorithm->messages();
  if (counted.text().empty() || counted.is_formula() || !has_demanding_parts(real)) return "";
  try {
    static_cast<void>(counted(Facts(c, real.parameters, real.algorithm->is_by_node() ? places : Places())));
    return "";
  } catch (const PartCannotRun& error) {
    return error.reason();
  }
}

std::string with_what_runs(const std::string& choice, const std::string& runs) {
  return runs == choice ? choice : choice + ", which runs " + runs;
}

}  // namespace tutti
