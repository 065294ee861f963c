#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"

namespace tutti::test {

inline std::filesystem::path corpus(const std::string& name) {
  return std::filesystem::path(TUTTI_SOURCE_DIR) / "tests/fuzz/corpus" / name;
}

/// A file of that text, gone with the test.
class File {
 public:
  explicit File(const std::string& text, const std::string& name = "file") {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / ("tutti-sites-" + std::to_string(getpid()) + test->name());
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / name) << text;
    path_ = folder_ / name;
  }
  ~File() { std::filesystem::remove_all(folder_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path folder_, path_;
};

template <class Work>
std::string refusal(Work work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace tutti::test
