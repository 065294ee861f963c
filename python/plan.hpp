#pragma once
// What `tutti.simulate` is to simulate, before any of it runs.

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "algos/case.hpp"
#include "models/layout.hpp"
#include "python/simulated_call.hpp"
#include "python/user_algorithm.hpp"
#include "selection/asked_candidates.hpp"

namespace tutti::python {

/// As on the command line, but for `algorithms`.
struct SimulateRequest {
  SharedMachine machine;
  std::string collective;
  std::vector<std::string> algorithms;  // names, all, default:LIBRARY
  std::vector<UserChoice> own;          // the user's, simulated after those
  std::string nodes, ppn, ranks, placement, bytes, osu_sizes, engine, mode, op;
  Rank root = 0;
  std::optional<std::int32_t> element;  // bytes
  bool in_place = false, record = false, check = false;
  std::uint64_t seed = 1;
  int jobs = 1;
  std::string counts;                     // of an irregular collective, as BlockCounts::from reads them
  std::vector<Count> count_of_each;       // or one by one: of ranks, or from each rank to each
  std::string neighbors;                  // as Neighborhood::from reads them
  std::vector<Neighborhood::Edge> edges;  // or one by one
};

/// Everything that its runs need, so that threads may outlive who asked. Throws InputError as `tutti simulate` does.
class Plan {
 public:
  explicit Plan(SimulateRequest request);

  std::size_t runs() const { return runs_.size(); }
  /// Runs of about equal work, so that an engine that sets up a platform does so seldom: first ones, and the end.
  std::vector<std::size_t> stretches() const;
  /// Simulates runs first to last - 1. Thread-safe for different runs.
  void simulate(std::size_t first, std::size_t last);
  /// What was simulated, without what could not be; `remarks` then says so.
  std::vector<SimulatedCall> take(std::set<std::string>& remarks);
  const SimulateRequest& request() const { return request_; }

 private:
  struct Run {
    std::size_t layout;
    Case c;
    Choice choice;
    bool optional;
    double work;
  };
  void plan(std::size_t layout, const Case& c, std::int64_t bytes, const Candidate& candidate);
  void plan_layout(std::size_t layout);
  void check_options() const;
  Case case_of(int ranks, std::int64_t bytes) const;
  std::vector<std::int64_t> sizes() const;
  Experiment experiment_of(const Run& run) const;

  SimulateRequest request_;
  Collective collective_;
  std::unique_ptr<Engine> engine_;
  Mode mode_;
  std::vector<Candidate> candidates_;
  std::vector<Layout> layouts_;
  std::unique_ptr<Machine> part_;  // the nodes that are used
  std::vector<Run> runs_;
  std::vector<SimulatedCall> calls_;
  std::set<std::string> remarks_;
};

}  // namespace tutti::python
