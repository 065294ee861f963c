#include "algos/registry.hpp"

#include <algorithm>
#include <set>

#include "algos/named_choice.hpp"
#include "algos/registering.hpp"
#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "base/sizes.hpp"

namespace tutti {
namespace {

std::vector<Algorithm>& mutable_registry() {
  static std::vector<Algorithm> algorithms;
  return algorithms;
}

bool& was_read() {
  static bool read = false;
  return read;
}

std::int64_t* find_value(ParameterValues& values, std::string_view name) {
  for (auto& [known, value] : values)
    if (known == name) return &value;
  return nullptr;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool is_among(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What is known of a name that the collective lacks. Not all have a ring: others pass things from rank to rank, too.
std::string hint_for(Collective collective, std::string_view name, const std::vector<std::string>& names) {
  if (name == "permuted" && (collective == Collective::scan || collective == Collective::exscan))
    return " (none runs on ranks in another order, for what each gets is of those before it)";
  std::vector<std::string> near;
  for (const char* like_a_ring : {"scatter_ring", "double_ring", "pipeline", "chain", "pairwise"})
    if (name == "ring" && is_among(names, like_a_ring)) near.emplace_back(like_a_ring);
  return near.empty() ? did_you_mean(name, names) : " (nearest to it: " + joined(near) + ")";
}

bool has_segments(const Algorithm& algorithm) {
  const std::vector<ParameterSpec>& all = algorithm.parameters();
  return std::any_of(all.begin(), all.end(), [](const ParameterSpec& p) { return p.role == ParameterRole::segment; });
}

/// "ring" with ":segment=64K", where a ring in segments is an algorithm of its own: that one.
const Algorithm& algorithm_for(const Algorithm& named, std::string_view settings) {
  if (has_segments(named) || settings.find(":segment=") == std::string_view::npos) return named;
  for (const Algorithm* other : algorithms_of(named.collective()))
    if (other->name() == "segmented_" + named.name() && has_segments(*other)) return *other;
  return named;
}

/// Where the parenthesis closes that the text begins with, or npos.
std::size_t end_of_parts(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth == 0) return i;
  }
  return std::string_view::npos;
}

/// By "radix=4", or "node=ring:segment=64K" where the value is a choice. `text`: the whole.
void set_parameter(Choice& choice, std::set<std::string>& given_before, std::string_view setting,
                   std::string_view text) {
  const Algorithm& algorithm = *choice.algorithm;
  const std::size_t equals = setting.find('=');
  if (equals == std::string_view::npos)
    throw InputError("'" + std::string(setting) + "' in '" + std::string(text) + "': expected name=value");
  const std::string_view name = setting.substr(0, equals), given = setting.substr(equals + 1);
  std::int64_t* const value = find_value(choice.parameters, name);
  if (!value) {
    std::vector<std::string> names;
    for (const ParameterSpec& spec : algorithm.parameters()) names.push_back(spec.name);
    throw InputError("unknown parameter '" + std::string(name) + "' of " + algorithm.full_name() +
                     (names.empty() ? ", which has none: expected no parameter"
                                    : ": expected one of " + joined(names) + did_you_mean(name, names)));
  }
  if (!given_before.emplace(name).second)
    throw InputError("'" + std::string(text) + "': expected " + std::string(name) + " once");
  const ParameterSpec& spec = algorithm.parameters()[std::find_if(choice.parameters.begin(), choice.parameters.end(),
                                                                  [&](const auto& p) { return &p.second == value; }) -
                                                     choice.parameters.begin()];
  *value = is_choice(spec)      ? parse_choice_value(algorithm, spec, given)
           : spec.names.empty() ? parse_size(given)
                                : value_named(spec, given);
  const auto refuse = [&](const char* what, std::int64_t limit) {
    throw InputError(spec.name + "=" + std::to_string(*value) + " of " + algorithm.full_name() + ": expected " + what +
                     " " + std::to_string(limit));
  };
  if (*value < spec.minimum) refuse("at least", spec.minimum);
  // From there on numbers stand for choices.
  const std::int64_t most = is_choice(spec) ? spec.maximum : std::min(spec.maximum, kFirstChoice - 1);
  if (*value > most) refuse("at most", most);
}

}  // namespace

Facts::Facts(const Case& c, const ParameterValues& parameters, Places places)
    : places_(std::move(places)), counts_(c.counts), neighborhood_(c.neighborhood), count_(c.count) {
  if (!counts_ || (!counts_->of_pairs() && !counts_->of_neighbors())) blocks_ = blocks_of(c);
  const double n = static_cast<double>(total_bytes(c));
  facts_ = {{"p", static_cast<double>(c.ranks)},         {"n", n},
            {"e", static_cast<double>(c.element_bytes)}, {"c", static_cast<double>(c.count)},
            {"root", static_cast<double>(c.root)},       {"commutative", is_commutative(c.op) ? 1.0 : 0.0},
            {"in_place", c.in_place ? 1.0 : 0.0}};
  if (c.collective == Collective::reduce_scatter) {
    facts_.push_back({"uneven", static_cast<double>(unevenness(c))});
    facts_.push_back({"last", static_cast<double>(blocks_.count(c.ranks - 1))});
  }
  if (neighborhood_) {
    facts_.push_back({"grid", neighborhood_->grid() ? 1.0 : 0.0});
    facts_.push_back({"edges", static_cast<double>(neighborhood_->edges())});
  }
  for (const auto& [name, value] : parameters) {
    facts_.push_back({name, static_cast<double>(value)});
    const ParameterRole role = role_of(name);
    if (role == ParameterRole::radix) facts_.push_back({"k", static_cast<double>(value)});
    if (role == ParameterRole::segment) {
      Call call;
      call.element_bytes = c.element_bytes;
      const Count elements = total_bytes(c) / c.element_bytes, each = call.elements_of(value, elements);
      facts_.push_back({"segments", static_cast<double>(std::max<Count>(1, (elements + each - 1) / each))});
    }
  }
}

Count Facts::count_of_block(Rank rank, int slot) const {
  if (!counts_) return count_;
  const Blocks& sent = counts_->exchange(rank).sent;
  return sent.count(sent.parts == 1 ? 0 : slot);
}

double Facts::operator[](std::string_view name) const {
  for (const Fact& f : facts_)
    if (f.name == name) return f.value;
  throw std::invalid_argument("unknown fact '" + std::string(name) + "'");
}

double Quantity::operator()(const Facts& facts) const {
  if (function_) return function_(facts);
  if (!expression_) throw std::logic_error("a quantity of the metadata was asked for but never declared");
  return expression_->evaluate(facts.all());
}

Algorithm& Algorithm::parameter(const char* name, std::int64_t standard, std::int64_t minimum, std::int64_t maximum) {
  parameters_.push_back(usual_parameter(name, standard, minimum, maximum));
  return *this;
}

Algorithm& Algorithm::parameter(const char* name, std::vector<std::string> values) {
  parameter(name, 0, 0, static_cast<std::int64_t>(values.size()) - 1);
  parameters_.back().names = std::move(values);
  return *this;
}

Algorithm& Algorithm::or_list_of_ranks() {
  parameters_.back().takes_lists = true;
  parameters_.back().maximum = std::numeric_limits<std::int64_t>::max();
  return *this;
}

Algorithm& Algorithm::in_bytes() {
  parameters_.back().in_bytes = true;
  return *this;
}

Algorithm& Algorithm::tried(std::vector<std::int64_t> values) {
  parameters_.back().tried = std::move(values);
  return *this;
}

void Algorithm::note_fault(const std::string& what) {
  if (fault_.empty()) fault_ = full_name() + ": " + what;
}

Algorithm& Algorithm::set_formula(Quantity& member, const char* what, const char* formula) try {
  member = Quantity(formula);
  return *this;
} catch (const std::exception& error) {
  note_fault(std::string(what) + ": " + error.what());
  return *this;
}

Algorithm& Algorithm::requires_that(const char* condition, const char* text) try {
  requirements_.push_back({Expression(condition), text});
  return *this;
} catch (const std::exception& error) {
  note_fault(std::string("requires_that: ") + error.what());
  return *this;
}

Algorithm& Algorithm::fallback(const char* condition, const char* to) try {
  fallbacks_.push_back({Expression(condition), to});
  return *this;
} catch (const std::exception& error) {
  note_fault(std::string("fallback: ") + error.what());
  return *this;
}

ParameterValues Algorithm::default_parameters() const {
  ParameterValues values;
  for (const ParameterSpec& spec : parameters_) values.emplace_back(spec.name, spec.standard);
  return values;
}

int Registrar::operator<<(Algorithm algorithm) const {
  mutable_registry().push_back(std::move(algorithm));
  return 0;
}

const std::vector<Algorithm>& registry() {
  static const bool sorted = [] {
    was_read() = true;
    auto& all = mutable_registry();
    for (const Algorithm& one : all)
      if (const std::string fault = fault_in(one); !fault.empty()) throw std::logic_error(fault);
    std::sort(all.begin(), all.end(), [](const Algorithm& a, const Algorithm& b) {
      return std::pair(a.collective(), a.name()) < std::pair(b.collective(), b.name());
    });
    return true;
  }();
  static_cast<void>(sorted);
  return mutable_registry();
}

bool registry_was_read() { return was_read(); }

std::size_t registered_algorithms() { return mutable_registry().size(); }

std::string registered_wrong(std::size_t from) {
  const std::vector<Algorithm>& all = mutable_registry();
  for (std::size_t i = from; i < all.size(); ++i)
    if (std::string fault = fault_among(all[i], all); !fault.empty()) return fault;
  return "";
}

std::vector<std::string> registered_names(std::size_t from) {
  const std::vector<Algorithm>& all = mutable_registry();
  std::vector<std::string> names;
  for (std::size_t i = from; i < all.size(); ++i) names.push_back(all[i].full_name());
  return names;
}

std::string registered_twice(std::size_t from) {
  const std::vector<Algorithm>& all = mutable_registry();
  for (std::size_t i = from; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (all[j].full_name() == all[i].full_name()) return all[i].full_name();
  return "";
}

void forget_registered(std::size_t from) {
  if (was_read()) throw std::logic_error("algorithms can be forgotten only before anybody has looked at them");
  mutable_registry().resize(from, mutable_registry().front());
}

std::vector<const Algorithm*> algorithms_of(Collective collective) {
  std::vector<const Algorithm*> found;
  const std::vector<Algorithm>& all = registry();  // sorted
  auto a = std::partition_point(all.begin(), all.end(), [&](const auto& one) { return one.collective() < collective; });
  for (; a != all.end() && a->collective() == collective; ++a) found.push_back(&*a);
  return found;
}

const Algorithm& find_algorithm(Collective collective, std::string_view name) {
  const std::vector<Algorithm>& all = registry();  // sorted
  const auto found = std::lower_bound(all.begin(), all.end(), name, [&](const Algorithm& a, std::string_view wanted) {
    return a.collective() < collective || (a.collective() == collective && a.name() < wanted);
  });
  if (found != all.end() && found->collective() == collective && found->name() == name) return *found;
  std::vector<std::string> names;
  for (const Algorithm* a : algorithms_of(collective)) names.push_back(a->name());
  throw InputError("unknown algorithm '" + std::string(name) + "' for " + std::string(name_of(collective)) +
                   ": expected one of " + joined(names) + hint_for(collective, name, names));
}

std::string Choice::text() const {
  std::string parts, settings;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& [its_name, value] = parameters[i];
    const ParameterSpec& spec = algorithm->parameters()[i];
    if (value == spec.standard) continue;
    if (is_choice(spec))
      parts += (parts.empty() ? "" : ",") + its_name + "=" + text_of_choice(value);
    else if (!spec.names.empty())
      parts += (parts.empty() ? "" : ",") + its_name + "=" + name_of_value(spec, value);
    else
      settings += ":" + its_name + "=" + std::to_string(value);
  }
  return algorithm->name() + (parts.empty() ? "" : "(" + parts + ")") + settings;
}

Choice default_choice(const Algorithm& algorithm) { return {&algorithm, algorithm.default_parameters()}; }

const std::int64_t* value_of(const Choice& choice, ParameterRole role) {
  for (std::size_t i = 0; i < choice.parameters.size(); ++i)
    if (choice.algorithm->parameters()[i].role == role) return &choice.parameters[i].second;
  return nullptr;
}

std::int64_t* value_of(Choice& choice, ParameterRole role) {
  return const_cast<std::int64_t*>(value_of(std::as_const(choice), role));
}

Choice parse_choice(Collective collective, std::string_view text) {
  const std::string_view name = name_in_choice(text);
  std::string_view rest = text.substr(name.size());
  Choice choice = default_choice(algorithm_for(find_algorithm(collective, name), rest));
  std::set<std::string> given;
  if (rest.starts_with('(')) {
    const std::size_t close = end_of_parts(rest);
    if (close == std::string_view::npos) throw InputError("'" + std::string(text) + "': expected a ')' at its end");
    for (const std::string& part : split_choices(rest.substr(1, close - 1))) set_parameter(choice, given, part, text);
    rest.remove_prefix(close + 1);
    if (!rest.empty() && rest[0] != ':')
      throw InputError("'" + std::string(rest) + "' in '" + std::string(text) + "': expected nothing after the ')'");
  }
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':', 1), rest.size());
    set_parameter(choice, given, rest.substr(1, end - 1), text);
    rest.remove_prefix(end);
  }
  return choice;
}

std::string why_not(const Choice& choice, const Case& c) {
  const Choice real = resolve(choice, c);
  if (is_reduction(c.collective) && real.algorithm->needs_commutative() && !is_commutative(c.op))
    return "needs a commutative operator";
  const Facts facts(c, real.parameters);
  for (const Requirement& requirement : real.algorithm->requirements())
    if (requirement.condition.evaluate(facts.all()) == 0) return "needs " + requirement.text;
  return "";
}

Choice resolve(const Choice& choice, const Case& c) {
  Choice current = choice;
  for (std::size_t steps = 0; steps <= registry().size(); ++steps) {
    const Facts facts(c, current.parameters);
    const auto& fallbacks = current.algorithm->fallbacks();
    const auto taken = std::find_if(fallbacks.begin(), fallbacks.end(),
                                    [&](const Fallback& f) { return f.condition.evaluate(facts.all()) != 0; });
    if (taken == fallbacks.end()) return current;
    Choice next = default_choice(find_algorithm(c.collective, taken->to));
    for (const auto& [name, value] : current.parameters)
      if (std::int64_t* same = find_value(next.parameters, name)) *same = value;
    current = std::move(next);
  }
  throw std::logic_error("the fall-backs of " + choice.algorithm->full_name() + " form a cycle");
}

Call make_call(const Case& c, const Choice& choice, Rank rank) {
  Call call = make_call(c, rank);
  call.parameters = Parameters(choice.parameters);
  return call;
}

}  // namespace tutti
