#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace tutti {

/// The number that the whole text is; nothing where it is none, or does not fit. `base`: of whole numbers; default 10.
template <class Number, class... Base>
std::optional<Number> number_from(std::string_view text, Base... base) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The shortest text that reads as the same number.
inline std::string shortest(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

}  // namespace tutti
