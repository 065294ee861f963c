#include "mpi/cores.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace tutti::mpi {
namespace {

namespace fs = std::filesystem;

/// What Linux says of a node of two sockets of two domains of two caches of two cores of two threads: processor p and p
/// + 16 are a core.
class Cores : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("tutti-cores-" + std::to_string(getpid()));
    for (int p = 0; p < 32; ++p) {
      const int core = p % 16;
      const fs::path processor = root_ / ("cpu" + std::to_string(p));
      write(processor / "topology" / "physical_package_id", std::to_string(core / 8));
      write(processor / "topology" / "thread_siblings_list", std::to_string(core) + "," + std::to_string(core + 16));
      write(processor / "cache" / "index0" / "level", "1");
      write(processor / "cache" / "index0" / "type", "Data");
      write(processor / "cache" / "index0" / "shared_cpu_list", std::to_string(core) + "," + std::to_string(core + 16));
      write(processor / "cache" / "index1" / "level", "3");
      write(processor / "cache" / "index1" / "type", "Unified");
      write(processor / "cache" / "index1" / "shared_cpu_list", "of-cache-" + std::to_string(core / 2));
      fs::create_directories(processor / ("node" + std::to_string(core / 4)));
    }
  }
  void TearDown() override { fs::remove_all(root_); }

  static void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  std::vector<Core> read(const std::vector<int>& processors) const { return read_cores(root_.string(), processors); }

  fs::path root_;
};

using Pair = std::optional<std::pair<int, int>>;

TEST_F(Cores, ThatShareALevelAndNothingNearerAreFound) {
  std::vector<int> all(32);
  for (int p = 0; p < 32; ++p) all[static_cast<std::size_t>(p)] = p;
  const std::vector<Core> cores = read(all);
  ASSERT_EQ(cores.size(), 16u);  // not the second threads
  EXPECT_EQ(pair_that_shares(cores, "cache"), Pair({0, 1}));
  EXPECT_EQ(pair_that_shares(cores, "numa"), Pair({0, 2}));
  EXPECT_EQ(pair_that_shares(cores, "socket"), Pair({0, 4}));
  EXPECT_EQ(pair_that_shares(cores, "node"), Pair({0, 8}));
}

TEST_F(Cores, OfThoseThatAJobMayUseAlone) {
  EXPECT_EQ(pair_that_shares(read({5, 21, 6, 7}), "cache"), Pair({6, 7}));
  EXPECT_EQ(pair_that_shares(read({5, 21, 6, 7}), "socket"), std::nullopt);
  EXPECT_EQ(pair_that_shares(read({5, 21}), "cache"), std::nullopt);  // two threads are one core
}

TEST_F(Cores, AProcessorOfWhichNothingIsSaidIsRefused) { EXPECT_THROW(read({0, 40}), std::runtime_error); }

}  // namespace
}  // namespace tutti::mpi
