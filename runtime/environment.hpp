#pragma once

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "algos/error.hpp"

namespace tutti {

/// A whole number from the environment, or what stands for it there. Throws InputError, naming the variable.
template <class Number>
Number from_environment(const char* variable, Number standard, Number least, Number most) {
  const char* text = std::getenv(variable);
  if (!text) return standard;
  const std::string_view view(text);
  Number value = 0;
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
  if (error != std::errc() || end != view.data() + view.size() || value < least || value > most)
    throw InputError(std::string(variable) + ": expected a number from " + std::to_string(least) + " to " +
                     std::to_string(most) + ", not '" + text + "'");
  return value;
}

}  // namespace tutti
