#include "runtime/tcp_socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "runtime/error.hpp"

namespace tutti {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolve(const std::string& host, const std::string& port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.empty() ? nullptr : host.c_str(), port.c_str(), &hints, &found) != 0) found = nullptr;
  return {found, freeaddrinfo};
}

std::atomic<int> g_gives_up_when_readable = -1;

/// False once the deadline has passed, or there is no use in waiting. Other faults show in the call that follows.
bool wait_until(int descriptor, short events, TcpSocket::Deadline deadline) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd both[] = {{descriptor, events, 0}, {g_gives_up_when_readable, POLLIN, 0}};  // one below 0 is passed over
    const int ready = poll(both, 2, static_cast<int>(std::clamp<std::int64_t>(left.count() + 1, 0, 1'000'000)));
    if (ready > 0) return both[0].revents != 0;
    if (ready == 0 && left.count() <= 0) return false;
    if (ready < 0 && errno != EINTR) return false;
  }
}

int open_socket(const addrinfo& at) {
  const int descriptor = socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  if (descriptor >= 0) setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return descriptor;
}

}  // namespace

void TcpSocket::give_up_when_readable(int descriptor) { g_gives_up_when_readable = descriptor; }
int TcpSocket::gives_up_when_readable() { return g_gives_up_when_readable; }
bool TcpSocket::is_there_no_use() {
  pollfd one{g_gives_up_when_readable, POLLIN, 0};
  return poll(&one, 1, 0) > 0;
}

TcpSocket::TcpSocket(TcpSocket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
TcpSocket& TcpSocket::operator=(TcpSocket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}
TcpSocket::~TcpSocket() {
  if (is_open()) close(descriptor_);
}

TcpSocket TcpSocket::listen(const std::string& host, const std::string& port) {
  const Addresses addresses = resolve(host, port, AI_PASSIVE);
  for (const addrinfo* at = addresses.get(); at; at = at->ai_next) {
    TcpSocket made(open_socket(*at));
    const int on = 1;
    if (made.is_open() && setsockopt(made.descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(made.descriptor_, at->ai_addr, at->ai_addrlen) == 0 && ::listen(made.descriptor_, SOMAXCONN) == 0)
      return made;
  }
  throw TeamError("cannot listen at " + (host.empty() ? "port" : host) + " " + port + ": " +
                  (addresses ? std::strerror(errno) : "no such address"));
}

TcpSocket TcpSocket::connect(const std::string& host, const std::string& port, Deadline deadline) {
  const Addresses addresses = resolve(host, port, 0);
  for (const addrinfo* at = addresses.get(); at; at = at->ai_next) {
    TcpSocket made(open_socket(*at));
    if (!made.is_open()) continue;
    if (::connect(made.descriptor_, at->ai_addr, at->ai_addrlen) == 0) return made;
    if (errno != EINPROGRESS || !wait_until(made.descriptor_, POLLOUT, deadline)) continue;
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(made.descriptor_, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0) return made;
  }
  return {};
}

std::string TcpSocket::port() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw TeamError(std::string("a socket has no address: ") + std::strerror(errno));
  const auto port = address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                                  : reinterpret_cast<sockaddr_in&>(address).sin_port;
  return std::to_string(ntohs(port));
}

bool TcpSocket::write(std::string_view bytes, Deadline deadline) const {
  while (!bytes.empty()) {
    if (!wait_until(descriptor_, POLLOUT, deadline)) return false;
    const ssize_t written = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (written < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool TcpSocket::read(void* into, std::size_t bytes, Deadline deadline) const {
  for (auto* at = static_cast<char*>(into); bytes > 0;) {
    if (!wait_until(descriptor_, POLLIN, deadline)) return false;
    const ssize_t count = ::recv(descriptor_, at, bytes, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count <= 0) return false;
    at += count, bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

bool TcpSocket::write_text(std::string_view text, Deadline deadline) const {
  const std::uint64_t length = text.size();
  return write({reinterpret_cast<const char*>(&length), sizeof length}, deadline) && write(text, deadline);
}

bool TcpSocket::read_text(std::string& text, Deadline deadline) const {
  constexpr std::uint64_t kMost = 1 << 30, kPiece = 1 << 20;
  std::uint64_t length = 0;
  if (!read(&length, sizeof length, deadline) || length > kMost) return false;
  text.clear();
  // What is announced is not allocated before it comes.
  while (text.size() < length) {
    const std::size_t have = text.size(), more = std::min(kPiece, length - have);
    text.resize(have + more);
    if (!read(text.data() + have, more, deadline)) return false;
  }
  return true;
}

}  // namespace tutti
