#pragma once
// A machine: its network, its nodes, and what messages and computing cost on it.

#include <array>
#include <climits>
#include <cstdint>
#include <limits>
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
  /// Both processors copy an eager message, in and out of the adapter's buffers: each is busy for so long per byte
  /// beside its overhead.
  double eager_copy_seconds_per_byte = 0;
  /// What a message has above so many bytes takes turns with such of the other direction between the same two ranks;
  /// INT64_MAX: nothing does.
  std::int64_t half_duplex_above_bytes = INT64_MAX;
  /// Above the eager limit the sender announces the message, as soon as it is ready, by one of no bytes; the receiver,
  /// once it is ready too, reads it: its request goes the way back, which takes rendezvous_seconds beside the links'
  /// latency. An acknowledgement like the announcement ends the send. The receiver's processor receives the
  /// announcement and the end of the data, and sends the request and the acknowledgement. (UCX: get_zcopy.)
  bool receiver_reads = false;
  /// Not 0: the eager limit of sends that the sender waits for at once (MPI_Send, MPI_Sendrecv), so that it can soon
  /// go on; of others the sender copies nothing, as its adapter reads them. (UCX: UCX_RNDV_SEND_NBR_THRESH.)
  std::int64_t blocking_eager_limit_bytes = 0;
  /// Not 0: an eager send of more bytes than that ends when the receiver's adapter has acknowledged it, so long after
  /// the bytes are there beside the links' latency; others end when they have left. (libfabric's cxi: inject_size.)
  std::int64_t acknowledged_above_bytes = 0;
  double acknowledgement_seconds = 0;
  /// Of the messages above the eager limit, this share is lost on its way and sent again so much later.
  double retransmitted_share = 0, retransmission_seconds = 0;
  /// Adapters make connections anew for another peer: messages of a rank to different peers are further apart by so
  /// much than the gap, and receives from different peers as far apart. (UCX: DC in place of RC.)
  double peer_change_send_gap_seconds = 0, peer_change_receive_gap_seconds = 0;
  /// What one rank sends another flows no faster than that. (UCX: with RC a large message is divided among ports; with
  /// DC it has one of them.)
  double connection_bytes_per_second = std::numeric_limits<double>::infinity();
  bool connections_copy = false;  ///< the sender copies eager messages, whether it waits for them or not

  bool makes_connections_anew() const {
    return peer_change_send_gap_seconds > 0 || peer_change_receive_gap_seconds > 0;
  }
  /// The one that applies to a message of `bytes`: it holds for the whole message.
  const Segment& segment(std::int64_t bytes) const;
  bool is_eager(std::int64_t bytes, bool blocking) const {
    return bytes <= (blocking && blocking_eager_limit_bytes > 0 ? blocking_eager_limit_bytes : eager_limit_bytes);
  }
  /// How long the sender is busy with a message of `bytes`, and the receiver with one that was sent so.
  double send_seconds(std::int64_t bytes, bool blocking, bool copies_all_eager = false) const {
    const bool copies = is_eager(bytes, blocking) && (blocking || copies_all_eager || blocking_eager_limit_bytes == 0);
    return send_overhead_seconds + (copies ? static_cast<double>(bytes) * eager_copy_seconds_per_byte : 0);
  }
  double receive_seconds(std::int64_t bytes, bool eager) const {
    if (eager) return receive_overhead_seconds + static_cast<double>(bytes) * eager_copy_seconds_per_byte;
    return receiver_reads ? 2 * (receive_overhead_seconds + send_overhead_seconds) : receive_overhead_seconds;
  }
  /// Over links of so much latency, of a message that is not eager: from when the sender is ready to when the
  /// receiver knows; from when both are and know, to when the data set out.
  double announcement_seconds(double links_seconds) const {
    return receiver_reads ? segments.front().latency_seconds + links_seconds : 0;
  }
  double clearance_seconds(double links_seconds) const {
    return rendezvous_seconds + (receiver_reads ? links_seconds : 0);
  }
  /// From the arrival of a message to the end of its send; 0 of an eager one: that ended before.
  double send_end_seconds(std::int64_t bytes, bool eager, double links_seconds) const {
    if (eager) return is_acknowledged(bytes) ? acknowledgement_seconds + links_seconds : 0;
    return receiver_reads ? receive_seconds(0, false) + announcement_seconds(links_seconds) : 0;
  }
  bool is_acknowledged(std::int64_t eager_bytes) const {
    return acknowledged_above_bytes > 0 && eager_bytes > acknowledged_above_bytes;
  }
};

/// Cost of touching data with one core.
struct Compute {
  struct Rate {
    double overhead_seconds;
    double seconds_per_byte;
    std::int64_t cache_bytes;  ///< what is worked on fits in so many bytes; INT64_MAX: always fits
    /// Caches of several sizes make the way there gradual: in three equal factors, all of it at more than four times
    /// cache_bytes.
    double seconds_per_byte_out_of_cache;
    /// What is worked on: the operation's own bytes; or, as a buffer that the next call uses again stays in no cache
    /// that is smaller, all buffers of the rank's call.
    bool by_call = false;

    double seconds(std::int64_t bytes) const;  ///< of one operation on nothing but its own bytes
    double seconds_per_byte_at(std::int64_t operation_bytes, std::int64_t call_bytes) const;
    /// All that seconds_per_byte_at can be.
    std::vector<double> possible_seconds_per_byte() const;
  };
  /// Memory that an algorithm takes for the time of the call. Fresh pages cost when they are first written to; an
  /// allocator spares that where it gives out again what it was given back.
  struct Temporary {
    double seconds_per_byte = 0;                 ///< of a fresh page, per byte
    std::int64_t mapped_from_bytes = INT64_MAX;  ///< pieces of so many are fresh in every call
    /// Pieces of one call are fresh also where together they are about so much (in part from a quarter of it, all from
    /// twice as much on), and twice the largest: the allocator then gives them back at the end. INT64_MAX: never.
    std::int64_t trimmed_from_bytes = INT64_MAX;
    /// Where it is known only between which sizes pieces begin to be fresh: ever more of a piece is, from
    /// mapped_from_bytes on, and all of it from here on. 0: as of mapped_from_bytes.
    std::int64_t all_mapped_from_bytes = 0;
    /// Of making fresh memory known to an adapter, which then reads or writes there by itself: once for each stretch
    /// of it, in every call, as libraries keep what they registered for as long as the memory is there.
    double registration_seconds = 0;

    bool costs() const { return seconds_per_byte > 0 || registration_seconds > 0; }
  };
  Rate reduce;  ///< per byte of the result
  Rate copy;    ///< per byte copied
  Temporary temporary = {};
  double request_seconds = 0;  ///< of making, starting and freeing a persistent request beyond posting a plain one
  /// Adapters do not gather what does not lie together in memory: of a message that is not eager, the sender's
  /// processor copies piece after piece, which flow no faster than that, and the receiver's copies them apart. (Eager
  /// messages are copied all the same.)
  bool packs = false;
};

/// What others say that messages take on a machine, to set beside the model.
struct Published {
  enum class What { latency, bandwidth, exchange_bandwidth };
  What what;
  Distance distance;
  std::optional<int> hops;  ///< cables between the nodes, those of both adapters counted; none: the fewest
  std::int64_t bytes;       ///< of one message; an exchange is one each way, and its bandwidth that of both together
  double least, most;       ///< seconds, or bytes per second
  std::string source;
  std::string deviates;  ///< not empty: why the model is not within the band
};

/// What many senders to one adapter do to others, on a network that does not control congestion: what waits for that
/// adapter fills the buffers of the switches before it, and messages that come behind wait there, wherever they go.
/// (Pfister, Norton: "Hot spot contention and combining in multistage interconnection networks", IEEE Transactions on
/// Computers 34(10), 1985.)
struct CongestionTrees {
  int from_senders;           ///< so many nodes that send to one adapter make one, on cables that as many of them share
  double grow_seconds;        ///< from when they send to when others are held up
  std::int64_t queued_bytes;  ///< what waits before a message that comes into one
};

/// Immutable and safe for concurrent reads; copies share the network.
struct Machine {
  std::string name;
  std::string description;
  std::shared_ptr<const Network> network;
  std::array<std::optional<Transport>, distance_count> transports;  ///< by Distance; all that the network has are there
  Compute compute;
  std::int64_t memory_bytes_per_node = 0;                ///< 0: unknown
  std::optional<CongestionTrees> congestion_trees = {};  ///< none: the network controls congestion, or nobody knows
  std::vector<Published> published;
  /// What jobs of more ranks than `larger_job_ranks` run on, where a library then uses other transports; nullptr: this.
  std::shared_ptr<const Machine> larger_jobs = nullptr;
  int larger_job_ranks = 0;

  /// The machine as a job of so many ranks finds it: same network, same cores.
  const Machine& for_job(int ranks) const { return is_larger_job(ranks) ? *larger_jobs : *this; }
  bool is_larger_job(int ranks) const { return larger_jobs && ranks > larger_job_ranks; }
  /// Throws std::out_of_range for a distance that no two cores of the machine have.
  const Transport& transport(Distance distance) const;
  /// One message on an idle machine, the receiver waiting for it, its send blocking: send overhead + handshake where
  /// the message is above the eager limit + latency of the segment and of every link on the route + bytes / (the least
  /// bandwidth among the segment and the links) + receive overhead.
  double message_seconds(int from_core, int to_core, std::int64_t bytes) const;
};

/// The name of an embedded machine, or the path of a machine file. All faults of a file or text are reported as
/// InputError with one line "FILE:LINE: /json/pointer: what was expected".
Machine load_machine(const std::string& name_or_path);
/// `origin` stands for FILE, and files that the text names are sought beside it.
Machine parse_machine(const std::string& text, const std::string& origin);
/// The JSON text behind a machine's name or path.
std::string machine_source(const std::string& name_or_path);

/// The machines embedded in the program, sorted, and their JSON. machine_text throws InputError on a name
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
/// All figures of a machine text that the model is made of, in the file's order of keys sorted by name.
std::vector<Figure> machine_figures(const std::string& text, const std::string& origin);

}  // namespace tutti
