#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/secret.hpp"
#include "runtime/tcp/addresses.hpp"
#include "runtime/transport.hpp"

namespace tutti::tcp {

/// In front of everything on a connection, as it is: all machines of a job have the same byte order.
struct Header {
  enum class Kind : std::uint32_t {
    message,  // its bytes follow
    offer,    // the sender holds a message under the number `id`
    accept,   // send the message that you offered under the number `id`; `accepted_as` is how it is known here
    data,     // the bytes of an accepted message follow, known as `id` to their receiver
    leave     // nothing will come any more; `id` is the rank whose loss is why, or the sender
  };
  Kind kind = Kind::message;
  std::uint32_t id = 0, accepted_as = 0;
  std::uint32_t reserved = 0;
  Envelope envelope;
};

/// The first bytes on a connection: nothing else is read before they are proven.
struct Hello {
  Rank from = 0, to = 0;
  Secret::Bytes proof{};

  static Hello make(const Secret& key, Rank from, Rank to);
  bool is_proven(const Secret& key) const;
};

/// What a rank that leaves says against the stream of another.
struct Parting {
  enum class OwnStream : std::uint32_t { none, some, unknown };
  Rank lost = 0;                           // the rank whose loss is why, or the one that leaves
  OwnStream own_stream = OwnStream::none;  // whether it has one to that rank: then that one has the last word
  Secret::Bytes proof{};

  void prove(const Secret& key, Rank from);
  bool is_proven(const Secret& key, Rank from) const;
};

/// A descriptor and its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  int operator*() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

/// What a rank sends to one peer. Never blocks.
class OutStream {
 public:
  struct Item {
    Header header;
    Cursor payload;
    std::optional<Ticket> ticket;  // reported when the system has all bytes
  };
  enum class Status : std::uint8_t { done, waits, broken };

  bool begun() const { return begun_; }
  bool idle() const { return items_.empty(); }
  int descriptor() const { return *descriptor_; }
  /// Begins to connect to the next address; broken if there is none left.
  Status connect(const std::vector<Address>& addresses, std::uint16_t port, const Hello& hello, int seconds);
  /// Whether the system has had no answer for so many seconds to what it sent. To be asked at least once a second, else
  /// the time begins anew: what is seen once may just be on its way. A peer that answers but takes nothing, since it
  /// computes, may do so for ever.
  bool unanswered(int seconds);
  /// The descriptor is ready: false if the address did not answer.
  bool established();
  bool is_established() const { return established_; }
  void push(const Item& item) { items_.push_back(item); }
  /// Writes until all is written or the system takes no more. Tickets of what is written are appended to `done`.
  Status write(std::vector<Ticket>& done);
  /// Whether anything of what is queued may have been said.
  bool has_spoken() const { return hello_written_ > 0; }
  /// As if it had not begun; what is queued is kept.
  void restart();
  /// What the peer has said against the stream.
  std::optional<Parting> parting() const;
  /// Forgets what is not begun.
  void drop_queued();
  const char* trouble() const;

 private:
  Descriptor descriptor_;
  using Clock = std::chrono::steady_clock;
  bool begun_ = false, established_ = false;
  Clock::time_point looked_;
  std::optional<Clock::time_point> unanswered_from_;
  std::size_t next_address_ = 0;
  Hello hello_;
  std::size_t hello_written_ = 0, header_written_ = 0;
  std::deque<Item> items_;
  int error_ = 0;
};

/// What comes from one peer.
class InStream {
 public:
  /// Who is told what has come; the bytes of a message, eager or accepted, go where the answer says.
  class Reader {
   public:
    virtual ~Reader() = default;
    /// A header, with the payload if all of it is here already (else nullptr: then `receive_buffer` says where it
    /// shall go). False: it makes no sense, and nothing has been done.
    virtual bool came(Rank from, const Header& header, const std::byte* payload,
                      std::optional<ReceiveBuffer>& receive_buffer) = 0;
    virtual void received(Ticket ticket) = 0;
  };
  enum class Status : std::uint8_t { open, ended, broken, senseless };

  /// Of a rank that has proven who it is.
  InStream(Descriptor descriptor, Rank from, int seconds);
  int descriptor() const { return *descriptor_; }
  /// Reads what is there. `moved` is set if anything was.
  Status read(Reader& reader, bool& moved);
  const char* trouble() const;

 private:
  static constexpr std::size_t kBufferBytes = 128 * 1024;
  bool parse(Reader& reader);

  Descriptor descriptor_;
  const Rank from_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of what is read but not parsed
  Cursor receive_buffer_;            // of a payload that is not all here
  Ticket receive_ticket_ = 0;
  int error_ = 0;
};

/// Reads what is there and forgets it. False: nothing will come any more.
bool discard(int descriptor);
/// Tells who is at the other end, against the stream, that this rank leaves.
void tell(int descriptor, const Parting& parting);

}  // namespace tutti::tcp
