#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "runtime/multicast/packet.hpp"

namespace tutti::multicast {

/// Puts together what others send: asks the inbox for a receive buffer for each message. One thread.
class Receiver {
 public:
  Receiver(Inbox& inbox, int ranks, std::size_t payload)
      : inbox_(inbox), payload_(payload), sources_(static_cast<std::size_t>(ranks)) {}
  struct Arrival {
    bool is_new = false;           // it had not come before
    std::optional<Report> report;  // what its sender should be told, if anything
  };
  /// A packet of this job, of another rank, has come.
  Arrival arrived(const Header& header, const std::byte* piece, std::size_t bytes);

 private:
  struct Source {
    Report has;
    Sequence highest = 0;     // one past the highest that has come
    Sequence unreported = 0;  // packets that have come since a report
    bool arriving = false;    // a message is on its way, that
    Sequence first = 0;       // begins so
    std::uint64_t bytes = 0;  // and is so long
    ReceiveBuffer where;
    std::unique_ptr<std::byte[]> packed;  // where it does not go into one piece
  };
  void put(Source& source, const Header& header, const std::byte* piece, std::size_t bytes);

  Inbox& inbox_;
  const std::size_t payload_;
  std::vector<Source> sources_;  // by rank
};

}  // namespace tutti::multicast
