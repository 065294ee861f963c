#include "algos/parameter.hpp"

#include <algorithm>
#include <string_view>

#include "algos/rank_order.hpp"
#include "base/error.hpp"

namespace tutti {
namespace {

struct Usual {
  std::string_view name;
  ParameterRole role;
  bool in_bytes;
  std::vector<std::int64_t> tried;
};

const std::vector<Usual>& usual() {
  static const std::vector<Usual> all{
      {"segment", ParameterRole::segment, true, {8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10}},
      {"radix", ParameterRole::radix, false, {2, 4, 8}},
      {"fanout", ParameterRole::fanout, false, {2, 4}},
      {"window", ParameterRole::window, false, {4, 16}}};
  return all;
}

const Usual* find_usual(std::string_view name) {
  for (const Usual& known : usual())
    if (known.name == name) return &known;
  return nullptr;
}

}  // namespace

ParameterRole role_of(std::string_view name) {
  const Usual* known = find_usual(name);
  return known ? known->role : ParameterRole::other;
}

ParameterSpec usual_parameter(const char* name, std::int64_t standard, std::int64_t minimum, std::int64_t maximum) {
  ParameterSpec spec{name, role_of(name), standard, minimum, maximum, false, {}, {}, false};
  if (const Usual* known = find_usual(name)) {
    spec.in_bytes = known->in_bytes;
    spec.tried = known->tried;
  }
  if (spec.is_selector()) {
    spec.tried.clear();
    for (std::int64_t value = minimum; value <= maximum; ++value) spec.tried.push_back(value);
  }
  std::erase_if(spec.tried, [&](std::int64_t v) { return v == standard || v < minimum || v > maximum; });
  return spec;
}

std::int64_t value_named(const ParameterSpec& spec, std::string_view text) {
  const auto found = std::find(spec.names.begin(), spec.names.end(), text);
  if (found != spec.names.end()) return found - spec.names.begin();
  const std::string setting = spec.name + "=" + std::string(text);
  if (spec.takes_lists && text.find('-') != std::string_view::npos) try {
      return static_cast<std::int64_t>(spec.names.size()) + number_of_order(text);
    } catch (const InputError& error) {
      throw InputError(setting + ": " + error.what());
    }
  std::string names;
  for (const std::string& name : spec.names) names += (names.empty() ? "" : ", ") + name;
  throw InputError(setting + ": expected one of " + names +
                   (spec.takes_lists ? ", or a list of ranks as in 2-0-1" : ""));
}

std::string name_of_value(const ParameterSpec& spec, std::int64_t value) {
  const auto named = static_cast<std::int64_t>(spec.names.size());
  return value < named ? spec.names.at(static_cast<std::size_t>(value)) : text_of_order(value - named);
}

std::string why_refused(const ParameterSpec& spec) {
  const auto allowed = [&](std::int64_t value) { return value >= spec.minimum && value <= spec.maximum; };
  if (!allowed(spec.standard)) return "the default of '" + spec.name + "' is outside its limits";
  if (spec.tried.empty())
    return "no value of '" + spec.name + "' is tried beside its default: declare those that are by tried({…})";
  if (!std::all_of(spec.tried.begin(), spec.tried.end(), allowed))
    return "a value that is tried of '" + spec.name + "' is outside its limits";
  return "";
}

}  // namespace tutti
