#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "algos/task.hpp"
#include "tables/table.hpp"
#include "tests/runtime/teams.hpp"

namespace tutti {
namespace {

TeamOptions with_limit(double seconds) {
  TeamOptions options;
  options.limit = Limit(seconds);
  return options;
}

class Killed : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(AfterMicroseconds, Killed, testing::Values(0, 50, 400, 3000, 20'000));

TEST_P(Killed, RankIsNamedByTheOthersAndLeavesNothing) {
  // A folder of its own: other programs of the node use /dev/shm too.
  const std::filesystem::path folder = "/dev/shm/tutti-test-" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  setenv("TUTTI_SHM_FOLDER", folder.c_str(), 1);
  const auto begun = std::chrono::steady_clock::now();
  const auto trouble = on_processes(
      4,
      [](Team& team) {
        std::vector<int> data(30'000, 1);
        team.barrier();
        if (team.rank() == 2)
          std::thread([] {
            usleep(static_cast<useconds_t>(GetParam()));
            raise(SIGKILL);
          }).detach();
        for (;;) team.allreduce(data, Predefined::maximum);
      },
      with_limit(30));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
  EXPECT_EQ(trouble[2], "killed");
  for (const std::size_t survivor : {0u, 1u, 3u})
    EXPECT_NE(trouble[survivor].find("rank 2 is lost: "), std::string::npos) << trouble[survivor];
  unsetenv("TUTTI_SHM_FOLDER");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

TEST(Faults, AWaitBeyondItsLimitSaysWhatIsPending) {
  std::atomic<int> given_up = 0;
  const auto trouble = on_threads(
      3,
      [&](Team& team) {
        std::vector<int> data(10);
        if (team.rank() != 1) try {
            team.run(calls::bcast(data, 1).with("linear"));
          } catch (...) {
            ++given_up;
            throw;
          }
        // Who left in order would be missed, not waited for.
        for (int i = 0; team.rank() == 1 && given_up < 2 && i < 6000; ++i)
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
      },
      with_limit(0.5));
  EXPECT_EQ(trouble[0],
            "rank 0 waited more than 0.500000 s: bcast/linear of 40 bytes is pending: receive from rank 1 of 40 bytes");
  EXPECT_EQ(trouble[2],
            "rank 2 waited more than 0.500000 s: bcast/linear of 40 bytes is pending: receive from rank 1 of 40 bytes");
  EXPECT_EQ(trouble[1], "");
}

TEST(Faults, ARankThatLeavesInOrderIsMissedOnlyByThoseWhoNeedIt) {
  const auto trouble = on_processes(
      3,
      [](Team& team) {
        std::vector<int> data(10, 3);
        if (team.rank() == 0) return team.run(calls::bcast(data, 0).with("linear"));
        usleep(100'000);
        team.run(calls::bcast(data, 0).with("linear"));  // its message is still there
        if (data[0] != 3) throw std::runtime_error("wrong data");
        if (team.rank() == 1) return;
        team.run(calls::bcast(data, 0).with("linear"));
      },
      with_limit(30));
  EXPECT_EQ(trouble[0], "");
  EXPECT_EQ(trouble[1], "");
  EXPECT_NE(trouble[2].find("rank 0 has left the team"), std::string::npos) << trouble[2];
}

TEST(Faults, ATeamThatHasFailedSaysSoAgain) {
  const auto trouble = on_threads(
      2,
      [](Team& team) {
        if (team.rank() == 1) return;
        try {
          team.barrier();
        } catch (const TeamError&) {
        }
        team.barrier();
      },
      with_limit(30));
  EXPECT_NE(trouble[0].find("rank 1 has left"), std::string::npos) << trouble[0];
}

TEST(Faults, AWrongTableFileIsAnErrorOnEveryRankThatNamesIt) {
  const std::string path = testing::TempDir() + "tutti-wrong-table-" + std::to_string(getpid()) + ".json";
  Table right;
  right.machine = "m", right.engine = "e", right.mode = "isolated", right.placement = "block";
  Cell cell;
  cell.place = {Collective::allreduce, 1, 2};
  cell.bytes = 1024;
  cell.seconds = {{"linear", 1e-6}};
  right.cells = {cell};
  derive_rules(right);
  const std::string text = to_json_text(right);
  const auto troubles = [&](const std::string& content) {
    std::ofstream(path) << content;
    TeamOptions options = test_options();
    options.table = path;
    return on_threads(
        2,
        [](Team& team) {
          std::vector<std::int32_t> data(256);
          team.allreduce(data, Predefined::sum);
        },
        options);
  };
  expect_well(troubles(text));
  std::string other = text;
  for (std::size_t at = 0; (at = other.find("\"linear\"", at)) != std::string::npos;) other.replace(at, 8, "\"bogus\"");
  for (const std::string& content : {std::string("no table"), std::string("{}"), text.substr(0, text.size() / 2)})
    for (const std::string& trouble : troubles(content))
      EXPECT_NE(trouble.find(path), std::string::npos) << content << ": " << trouble;
  for (const std::string& trouble : troubles(other)) EXPECT_NE(trouble.find("bogus"), std::string::npos) << trouble;
  std::remove(path.c_str());
}

TEST(Faults, SharedMemoryThatIsFullIsAnErrorOnEveryRank) {
  const std::filesystem::path folder = testing::TempDir() + "tutti-small-shm-" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  if (mount("none", folder.c_str(), "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "no right to mount a small tmpfs";
  setenv("TUTTI_SHM_FOLDER", folder.c_str(), 1);
  for (const auto& trouble : on_processes(2, [](Team& team) { team.barrier(); }))
    EXPECT_NE(trouble.find("No space left on device"), std::string::npos) << trouble;
  unsetenv("TUTTI_SHM_FOLDER");
  EXPECT_EQ(umount(folder.c_str()), 0);
  std::filesystem::remove(folder);
}

TEST(Faults, ARequestThatIsDroppedGivesUpTheTeam) {
  const auto trouble = on_threads(
      2,
      [](Team& team) {
        std::vector<int> data(100'000);
        if (team.rank() == 0) {
          Request dropped = team.start(calls::bcast(data, 1));
        }
        team.bcast(data, 1);
        team.barrier();
      },
      with_limit(30));
  EXPECT_NE(trouble[0].find("was given up before its end"), std::string::npos) << trouble[0];
  EXPECT_NE(trouble[1].find("rank 0 has left"), std::string::npos) << trouble[1];
}

Task throws_on_rank_one(Comm comm, Call) {
  if (comm.rank() == 1) throw std::runtime_error("no such thing");
  co_return;
}
Task does_not_listen(Comm comm, Call call) {
  const Task unheard = throws_on_rank_one(comm, call);
  co_return;
}

TEST(Faults, ACallThatThrewAndNobodyHeardOfIsNotPassedOver) {
  const auto trouble = on_threads(2, [](Team& team) {
    std::vector<int> data(10);
    team.run(calls::bcast(data, 0).by(does_not_listen));
  });
  EXPECT_EQ(trouble[0], "");
  EXPECT_EQ(trouble[1], "rank 1: a call threw, and nobody heard of it: no such thing");
}

TEST(Faults, TwoJobsOfOneNodeDoNotMeet) {
  std::vector<std::string> first, second;
  std::thread other([&] {
    first = on_threads(3, [](Team& team) {
      std::vector<int> data(5000, 1);
      for (int i = 0; i < 50; ++i) team.allreduce(data, Predefined::maximum);
      if (data[7] != 1) throw std::runtime_error("another job's data");
    });
  });
  second = on_threads(3, [](Team& team) {
    std::vector<int> data(5000, 2);
    for (int i = 0; i < 50; ++i) team.allreduce(data, Predefined::maximum);
    if (data[7] != 2) throw std::runtime_error("another job's data");
  });
  other.join();
  expect_well(first);
  expect_well(second);
}

}  // namespace
}  // namespace tutti
