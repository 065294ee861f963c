#include "json/text_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/error.hpp"

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

std::string text_of_file(const std::string& path, const std::string& expected) {
  errno = 0;
  if (const std::optional<std::string> text = read_text_file(path)) return *text;
  const std::string reason = errno == 0 ? "" : std::string(std::strerror(errno)) + ": ";
  throw InputError(path + ":1: " + reason + "expected a readable " + expected);
}

}  // namespace tutti
