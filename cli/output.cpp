#include "cli/output.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "algos/error.hpp"

namespace tutti::cli {
namespace {

namespace fs = std::filesystem;

/// A pipe or a device is written to; it must not be replaced by a file.
bool is_stream(const std::string& path) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError(path + ": cannot be written: " + why);
}

/// Where `path` leads to, and a file to write beside it.
struct Target {
  explicit Target(const std::string& path) {
    std::error_code error;
    file = fs::weakly_canonical(path, error);
    if (error) refuse(path, error.message());
    if (fs::is_directory(file)) refuse(path, "it is a directory");
    beside = file.string() + ".part" + std::to_string(getpid());
  }
  fs::path file, beside;
};

/// Writes all of it, or leaves nothing.
void write_whole(const std::string& path, const fs::path& file, const std::string& text) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (stream) return;
  const std::string why = errno != 0 ? std::strerror(errno) : "unknown reason";
  std::error_code ignored;
  if (!is_stream(file)) fs::remove(file, ignored);
  refuse(path, why);
}

}  // namespace

void expect_writable(const std::string& path) {
  if (path == "-" || is_stream(path)) return;
  const Target target(path);
  write_whole(path, target.beside, "");
  fs::remove(target.beside);
}

void write_output(const std::string& path, const std::string& text) {
  if (path == "-") {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      refuse("stdout", std::strerror(errno));
    return;
  }
  if (is_stream(path)) return write_whole(path, path, text);
  const Target target(path);
  write_whole(path, target.beside, text);
  std::error_code error;
  fs::rename(target.beside, target.file, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(target.beside, ignored);
  refuse(path, error.message());
}

}  // namespace tutti::cli
