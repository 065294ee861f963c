#include "algos/parameter.hpp"

#include <algorithm>
#include <string_view>

namespace tutti {
namespace {

struct Usual {
  std::string_view name;
  ParameterRole role;
  bool in_bytes;
  std::vector<std::int64_t> tried;
};

const std::vector<Usual>& usual() {
  static const std::vector<Usual> all{{"segment", ParameterRole::segment, true, {8 << 10, 64 << 10}},
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
  ParameterSpec spec{name, role_of(name), standard, minimum, maximum, false, {}, {}};
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
