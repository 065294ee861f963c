#include <poll.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "runtime/accept_ranks.hpp"
#include "runtime/bootstrap.hpp"
#include "runtime/error.hpp"
#include "runtime/host.hpp"
#include "runtime/launch_channel.hpp"
#include "runtime/tcp/addresses.hpp"
#include "runtime/tcp_socket.hpp"

namespace tutti {
namespace {

using Clock = std::chrono::steady_clock;
using launch_channel::Membership;
using launch_channel::Obituary;

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
  TcpBootstrap(Rank rank, int size, const Meeting& meeting, Limit limit)
      : Bootstrap(rank, size), limit_(limit), launcher_(meeting.launcher) {
    if (size > 1 && !meeting.board && !meeting.secret)
      throw InputError("ranks that meet at an address: expected a secret that they share");
    secret_ = meeting.secret && !meeting.board ? meeting.secret : Secret::make();
    if (launcher_ >= 0) launch_channel::say(launcher_, Membership{rank, Membership::kJoins});
    if (size == 1) return;
    TcpSocket::give_up_when_readable(launcher_);
    try {
      rank == 0 ? receive_all(meeting) : join(meeting);
    } catch (...) {
      TcpBootstrap::leave(std::nullopt);
      throw;
    }
    board_ = meeting.board;
  }
  ~TcpBootstrap() override { TcpBootstrap::leave(std::nullopt); }

  std::vector<std::string> allgather(std::string_view mine) override {
    const auto until = deadline();
    std::vector<std::string> all(static_cast<std::size_t>(size()));
    all[rank()] = mine;
    if (size() == 1) return all;
    std::string text;
    if (rank() == 0) {
      gather(all, until);
      for (const std::string& one : all) append(text, one);
      for (std::size_t r = 1; r < all.size(); ++r)
        if (!write(peers_[r], kText, text, until)) read(r, text, until), give_up({static_cast<Rank>(r)});
    } else {
      write(peers_[0], kText, mine, until);  // where that fails, the reason may be there to be read
      if (!read(0, text, until)) give_up({0});
      std::string_view rest = text;
      for (std::string& one : all) one = take(rest);
    }
    return all;
  }

  const Secret& secret() const override { return *secret_; }

  std::optional<Loss> loss() override {
    constexpr std::chrono::seconds kOnItsWay(1);  // the rest of a text that has begun to come
    pass_over_one_who_has_left();
    if (loss_ || launcher_knows()) return loss_;
    std::vector<pollfd> waited = descriptors();
    if (poll(waited.data(), waited.size(), 0) <= 0) return loss_;
    std::string text;
    for (std::size_t peer = 0; peer < peers_.size() && !loss_; ++peer)
      if (waited[peer].revents != 0) read(peer, text, Clock::now() + kOnItsWay);
    return loss_;
  }

  void leave(const std::optional<Loss>& why) override {
    constexpr std::chrono::seconds kAtOnce(1);
    if (std::exchange(has_left_, true)) return;
    if (launcher_ >= 0)
      launch_channel::say(launcher_, Membership{rank(), why ? why->rank : Membership::kLeavesInOrder});
    const auto until = Clock::now() + kAtOnce;
    // What rank 0 has heard the others hear from nobody else.
    const std::optional<Loss> heard = why || rank() != 0 ? why : loss();
    for (const TcpSocket& peer : peers_)
      if (peer.is_open())
        heard ? write(peer, kLost, std::to_string(heard->rank) + ' ' + heard->reason, until)
              : write(peer, kLeaves, "", until);
  }

 private:
  // What a text between ranks begins with.
  static constexpr char kText = 't';    // what an allgather gathers or distributes follows
  static constexpr char kLeaves = 'e';  // its sender leaves in order
  static constexpr char kLost = 'l';    // its sender leaves since a rank is lost: its number and the reason follow

  static constexpr const char* kNotUnderstood = "what it says is not understood";

  Clock::time_point deadline() const { return Clock::now() + std::chrono::duration_cast<Clock::duration>(limit_); }
  std::string me() const { return "rank " + std::to_string(rank()) + " of " + std::to_string(size()); }
  static bool write(const TcpSocket& peer, char kind, std::string_view text, Clock::time_point until) {
    return peer.write_text(kind + std::string(text), until);
  }
  static void append(std::string& text, std::string_view one) {
    const std::uint64_t length = one.size();
    text.append(reinterpret_cast<const char*>(&length), sizeof length).append(one);
  }
  std::string take(std::string_view& text) const {
    std::uint64_t length = 0;
    if (text.size() >= sizeof length) std::memcpy(&length, text.data(), sizeof length);
    if (text.size() < sizeof length || text.size() - sizeof length < length)
      throw TeamError(me() + ": what rank 0 distributes is not understood");
    const std::string_view one = text.substr(sizeof length, length);
    text.remove_prefix(sizeof length + length);
    return std::string(one);
  }

  std::optional<Obituary> obituary() const { return hears_launcher_ ? launch_channel::look(launcher_) : std::nullopt; }
  bool launcher_knows() {
    if (loss_) return true;
    if (const auto said = obituary()) loss_ = Loss{said->rank, said->reason()};
    return loss_.has_value();
  }
  /// Once all is set up: the team has not lost it.
  void pass_over_one_who_has_left() {
    const auto said = obituary();
    if (!said || !said->has_left) return;
    hears_launcher_ = false;
    TcpSocket::give_up_when_readable(-1);
  }

  /// What poll() passes over is below 0: peers that have gone, and this rank.
  std::vector<pollfd> descriptors() const {
    std::vector<pollfd> all;
    for (const TcpSocket& peer : peers_) all.push_back({peer.descriptor(), POLLIN, 0});
    return all;
  }

  /// Behind the kind: "RANK REASON".
  std::optional<Loss> lost_in(const std::string& text) const {
    const char* const end = text.data() + text.size();
    Rank lost = 0;
    const auto [reason, error] = std::from_chars(text.data() + 1, end, lost);
    if (error != std::errc() || reason == end || *reason != ' ' || lost < 0 || lost >= size()) return std::nullopt;
    return Loss{lost, std::string(reason + 1, end)};
  }

  /// What the peer says next. False if that is no text, or nothing in time: then loss_ and gone_ say more.
  bool read(std::size_t peer, std::string& text, Clock::time_point until) {
    const auto rank = static_cast<Rank>(peer);
    const bool came = peers_[peer].read_text(text, until) && !text.empty();
    const char kind = came ? text.front() : '\0';
    if (kind == kText) return text.erase(0, 1), true;
    if (!came && (launcher_knows() || Clock::now() >= until)) return false;
    if (kind == kLeaves) {
      gone_ = rank;
    } else if (kind == kLost) {
      // No exception: read when this rank leaves, too.
      loss_ = lost_in(text).value_or(Loss{rank, kNotUnderstood});
    } else {
      loss_ = Loss{rank, came ? kNotUnderstood : "its process has ended"};
    }
    peers_[peer] = {};
    return false;
  }

  /// In the order in which they come: who has ended may be one for whom others wait.
  void gather(std::vector<std::string>& all, Clock::time_point until) {
    std::vector<pollfd> waited = descriptors();
    waited.push_back({hears_launcher_ ? launcher_ : -1, POLLIN, 0});
    const auto absent = [&] {
      std::vector<Rank> ranks;
      for (std::size_t r = 1; r < all.size(); ++r)
        if (waited[r].fd >= 0) ranks.push_back(static_cast<Rank>(r));
      return ranks;
    };
    for (int missing = size() - 1; missing > 0;) {
      const std::chrono::duration<double, std::milli> left = until - Clock::now();
      const int ready = poll(waited.data(), waited.size(), static_cast<int>(std::clamp(left.count() + 1, 0.0, 1e6)));
      if ((ready == 0 && left.count() <= 0) || launcher_knows()) give_up(absent());
      if (ready <= 0) continue;
      for (std::size_t r = 1; r < all.size(); ++r) {
        if (waited[r].fd < 0 || waited[r].revents == 0) continue;
        if (!read(r, all[r], until)) give_up(absent());
        waited[r].fd = -1;
        --missing;
      }
    }
  }

  static std::string listed(const std::vector<Rank>& ranks) {
    std::string text;
    for (const Rank rank : ranks) text += (text.empty() ? "" : ", ") + std::to_string(rank);
    return text;
  }

  /// `absent`: who is waited for. The others are told.
  [[noreturn]] void give_up(const std::vector<Rank>& absent) {
    if (loss_) {
      leave(loss_);
      throw TeamError(me() + ": " +
                      (loss_->rank == rank() ? "" : "rank " + std::to_string(loss_->rank) + " is lost: ") +
                      loss_->reason + ", while the ranks set up");
    }
    if (gone_) {
      leave(Loss{*gone_, "it has left"});
      throw TeamError(me() + ": rank " + std::to_string(*gone_) + " has left while the ranks set up");
    }
    const std::string in_time = "did not answer within " + std::to_string(limit_.count()) + " s";
    leave(Loss{absent.front(), "it " + in_time});
    throw TeamError(me() + ": rank " + listed(absent) + ' ' + in_time + " while the ranks set up");
  }

  void receive_all(const Meeting& meeting) {
    const auto until = deadline();
    const auto addresses = meeting.board ? addresses_to_announce(meeting.one_host) : std::vector<std::string>{};
    // One address is listened at alone; of several nobody knows yet which will be used.
    const std::string here = addresses.size() == 1 ? addresses[0] : "";
    const TcpSocket listener = meeting.board            ? TcpSocket::listen(here, "0")
                               : meeting.listening >= 0 ? TcpSocket(meeting.listening)
                                                        : TcpSocket::listen(meeting.host, meeting.port);
    if (meeting.board) announce(*meeting.board, listener.port(), addresses);
    try {
      peers_ = accept_ranks(listener, size(), secret(), until);
    } catch (...) {
      if (meeting.board) meeting.board->clear();
      throw;
    }
    if (meeting.board) meeting.board->clear();
    std::vector<Rank> absent;
    for (int r = 1; r < size(); ++r)
      if (!peers_[r].is_open()) absent.push_back(r);
    if (absent.empty()) return;
    if (launcher_knows()) give_up(absent);
    leave(Loss{absent.front(), "it did not come within " + std::to_string(limit_.count()) + " s"});
    throw TeamError(me() + " waited " + std::to_string(limit_.count()) +
                    " s for ranks that did not come: " + listed(absent) +
                    (meeting.board ? "" : "; one with another TUTTI_SECRET than this rank's is not heard"));
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
      if (launcher_knows()) give_up({0});
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    } while (Clock::now() < until);
    throw TeamError(me() + " waited " + std::to_string(limit_.count()) + " s for rank 0 at " +
                    (meeting.board ? meeting.board->place() : meeting.host + ":" + meeting.port) +
                    "; if that is not the place, set TUTTI_MEETING to HOST:PORT or to a file that all ranks can read" +
                    (meeting.board ? "" : "; if it is, TUTTI_SECRET may be another there"));
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
  int launcher_;
  bool hears_launcher_ = launcher_ >= 0;
  std::vector<TcpSocket> peers_;  // rank 0: by rank; others: rank 0
  std::optional<Loss> loss_;
  std::optional<Rank> gone_;  // in order
  bool has_left_ = false;
  std::optional<Secret> secret_;
  std::shared_ptr<Board> board_;
};

}  // namespace

std::unique_ptr<Bootstrap> bootstrap_tcp(Rank rank, int size, const Meeting& meeting, Limit limit) {
  return std::make_unique<TcpBootstrap>(rank, size, meeting, limit);
}

}  // namespace tutti
