#include "runtime/tcp/strangers.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstddef>

namespace tutti::tcp {

Stranger::Is Stranger::read(const Secret& key, Rank self, int ranks) {
  while (have_ < sizeof hello_) {
    const ssize_t got =
        recv(*descriptor_, reinterpret_cast<std::byte*>(&hello_) + have_, sizeof hello_ - have_, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Is::unknown;
    if (got <= 0) return Is::wrong;
    have_ += static_cast<std::size_t>(got);
    const bool named = have_ >= offsetof(Hello, proof);
    if (named && (hello_.to != self || hello_.from == self || hello_.from < 0 || hello_.from >= ranks))
      return Is::wrong;
  }
  return hello_.is_proven(key) ? Is::known : Is::wrong;
}

void Stranger::send_away() {
  if (!is_here()) return;
  const linger at_once{1, 0};  // nothing more is said, nor waited for
  setsockopt(*descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  *this = {};
}

std::optional<std::size_t> Strangers::free_place() const {
  for (std::size_t place = 0; place < kMost; ++place)
    if (!all_[place].is_here()) return place;
  return std::nullopt;
}

std::optional<std::size_t> Strangers::oldest() const {
  std::optional<std::size_t> found;
  for (std::size_t place = 0; place < kMost; ++place)
    if (all_[place].is_here() && (!found || all_[place].since() < all_[*found].since())) found = place;
  return found;
}

}  // namespace tutti::tcp
