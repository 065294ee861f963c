#include <cmath>
#include <deque>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

#include "sim/simgrid/module.hpp"
#include "sim/simgrid/platform.hpp"

namespace tutti::simgrid {
namespace {

using ::simgrid::kernel::timer::Timer;

/// Every rate a flow may be limited to: of messages by distance and size, of connections, of copies and of reductions.
std::vector<double> caps_of(const Machine& machine) {
  std::vector<double> caps;
  const auto add = [&](double cap) {
    if (std::isfinite(cap) && cap > 0) caps.push_back(cap);
  };
  for (const Machine* job : {&machine, machine.larger_jobs.get()})
    for (std::size_t i = 0; job && i < job->transports.size(); ++i)
      if (const auto& transport = job->transports[i]) {
        for (const Segment& segment : transport->segments) add(segment.bandwidth_bytes_per_second);
        add(transport->connection_bytes_per_second);
      }
  for (const Compute::Rate& rate : {machine.compute.copy, machine.compute.reduce}) {
    for (const double seconds_per_byte : rate.possible_seconds_per_byte()) add(1 / seconds_per_byte);
  }
  return caps;
}

class Flows final : public FlowNetwork {
 public:
  Flows(const Machine& machine, std::span<const int> cores, bool solve_all_at_once)
      : engine_(make_engine(solve_all_at_once)),
        platform_(machine.network, cores, caps_of(machine), false,
                  machine.congestion_trees ? lane_bandwidth(*machine.network) : 0),
        machine_links_(machine.network->links().size()) {
    sg4::Activity::on_completion_cb([this](const sg4::Activity& activity) { completed(activity); });
  }

  double now_seconds() const override { return sg4::Engine::get_clock(); }

  void start(std::uint32_t flow, int from_core, int to_core, std::span<const LinkId> links, std::int64_t bytes,
             double rate_cap) override {
    platform_.cap_next_route(std::isfinite(rate_cap) ? rate_cap : 0);
    platform_.lane_on_next_route(!links.empty() && links.front() >= machine_links_);
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(under_way_.size()));
      under_way_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    UnderWay& slot = under_way_[index];
    slot.flow = flow;
    slot.comm = sg4::Comm::sendto_init();
    slot.comm->set_data(reinterpret_cast<void*>(static_cast<std::uintptr_t>(index) + 1));
    slot.comm->set_payload_size(static_cast<std::uint64_t>(bytes));
    slot.comm->set_source(platform_.host(from_core));
    slot.comm->set_destination(platform_.host(to_core));  // now that all is known, it starts
  }

  void set_capacity(LinkId link, double bytes_per_second) override { platform_.set_capacity(link, bytes_per_second); }

  void wake_at(double seconds) override {
    if (timer_ && timer_->get_date() <= seconds) return;
    if (timer_) timer_->remove();
    timer_ = Timer::set(seconds, [this] {
      timer_ = nullptr;
      listener_->wake();
    });
  }

  /// Solving the shares takes time in the square of what is in flight: 4,096 unequal flows on one link take a second or
  /// two.
  std::size_t most_flows() const override { return 4096; }

  void run(FlowListener& listener) override {
    listener_ = &listener;
    engine_->run();
    finished_.clear();
  }

 private:
  struct UnderWay {
    sg4::CommPtr comm;
    std::uint32_t flow = 0;
  };

  static std::unique_ptr<sg4::Engine> make_engine(bool solve_all_at_once) {
    int argc = 2;
    char name[] = "tutti", quiet[] = "--log=root.thresh:error";
    char* argv[] = {name, quiet, nullptr};
    auto engine = std::make_unique<sg4::Engine>(&argc, argv);
    sg4::Engine::set_config("network/model:CM02");
    sg4::Engine::set_config("network/crosstraffic:0");
    sg4::Engine::set_config("network/TCP-gamma:0");
    sg4::Engine::set_config("surf/precision:1e-12");
    if (solve_all_at_once) sg4::Engine::set_config("network/optim:Full");
    return engine;
  }

  void completed(const sg4::Activity& activity) {
    const auto index = reinterpret_cast<std::uintptr_t>(static_cast<const sg4::Comm&>(activity).get_data<void>()) - 1;
    UnderWay& slot = under_way_[index];
    const std::uint32_t flow = slot.flow;
    // SimGrid 3.32 still uses the activity after this callback: let go of it a little later.
    finished_.push_back(std::move(slot.comm));
    if (finished_.size() > kKeptFinished) finished_.pop_front();
    free_.push_back(static_cast<std::uint32_t>(index));
    listener_->flow_finished(flow);
  }

  static constexpr std::size_t kKeptFinished = 256;

  std::unique_ptr<sg4::Engine> engine_;
  Platform platform_;
  std::size_t machine_links_;  // what comes behind are lanes
  std::deque<UnderWay> under_way_;
  std::vector<std::uint32_t> free_;
  std::deque<sg4::CommPtr> finished_;
  Timer* timer_ = nullptr;
  FlowListener* listener_ = nullptr;
};

}  // namespace

extern "C" MakeFlows tutti_simgrid_make_flows;
FlowNetwork* tutti_simgrid_make_flows(const Machine& machine, std::span<const int> cores, bool solve_all_at_once) {
  return new Flows(machine, cores, solve_all_at_once);
}

}  // namespace tutti::simgrid
