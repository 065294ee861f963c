#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"

namespace tutti::test {

/// A file that lives as long as the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content, const std::string& name = "measured.txt") {
    static int count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("tutti-calibration-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(folder_);
    path_ = folder_ / name;
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove_all(folder_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path folder_, path_;
};

/// Expects an InputError "FILE:LINE: …" that holds `words`, all in one line.
template <typename Action>
void expect_input_error(const Action& action, const std::filesystem::path& file, int line, const std::string& words) {
  try {
    action();
    ADD_FAILURE() << "accepted, expected to be refused at line " << line << " with: " << words;
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with(file.string() + ":" + std::to_string(line) + ": ")) << what;
    EXPECT_NE(what.find(words), std::string::npos) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
  }
}

/// Real measurements that are not part of the project; empty where they are not there.
inline std::filesystem::path shared_data() {
  const char* variable = std::getenv("TUTTI_SHARED");
  const std::filesystem::path shared = variable != nullptr ? variable : TUTTI_SOURCE_DIR "/../shared";
  return std::filesystem::is_directory(shared / "data") ? shared / "data" : std::filesystem::path{};
}

#define TUTTI_SKIP_WITHOUT_SHARED_DATA() \
  if (::tutti::test::shared_data().empty()) GTEST_SKIP() << "no measured data; name its folder in TUTTI_SHARED"

}  // namespace tutti::test
