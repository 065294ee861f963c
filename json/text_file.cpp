#include "json/text_file.hpp"

#include <fstream>
#include <iterator>

namespace tutti {

std::optional<std::string> read_text_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) return std::nullopt;
  try {
    return std::string{std::istreambuf_iterator<char>(file), {}};
  } catch (const std::ios_base::failure&) {
    return std::nullopt;
  }
}

}  // namespace tutti
