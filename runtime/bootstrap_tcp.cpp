#include <cstdlib>
#include <sstream>
#include <thread>

#include "algos/error.hpp"
#include "runtime/bootstrap.hpp"
#include "runtime/door.hpp"
#include "runtime/error.hpp"
#include "runtime/host.hpp"
#include "runtime/tcp/addresses.hpp"
#include "runtime/tcp_socket.hpp"

namespace tutti {
namespace {

using Clock = std::chrono::steady_clock;

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

/// Those at which rank 0 listens, where it writes them on a board.
std::vector<std::string> addresses_to_announce(bool one_host) {
  const bool chosen = std::getenv("TUTTI_TCP_INTERFACE") != nullptr;
  if (one_host && !chosen) return {"127.0.0.1"};
  std::vector<std::string> all;
  for (const tcp::Address& address : tcp::own_addresses()) all.push_back(text_of(address));
  if (chosen) all.resize(1);
  return all;
}

class TcpBootstrap final : public Bootstrap {
 public:
  TcpBootstrap(Rank rank, int size, const Meeting& meeting, Limit limit) : Bootstrap(rank, size), limit_(limit) {
    if (size > 1 && !meeting.board && !meeting.secret)
      throw InputError("ranks that meet at an address: expected a secret that they share");
    secret_ = meeting.secret && !meeting.board ? meeting.secret : Secret::make();
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
  const Secret& secret() const override { return *secret_; }

 private:
  Clock::time_point deadline() const { return Clock::now() + std::chrono::duration_cast<Clock::duration>(limit_); }
  std::string me() const { return "rank " + std::to_string(rank()) + " of " + std::to_string(size()); }
  [[noreturn]] void lost(Rank peer) const {
    throw TeamError(me() + ": rank " + std::to_string(peer) + " has ended, or has not answered within " +
                    std::to_string(limit_.count()) + " s, while the ranks set up");
  }

  void receive_all(const Meeting& meeting) {
    const auto until = deadline();
    const auto addresses = meeting.board ? addresses_to_announce(meeting.one_host) : std::vector<std::string>{};
    // One address is listened at alone; of several nobody knows yet which will be used.
    const std::string here = addresses.size() == 1 ? addresses[0] : "";
    const TcpSocket door = meeting.board            ? TcpSocket::listen(here, "0")
                           : meeting.listening >= 0 ? TcpSocket(meeting.listening)
                                                    : TcpSocket::listen(meeting.host, meeting.port);
    if (meeting.board) announce(*meeting.board, door.port(), addresses);
    try {
      peers_ = let_in(door, size(), secret(), until);
    } catch (...) {
      if (meeting.board) meeting.board->clear();
      throw;
    }
    if (meeting.board) meeting.board->clear();
    std::string absent;
    for (int r = 1; r < size(); ++r)
      if (!peers_[static_cast<std::size_t>(r)].is_open()) absent += " " + std::to_string(r);
    if (!absent.empty())
      throw TeamError(me() + " waited " + std::to_string(limit_.count()) + " s for ranks that did not come:" + absent);
  }

  void announce(Board& board, const std::string& port, const std::vector<std::string>& addresses) const {
    std::ostringstream text;
    text << secret().text() << '\n' << port << '\n' << host_identity() << '\n';
    for (const std::string& address : addresses) text << address << '\n';
    board.write(text.str());
  }

  void join(const Meeting& meeting) {
    const auto until = deadline();
    peers_.resize(1);
    do {
      for (const auto& [host, port] : places(meeting, until)) {
        // Who listens there may be a stranger, who never answers.
        const auto soon = std::min(until, Clock::now() + std::chrono::seconds(meeting.board ? 3 : 10));
        peers_[0] = TcpSocket::connect(host, port, soon);
        if (peers_[0].is_open() && introduce(peers_[0], rank(), size(), secret(), soon)) return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    } while (Clock::now() < until);
    throw TeamError(me() + " waited " + std::to_string(limit_.count()) + " s for rank 0 at " +
                    (meeting.board ? meeting.board->place() : meeting.host + ":" + meeting.port) +
                    "; if that is not the place, set TUTTI_MEETING to HOST:PORT or to a file that all ranks can read");
  }

  using Place = std::pair<std::string, std::string>;  // host and port

  /// Where rank 0 may be. Who wrote on the board may be of an earlier job: its secret, which rank 0 of this one does
  /// not know, gives it away.
  std::vector<Place> places(const Meeting& meeting, Clock::time_point until) {
    if (!meeting.board) return {{meeting.host, meeting.port}};
    std::istringstream in(meeting.board->read(until - Clock::now()));
    std::string text, port, identity, address;
    if (!(in >> text >> port >> std::ws) || !std::getline(in, identity)) return {};
    const auto secret = Secret::parse(text);
    if (!secret) return {};
    secret_ = secret;
    const bool same_host = identity == host_identity();
    std::vector<Place> found;
    // On one host, loopback is the way that is sure to be open; another host's leads nowhere.
    while (std::getline(in, address))
      if (!is_loopback(address))
        found.emplace_back(address, port);
      else if (same_host)
        found.insert(found.begin(), {address, port});
    return found;
  }

  Limit limit_;
  std::vector<TcpSocket> peers_;  // rank 0: by rank; others: rank 0
  std::optional<Secret> secret_;
  std::shared_ptr<Board> board_;
};

}  // namespace

std::unique_ptr<Bootstrap> bootstrap_tcp(Rank rank, int size, const Meeting& meeting, Limit limit) {
  return std::make_unique<TcpBootstrap>(rank, size, meeting, limit);
}

}  // namespace tutti
