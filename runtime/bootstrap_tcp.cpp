#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "runtime/bootstrap.hpp"
#include "runtime/error.hpp"
#include "runtime/host.hpp"
#include "runtime/tcp_socket.hpp"

namespace tutti {
namespace {

using Clock = std::chrono::steady_clock;

/// What who connects says of itself. The token keeps apart jobs that follow each other at one place.
struct Hello {
  char magic[8] = {'t', 'u', 't', 't', 'i', 'B', '1', 0};
  std::int32_t rank = 0, size = 0;
  std::uint64_t token = 0;
};

std::uint64_t random_token() {
  std::random_device random;
  return static_cast<std::uint64_t>(random()) << 32 | random();
}

class TcpBootstrap final : public Bootstrap {
 public:
  TcpBootstrap(Rank rank, int size, const Meeting& meeting, Limit limit) : Bootstrap(rank, size), limit_(limit) {
    if (size == 1) return;
    rank == 0 ? receive_all(meeting) : join(meeting);
    board_ = meeting.board;
  }

  std::vector<std::string> allgather(std::string_view mine) override {
    const auto until = deadline();
    std::vector<std::string> all(static_cast<std::size_t>(size()));
    all[static_cast<std::size_t>(rank())] = mine;
    if (rank() == 0) {
      for (std::size_t r = 1; r < all.size(); ++r)
        if (!peers_[r].read_text(all[r], until)) lost(static_cast<Rank>(r));
      for (std::size_t r = 1; r < all.size(); ++r)
        for (const std::string& one : all)
          if (!peers_[r].write_text(one, until)) lost(static_cast<Rank>(r));
    } else {
      if (!peers_[0].write_text(mine, until)) lost(0);
      for (std::string& one : all)
        if (!peers_[0].read_text(one, until)) lost(0);
    }
    return all;
  }

 private:
  Clock::time_point deadline() const { return Clock::now() + std::chrono::duration_cast<Clock::duration>(limit_); }
  std::string me() const { return "rank " + std::to_string(rank()) + " of " + std::to_string(size()); }
  [[noreturn]] void lost(Rank peer) const {
    throw TeamError(me() + ": rank " + std::to_string(peer) + " has ended, or has not answered within " +
                    std::to_string(limit_.count()) + " s, while the ranks set up");
  }

  void receive_all(const Meeting& meeting) {
    const auto until = deadline();
    const bool announced = is_announced(meeting);
    const TcpSocket door = meeting.listening >= 0
                               ? TcpSocket(meeting.listening)
                               : TcpSocket::listen(announced ? "" : meeting.host, announced ? "0" : meeting.port);
    const std::uint64_t token = announced ? random_token() : 0;
    if (announced) announce(meeting, door.port(), token);
    peers_.resize(static_cast<std::size_t>(size()));
    for (int missing = size() - 1; missing > 0;) {
      TcpSocket peer = door.accept(until);
      if (!peer.is_open()) {
        if (!meeting.file.empty()) unlink(meeting.file.c_str());
        std::string absent;
        for (int r = 1; r < size(); ++r)
          if (!peers_[static_cast<std::size_t>(r)].is_open()) absent += " " + std::to_string(r);
        throw TeamError(me() + " waited " + std::to_string(limit_.count()) +
                        " s for ranks that did not come:" + absent);
      }
      Hello hello;
      // Strangers that say nothing must not keep the ranks out.
      const auto soon = std::min(until, Clock::now() + std::chrono::seconds(2));
      if (!peer.read(&hello, sizeof hello, soon) ||
          std::string_view(hello.magic, 8) != std::string_view(Hello{}.magic, 8) || hello.token != token)
        continue;
      if (hello.size != size() || hello.rank <= 0 || hello.rank >= size() ||
          peers_[static_cast<std::size_t>(hello.rank)].is_open())
        throw TeamError(me() + ": one came who says to be rank " + std::to_string(hello.rank) + " of " +
                        std::to_string(hello.size) + ", which does not exist or is here already");
      // Who has given up waiting for this answer does not confirm it, and comes again.
      char confirmed = 0;
      if (!peer.write("y", until) || !peer.read(&confirmed, 1, until)) continue;
      peers_[static_cast<std::size_t>(hello.rank)] = std::move(peer);
      --missing;
    }
    if (!meeting.file.empty()) unlink(meeting.file.c_str());
  }

  static bool is_announced(const Meeting& meeting) { return meeting.board || !meeting.file.empty(); }

  static void announce(const Meeting& meeting, const std::string& port, std::uint64_t token) {
    std::ostringstream text;
    text << token << '\n' << port << '\n' << host_identity() << '\n';
    for (const std::string& address : host_addresses()) text << address << '\n';
    if (meeting.board) return meeting.board->write(text.str());
    const std::string &file = meeting.file, beside = file + "." + std::to_string(getpid());
    {
      std::ofstream out(beside);
      chmod(beside.c_str(), S_IRUSR | S_IWUSR);
      out << text.str();
      if (!out.flush()) throw TeamError("cannot write " + beside);
    }
    if (std::rename(beside.c_str(), file.c_str()) != 0) throw TeamError("cannot write " + file);
  }

  void join(const Meeting& meeting) {
    const auto until = deadline();
    peers_.resize(1);
    do {
      Hello hello;
      hello.rank = rank();
      hello.size = size();
      TcpSocket& root = peers_[0] = is_announced(meeting) ? find(meeting, hello.token, until)
                                                          : TcpSocket::connect(meeting.host, meeting.port, until);
      // Who listens where an old file says may be a stranger, who never answers.
      const auto answer = is_announced(meeting) ? std::min(until, Clock::now() + std::chrono::seconds(3)) : until;
      char yes = 0;
      const std::string_view bytes(reinterpret_cast<const char*>(&hello), sizeof hello);
      if (root.is_open() && root.write(bytes, until) && root.read(&yes, 1, answer) && root.write("y", until)) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    } while (Clock::now() < until);
    throw TeamError(me() + " waited " + std::to_string(limit_.count()) + " s for rank 0 at " +
                    (meeting.board          ? "the place that the launcher's PMIx server should know"
                     : meeting.file.empty() ? meeting.host + ":" + meeting.port
                                            : meeting.file) +
                    "; if that is not the place, set TUTTI_MEETING to HOST:PORT or to a file that all ranks can read");
  }

  /// Who wrote the file may be of an earlier job: then its token, or its being gone, gives it away.
  static TcpSocket find(const Meeting& meeting, std::uint64_t& token, Clock::time_point until) {
    std::ostringstream text;
    if (meeting.board)
      text << meeting.board->read(until - Clock::now());
    else if (std::ifstream file(meeting.file); file.peek() != std::ifstream::traits_type::eof())
      text << file.rdbuf();
    std::istringstream in(text.str());
    std::string port, identity, address;
    if (!(in >> token >> port >> std::ws) || !std::getline(in, identity)) return {};
    if (identity == host_identity()) return TcpSocket::connect("localhost", port, until);
    while (std::getline(in, address))
      if (TcpSocket root = TcpSocket::connect(address, port, std::min(until, Clock::now() + std::chrono::seconds(2)));
          root.is_open())
        return root;
    return {};
  }

  Limit limit_;
  std::vector<TcpSocket> peers_;  // rank 0: by rank; others: rank 0
  std::shared_ptr<Board> board_;
};

}  // namespace

std::unique_ptr<Bootstrap> bootstrap_tcp(Rank rank, int size, const Meeting& meeting, Limit limit) {
  return std::make_unique<TcpBootstrap>(rank, size, meeting, limit);
}

}  // namespace tutti
