#include "cli/output.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "algos/error.hpp"

namespace tutti::cli {

void write_output(const std::string& path, const std::string& text) {
  if (path == "-") {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      throw InputError("stdout: cannot be written");
    return;
  }
  const std::string beside = path + ".part" + std::to_string(getpid());
  std::ofstream file(beside, std::ios::binary);
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(beside, path, error);
  if (!file || error) {
    std::error_code ignored;
    std::filesystem::remove(beside, ignored);
    throw InputError(path + ": cannot be written" + (error ? ": " + error.message() : ""));
  }
}

}  // namespace tutti::cli
