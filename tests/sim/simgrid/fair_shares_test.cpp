#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <set>

#include "models/machine.hpp"
#include "sim/fast/max_min_network.hpp"
#ifdef TUTTI_SIMGRID
#include "sim/simgrid/flows.hpp"
#endif

namespace tutti {
namespace {

struct Flow {
  double start_seconds;
  int from, to;
  std::int64_t bytes;
  double cap;
};

/// Starts every flow in time and notes when it ends.
class Recorder final : public FlowListener {
 public:
  Recorder(const Machine& machine, FlowNetwork& network, const std::vector<Flow>& flows)
      : machine_(machine), network_(network), flows_(flows), ends(flows.size()) {}
  void flow_finished(std::uint32_t flow) override { ends[flow] = network_.now_seconds(); }
  void wake() override {
    for (; next_ < flows_.size() && flows_[next_].start_seconds <= network_.now_seconds() + 1e-15; ++next_) {
      const Flow& flow = flows_[next_];
      machine_.network->route(flow.from, flow.to, route_);
      network_.start(static_cast<std::uint32_t>(next_), flow.from, flow.to, route_, flow.bytes, flow.cap);
    }
    if (next_ < flows_.size()) network_.wake_at(flows_[next_].start_seconds);
  }

 private:
  const Machine& machine_;
  FlowNetwork& network_;
  std::vector<LinkId> route_;
  const std::vector<Flow>& flows_;
  std::size_t next_ = 0;

 public:
  std::vector<double> ends;
};

/// Max-min fair rates by filling up: the tightest link or cap of those left decides first.
std::vector<double> fair_rates(const Network& network, const std::vector<Flow>& flows,
                               const std::set<std::size_t>& active) {
  std::map<LinkId, double> left;
  std::map<LinkId, std::set<std::size_t>> users;
  std::vector<double> rates(flows.size(), 0);
  std::vector<LinkId> route;
  std::vector<std::vector<LinkId>> routes(flows.size());
  std::vector<double> caps(flows.size());
  for (const std::size_t f : active) {
    caps[f] = flows[f].cap;
    network.route(flows[f].from, flows[f].to, route);
    for (const LinkId link : route) {
      const Link& figures = network.links()[link];
      if (!figures.shared) {
        caps[f] = std::min(caps[f], figures.bandwidth_bytes_per_second);
        continue;
      }
      routes[f].push_back(link);
      users[link].insert(f);
      left[link] = figures.bandwidth_bytes_per_second;
    }
  }
  std::set<std::size_t> open = active;
  while (!open.empty()) {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [link, flows_on_it] : users)
      if (!flows_on_it.empty()) least = std::min(least, left[link] / static_cast<double>(flows_on_it.size()));
    for (const std::size_t f : open) least = std::min(least, caps[f]);
    std::set<std::size_t> decided;
    for (const std::size_t f : open) {
      bool tight = caps[f] <= least * (1 + 1e-12);
      for (const LinkId link : routes[f])
        tight = tight || left[link] / static_cast<double>(users[link].size()) <= least * (1 + 1e-12);
      if (tight) decided.insert(f);
    }
    for (const std::size_t f : decided) {
      rates[f] = least;
      open.erase(f);
    }
    for (const std::size_t f : decided)
      for (const LinkId link : routes[f]) {
        left[link] -= least;
        users[link].erase(f);
      }
  }
  return rates;
}

std::vector<double> expected_ends(const Network& network, const std::vector<Flow>& flows) {
  std::vector<double> ends(flows.size()), remaining(flows.size());
  std::set<std::size_t> active;
  std::size_t next = 0;
  for (double now = 0; next < flows.size() || !active.empty();) {
    const std::vector<double> rates = fair_rates(network, flows, active);
    double until = next < flows.size() ? flows[next].start_seconds : std::numeric_limits<double>::infinity();
    for (const std::size_t f : active) until = std::min(until, now + remaining[f] / rates[f]);
    for (const std::size_t f : std::set<std::size_t>(active)) {
      remaining[f] -= rates[f] * (until - now);
      if (remaining[f] < 1e-6) {
        ends[f] = until;
        active.erase(f);
      }
    }
    now = until;
    for (; next < flows.size() && flows[next].start_seconds <= now; ++next) {
      remaining[next] = static_cast<double>(flows[next].bytes);
      active.insert(next);
    }
  }
  return ends;
}

using MakeFlows = std::function<std::unique_ptr<FlowNetwork>(const Machine&, std::span<const int> cores)>;

/// SimGrid has one engine per process: in a child, whose status says whether all ends are as expected.
bool ends_as_expected(const Machine& machine, const std::vector<Flow>& flows, const MakeFlows& make_flows) {
  const pid_t child = fork();
  if (child == 0) {
    std::set<int> cores;
    for (const Flow& flow : flows) cores.insert({flow.from, flow.to});
    const std::vector<int> used(cores.begin(), cores.end());
    const auto network = make_flows(machine, used);
    Recorder recorder(machine, *network, flows);
    network->wake_at(flows.front().start_seconds);
    network->run(recorder);
    const std::vector<double> expected = expected_ends(*machine.network, flows);
    bool right = true;
    for (std::size_t i = 0; i < flows.size(); ++i)
      if (std::abs(recorder.ends[i] - expected[i]) > 1e-9) {
        std::fprintf(stderr, "flow %zu of %zu: ends at %.12g us, expected %.12g us\n", i, flows.size(),
                     recorder.ends[i] * 1e6, expected[i] * 1e6);
        right = false;
      }
    _exit(right ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct Engine {
  const char* name;
  MakeFlows make_flows;
};

std::vector<Engine> engines() {
  std::vector<Engine> all{{"fast", [](const Machine& machine, std::span<const int>) {
                             return std::make_unique<fast::MaxMinNetwork>(machine);
                           }}};
#ifdef TUTTI_SIMGRID
  for (const bool all_at_once : {false, true})
    all.push_back({all_at_once ? "simgrid_all_at_once" : "simgrid",
                   [all_at_once](const Machine& machine, std::span<const int> cores) {
                     return simgrid::make_flows(machine, cores, all_at_once);
                   }});
#endif
  return all;
}

using FairShares = testing::TestWithParam<Engine>;
INSTANTIATE_TEST_SUITE_P(Engines, FairShares, testing::ValuesIn(engines()),
                         [](const auto& each) { return each.param.name; });

TEST_P(FairShares, AreMaxMinWithCapsWheneverFlowsStart) {
  const Machine machine = load_machine("example-cluster");
  std::vector<double> caps{std::numeric_limits<double>::infinity()};
  for (const auto& transport : machine.transports)
    if (transport)
      for (const Segment& segment : transport->segments) caps.push_back(segment.bandwidth_bytes_per_second);
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<Flow> flows;
    const int nodes = 1 + repeat % 6, count = 2 + repeat * 5;
    double start = 0;
    for (int i = 0; i < count; ++i) {
      if (below(3) > 0) start += 1e-6 * below(5);  // some at once
      const int cores = nodes * machine.network->cores_per_node();
      flows.push_back({start, below(cores), below(cores), 1000 + below(5) * 20000,
                       caps[static_cast<std::size_t>(below(static_cast<int>(caps.size())))]});
    }
    EXPECT_TRUE(ends_as_expected(machine, flows, GetParam().make_flows)) << count << " flows on " << nodes << " nodes";
  }
}

}  // namespace
}  // namespace tutti
