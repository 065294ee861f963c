#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "algos/error.hpp"
#include "tests/runtime/teams.hpp"

namespace tutti {
namespace {

/// Runs a rank in a process of its own with these variables and no others of any launcher; its trouble.
std::vector<std::string> launched(const std::vector<std::map<std::string, std::string>>& environments,
                                  const std::function<void(Bootstrap&)>& body, Limit limit = kTestLimit) {
  std::vector<std::string> trouble(environments.size());
  std::vector<std::pair<pid_t, int>> started;
  for (const auto& environment : environments) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t process = fork();
    if (process == 0) {
      clearenv();
      for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
      std::string text;
      try {
        body(*bootstrap_from_environment(limit));
      } catch (const std::exception& error) {
        text = error.what();
      }
      if (write(ends[1], text.data(), text.size()) < 0) _exit(9);
      _exit(0);
    }
    ::close(ends[1]);
    started.push_back({process, ends[0]});
  }
  for (std::size_t r = 0; r < started.size(); ++r) {
    char bytes[1024];
    for (ssize_t n; (n = read(started[r].second, bytes, sizeof bytes)) > 0;)
      trouble[r].append(bytes, static_cast<std::size_t>(n));
    ::close(started[r].second);
    waitpid(started[r].first, nullptr, 0);
  }
  return trouble;
}

void exchange(Bootstrap& bootstrap) {
  for (int round = 0; round < 3; ++round) {
    const auto all = bootstrap.allgather(std::string(static_cast<std::size_t>(bootstrap.rank() * 1000), 'x'));
    for (std::size_t r = 0; r < all.size(); ++r)
      if (all[r].size() != r * 1000) throw std::runtime_error("wrong text of rank " + std::to_string(r));
  }
  bootstrap.barrier();
}

/// What each launcher sets.
struct Launcher {
  const char *name, *rank, *size;
  std::map<std::string, std::string> more;
};
void PrintTo(const Launcher& launcher, std::ostream* out) { *out << launcher.name; }

class Environment : public testing::TestWithParam<Launcher> {};
INSTANTIATE_TEST_SUITE_P(
    Of, Environment,
    testing::Values(
        Launcher{"open_mpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {{"PMIX_NAMESPACE", "job@17"}}},
        Launcher{"hydra", "PMI_RANK", "PMI_SIZE", {{"PMI_FD", "9"}}},
        Launcher{"srun", "SLURM_PROCID", "SLURM_NTASKS", {{"SLURM_JOB_ID", "5"}, {"SLURM_STEP_ID", "0"}}},
        Launcher{"torchrun", "RANK", "WORLD_SIZE", {{"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "29731"}}}),
    [](const auto& one) { return std::string(one.param.name); });

TEST_P(Environment, LetsTheRanksMeet) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("tutti-meeting-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::vector<std::map<std::string, std::string>> environments;
  for (int rank = 0; rank < 4; ++rank) {
    auto environment = GetParam().more;
    environment[GetParam().rank] = std::to_string(rank);
    environment[GetParam().size] = "4";
    environment["TUTTI_MEETING_FOLDER"] = folder;
    environments.push_back(environment);
  }
  expect_well(launched(environments, exchange));
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "the meeting's file is removed once all have come";
  std::filesystem::remove(folder);
}

TEST(Bootstrap, MeetsAtAFileEvenWhereAnEarlierJobLeftOne) {
  const std::string file = testing::TempDir() + "tutti-stale-" + std::to_string(getpid());
  const TcpSocket stranger = TcpSocket::listen("127.0.0.1", "0");  // accepts, and never answers
  std::ofstream(file) << "4711\n" << stranger.port() << "\nnowhere\n127.0.0.1\n";
  std::vector<std::map<std::string, std::string>> environments;
  for (int rank = 0; rank < 3; ++rank)
    environments.push_back({{"TUTTI_RANK", std::to_string(rank)}, {"TUTTI_SIZE", "3"}, {"TUTTI_MEETING", file}});
  expect_well(launched(environments, exchange));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Bootstrap, NamesTheRanksThatDoNotCome) {
  const std::string file = testing::TempDir() + "tutti-absent-" + std::to_string(getpid());
  std::vector<std::map<std::string, std::string>> environments;
  for (const int rank : {0, 2})
    environments.push_back({{"TUTTI_RANK", std::to_string(rank)}, {"TUTTI_SIZE", "4"}, {"TUTTI_MEETING", file}});
  const auto trouble = launched(environments, exchange, Limit(0.5));
  EXPECT_NE(trouble[0].find("ranks that did not come: 1 3"), std::string::npos) << trouble[0];
  EXPECT_NE(trouble[1], "");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Bootstrap, RefusesVariablesThatMakeNoSense) {
  for (const char* value : {"x", "3", "-1", ""}) {
    const auto trouble = launched({{{"TUTTI_SIZE", "2"}, {"TUTTI_RANK", value}}}, exchange);
    EXPECT_NE(trouble[0].find("expected a whole number from 0 to 1"), std::string::npos) << trouble[0];
  }
  EXPECT_NE(launched({{{"TUTTI_SIZE", "2"}, {"TUTTI_RANK", "0"}}}, exchange)[0].find("TUTTI_MEETING"),
            std::string::npos);
  EXPECT_NE(
      launched({{{"TUTTI_SIZE", "2"}, {"TUTTI_RANK", "0"}, {"TUTTI_MEETING", "host"}}}, exchange)[0].find("HOST:PORT"),
      std::string::npos);
  EXPECT_EQ(launched({{}},
                     [](Bootstrap& alone) {
                       if (alone.size() != 1) throw std::runtime_error("not alone");
                     })[0],
            "");
}

}  // namespace
}  // namespace tutti
