#include "json/text_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.hpp"

namespace tutti {

std::optional<std::string> read_text_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) return std::nullopt;
  try {
    constexpr std::size_t kAtOnce = 1 << 16;  // one by one takes longer
    std::string text;
    for (std::size_t size = 0;;) {
      text.resize(size + kAtOnce);
      const std::streamsize got = file.rdbuf()->sgetn(text.data() + size, kAtOnce);
      size += static_cast<std::size_t>(got);
      if (got == kAtOnce) continue;
      text.resize(size);
      return text;
    }
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

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

}  // namespace tutti
