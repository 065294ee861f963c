#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

/// What a parameter does, which its name says: `segment`, `radix`, `fanout`, `window`. Who has to know one asks for its
/// role. Of any other nothing is known but what its algorithm declares.
enum class ParameterRole { segment, radix, fanout, window, other };
ParameterRole role_of(std::string_view name);

/// A parameter of an algorithm. The values that are worth trying are declared here and nowhere else: the search tries
/// them, and the proof covers each.
struct ParameterSpec {
  std::string name;
  ParameterRole role = ParameterRole::other;
  std::int64_t standard = 0;  // the default
  std::int64_t minimum = 0;
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  bool in_bytes = false;            // a size: the algorithm sees no more of it than how many whole elements it holds
  std::vector<std::int64_t> tried;  // beside the default; ascending
  std::vector<std::string> names;   // of the values from 0 on, which go by no numbers; empty: numbers
  bool takes_lists = false;         // values beyond those with names are lists of ranks (algos/rank_order.hpp)

  /// Chooses among a few things, each a value that is tried.
  bool is_selector() const { return takes_lists || maximum - minimum < 8; }
};

/// With what its name says: `segment` is a size in bytes, a `radix`, `fanout` or `window` has its usual values, and all
/// values of a selector are tried. Nothing is tried of any other: its algorithm must say what.
ParameterSpec usual_parameter(const char* name, std::int64_t standard, std::int64_t minimum, std::int64_t maximum);

/// Of a parameter whose values have names: the value from text, and text from it. Throws InputError on text that is
/// none of them.
std::int64_t value_named(const ParameterSpec& spec, std::string_view text);
std::string name_of_value(const ParameterSpec& spec, std::int64_t value);

/// Why an algorithm may not be registered with the parameter ("no value of 'colour' is tried beside its default …"), or
/// empty.
std::string why_refused(const ParameterSpec& spec);

}  // namespace tutti
