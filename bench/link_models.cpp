// How links are shared, measured: fair shares (sim/fast) beside servers of trains (link_models/train_flows.hpp), under
// the same simulation of ranks and protocol, every rank simulated. Prints tables in Markdown.
// Measured times are those in $TUTTI_SHARED/data/collectives (default ../shared). usage: link_models

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>

#include "bench/link_models/train_flows.hpp"
#include "calibration/collective_times.hpp"
#include "models/placement.hpp"
#include "sim/fast/max_min_network.hpp"
#include "sim/simulation.hpp"
#include "topologies/dragonfly.hpp"
#include "topologies/fat_tree.hpp"

namespace tutti {
namespace {

using MakeFlows = std::function<std::unique_ptr<FlowNetwork>(const Machine&)>;

struct Model {
  const char* name;
  MakeFlows make;
};

MakeFlows trains_of(std::int64_t bytes) {
  return [bytes](const Machine& machine) { return std::make_unique<TrainFlows>(machine, bytes); };
}

const std::vector<Model> kModels = {
    {"fair shares", [](const Machine& machine) { return std::make_unique<fast::MaxMinNetwork>(machine); }},
    {"trains of 4 KiB", trains_of(4096)},
    {"of 64 KiB", trains_of(65536)},
    {"whole messages", trains_of(TrainFlows::kWholeMessages)}};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// An engine that shares links as the model says, and counts what simulating takes once the network is there. For one
/// thread.
class LinkModel final : public Engine {
 public:
  explicit LinkModel(const Model& model) : model_(model) {}
  std::string name() const override { return model_.name; }
  double simulating_seconds() const { return simulating_seconds_; }
  std::vector<Result> run(const Machine& machine, std::span<const Experiment> experiments) const override {
    std::vector<Result> results;
    for (const Experiment& experiment : experiments) {
      const Machine& job = machine.for_job(experiment.c.ranks);
      const std::unique_ptr<FlowNetwork> flows = model_.make(job);
      const double before = processor_seconds();
      results.push_back(Simulation(job, experiment, *flows).run());
      simulating_seconds_ += processor_seconds() - before;
    }
    return results;
  }

 private:
  const Model& model_;
  mutable double simulating_seconds_ = 0;
};

/// The value that so large a share of them is below.
double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

// --- simulations of several networks

Machine with_network(std::unique_ptr<const Fabric> fabric) {
  Machine machine = load_machine("example-cluster");
  machine.network = std::make_shared<Network>(machine.network->node_shape(), std::move(fabric));
  return machine;
}

/// Eight leaves of four nodes.
Machine fat_tree(int parents) {
  return with_network(std::make_unique<FatTree>(FatTreeShape{4, {{8, parents, 1, {12.5e9, 2e-7, true}}}, 0}));
}

Machine dragonfly() {
  DragonflyShape shape;
  shape.groups = 4;
  shape.routers_per_chassis = 4;
  shape.nodes_per_router = 2;
  shape.local = {12.5e9, 1e-7, true};
  shape.global = {12.5e9, 3e-7, true};
  return with_network(std::make_unique<Dragonfly>(shape));
}

struct Calls {
  Collective collective;
  const char* choice;
  int nodes;  // of 8 ranks
  Count count;
};

constexpr Count kBlock = 256 << 10, kVector = 16 << 20;
const std::vector<Calls> kCalls = {{Collective::allgather, "ring", 31, kBlock},
                                   {Collective::alltoall, "pairwise", 31, kBlock},
                                   {Collective::alltoall, "linear", 31, kBlock},
                                   {Collective::bcast, "knomial:radix=4", 31, kVector},
                                   {Collective::allreduce, "recursive_doubling", 31, kVector},
                                   {Collective::allreduce, "recursive_doubling", 32, kVector}};

void compare_on_networks() {
  const std::vector<std::pair<const char*, Machine>> machines = {
      {"fat tree 1:1", fat_tree(4)},
      {"fat tree 2:1", fat_tree(2)},
      {"dragonfly", dragonfly()},
      {"marenostrum5-acc", load_machine("marenostrum5-acc")}};
  std::printf("| | ranks |");
  for (const auto& [name, machine] : machines) std::printf(" %s |", name);
  std::printf(" million messages a second |\n|---|---|---|---|---|---|---|\n");
  for (const Calls& calls : kCalls) {
    Experiment one;
    one.c = {.collective = calls.collective, .ranks = 8 * calls.nodes, .count = calls.count};
    one.choice = parse_choice(calls.collective, calls.choice);
    std::vector<double> messages(kModels.size()), seconds(kModels.size());
    std::printf("| %s %s | %d |", name_of(calls.collective).data(), calls.choice, one.c.ranks);
    for (const auto& [name, machine] : machines) {
      one.core_of_rank = place_block(*machine.network, one.c.ranks, 8);
      double fair_seconds = 0;
      for (std::size_t i = 0; i < kModels.size(); ++i) {
        const LinkModel model(kModels[i]);
        const Result result = model.run(machine, {&one, 1}).front();
        seconds[i] += model.simulating_seconds();
        messages[i] += static_cast<double>(result.messages);
        if (i == 0) fair_seconds = result.makespan_seconds;
        if (i > 0) std::printf("%s %.2f", i > 1 ? "," : "", result.makespan_seconds / fair_seconds);
      }
      std::printf(" |");
    }
    for (std::size_t i = 0; i < kModels.size(); ++i)
      std::printf("%s %.2g", i > 0 ? "," : "", messages[i] / seconds[i] / 1e6);
    std::printf(" |\n");
    std::fflush(stdout);
  }
}

// --- measured times

/// Of scenarios in which several algorithms were measured: how much longer than the best the predicted best took.
double mean_regret(std::span<const CollectiveRow> rows, const std::vector<double>& predicted) {
  std::map<std::tuple<std::string, Collective, int, int, std::int64_t, std::string>, std::vector<std::size_t>>
      scenarios;
  for (std::size_t i = 0; i < rows.size(); ++i)
    scenarios[{rows[i].system, rows[i].collective, rows[i].ranks, rows[i].ppn, rows[i].bytes, rows[i].placement}]
        .push_back(i);
  double sum = 0, count = 0;
  for (const auto& [scenario, rivals] : scenarios) {
    if (rivals.size() < 2) continue;
    const auto pick = *std::min_element(rivals.begin(), rivals.end(),
                                        [&](std::size_t a, std::size_t b) { return predicted[a] < predicted[b]; });
    double best = rows[pick].seconds;
    for (const std::size_t i : rivals) best = std::min(best, rows[i].seconds);
    sum += rows[pick].seconds / best;
    ++count;
  }
  return sum / count;
}

struct Compared {
  const Model& model;
  std::vector<double> predicted, errors;
  double seconds;
};

void print_errors(const char* which, const Compared& one, const std::vector<std::size_t>& rows) {
  std::vector<double> errors;
  for (const std::size_t row : rows) errors.push_back(one.errors[row]);
  std::printf("| %s | %zu | %s | %.1f %% | %.0f %% |", which, rows.size(), one.model.name, 100 * quantile(errors, 0.5),
              100 * quantile(errors, 0.95));
}

/// How far fair shares and whole messages are from each other.
double apart(const std::vector<Compared>& all, std::size_t row) {
  return std::abs(std::log(all.front().predicted[row] / all.back().predicted[row]));
}

/// Among the rows are those that the machine's figures were fitted to, with fair shares.
void compare_with_measured(const std::string& file, const char* machine_name) {
  const Machine machine = load_machine(machine_name);
  std::vector<CollectiveRow> rows = read_collective_rows(file, machine_name).rows;
  std::erase_if(rows, [](const CollectiveRow& row) { return row.ranks > 64; });
  const CollectiveTimes times(machine, rows);
  std::vector<std::size_t> every(times.rows().size()), far;
  std::iota(every.begin(), every.end(), std::size_t{0});
  std::vector<Compared> all;
  for (const std::size_t i : {0, 2, 3}) {  // long messages have too many trains of 4 KiB
    const LinkModel model(kModels[i]);
    Compared& one = all.emplace_back(kModels[i], times.predict(machine, model, 1), std::vector<double>{}, 0.0);
    for (const std::size_t row : every)
      one.errors.push_back(std::abs(one.predicted[row] / times.rows()[row].seconds - 1));
    print_errors(machine_name, one, every);
    std::printf(" %.3f | %.1f |\n", mean_regret(times.rows(), one.predicted), model.simulating_seconds());
    std::fflush(stdout);
  }
  std::copy_if(every.begin(), every.end(), std::back_inserter(far),
               [&](std::size_t row) { return apart(all, row) > std::log(1.1); });
  for (const Compared& one : all) {
    if (far.empty()) break;
    print_errors("where the first and the last differ by a tenth", one, far);
    std::printf(" | |\n");
  }
  const std::size_t farthest = *std::max_element(
      every.begin(), every.end(), [&](std::size_t a, std::size_t b) { return apart(all, a) < apart(all, b); });
  const CollectiveRow& row = times.rows()[farthest];
  std::printf("| farthest: %s %s, %d x %d, %lld B | | measured %.0f us |", name_of(row.collective).data(),
              row.algorithm.c_str(), row.ranks, row.ppn, static_cast<long long>(row.bytes), row.seconds * 1e6);
  for (const Compared& one : all) std::printf(" %.0f us |", one.predicted[farthest] * 1e6);
  std::printf("\n");
}

void compare_with_measured() {
  const char* const shared = std::getenv("TUTTI_SHARED");
  const std::string file = std::string(shared ? shared : "../shared") + "/data/collectives/measured.csv";
  if (!std::ifstream(file)) {
    std::printf("\nNo measured collectives in %s: SKIPPED.\n", file.c_str());
    return;
  }
  std::printf(
      "\n| | rows | | median error | 95th percentile | mean regret | processor seconds |\n"
      "|---|---|---|---|---|---|---|\n");
  for (const char* machine : {"marenostrum5-acc", "lumi-g"}) compare_with_measured(file, machine);
}

}  // namespace
}  // namespace tutti

int main(int count, char**) {
  if (count > 1) {
    std::fprintf(stderr, "usage: link_models\n");
    return 2;
  }
  try {
    std::printf(
        "Times with trains of 4 KiB, of 64 KiB and of whole messages over those with fair shares; speed of all.\n\n");
    tutti::compare_on_networks();
    tutti::compare_with_measured();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "link_models: %s\n", error.what());
    return 1;
  }
}
