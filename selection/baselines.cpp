#include "selection/baselines.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "json/document.hpp"
#include "selection/baseline_documents.hpp"
#include "selection/baseline_rules.hpp"
#include "selection/han_pick.hpp"
#include "selection/own_parts.hpp"

namespace tutti {
namespace {

using nlohmann::json;

Choice choice_at(const Document& document, const std::string& pointer, Collective collective) {
  const json& text = document.root().at(json::json_pointer(pointer));
  try {
    if (text.is_string()) return parse_choice(collective, text.get<std::string>());
  } catch (const InputError& error) {
    document.fail(pointer, error.what());
  }
  document.fail(pointer, "expected an algorithm");
}

/// An algorithm of ours, or what the library runs instead.
Baseline::Rule::Step step_at(const Document& document, const std::string& pointer, Collective collective) {
  const json& given = document.root().at(json::json_pointer(pointer));
  Baseline::Rule::Step step;
  if (!given.is_object())
    step.choice = choice_at(document, pointer, collective);
  else if (given.size() == 1 && given.begin()->is_string() && (given.contains("not_ours") || given.contains("as")))
    (given.contains("as") ? step.as : step.not_ours) = *given.begin();
  if (!step.choice.algorithm && step.not_ours.empty() && step.as.empty())
    document.fail(pointer, "expected an algorithm, not_ours or as");
  return step;
}

std::vector<Baseline::Rule::Step> steps_at(const Document& document, const std::string& pointer,
                                           Collective collective) {
  const json& rule = document.root().at(json::json_pointer(pointer));
  if (rule.contains("use") == rule.contains("by_bytes")) document.fail(pointer, "expected one of use and by_bytes");
  std::vector<Baseline::Rule::Step> steps;
  if (rule.contains("use")) {
    steps.push_back(step_at(document, pointer + "/use", collective));
    return steps;
  }
  const json& given = rule["by_bytes"];
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string here = pointer + "/by_bytes/" + std::to_string(i);
    if (given[i].size() != 2 || !(given[i][0].is_null() || given[i][0].is_number_integer()))
      document.fail(here, "expected [bytes or null, algorithm]");
    Baseline::Rule::Step step = step_at(document, here + "/1", collective);
    if (!given[i][0].is_null()) step.below_bytes = given[i][0];
    if (step.below_bytes <= (steps.empty() ? 0 : steps.back().below_bytes))
      document.fail(here, "expected more bytes than in the step before");
    steps.push_back(std::move(step));
  }
  return steps;
}

Baseline::Rule rule_at(const Document& document, const std::string& pointer, Collective collective) {
  const json& given = document.root().at(json::json_pointer(pointer));
  Baseline::Rule rule;
  rule.ranks = given.value("ranks", 0);
  rule.ranks_below = given.value("ranks_below", rule.ranks_below);
  rule.total_bytes_below = given.value("total_bytes_below", rule.total_bytes_below);
  rule.ranks_per_node_below = given.value("ranks_per_node_below", rule.ranks_per_node_below);
  rule.remark = given.value("remark", "");
  for (const auto& [key, value] : given.items())
    if (value.is_boolean()) rule.conditions[key] = value;
  rule.steps = steps_at(document, pointer, collective);
  return rule;
}

Baseline baseline_of(const Document& document) {
  const json& root = document.root();
  Baseline baseline{root["name"],
                    root["description"],
                    root["source"],
                    root.value("hierarchical_remark", ""),
                    root.value("comes_first", "") == "han",
                    {}};
  if (!root.contains("collectives")) return baseline;
  for (const auto& [name, given] : root["collectives"].items()) {
    const std::string pointer = "/collectives/" + name;
    const auto collective = [&, &name = name] {
      try {
        return any_collective_named(name);
      } catch (const InputError& error) {
        document.fail(pointer, error.what());
      }
    }();
    Baseline::Rules& rules = baseline.collectives[collective];
    rules.by_block = given["bytes_of"] == "block";
    rules.component = given.value("component", root.value("component", ""));
    for (std::size_t i = 0; i < given["rules"].size(); ++i)
      rules.rules.push_back(rule_at(document, pointer + "/rules/" + std::to_string(i), collective));
  }
  return baseline;
}

std::map<std::string, Baseline> all_baselines() {
  std::map<std::string, Baseline> all;
  for (const auto& [name, document] : baseline_documents()) all[name] = baseline_of(document);
  for (const auto& [name, document] : baseline_documents())
    if (const json& root = document.root(); root.contains("same_as"))
      for (const auto& [collective, rules] : all.at(root["same_as"].get<std::string>()).collectives)
        if (const json unknown = root.value("unknown", json::array());
            std::find(unknown.begin(), unknown.end(), name_of(collective)) == unknown.end())
          all[name].collectives.try_emplace(collective, rules);
  std::erase_if(all, [](const auto& each) { return each.second.collectives.empty(); });
  for (const auto& [name, baseline] : all)
    for (const auto& [collective, rules] : baseline.collectives)
      for (const Baseline::Rule& rule : rules.rules)
        for (const Baseline::Rule::Step& step : rule.steps)
          if (!step.as.empty() && (step.as == name || !all.contains(step.as)))
            throw std::logic_error("baseline " + name + ": expected another library than " + step.as);
  return all;
}

const std::map<std::string, Baseline>& baselines() {
  static const std::map<std::string, Baseline> all = all_baselines();
  return all;
}

}  // namespace

Baseline parse_baseline(const std::string& text, const std::string& origin) {
  const Document document(text, origin);
  validate_baseline(document);
  return baseline_of(document);
}

std::vector<std::string> baseline_names() {
  std::vector<std::string> names;
  for (const auto& [name, baseline] : baselines()) names.push_back(name);
  return names;
}

const Baseline& find_baseline(const std::string& name) {
  const auto found = baselines().find(name);
  if (found != baselines().end()) return found->second;
  std::string known;
  for (const std::string& each : baseline_names()) known += (known.empty() ? "" : ", ") + each;
  throw InputError("unknown default '" + name + "': expected one of " + known + did_you_mean(name, baseline_names()));
}

namespace {

BaselinePick pick_or_name(const Baseline& baseline, const Case& c, const RanksOnNodes& on, Explanation* why) {
  if (!baseline.collectives.contains(c.collective))
    throw InputError("default:" + baseline.name + ": nothing is known of what it picks for " +
                     std::string(name_of(c.collective)));
  if (!baseline.has_han) return pick_with_own_parts(baseline, c, on, why);
  const std::optional<BaselinePick> han = pick_of_han(c, on, picks_by_rules(baseline), why);
  return han ? *han : pick_with_own_parts(baseline, c, on, why);
}

}  // namespace

BaselinePick pick(const Baseline& baseline, const Case& c, const RanksOnNodes& on, Explanation* why) {
  BaselinePick picked = pick_or_name(baseline, c, on, why);
  if (!picked.not_ours.empty())
    throw InputError("default:" + baseline.name + ": for " + std::string(name_of(c.collective)) + " of " +
                     std::to_string(total_bytes(c)) + " bytes on " + layout_text(on, c.ranks) + " it runs " +
                     picked.not_ours + ", which is none of our algorithms");
  return picked;
}

std::optional<BaselinePick> pick_if_ours(const Baseline& baseline, const Case& c, const RanksOnNodes& on) {
  BaselinePick picked = pick_or_name(baseline, c, on, nullptr);
  return picked.not_ours.empty() ? std::optional(std::move(picked)) : std::nullopt;
}

Choice choice_asked_for(const std::string& text, const Case& c, const RanksOnNodes& on) {
  constexpr std::string_view kOfLibrary = "default:";
  return text.starts_with(kOfLibrary) ? pick(find_baseline(text.substr(kOfLibrary.size())), c, on).choice
                                      : parse_choice(c.collective, text);
}

bool puts_together(const Baseline& baseline, Collective collective) {
  if (baseline.has_han || rules_have_parts(baseline, collective)) return true;
  const auto rules = baseline.collectives.find(collective);
  return rules != baseline.collectives.end() &&
         std::any_of(rules->second.rules.begin(), rules->second.rules.end(), [](const Baseline::Rule& rule) {
           return std::any_of(rule.steps.begin(), rule.steps.end(), [](const auto& step) { return !step.as.empty(); });
         });
}

std::vector<Choice> named_choices(const Baseline& baseline, Collective collective) {
  std::vector<Choice> named;
  const auto rules = baseline.collectives.find(collective);
  if (rules == baseline.collectives.end()) return named;
  for (const Baseline::Rule& rule : rules->second.rules)
    for (const Baseline::Rule::Step& step : rule.steps)
      if (step.choice.algorithm && std::find(named.begin(), named.end(), step.choice) == named.end())
        named.push_back(step.choice);
  return named;
}

void add_named_choices(std::vector<Choice>& choices, const std::vector<std::string>& libraries, Collective collective) {
  for (const std::string& name : libraries)
    for (const Choice& choice : named_choices(find_baseline(name), collective))
      if (std::find(choices.begin(), choices.end(), choice) == choices.end()) choices.push_back(choice);
}

}  // namespace tutti
