#include "cli/output.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string_view>

#include "base/error.hpp"

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

/// Where `path` leads to, links followed.
fs::path target_of(const std::string& path) {
  std::error_code error;
  fs::path file = fs::weakly_canonical(path, error);
  if (error) refuse(path, error.message());
  if (fs::is_directory(file)) refuse(path, "it is a directory");
  return file;
}

/// What tells whether two names are of one file: device and number of a file that is there, else where the name leads.
/// Empty for what is no file.
std::string identity(const std::string& path) {
  struct stat status {};
  if (path.empty() || (path == "-" ? fstat(STDOUT_FILENO, &status) : stat(path.c_str(), &status)) != 0) {
    std::error_code error;
    const fs::path leads_to =
        path.empty() || path == "-" ? fs::path() : fs::weakly_canonical(fs::absolute(path), error);
    return error ? "" : leads_to.string();
  }
  return S_ISREG(status.st_mode) ? fmt::format("{}:{}", status.st_dev, status.st_ino) : "";
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Permissions of a file that is written over, but that to run as its owner, or those of any new one.
mode_t permissions(const fs::path& file) {
  struct stat there {};
  if (stat(file.c_str(), &there) == 0) return there.st_mode & 0777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

/// Writes all of it into a new file beside `target`, or leaves nothing. The name is nobody's to foresee and the file is
/// made here (mkostemp): a link that lies there leads nowhere.
std::string write_beside(const std::string& path, const fs::path& target, const std::string& text) {
  std::string beside = target.string() + ".partXXXXXX";
  const int descriptor = mkostemp(beside.data(), O_CLOEXEC);
  if (descriptor < 0) refuse(path, std::strerror(errno));
  bool good = write_all(descriptor, text) && fchmod(descriptor, permissions(target)) == 0;
  int error = errno;
  if (close(descriptor) != 0 && good) good = false, error = errno;
  if (good) return beside;
  unlink(beside.c_str());
  refuse(path, std::strerror(error));
}

void write_stream(const std::string& path, const std::string& text) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  bool good = descriptor >= 0 && write_all(descriptor, text);
  int error = errno;
  if (descriptor >= 0 && close(descriptor) != 0 && good) good = false, error = errno;
  if (!good) refuse(path, std::strerror(error));
}

}  // namespace

void expect_writable(const std::string& path) {
  if (path == "-" || is_stream(path)) return;
  unlink(write_beside(path, target_of(path), "").c_str());
}

void expect_apart(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  std::map<std::string, std::string> taken;  // by identity: what it is
  for (const std::string& input : inputs) taken.emplace(identity(input), "the input " + input);
  for (const std::string& output : outputs)
    if (const std::string file = identity(output); !file.empty())
      if (const auto [before, is_new] = taken.emplace(file, "the output " + output); !is_new)
        throw InputError(output + ": is the same file as " + before->second + ", expected another file to write");
}

void write_output(const std::string& path, const std::string& text) {
  if (path == "-") {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      refuse("stdout", std::strerror(errno));
    return;
  }
  if (is_stream(path)) return write_stream(path, text);
  const fs::path target = target_of(path);
  const std::string beside = write_beside(path, target, text);
  if (std::rename(beside.c_str(), target.c_str()) == 0) return;
  const int error = errno;
  unlink(beside.c_str());
  refuse(path, std::strerror(error));
}

}  // namespace tutti::cli
