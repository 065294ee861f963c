#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "models/machine.hpp"
#include "sim/flow_network.hpp"

namespace tutti {

/// The trees of waiting messages that CongestionTrees (models/machine.hpp) speaks of, over whatever flows there are.
///
/// An adapter of C bytes per second has a tree while those who send to it could bring from_senders * C: each of them
/// what its own adapter has, divided by the messages that it sends at the time. The tree is all cables on their ways.
/// In the queues there, all senders have their turn: what another sender has there comes through as fast as what one of
/// the tree's does, C / (how many times C they could bring). And as its adapter sends in turn what it has, that is how
/// fast its other messages are, too: with k of m messages of a sender in trees, it sends at m / k times that rate. A
/// message that comes into a tree has queued_bytes before it. Not in the model: that a tree takes time to grow and to
/// drain, that what is held up so holds up others, and that announcements and acknowledgements wait, too.
///
/// Used by one thread.
class Congestion {
 public:
  /// Both must outlive it. Adapters are those of the machine's nodes; where flows do not share them, nothing is done.
  Congestion(const Machine& machine, FlowNetwork& network);

  /// A flow is about to begin; numbers are small and used again. How many bytes wait before it.
  std::int64_t begin(std::uint32_t flow, std::span<const LinkId> links);
  void end(std::uint32_t flow);  ///< nothing of one that has not begun
  /// All that begins or ends at this instant has: adapters get the capacity that trees leave them.
  void settle();

 private:
  static constexpr double kFree = std::numeric_limits<double>::infinity();

  struct Flow {
    LinkId out = FlowNetwork::Holder::kNone, in = FlowNetwork::Holder::kNone;  // adapters; kNone: inside a node
    std::uint32_t place_out = 0;                                               // among those that leave there
    std::vector<LinkId> cables;
  };
  struct Adapter {
    double capacity = 0, left = 0;  // bytes per second: by itself, and beside trees
    std::vector<std::uint32_t> flows;
    std::uint32_t received = 0;  // flows that come in
    double wanted = 0;           // bytes per second, by those
    bool listed = false;         // in senders_
  };
  double share_of(LinkId in) const;
  double share_of(const Flow& flow) const;
  void grow();

  const CongestionTrees trees_;
  FlowNetwork& network_;
  std::vector<Adapter> adapters_;     // by link; of the others nothing is kept
  std::vector<bool> is_in_, is_out_;  // by link
  std::size_t cables_;                // the first so many links are the fabric's
  std::vector<Flow> flows_;
  std::vector<LinkId> senders_;    // adapters that have sent
  std::vector<LinkId> congested_;  // adapters with a tree
  std::vector<double> share_;      // of each cable in trees: what one sender's messages get there; else kFree
  std::vector<LinkId> in_trees_;   // these cables
  std::uint32_t crowd_ = 1;        // an adapter that receives fewer flows cannot have a tree
  std::uint32_t crowded_ = 0;      // adapters that receive as many
  bool changed_ = false, narrowed_ = false;
};

}  // namespace tutti
