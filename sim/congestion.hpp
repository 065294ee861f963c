#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/engine.hpp"
#include "sim/flow_network.hpp"

namespace tutti {

/// The tree of waiting messages that another job's incast makes, as CongestionTrees (models/machine.hpp) says.
///
/// Those of a network's cables are in the tree that from_senders of the incast's senders share on their way to the
/// root. It stands while so many send, from grow_seconds after they began, and is gone when a round is over. The cables
/// have their turn for each message: one that passes them gets C / n there, what each of n senders gets of the root's
/// adapter, which has C. One that comes into a standing tree waits first until queued_bytes are through at that rate,
/// or the tree is gone. What a node sends elsewhere is not held up.
///
/// Not in the model: that what is held up holds up others in turn, that announcements and acknowledgements wait, too,
/// and what the case's own messages would make. Used by one thread.
class Congestion {
 public:
  static bool is_there(const Machine& machine, const Experiment& experiment) {
    return machine.congestion_trees && experiment.background && experiment.background->kind == Background::Kind::incast;
  }
  /// There is one; all must outlive it.
  Congestion(const Machine& machine, const Experiment& experiment, FlowNetwork& network);

  /// A flow between two ranks is about to begin; numbers are small and used again. Until when it has to wait, if it
  /// has to: then passes() is asked, unless settle() lets it go before.
  std::optional<double> wait(std::uint32_t flow, Rank from, std::span<const LinkId> links, double now_seconds);
  bool passes(std::uint32_t flow, double now_seconds);
  /// The flow begins. Of one over cables of the tree `links` get its node's lane (FlowNetwork), until the next call.
  void begin(std::uint32_t flow, Rank from, Rank to, std::span<const LinkId>& links);
  void end(std::uint32_t flow);
  struct Settled {
    std::optional<double> stands;     // when the tree will, if that has been found now
    std::vector<std::uint32_t> free;  // flows that need not wait any more
  };
  /// All that begins or ends at this instant has.
  Settled settle(double now_seconds);

 private:
  static constexpr int kNoLane = -1, kToRoot = -2;
  struct Lane {
    LinkId link;
    std::uint32_t flows = 0;
    double width = 0;  // bytes per second
  };
  struct Held {
    std::uint32_t flow;
    double until;  // seconds
  };
  bool is_in_tree(Rank from, std::span<const LinkId> links) const;
  double share() const { return root_bandwidth_ / arriving_; }

  const CongestionTrees trees_;
  FlowNetwork& network_;
  const Rank root_;
  double root_bandwidth_ = 0;
  std::vector<bool> in_tree_;      // by link of the fabric
  std::vector<Lane> lanes_;        // of the case's nodes
  std::vector<int> lane_of_rank_;  // the case's
  std::vector<int> of_flow_;       // its lane, or what it is instead
  std::vector<LinkId> links_;      // with a lane
  std::vector<Held> held_;
  int arriving_ = 0;    // flows to the root
  double stands_from_;  // seconds
  bool stands_ = false;
  const double wide_;  // a lane without a tree, bytes per second
};

}  // namespace tutti
