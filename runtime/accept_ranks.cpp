#include "runtime/accept_ranks.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <list>
#include <string>

#include "runtime/error.hpp"

namespace tutti {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostStrangers = 256;
constexpr std::chrono::seconds kPatience(10);
constexpr std::chrono::milliseconds kPatienceWhereAllPlacesAreTaken(100);

/// What rank 0 says first, and what is said to it then.
struct Challenge {
  char magic[8] = {'t', 'u', 't', 't', 'i', 'B', '2', 0};
  Secret::Bytes number{};
};
struct Answer {
  std::int32_t rank = 0, size = 0;
  Secret::Bytes number{}, proof{};
};

/// What a side proves: that this rank of so many meets rank 0 now, after these two numbers.
std::string meant(char side, const Challenge& challenge, const Answer& answer) {
  std::string text(1, side);
  text.append(reinterpret_cast<const char*>(&challenge), sizeof challenge);
  text.append(reinterpret_cast<const char*>(&answer.rank), sizeof answer.rank);
  text.append(reinterpret_cast<const char*>(&answer.size), sizeof answer.size);
  text.append(reinterpret_cast<const char*>(answer.number.data()), answer.number.size());
  return text;
}

/// At once: so little always goes into a new connection.
bool say(int descriptor, const void* bytes, std::size_t size) {
  return send(descriptor, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL) == static_cast<ssize_t>(size);
}

/// One who has connected and is not known yet.
class Stranger {
 public:
  enum class Is : std::uint8_t { unknown, known, wrong };

  Stranger(TcpSocket socket, Clock::time_point now) : socket_(std::move(socket)), since_(now) {
    challenge_.number = random_bytes();
  }
  bool challenge() const { return say(socket_.descriptor(), &challenge_, sizeof challenge_); }
  int descriptor() const { return socket_.descriptor(); }
  Clock::time_point since() const { return since_; }
  const Answer& answer() const { return answer_; }
  TcpSocket take() { return std::move(socket_); }

  /// Reads what is there: an answer, and then a byte, so that nobody counts who has given up waiting for our proof.
  Is read(const Secret& secret) {
    for (;;) {
      char confirmed = 0;
      const bool answering = have_ < sizeof answer_;
      void* const into = answering ? reinterpret_cast<char*>(&answer_) + have_ : &confirmed;
      const ssize_t got = recv(socket_.descriptor(), into, answering ? sizeof answer_ - have_ : 1, MSG_DONTWAIT);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Is::unknown;
      if (got <= 0) return Is::wrong;
      if (!answering) return Is::known;
      have_ += static_cast<std::size_t>(got);
      if (have_ < sizeof answer_) continue;
      if (!secret.proves(answer_.proof, meant('j', challenge_, answer_))) return Is::wrong;
      const Secret::Bytes ours = secret.proof_of(meant('r', challenge_, answer_));
      if (!say(socket_.descriptor(), ours.data(), ours.size())) return Is::wrong;
    }
  }

 private:
  TcpSocket socket_;
  Clock::time_point since_;
  Challenge challenge_;
  Answer answer_;
  std::size_t have_ = 0;  // of the answer
};

class Acceptance {
 public:
  Acceptance(const TcpSocket& listener, int size, const Secret& secret)
      : listener_(listener), secret_(secret), ranks_(static_cast<std::size_t>(size)), missing_(size - 1) {}

  std::vector<TcpSocket> accept_ranks(Clock::time_point until) {
    while (missing_ > 0 && Clock::now() < until && wait(until)) {
      for (auto one = strangers_.begin(); one != strangers_.end();) {
        const Stranger::Is is = one->read(secret_);
        if (is == Stranger::Is::known) enter(*one);
        one = is == Stranger::Is::unknown ? std::next(one) : strangers_.erase(one);
      }
      // The oldest come first.
      while (!strangers_.empty() && Clock::now() > leaves_at(strangers_.front())) strangers_.pop_front();
      accept_all();
    }
    return std::move(ranks_);
  }

 private:
  bool full() const { return strangers_.size() >= kMostStrangers; }
  Clock::time_point leaves_at(const Stranger& stranger) const {
    if (full()) return stranger.since() + kPatienceWhereAllPlacesAreTaken;
    return stranger.since() + kPatience;
  }

  /// False where there is no use in waiting any more.
  bool wait(Clock::time_point until) {
    polled_.assign(1, {TcpSocket::gives_up_when_readable(), POLLIN, 0});
    if (!full()) polled_.push_back({listener_.descriptor(), POLLIN, 0});
    for (const Stranger& one : strangers_) polled_.push_back({one.descriptor(), POLLIN, 0});
    if (!strangers_.empty()) until = std::min(until, leaves_at(strangers_.front()));
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count() + 1;
    poll(polled_.data(), polled_.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000)));
    return polled_.front().revents == 0;
  }

  void accept_all() {
    while (!full()) {
      TcpSocket made(accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (made.is_open()) {
        const int on = 1;
        setsockopt(made.descriptor(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        strangers_.emplace_back(std::move(made), Clock::now());
        if (!strangers_.back().challenge()) strangers_.pop_back();
        continue;
      }
      const int error = errno;
      if (error == EAGAIN || error == EWOULDBLOCK) return;
      if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM || error == EBADF ||
          error == EINVAL) {
        if (strangers_.empty()) throw TeamError(std::string("cannot accept a connection: ") + std::strerror(error));
        strangers_.pop_front();
      }
      // Else the one who was there has gone again.
    }
  }

  void enter(Stranger& stranger) {
    const Answer& answer = stranger.answer();
    const int size = static_cast<int>(ranks_.size());
    if (answer.size != size || answer.rank <= 0 || answer.rank >= size || ranks_[answer.rank].is_open())
      throw TeamError("rank 0 of " + std::to_string(size) + ": one came who says to be rank " +
                      std::to_string(answer.rank) + " of " + std::to_string(answer.size) +
                      ", which does not exist or is here already");
    ranks_[answer.rank] = stranger.take();
    --missing_;
  }

  const TcpSocket& listener_;
  const Secret& secret_;
  std::vector<TcpSocket> ranks_;
  int missing_;
  std::list<Stranger> strangers_;
  std::vector<pollfd> polled_;
};

}  // namespace

std::vector<TcpSocket> accept_ranks(const TcpSocket& listener, int size, const Secret& secret,
                                    TcpSocket::Deadline until) {
  return Acceptance(listener, size, secret).accept_ranks(until);
}

bool introduce(const TcpSocket& root, Rank rank, int size, const Secret& secret, TcpSocket::Deadline until) {
  Challenge challenge;
  if (!root.read(&challenge, sizeof challenge, until) ||
      std::memcmp(challenge.magic, Challenge{}.magic, sizeof challenge.magic) != 0)
    return false;
  Answer answer{rank, size, random_bytes(), {}};
  answer.proof = secret.proof_of(meant('j', challenge, answer));
  Secret::Bytes theirs{};
  return root.write({reinterpret_cast<const char*>(&answer), sizeof answer}, until) &&
         root.read(theirs.data(), theirs.size(), until) && secret.proves(theirs, meant('r', challenge, answer)) &&
         root.write("y", until);
}

}  // namespace tutti
