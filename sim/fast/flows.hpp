#pragma once

#include <limits>
#include <span>
#include <vector>

#include "models/machine.hpp"
#include "sim/fast/heap.hpp"
#include "sim/flows.hpp"

namespace tutti::fast {

/// Flows share links max-min fairly: no flow's rate can grow without that of one that is no faster shrinking. Whatever
/// begins or ends at one instant changes the network first; then the rates of those it concerns, and of no others, are
/// solved anew, once. (Bertsekas, Gallager: "Data Networks", 2nd edition, 1992, section 6.5.2.)
///
/// There is no tolerance in when a flow ends: it ends at the time computed when its rate was last set, so that every
/// step of the clock ends a flow or serves a wish. Ends nearer to each other than a femtosecond, or than the clock
/// tells apart, are one instant. Used by one thread; the machine must outlive it.
class Flows final : public FlowNetwork {
 public:
  explicit Flows(const Machine& machine);

  double now_seconds() const override { return now_; }
  void start(std::uint32_t flow, int from_core, int to_core, std::int64_t bytes, double rate_cap) override;
  void wake_at(double seconds) override;
  std::size_t most_flows() const override { return std::numeric_limits<std::uint32_t>::max(); }
  void run(FlowListener& listener) override;

 private:
  using Slot = std::uint32_t;
  struct Flow {
    std::uint32_t name = 0;  // the caller's
    double cap = 0;          // bytes per second, unshared links included
    double rate = 0;         // 0: not known yet
    double left_bytes = 0;   // at `since`
    double since = 0;
    std::vector<LinkId> links;         // shared ones on its way
    std::vector<std::uint32_t> place;  // where it is among each link's flows
    std::uint64_t seen = 0;
  };
  struct SharedLink {
    double capacity = 0;  // bytes per second
    std::vector<Slot> flows;
    bool changed = false;
    std::uint64_t seen = 0;
    // while solving:
    double left = 0;
    std::uint32_t undecided = 0;
  };

  void finish(Slot slot);
  void change(LinkId link);
  void solve();
  void gather();
  void decide(Slot slot, double rate);
  void set_rate(Slot slot, double rate);

  const Network& network_;
  double now_ = 0, wake_at_ = std::numeric_limits<double>::infinity();
  std::vector<SharedLink> links_;
  std::vector<Flow> flows_;
  std::vector<Slot> free_;
  Heap ends_;  // flows by when they end
  std::vector<LinkId> route_, changed_;
  std::vector<Slot> alone_;  // begun, and on no shared link
  std::vector<std::uint32_t> finished_;

  // The component being solved.
  std::uint64_t round_ = 0;
  std::vector<LinkId> component_links_;
  std::vector<Slot> component_flows_;
  std::vector<std::uint8_t> decided_;  // by slot
  Heap shares_;                        // links by what each undecided flow would get
};

}  // namespace tutti::fast
