#include "runtime/tcp/strangers.hpp"

#include <sys/socket.h>

#include <cerrno>

namespace tutti::tcp {

Stranger::Is Stranger::read(const Secret& key, Rank self, int ranks) {
  while (have_ < sizeof hello_) {
    const ssize_t got =
        recv(*descriptor_, reinterpret_cast<std::byte*>(&hello_) + have_, sizeof hello_ - have_, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Is::unknown;
    if (got <= 0) return Is::wrong;
    have_ += static_cast<std::size_t>(got);
  }
  const bool right =
      hello_.is_proven(key) && hello_.to == self && hello_.from >= 0 && hello_.from < ranks && hello_.from != self;
  return right ? Is::known : Is::wrong;
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
