#pragma once

#include <bit>
#include <cstdint>
#include <string>

namespace tutti {

/// FNV-1a, of numbers and texts: against mistakes, not against malice. The same on every machine.
class Checksum {
 public:
  template <typename Number>
  Checksum& add(Number number) {
    for (auto value = static_cast<std::uint64_t>(number), i = std::uint64_t{0}; i < 8; ++i, value >>= 8)
      add_byte(static_cast<unsigned char>(value));
    return *this;
  }
  Checksum& add(double number) { return add(std::bit_cast<std::uint64_t>(number)); }
  Checksum& add(const std::string& text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
    return add(text.size());
  }
  std::string text() const { return std::to_string(sum_); }

 private:
  void add_byte(unsigned char byte) { sum_ = (sum_ ^ byte) * 0x100000001b3; }
  std::uint64_t sum_ = 0xcbf29ce484222325;
};

}  // namespace tutti
