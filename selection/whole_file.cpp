#include "selection/whole_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/error.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

/// A name that no other process or thread takes, on this node or another; but where containers have numbers of
/// processes of their own, and with what was left by one that was killed.
std::string beside(const std::string& path) {
  static std::atomic<unsigned> number = 0;
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const fs::path file(path);
  return (file.parent_path() / ("." + file.filename().string() + "." + host + "." + std::to_string(getpid()) + "." +
                                std::to_string(number++)))
      .string();
}

[[noreturn]] void fail(const std::string& path, int error) {
  throw InputError(path + ": cannot be written: " + std::strerror(error) + ": expected a folder with room");
}

std::string write_beside(const std::string& path, std::string_view text) {
  constexpr int kTries = 10'000;
  std::string name;
  int file = -1;
  for (int i = 0; file < 0 && i < kTries; ++i) {
    name = beside(path);
    file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST) break;
  }
  if (file < 0) fail(path, errno);
  int error = 0;
  while (!text.empty() && error == 0) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written > 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      error = errno;
  }
  if (error == 0 && fsync(file) != 0) error = errno;
  if (close(file) != 0 && error == 0) error = errno;
  if (error == 0) return name;
  unlink(name.c_str());
  fail(path, error);
}

}  // namespace

void write_whole(const std::string& path, const std::string& text) {
  const std::string name = write_beside(path, text);
  if (rename(name.c_str(), path.c_str()) == 0) return;
  const int error = errno;
  unlink(name.c_str());
  fail(path, error);
}

bool write_whole_if_new(const std::string& path, const std::string& text) {
  if (access(path.c_str(), F_OK) == 0) return false;
  const std::string name = write_beside(path, text);
  const int error = link(name.c_str(), path.c_str()) == 0 ? 0 : errno;
  if (error == EPERM || error == EOPNOTSUPP || error == ENOSYS) {  // a file system without links
    if (rename(name.c_str(), path.c_str()) == 0) return true;
    unlink(name.c_str());
    fail(path, errno);
  }
  unlink(name.c_str());
  if (error != 0 && error != EEXIST) fail(path, error);
  return error == 0;
}

}  // namespace tutti
