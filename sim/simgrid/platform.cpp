#include "sim/simgrid/platform.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <vector>

#include "sim/flow_network.hpp"

namespace tutti::simgrid {

using ::simgrid::kernel::routing::NetPoint;
using ::simgrid::kernel::routing::NetZoneImpl;
using ::simgrid::kernel::routing::Route;

class Platform::Zone final : public NetZoneImpl {
 public:
  Zone(std::shared_ptr<const Network> network, bool with_latencies)
      : NetZoneImpl("network"), network_(std::move(network)), with_latencies_(with_latencies) {}

  void get_local_route(const NetPoint* from, const NetPoint* to, Route* into, double* latency_seconds) override {
    network_->route(core_of_[from->id()], core_of_[to->id()], route_);
    double narrowest = std::numeric_limits<double>::infinity();
    for (const LinkId link : route_) {
      into->link_list_.push_back(links_[link]->get_impl());
      narrowest = std::min(narrowest, network_->links()[link].bandwidth_bytes_per_second);
      if (with_latencies_ && latency_seconds) *latency_seconds += network_->links()[link].latency_seconds;
    }
    if (through_lane_) into->link_list_.push_back(lanes_.at(network_->node_of(core_of_[from->id()]))->get_impl());
    if (cap_ > 0 && cap_ < narrowest) into->link_list_.push_back(caps_.at({cap_, from->id()})->get_impl());
  }

  /// The links between these cores, which are ascending: building a whole machine would take longer than using a few of
  /// its nodes. Of the fabric all links, where they are fewer than pairs of cores.
  void add_links(std::span<const int> cores) {
    links_.assign(network_->links().size(), nullptr);
    const std::size_t fabric_links = network_->fabric().links().size();
    if (fabric_links >= cores.size() * cores.size()) {
      for (const int from : cores)
        for (const int to : cores) add_route(from, to);
      return;
    }
    for (LinkId id = 0; id < fabric_links; ++id) add(id);
    for (std::size_t first = 0, end; first < cores.size(); first = end) {  // one node after the other
      end = first;
      while (end < cores.size() && network_->node_of(cores[end]) == network_->node_of(cores[first])) ++end;
      for (std::size_t i = first; i < end; ++i) {
        for (std::size_t j = first; j < end; ++j) add_route(cores[i], cores[j]);
        const int elsewhere = first > 0 ? cores.front() : cores.back();  // a way out and in is the same to all nodes
        add_route(cores[i], elsewhere);
        add_route(elsewhere, cores[i]);
      }
    }
  }
  sg4::Host* add_host(int core) {
    sg4::Host* host = get_iface()->create_host("core" + std::to_string(core), 1e9);
    host->seal();
    const auto id = host->get_netpoint()->id();
    if (core_of_.size() <= id) core_of_.resize(id + 1, -1);
    core_of_[id] = core;
    return host;
  }
  void add_cap(const sg4::Host* from, double bytes_per_second) {
    auto& cap = caps_[{bytes_per_second, from->get_netpoint()->id()}];
    if (!cap) cap = add_link("cap" + std::to_string(caps_.size()), bytes_per_second, 0, false);
  }
  void add_lane(int node, double bytes_per_second) {
    sg4::Link*& lane = lanes_[node];
    if (!lane) lane = add_link("lane" + std::to_string(node), bytes_per_second, 0, true);
  }
  void set_capacity(LinkId link, double bytes_per_second) {
    const std::size_t links = network_->links().size();
    if (link < links)
      links_[link]->set_bandwidth(std::min(bytes_per_second, network_->links()[link].bandwidth_bytes_per_second));
    else
      lanes_.at(static_cast<int>(link - links))
          ->set_bandwidth(std::min(bytes_per_second, ::tutti::lane_bandwidth(*network_)));
  }
  void cap_next(double bytes_per_second) { cap_ = bytes_per_second; }
  void lane_on_next(bool passes) { through_lane_ = passes; }

 private:
  void add_route(int from, int to) {
    network_->route(from, to, route_);
    for (const LinkId id : route_) add(id);
  }
  void add(LinkId id) {
    if (links_[id]) return;
    const Link& link = network_->links()[id];
    links_[id] = add_link("link" + std::to_string(id), link.bandwidth_bytes_per_second,
                          with_latencies_ ? link.latency_seconds : 0, link.shared);
  }
  sg4::Link* add_link(const std::string& name, double bytes_per_second, double latency_seconds, bool shared) {
    sg4::Link* link = get_iface()->create_link(name, bytes_per_second);
    if (!shared) link->set_sharing_policy(sg4::Link::SharingPolicy::FATPIPE);
    link->set_latency(latency_seconds);
    link->seal();
    return link;
  }

  std::shared_ptr<const Network> network_;
  bool with_latencies_;
  std::vector<sg4::Link*> links_;
  std::vector<int> core_of_;  // by netpoint id
  // By rate and source's netpoint: SimGrid solves anew all flows that are joined by links in common, even by links that
  // no flow shares with another.
  std::map<std::pair<double, unsigned long>, sg4::Link*> caps_;
  double cap_ = 0;
  std::map<int, sg4::Link*> lanes_;  // by node
  bool through_lane_ = false;
  std::vector<LinkId> route_;
};

Platform::Platform(std::shared_ptr<const Network> network, std::span<const int> cores, std::span<const double> caps,
                   bool with_latencies, double lane_bandwidth)
    : zone_(new Zone(network, with_latencies)) {
  zone_->add_links(cores);
  for (const int core : cores) {
    hosts_.try_emplace(core, zone_->add_host(core));
    for (const double cap : caps) zone_->add_cap(hosts_.at(core), cap);
    if (lane_bandwidth > 0) zone_->add_lane(network->node_of(core), lane_bandwidth);
  }
  zone_->get_iface()->seal();
}

void Platform::set_capacity(LinkId link, double bytes_per_second) { zone_->set_capacity(link, bytes_per_second); }

void Platform::lane_on_next_route(bool passes) { zone_->lane_on_next(passes); }

void Platform::cap_next_route(double bytes_per_second) { zone_->cap_next(bytes_per_second); }

}  // namespace tutti::simgrid
