#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace tutti::test {

/// A path that is this test's own, and removed with it.
struct Folder {
  explicit Folder(const std::string& more = "")
      : path((std::filesystem::temp_directory_path() /
              ("tutti-selection-" + std::to_string(getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name() + more))
                 .string()) {
    std::filesystem::remove_all(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

}  // namespace tutti::test
