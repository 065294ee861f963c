#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tutti {

/// "1 cell", "2 cells".
inline std::string counted(std::uint64_t number, std::string_view one) {
  return std::to_string(number) + " " + std::string(one) + (number == 1 ? "" : "s");
}

}  // namespace tutti
