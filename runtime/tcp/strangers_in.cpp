// Who connects: a rank of the job, once it has proven that; nobody else gets further than this.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "runtime/tcp/tcp.hpp"

namespace tutti::tcp {
namespace {

constexpr int kAtOnce = 16;  // so that many who come do not keep a rank from its work
constexpr std::chrono::seconds kPatience(10);

bool is_exhaustion(int error) { return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM; }

bool somebody_waits(int listening) {
  pollfd listener{listening, POLLIN, 0};
  return poll(&listener, 1, 0) > 0;
}

/// To be given up where there is no other left.
Descriptor spare() { return Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

void Tcp::accept_connections() {
  for (int count = 0; count < kAtOnce; ++count) {
    Descriptor made(accept4(*listening_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (made.is_open()) {
      receive(Stranger(std::move(made), Clock::now()));
      continue;
    }
    const int error = errno;
    // Where nothing is left, the system says so even if nobody is there.
    if (!is_exhaustion(error) || !somebody_waits(*listening_)) return;
    if (drop_oldest_stranger()) continue;
    errno = error;
    if (!spare_.is_open()) return fail_here("a connection cannot be accepted");
    spare_ = {};  // in its place one can come at least, and be told from a rank
  }
}

/// Most say at once who they are.
void Tcp::receive(Stranger stranger) {
  if (leaving_) {
    tell_that_we_leave(stranger.descriptor(), Parting::OwnStream::unknown);
  } else {
    const Stranger::Is is = stranger.read(*key_, self_, static_cast<int>(peers_.size()));
    if (is == Stranger::Is::wrong) return stranger.send_away();
    if (is == Stranger::Is::known) return enter(stranger);
  }
  if (!strangers_.free_place()) drop_oldest_stranger();
  const std::size_t place = *strangers_.free_place();
  strangers_[place] = std::move(stranger);
  if (!watch(EPOLL_CTL_ADD, strangers_[place].descriptor(), EPOLLIN, Source::stranger, place))
    fail_here("a connection cannot be watched");
}

void Tcp::stranger_ready(std::size_t place) {
  Stranger& stranger = strangers_[place];
  if (!stranger.is_here()) return;  // it has been dropped since
  if (leaving_) {                   // so that who is in the middle of writing can come to its end
    if (!discard(stranger.descriptor())) stranger = {};
    return;
  }
  const Stranger::Is is = stranger.read(*key_, self_, static_cast<int>(peers_.size()));
  if (is == Stranger::Is::unknown) return;
  unwatch(stranger.descriptor());
  if (is == Stranger::Is::known) return enter(stranger);
  stranger.send_away();
}

void Tcp::enter(Stranger& stranger) {
  const auto rank = static_cast<std::size_t>(stranger.rank());
  auto& in = ins_[rank];
  if (in) return stranger.send_away();  // a rank comes once
  if (!spare_.is_open() && !(spare_ = spare()).is_open()) fail_here("a connection cannot be accepted");
  in = std::make_unique<InStream>(stranger.take(), stranger.rank(), settings_.seconds);
  peers_[rank].heard = true;
  if (!watch(EPOLL_CTL_ADD, in->descriptor(), EPOLLIN, Source::in, rank)) fail_here("a connection cannot be watched");
}

/// False if there is none. What it may have said meanwhile still counts.
bool Tcp::drop_oldest_stranger() {
  const auto place = strangers_.oldest();
  if (!place) return false;
  if (leaving_) {
    strangers_[*place] = {};  // what it is told may be on its way
  } else {
    stranger_ready(*place);
    strangers_[*place].send_away();
  }
  return true;
}

void Tcp::drop_silent_strangers() {
  const auto now = Clock::now();
  for (Stranger& one : strangers_)
    if (one.is_here() && now - one.since() > kPatience) one.send_away();
  if (!spare_.is_open()) spare_ = spare();
}

}  // namespace tutti::tcp
