#include "calibration/readers.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace tutti {

std::span<const Reader> readers() {
  static constexpr Reader all[] = {
      {"osu", read_osu},
      {"imb", read_imb},
      {"csv", read_csv},
  };
  return all;
}

const Reader& find_reader(std::string_view name) {
  std::string known;
  for (const Reader& reader : readers()) {
    if (reader.name == name) return reader;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", reader.name);
  }
  throw InputError(fmt::format("unknown measurement format '{}', expected one of {}", name, known));
}

}  // namespace tutti
