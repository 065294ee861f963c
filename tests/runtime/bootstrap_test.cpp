#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>

#include "runtime/host.hpp"
#include "tests/runtime/launched.hpp"

namespace tutti {
namespace {

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
        Launcher{"torchrun",
                 "RANK",
                 "WORLD_SIZE",
                 {{"MASTER_ADDR", "127.0.0.1"},
                  {"MASTER_PORT", std::to_string(20000 + getpid() % 10000)},
                  {"TUTTI_SECRET", "000102030405060708090a0b0c0d0e0f"}}}),
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

/// Environments of these ranks, which meet at a file.
std::vector<std::map<std::string, std::string>> meeting_at(const std::string& file, int size,
                                                           const std::vector<Rank>& ranks) {
  std::vector<std::map<std::string, std::string>> all;
  all.reserve(ranks.size());
  for (const Rank rank : ranks)
    all.push_back(
        {{"TUTTI_RANK", std::to_string(rank)}, {"TUTTI_SIZE", std::to_string(size)}, {"TUTTI_MEETING", file}});
  return all;
}

TEST(Bootstrap, MeetsAtAFileEvenWhereAnEarlierJobLeftOne) {
  const std::string file = testing::TempDir() + "tutti-stale-" + std::to_string(getpid());
  const TcpSocket stranger = TcpSocket::listen("127.0.0.1", "0");  // accepts, and never answers
  std::ofstream(file) << Secret::make().text() << "\n" << stranger.port() << "\n" << host_identity() << "\n127.0.0.1\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  expect_well(launched(meeting_at(file, 3, {0, 1, 2}), exchange));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Bootstrap, NamesTheRanksThatDoNotCome) {
  const std::string file = testing::TempDir() + "tutti-absent-" + std::to_string(getpid());
  const auto trouble = launched(meeting_at(file, 4, {0, 2}), exchange, Limit(0.5));
  EXPECT_NE(trouble[0].find("ranks that did not come: 1, 3"), std::string::npos) << trouble[0];
  EXPECT_EQ(trouble[1], "rank 2 of 4: rank 1 is lost: it did not come within 0.500000 s, while the ranks set up");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Bootstrap, NamesToAllTheRankThatEndsMeanwhile) {
  for (const Rank dead : {0, 2, 3}) {
    const std::string file = testing::TempDir() + "tutti-dead-" + std::to_string(getpid());
    const auto trouble = launched(meeting_at(file, 4, {0, 1, 2, 3}), [&](Bootstrap& bootstrap) {
      exchange(bootstrap);
      if (bootstrap.rank() == dead) raise(SIGKILL);
      exchange(bootstrap);
    });
    for (Rank rank = 0; rank < 4; ++rank)
      EXPECT_EQ(trouble[static_cast<std::size_t>(rank)],
                rank == dead ? "ended by signal 9"
                             : "rank " + std::to_string(rank) + " of 4: rank " + std::to_string(dead) +
                                   " is lost: its process has ended, while the ranks set up");
  }
}

/// Says it over all connections of this process.
void say_to_all(std::string_view text) {
  const std::uint64_t length = text.size();
  const std::string whole = std::string(reinterpret_cast<const char*>(&length), sizeof length).append(text);
  int said = 0;
  for (int descriptor = 0; descriptor < 256; ++descriptor) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size) != 0 || peer.ss_family == AF_UNIX) continue;
    if (send(descriptor, whole.data(), whole.size(), 0) != static_cast<ssize_t>(whole.size())) _exit(9);
    ++said;
  }
  if (said != 1) _exit(8);
}

void expect_byte(int from) {
  pollfd readable{from, POLLIN, 0};
  char byte = 0;
  if (poll(&readable, 1, 20'000) != 1 || read(from, &byte, 1) != 1) _exit(7);
}

TEST(Bootstrap, WhatIsNotUnderstoodIsItsSendersLossAlsoWhereOneLeaves) {
  const std::string file = testing::TempDir() + "tutti-nonsense-" + std::to_string(getpid());
  for (const char* nonsense : {"l7 of no reason", "l-1 x", "lx", "l", "l99999999999 x", "l0", "q"})
    for (const bool leaves : {false, true}) {
      int said[2];
      ASSERT_EQ(pipe(said), 0);
      const auto trouble = launched(meeting_at(file, 2, {0, 1}), [&](Bootstrap& bootstrap) {
        exchange(bootstrap);
        if (bootstrap.rank() == 1) {
          say_to_all(nonsense);
          if (write(said[1], "y", 1) != 1) _exit(9);
        } else {
          expect_byte(said[0]);
          if (!leaves) exchange(bootstrap);
        }
      });
      EXPECT_EQ(trouble[0],
                leaves ? "" : "rank 0 of 2: rank 1 is lost: what it says is not understood, while the ranks set up")
          << nonsense;
      EXPECT_EQ(trouble[1], "") << nonsense;
      ::close(said[0]), ::close(said[1]);
    }
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
  EXPECT_NE(launched({{{"TUTTI_RANK", "1"}}}, exchange)[0].find("expected TUTTI_SIZE too"), std::string::npos);
  EXPECT_NE(launched({{{"TUTTI_SIZE", "4"}}}, exchange)[0].find("expected TUTTI_RANK too"), std::string::npos);
  EXPECT_EQ(launched({{}},
                     [](Bootstrap& alone) {
                       if (alone.size() != 1) throw std::runtime_error("not alone");
                     })[0],
            "");
}

}  // namespace
}  // namespace tutti
