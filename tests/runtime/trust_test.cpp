// Who meets whom: strangers are not let in, and what they plant is not believed.
#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/error.hpp"
#include "runtime/accept_ranks.hpp"
#include "runtime/host.hpp"
#include "runtime/meeting_file.hpp"
#include "runtime/tcp/addresses.hpp"
#include "tests/runtime/launched.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

TcpSocket::Deadline in_seconds(int seconds) { return Clock::now() + std::chrono::seconds(seconds); }

TEST(Trust, ProofsAreSipHashes) {
  const auto key = Secret::parse("000102030405060708090a0b0c0d0e0f");
  ASSERT_TRUE(key);
  std::string counted;
  for (int i = 0; i < 63; ++i) counted += static_cast<char>(i);
  // As `openssl mac -macopt size:16 SipHash` prints them.
  for (const auto& [length, expected] : {std::pair(0, "a3817f04ba25a8e66df67214c7550293"),
                                         {1, "da87c1d86b99af44347659119b22fc45"},
                                         {15, "5493e99933b0a8117e08ec0f97cfc3d9"},
                                         {16, "6ee2a4ca67b054bbfd3315bf85230577"},
                                         {63, "5150d1772f50834a503e069a973fbd7c"}}) {
    const std::string_view what(counted.data(), static_cast<std::size_t>(length));
    const Secret::Bytes proof = key->proof_of(what);
    EXPECT_EQ(Secret(proof).text(), expected);
    EXPECT_TRUE(key->proves(proof, what));
    for (std::size_t bit = 0; bit < 128; ++bit) {
      Secret::Bytes other = proof;
      other[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
      EXPECT_FALSE(key->proves(other, what));
    }
  }
  EXPECT_NE(Secret::make().text(), Secret::make().text());
  for (const char* text : {"", "0", "000102030405060708090a0b0c0d0e0", "000102030405060708090a0b0c0d0e0g",
                           "000102030405060708090a0b0c0d0e0f0", "+00102030405060708090a0b0c0d0e0f"})
    EXPECT_FALSE(Secret::parse(text)) << text;
}

/// What strangers may say.
std::vector<std::string> untrusted_greetings() {
  const char before[] =
      "tutti"
      "B1\0"
      "\1\0\0\0"
      "\3\0\0\0"
      "\0\0\0\0\0\0\0\0";  // rank 1 of 3, as it was once
  std::string large(8, '\0');
  large[4] = '\x80';  // of 512 GiB
  return {"",
          "GET / HTTP/1.0\r\n\r\n",
          std::string(before, sizeof before - 1),
          std::string(before, sizeof before - 1) + "y" + large,
          std::string(1000, '\0'),
          std::string(1 << 16, '\xff')};
}

TEST(Trust, RanksMeetAmongManyStrangersWhoAreSilentOrSayAnything) {
  const TcpSocket listener = TcpSocket::listen("127.0.0.1", "0");
  const Secret secret = Secret::make();
  std::vector<TcpSocket> strangers;
  const auto come = [&](int count) {
    for (int i = 0; i < count; ++i) {
      strangers.push_back(TcpSocket::connect("127.0.0.1", listener.port(), in_seconds(10)));
      const auto all = untrusted_greetings();
      ASSERT_TRUE(strangers.back().is_open());
      const std::string& text = all[static_cast<std::size_t>(i) % all.size()];
      [[maybe_unused]] const auto sent =
          send(strangers.back().descriptor(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    }
  };
  come(700);  // before anybody
  std::vector<std::string> trouble(3);
  std::vector<std::thread> ranks;
  for (Rank rank = 0; rank < 3; ++rank)
    ranks.emplace_back([&, rank] {
      try {
        if (rank != 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
        const Meeting meeting{"127.0.0.1", listener.port(), rank == 0 ? dup(listener.descriptor()) : -1, secret};
        exchange(*bootstrap_tcp(rank, 3, meeting, Limit(30)));
      } catch (const std::exception& error) {
        trouble[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  come(200);  // and with the ranks
  for (std::thread& rank : ranks) rank.join();
  expect_well(trouble);
}

TEST(Trust, WhoDoesNotKnowTheSecretIsNoRankAndNoRankZero) {
  const TcpSocket listener = TcpSocket::listen("127.0.0.1", "0");
  const Secret right = Secret::make(), wrong = Secret::make();
  std::atomic<bool> over = false;
  std::thread stranger([&] {
    while (!over) {
      const TcpSocket root = TcpSocket::connect("127.0.0.1", listener.port(), in_seconds(1));
      if (!root.is_open()) continue;
      EXPECT_FALSE(introduce(root, 1, 2, wrong, Clock::now() + std::chrono::milliseconds(200)));
    }
  });
  const auto ranks = accept_ranks(listener, 2, right, in_seconds(1));
  over = true;
  stranger.join();
  EXPECT_FALSE(ranks[1].is_open());

  // A stranger in the place of rank 0, who lets in whoever comes.
  std::thread impostor([&] { accept_ranks(listener, 2, wrong, in_seconds(1)); });
  EXPECT_THROW(bootstrap_tcp(1, 2, {"127.0.0.1", listener.port(), -1, right}, Limit(0.5)), TeamError);
  impostor.join();
  EXPECT_THROW(bootstrap_tcp(1, 2, {"127.0.0.1", listener.port(), -1, {}}, Limit(0.5)), InputError);
}

TEST(Trust, StrangersThatTakeAllDescriptorsDoNotEndAJobThatMeets) {
  const TcpSocket listener = TcpSocket::listen("127.0.0.1", "0");
  const Secret secret = Secret::make();
  std::vector<TcpSocket> strangers;
  for (int i = 0; i < 100; ++i) strangers.push_back(TcpSocket::connect("127.0.0.1", listener.port(), in_seconds(10)));
  const pid_t root = fork();
  if (root == 0) {
    strangers.clear();
    const auto open = static_cast<rlim_t>(std::distance(fs::directory_iterator("/proc/self/fd"), {}));
    const rlimit limit{open + 8, open + 8};
    bool well = setrlimit(RLIMIT_NOFILE, &limit) == 0;
    try {
      well = well && accept_ranks(listener, 2, secret, in_seconds(20))[1].is_open();
    } catch (const std::exception& error) {
      well = false;
      std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(well ? 0 : 1);
  }
  bool entered = false;
  while (!entered && waitpid(root, nullptr, WNOHANG) == 0) {
    const TcpSocket to = TcpSocket::connect("127.0.0.1", listener.port(), in_seconds(5));
    entered = to.is_open() && introduce(to, 1, 2, secret, in_seconds(5));
  }
  EXPECT_TRUE(entered);
  int status = 0;
  if (entered) waitpid(root, &status, 0);
  EXPECT_EQ(status, 0);
}

/// A folder of its own, gone at the end.
class MeetingFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("tutti-trust-" + std::to_string(getpid()));
    fs::create_directory(folder_);
    fs::permissions(folder_, fs::perms::owner_all);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file() const { return folder_ / "meeting"; }
  /// As rank 0 writes it, by whoever owns it then.
  void plant() const {
    std::ofstream(file()) << Secret::make().text() << "\n1\n" << host_identity() << "\n127.0.0.1\n";
    fs::permissions(file(), fs::perms::owner_read | fs::perms::owner_write);
  }
  /// What rank 1 says that finds it; and it says so soon.
  std::string told(Limit limit = Limit(20)) const {
    const auto begun = Clock::now();
    const auto trouble =
        launched({{{"TUTTI_RANK", "1"}, {"TUTTI_SIZE", "2"}, {"TUTTI_MEETING", file()}}}, exchange, limit);
    EXPECT_LT(Clock::now() - begun, std::chrono::seconds(15));
    return trouble[0];
  }
  fs::path folder_;
};

TEST_F(MeetingFile, OfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  plant();
  ASSERT_EQ(chown(file().c_str(), 65534, 65534), 0);
  EXPECT_EQ(told(), "the ranks' meeting place " + file() +
                        ": it belongs to user 65534: expected a file of user 0, whose job this is");
}

TEST_F(MeetingFile, ThatIsALinkOrAPipeOrOpenToOthersIsRefused) {
  plant();
  fs::rename(file(), folder_ / "elsewhere");
  fs::create_symlink(folder_ / "elsewhere", file());
  EXPECT_NE(told().find("it is a link"), std::string::npos) << told();
  fs::remove(file());
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  EXPECT_NE(told().find("it is no file"), std::string::npos) << told();
  fs::remove(file());
  plant();
  fs::permissions(file(), fs::perms::others_read, fs::perm_options::add);
  EXPECT_NE(told().find("others may read"), std::string::npos) << told();
}

TEST_F(MeetingFile, InAFolderThatOthersMayWriteToIsRefused) {
  fs::permissions(folder_, fs::perms::all);
  EXPECT_NE(told().find("others may write to it"), std::string::npos) << told();
  fs::permissions(folder_, fs::perms::all | fs::perms::sticky_bit);  // as /tmp
  plant();
  EXPECT_NE(told(Limit(1)).find("waited 1.0"), std::string::npos);  // nobody is there
}

TEST_F(MeetingFile, IsWrittenWithoutFollowingALinkAndReadByNobodyElse) {
  const std::string victim = folder_ / "victim";
  std::ofstream(victim) << "as it was";
  fs::create_symlink(victim, file());
  const pid_t writer = fork();
  if (writer == 0) {
    fs::create_symlink(victim, file() + "." + std::to_string(getpid()));  // beside, as it was called once
    umask(0);
    board_in_file(file())->write("text");
    _exit(0);
  }
  waitpid(writer, nullptr, 0);
  std::ifstream in(victim);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "as it was");
  struct stat seen {};
  ASSERT_EQ(lstat(file().c_str(), &seen), 0);
  EXPECT_TRUE(S_ISREG(seen.st_mode));
  EXPECT_EQ(seen.st_mode & 0777, 0600u);
  EXPECT_EQ(board_in_file(file())->read(Limit(1)), "text");
}

/// An address of this host beside loopback; empty where there is none.
std::string other_address() {
  for (const tcp::Address& address : tcp::own_addresses())
    if (const std::string text = text_of(address); !text.starts_with("127.") && text != "::1") return text;
  return "";
}

TEST_F(MeetingFile, OfOneHostLeadsToLoopbackAlone) {
  const std::string elsewhere = other_address();
  if (elsewhere.empty()) GTEST_SKIP() << "this host has no address but loopback";
  std::vector<std::map<std::string, std::string>> environments;
  for (const char* interface : {"", "lo"}) {
    std::map<std::string, std::string> one{
        {"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"PMI_JOBID", "trust" + std::to_string(getpid())}};
    if (*interface) one["TUTTI_TCP_INTERFACE"] = interface, one["TUTTI_MEETING_FOLDER"] = folder_;
    std::thread rank([&] { launched({one}, exchange, Limit(1.5)); });
    const std::string name = "/meeting-trust" + std::to_string(getpid());
    const auto board = board_in_file((*interface ? folder_.string() : own_folder()) + name);
    std::string text;
    for (const auto until = in_seconds(3); text.empty() && Clock::now() < until;) text = board->read(Limit(1));
    std::istringstream lines(text);
    std::string secret, port;
    lines >> secret >> port;
    EXPECT_TRUE(TcpSocket::connect("127.0.0.1", port, in_seconds(1)).is_open());
    EXPECT_FALSE(TcpSocket::connect(elsewhere, port, in_seconds(1)).is_open());
    rank.join();
  }
}

TEST(Trust, RanksThatMeetAtAnAddressNeedASecret) {
  for (const auto& [secret, expected] : {std::pair("", "expected TUTTI_SECRET too, 32 hexadecimal digits"),
                                         {"12345", "TUTTI_SECRET is something else than 32 hexadecimal digits"}}) {
    std::map<std::string, std::string> one{
        {"TUTTI_RANK", "0"}, {"TUTTI_SIZE", "2"}, {"TUTTI_MEETING", "127.0.0.1:29733"}};
    if (*secret) one["TUTTI_SECRET"] = secret;
    const auto trouble = launched({one}, exchange, Limit(1));
    EXPECT_NE(trouble[0].find(expected), std::string::npos) << trouble[0];
  }
}

}  // namespace
}  // namespace tutti
