#pragma once

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace tutti {

/// A whole number that was given as text. Throws InputError naming what it is ("TUTTI_POLLS", "MASTER_PORT").
template <class Number>
Number whole_number(std::string_view what, std::string_view text, Number least, Number most) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw InputError(std::string(what) + "='" + std::string(text) + "': expected a whole number from " +
                     std::to_string(least) + " to " + std::to_string(most));
  return value;
}

/// A whole number from the environment, or what stands for it there. Throws InputError, naming the variable.
template <class Number>
Number from_environment(const char* variable, Number standard, Number least, Number most) {
  const char* const text = std::getenv(variable);
  return text ? whole_number(variable, text, least, most) : standard;
}

}  // namespace tutti
