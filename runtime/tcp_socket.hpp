#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace tutti {

/// A TCP socket for set-up: blocking, with a deadline on everything. Owns its descriptor.
class TcpSocket {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  TcpSocket() = default;
  explicit TcpSocket(int descriptor) : descriptor_(descriptor) {}
  TcpSocket(TcpSocket&& other) noexcept;
  TcpSocket& operator=(TcpSocket&& other) noexcept;
  ~TcpSocket();

  /// Listens at a port ("0": any free one) of all addresses, or of `host`. Throws TeamError.
  static TcpSocket listen(const std::string& host, const std::string& port);
  /// Not open if nobody answers there in time.
  static TcpSocket connect(const std::string& host, const std::string& port, Deadline deadline);

  /// No wait goes on for anything that is not here yet once this descriptor (of another) has something to read: then
  /// there is no use in it. Of this process; -1, as at first: none.
  static void give_up_when_readable(int descriptor);
  static int gives_up_when_readable();
  /// It has.
  static bool is_there_no_use();

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  std::string port() const;
  /// False if the other side is gone or the deadline has passed.
  bool write(std::string_view bytes, Deadline deadline) const;
  bool read(void* into, std::size_t bytes, Deadline deadline) const;
  /// A text with its length before it, of up to 1 GiB.
  bool write_text(std::string_view text, Deadline deadline) const;
  bool read_text(std::string& text, Deadline deadline) const;

 private:
  int descriptor_ = -1;
};

}  // namespace tutti
