#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/sizes.hpp"

namespace tutti {

/// parse_list and parse_size of what an option says, "--bytes", by which a refusal begins; where it is of a part of the
/// list, the list is next.
inline std::vector<std::int64_t> parse_list_of(const std::string& option, std::string_view text,
                                               std::size_t limit = 1'000'000) try {
  return parse_list(text, limit);
} catch (const InputError& error) {
  const std::string list = "'" + std::string(text) + "'", why = error.what();
  throw InputError(option + (why.starts_with(list) ? ": " : " " + list + ": ") + why);
}

inline std::int64_t parse_size_of(const std::string& option, std::string_view text) try {
  return parse_size(text);
} catch (const InputError& error) {
  throw InputError(option + ": " + error.what());
}

}  // namespace tutti
