#include "algos/named_choice.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.hpp"

namespace tutti {
namespace {

constexpr std::int64_t kFirst = kFirstChoice;
constexpr std::string_view kNone = "none";

struct Named {
  Collective collective;
  std::string text;
  std::optional<Choice> choice;
};

/// Grows alone: what it refers to stays.
struct Known {
  std::mutex mutex;
  std::deque<Named> all;
  std::map<std::pair<Collective, std::string>, std::int64_t, std::less<>> numbers;
};
Known& known() {
  static Known one;
  return one;
}

/// `flat` by the collective's own name, where it has another for everybody directly with who leads, or with everybody.
std::string with_own_flat(Collective part, std::string_view text) {
  constexpr std::string_view kFlat = "flat";
  if (name_in_choice(text) != kFlat) return std::string(text);
  const std::vector<const Algorithm*> all = algorithms_of(part);
  const auto has = [&](std::string_view name) {
    return std::any_of(all.begin(), all.end(), [&](const Algorithm* a) { return a->name() == name; });
  };
  if (has(kFlat)) return std::string(text);
  const bool sums_for_all = part == Collective::reduce_scatter || part == Collective::reduce_scatter_block;
  return (sums_for_all ? "pairwise" : "linear") + std::string(text.substr(kFlat.size()));
}

}  // namespace

std::int64_t number_of_choice(Collective collective, std::string_view text) {
  Known& table = known();
  const std::lock_guard lock(table.mutex);
  const auto [found, is_new] = table.numbers.try_emplace({collective, std::string(text)}, kFirst + table.all.size());
  if (is_new) table.all.push_back({collective, std::string(text), std::nullopt});
  return found->second;
}

const Choice& choice_of_number(std::int64_t number) {
  Known& table = known();
  Named* named = nullptr;
  {
    const std::lock_guard lock(table.mutex);
    named = &table.all.at(static_cast<std::size_t>(number - kFirst));
    if (named->choice) return *named->choice;
  }
  // Parsing may ask for choices inside this one. Who is second finds the same.
  Choice choice = parse_choice(named->collective, named->text);
  if (choice.algorithm->is_by_node())
    throw InputError(choice.algorithm->full_name() +
                     " asks which ranks share a node: expected an algorithm that takes ranks as they come");
  const std::lock_guard lock(table.mutex);
  if (!named->choice) named->choice = std::move(choice);
  return *named->choice;
}

std::int64_t number_of_none(Collective collective) { return number_of_choice(collective, kNone); }

bool is_none(std::int64_t number) {
  Known& table = known();
  const std::lock_guard lock(table.mutex);
  return table.all.at(static_cast<std::size_t>(number - kFirst)).text == kNone;
}

bool is_level(std::string_view parameter) {
  for (int i = 0; i < kLevels; ++i)
    if (parameter == name_of(static_cast<Level>(i))) return true;
  return false;
}

std::optional<Level> absent_level(const Choice& choice, const std::vector<Level>& there) {
  for (const auto& [name, value] : choice.parameters)
    if (value >= kFirst && !is_none(value) && is_level(name) &&
        std::find(there.begin(), there.end(), level_of(name)) == there.end())
      return level_of(name);
  return std::nullopt;
}

std::string text_of_choice(std::int64_t number) {
  return is_none(number) ? std::string(kNone) : choice_of_number(number).text();
}

bool is_choice(const ParameterSpec& spec) { return spec.minimum >= kFirst; }

std::int64_t parse_choice_value(const Algorithm& whole, const ParameterSpec& spec, std::string_view text) {
  Known& table = known();
  const Collective part = [&] {
    const std::lock_guard lock(table.mutex);
    return table.all.at(static_cast<std::size_t>(spec.standard - kFirst)).collective;
  }();
  if (text == kNone && is_level(spec.name)) return number_of_none(part);
  try {
    return number_of_choice(part, choice_of_number(number_of_choice(part, with_own_flat(part, text))).text());
  } catch (const InputError& error) {
    if (part == whole.collective()) throw;
    throw InputError("'" + spec.name + "' of " + whole.full_name() + " is a " + std::string(name_of(part)) + ": " +
                     error.what());
  }
}

std::vector<std::string> split_choices(std::string_view text) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (const char c : text) {
    depth += (c == '(') - (c == ')');
    if (c == ',' && depth <= 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string_view name_in_choice(std::string_view text) {
  return text.substr(0, std::min(text.find_first_of(":("), text.size()));
}

}  // namespace tutti
