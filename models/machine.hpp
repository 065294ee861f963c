#pragma once
// A machine: its network, its nodes, and what messages and computing cost on it.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "topologies/network.hpp"

namespace tutti {

/// Cost of messages of up to so many bytes.
struct Segment {
  std::int64_t up_to_bytes;           ///< INT64_MAX in the last one
  double latency_seconds;             ///< of software and adapters; that of the links on the route comes on top
  double bandwidth_bytes_per_second;  ///< the rate that one message reaches at most, whatever the links allow
};

/// Cost of messages at one distance.
struct Transport {
  double send_overhead_seconds;     ///< the sender is busy so long per message
  double receive_overhead_seconds;  ///< the receiver is busy so long per message
  double gap_seconds;               ///< shortest time from one message to the next of the same sender
  std::vector<Segment> segments;    ///< ascending, not empty
  std::int64_t eager_limit_bytes;   ///< larger messages use rendezvous; INT64_MAX: none does
  double rendezvous_seconds;        ///< the handshake (request there, clearance back) with a receiver that is ready

  /// The one that applies to a message of `bytes`: it holds for the whole message.
  const Segment& segment(std::int64_t bytes) const;
};

/// Cost of touching data with one core.
struct Compute {
  struct Rate {
    double overhead_seconds;
    double seconds_per_byte;
    std::int64_t cache_bytes;  ///< operations on more bytes run out of cache throughout; INT64_MAX: none does
    double seconds_per_byte_out_of_cache;
    double seconds(std::int64_t bytes) const;
  };
  Rate reduce;  ///< per byte of the result
  Rate copy;    ///< per byte copied
};

/// Immutable and safe for concurrent reads; copies share the network.
struct Machine {
  std::string name;
  std::string description;
  std::shared_ptr<const Network> network;
  std::array<std::optional<Transport>, distance_count> transports;  ///< by Distance; all that the network has are there
  Compute compute;
  std::int64_t memory_bytes_per_node = 0;  ///< 0: unknown

  /// Throws std::out_of_range for a distance that no two cores of the machine have.
  const Transport& transport(Distance distance) const;
  /// One message on an idle machine, the receiver waiting for it: send overhead + handshake where the message is above
  /// the eager limit + latency of the segment and of every link on the route + bytes / (the least bandwidth among the
  /// segment and the links) + receive overhead.
  double message_seconds(int from_core, int to_core, std::int64_t bytes) const;
};

/// The name of an embedded machine, or the path of a machine file. All faults of a file or text are reported as
/// std::invalid_argument with one line "FILE:LINE: /json/pointer: what was expected".
Machine load_machine(const std::string& name_or_path);
/// `origin` stands for FILE, and files that the text names are sought beside it.
Machine parse_machine(const std::string& text, const std::string& origin);
/// The JSON text behind a machine's name or path.
std::string machine_source(const std::string& name_or_path);

/// The machines embedded in the program, sorted, and their JSON. machine_text throws std::invalid_argument on a name
/// that is not among them.
std::vector<std::string> machine_names();
const std::string& machine_text(const std::string& name);
/// The JSON Schema that machine files follow.
const std::string& machine_schema();

/// One figure of a machine with where it is from.
struct Figure {
  std::string pointer;  ///< JSON pointer of the figure
  std::string value;    ///< as in the file
  std::string source;
  bool guess;
};
/// All figures of a machine text, in the file's order of keys sorted by name.
std::vector<Figure> machine_figures(const std::string& text, const std::string& origin);

}  // namespace tutti
