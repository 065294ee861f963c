#include "runtime/tcp/streams.hpp"

#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace tutti::tcp {
namespace {

void set(int descriptor, int level, int option, int value) {
  setsockopt(descriptor, level, option, &value, sizeof value);
}

/// A side that does not answer for so long is gone. This holds while no bytes are on their way to it; TCP_USER_TIMEOUT
/// would do for those, too, but takes a side that answers and has no room for one that is gone.
void give_up_after(int descriptor, int seconds) {
  set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, std::max(1, seconds / 3));
  set(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, std::max(1, seconds / 6));
  set(descriptor, IPPROTO_TCP, TCP_KEEPCNT, 4);
}

/// What a proof is of.
template <class... Words>
std::string meant(char kind, Words... words) {
  std::string text(1, kind);
  for (const std::uint32_t word : {static_cast<std::uint32_t>(words)...})
    text.append(reinterpret_cast<const char*>(&word), sizeof word);
  return text;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

Hello Hello::make(const Secret& key, Rank from, Rank to) { return {from, to, key.proof_of(meant('h', from, to))}; }
bool Hello::is_proven(const Secret& key) const { return key.proves(proof, meant('h', from, to)); }

void Parting::prove(const Secret& key, Rank from) { proof = key.proof_of(meant('p', from, lost, own_stream)); }
bool Parting::is_proven(const Secret& key, Rank from) const {
  return key.proves(proof, meant('p', from, lost, own_stream));
}

// --- out -------------------------------------------------------------------------------------------------------------

OutStream::Status OutStream::connect(const std::vector<Address>& addresses, std::uint16_t port, const Hello& hello,
                                     int seconds) {
  begun_ = true;
  unanswered_from_.reset();
  hello_ = hello;
  for (; next_address_ < addresses.size(); ++next_address_) {
    socklen_t length = 0;
    const sockaddr_storage to = socket_address(addresses[next_address_], port, length);
    descriptor_ = Descriptor(socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!descriptor_.is_open()) continue;
    set(*descriptor_, IPPROTO_TCP, TCP_NODELAY, 1);
    give_up_after(*descriptor_, seconds);
    if (::connect(*descriptor_, reinterpret_cast<const sockaddr*>(&to), length) == 0 || errno == EINPROGRESS) {
      ++next_address_;
      return Status::waits;
    }
    error_ = errno;
  }
  return Status::broken;
}

bool OutStream::unanswered(int seconds) {
  constexpr auto kLongestBlink = std::chrono::seconds(1);
  const auto now = Clock::now();
  const bool blinked = now - std::exchange(looked_, now) > kLongestBlink;
  tcp_info info{};
  socklen_t length = sizeof info;
  if (getsockopt(*descriptor_, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return false;
  const bool asks = info.tcpi_unacked > 0 || info.tcpi_retransmits > 0 || info.tcpi_probes > 0;
  if (!asks || blinked) unanswered_from_.reset();
  if (!asks) return false;
  if (!unanswered_from_) unanswered_from_ = now;
  const bool heard_lately = established_ && info.tcpi_last_ack_recv < static_cast<std::uint32_t>(seconds) * 1000;
  return !heard_lately && now - *unanswered_from_ > std::chrono::seconds(seconds);
}

bool OutStream::established() {
  socklen_t length = sizeof error_;
  getsockopt(*descriptor_, SOL_SOCKET, SO_ERROR, &error_, &length);
  return established_ = error_ == 0;
}

void OutStream::restart() {
  descriptor_ = {};
  next_address_ = 0;
  begun_ = established_ = false;
}

OutStream::Status OutStream::write(std::vector<Ticket>& done) {
  constexpr std::size_t kPieces = 64, kMostBytes = 1 << 20;  // of one system call
  if (hello_written_ == sizeof hello_ && items_.empty()) return Status::done;
  for (;;) {
    std::array<iovec, kPieces> pieces;
    std::size_t count = 0, bytes = 0;
    const auto add = [&](const void* first, std::size_t length) {
      if (length == 0) return;
      pieces[count++] = {const_cast<void*>(first), length};
      bytes += length;
    };
    add(reinterpret_cast<const std::byte*>(&hello_) + hello_written_, sizeof hello_ - hello_written_);
    for (std::size_t i = 0; i < items_.size() && count + 2 < kPieces && bytes < kMostBytes; ++i) {
      const std::size_t written = i == 0 ? header_written_ : 0;
      add(reinterpret_cast<const std::byte*>(&items_[i].header) + written, sizeof(Header) - written);
      Cursor rest = items_[i].payload;
      while (rest.left() > 0 && count < kPieces && bytes < kMostBytes) {
        const auto piece = rest.next(kMostBytes);
        add(piece.data(), piece.size());
      }
      if (rest.left() > 0) break;
    }
    if (count == 0) return Status::done;
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = count;
    const ssize_t result = sendmsg(*descriptor_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (result < 0) {
      if (errno == EAGAIN || errno == EWOULDBLOCK) return Status::waits;
      if (errno == EINTR) continue;
      error_ = errno;
      return Status::broken;
    }
    auto written = static_cast<std::size_t>(result);
    const auto advance = [&written](std::size_t& at, std::size_t size) {
      const std::size_t by = std::min(written, size - at);
      at += by;
      written -= by;
    };
    advance(hello_written_, sizeof hello_);
    while (!items_.empty()) {
      Item& item = items_.front();
      advance(header_written_, sizeof(Header));
      if (header_written_ < sizeof(Header)) break;
      while (written > 0 && item.payload.left() > 0) written -= item.payload.next(written).size();
      if (item.payload.left() > 0) break;
      if (item.ticket) done.push_back(*item.ticket);
      items_.pop_front();
      header_written_ = 0;
    }
    if (static_cast<std::size_t>(result) < bytes) return Status::waits;
  }
}

std::optional<Parting> OutStream::parting() const {
  Parting said;
  if (recv(*descriptor_, &said, sizeof said, MSG_DONTWAIT) != sizeof said) return std::nullopt;
  return said;
}

void OutStream::drop_queued() {
  const std::size_t begun = header_written_ > 0 ? 1 : 0;
  items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(begun), items_.end());
}

const char* OutStream::trouble() const { return std::strerror(error_); }

// --- in --------------------------------------------------------------------------------------------------------------

InStream::InStream(Descriptor descriptor, Rank from, int seconds)
    : descriptor_(std::move(descriptor)), from_(from), buffer_(kBufferBytes) {
  give_up_after(*descriptor_, seconds);
}

InStream::Status InStream::read(Reader& reader, bool& moved) {
  constexpr std::size_t kPieces = 64;
  for (;;) {
    std::array<iovec, kPieces> pieces;
    std::size_t count = 0, wanted_bytes = 0;
    if (end_ == begin_) begin_ = end_ = 0;
    // A payload that is partly here goes on to its place, and what follows it to the buffer.
    for (Cursor rest = receive_buffer_; rest.left() > 0 && count + 1 < kPieces;) {
      const auto piece = rest.next(rest.left());
      pieces[count++] = {piece.data(), piece.size()};
      wanted_bytes += piece.size();
    }
    if (wanted_bytes == receive_buffer_.left()) pieces[count++] = {buffer_.data() + end_, buffer_.size() - end_};
    const ssize_t result = readv(*descriptor_, pieces.data(), static_cast<int>(count));
    if (result == 0) return Status::ended;
    if (result < 0) {
      if (errno == EAGAIN || errno == EWOULDBLOCK) return Status::open;
      if (errno == EINTR) continue;
      error_ = errno;
      return Status::broken;
    }
    moved = true;
    auto bytes = static_cast<std::size_t>(result);
    if (wanted_bytes > 0) {
      while (bytes > 0 && receive_buffer_.left() > 0) bytes -= receive_buffer_.next(bytes).size();
      if (receive_buffer_.left() > 0) continue;
      reader.received(receive_ticket_);
    }
    end_ += bytes;
    if (!parse(reader)) return Status::senseless;
  }
}

bool InStream::parse(Reader& reader) {
  Header header;
  while (receive_buffer_.left() == 0 && end_ - begin_ >= sizeof header) {
    std::memcpy(&header, buffer_.data() + begin_, sizeof header);
    const bool carries = header.kind == Header::Kind::message || header.kind == Header::Kind::data;
    const std::uint64_t payload = carries ? header.envelope.bytes : 0;
    const std::byte* const first = buffer_.data() + begin_ + sizeof header;
    const std::size_t here = end_ - begin_ - sizeof header;
    begin_ += sizeof header;
    std::optional<ReceiveBuffer> receive_buffer;
    if (!reader.came(from_, header, here >= payload ? first : nullptr, receive_buffer)) return false;
    if (receive_buffer) {
      receive_buffer_ = Cursor(receive_buffer->into);
      receive_ticket_ = receive_buffer->ticket;
      const std::size_t part = std::min<std::uint64_t>(here, payload);
      receive_buffer_.write(first, part);
      begin_ += part;
      if (receive_buffer_.left() == 0) reader.received(receive_ticket_);
    } else if (carries) {
      begin_ += payload;
    }
  }
  if (begin_ > 0) {  // so that there is always room behind
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  return true;
}

const char* InStream::trouble() const { return std::strerror(error_); }

/// That it cannot be said, as the peer is gone or has never read so much, changes nothing.
void tell(int descriptor, const Parting& parting) {
  [[maybe_unused]] const auto sent = ::send(descriptor, &parting, sizeof parting, MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool discard(int descriptor) {
  std::array<std::byte, 16 << 10> bytes;
  for (;;) {
    const ssize_t result = recv(descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (result == 0 || (result < 0 && errno != EINTR)) return result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
}

}  // namespace tutti::tcp
