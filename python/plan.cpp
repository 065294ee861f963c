#include "python/plan.hpp"

#include <algorithm>
#include <utility>

#include "algos/operator.hpp"
#include "algos/valid_case.hpp"
#include "algos/what_runs.hpp"
#include "base/error.hpp"
#include "base/in_parallel.hpp"
#include "base/option_lists.hpp"
#include "models/machine_part.hpp"
#include "selection/asked_amount.hpp"
#include "selection/candidates.hpp"
#include "sim/call_trust.hpp"
#include "sim/proof/contributions.hpp"
#include "sim/rank_groups.hpp"

namespace tutti::python {

Plan::Plan(SimulateRequest request)
    : request_(std::move(request)),
      collective_(any_collective_named(request_.collective)),
      engine_(make_engine(request_.engine)),
      mode_(parse_mode(request_.mode)) {
  check_options();
  for (const std::string& text : request_.algorithms)
    for (Candidate& candidate : candidates_of(collective_, text, *request_.machine->read.machine.network))
      candidates_.push_back(std::move(candidate));
  for (const UserChoice& own : request_.own) {
    if (own.algorithm->algorithm().collective() != collective_)
      throw InputError(own.algorithm->algorithm().full_name() + ": expected an algorithm of " + request_.collective);
    candidates_.push_back({own.algorithm->choice(own.parameters), nullptr, false});
  }
  if (candidates_.empty()) throw InputError("algorithm: expected at least one");
  const Machine& machine = request_.machine->read.machine;
  int nodes = 1;
  const std::vector<LayoutOptions> asked =
      each_layout({request_.nodes, request_.ppn, request_.ranks, request_.placement});
  expect_few_runs("nodes, ppn, ranks, sizes and algorithms", asked.size(), sizes().size(), candidates_.size());
  if (const std::string jump = layout_jump(*machine.network, asked); !jump.empty())
    remarks_.insert("ranks without ppn: " + jump + "; ppn says one for all");
  KeptRanks kept("nodes, ppn and ranks");
  for (const LayoutOptions& options : asked) {
    layouts_.push_back(make_layout(machine, options));
    kept.add(layouts_.back().core_of_rank.size());
    for (const int core : layouts_.back().core_of_rank) nodes = std::max(nodes, machine.network->node_of(core) + 1);
  }
  part_ = std::make_unique<Machine>(first_nodes(machine, nodes));
  for (std::size_t i = 0; i < layouts_.size(); ++i) plan_layout(i);
}

void Plan::check_options() const {
  expect_thread_count(request_.jobs, "jobs");
  if (request_.element.value_or(1) < 1) throw InputError("element: expected 1 byte or more");
  const int sizes = (request_.bytes.empty() ? 0 : 1) + (request_.osu_sizes.empty() ? 0 : 1);
  if (collective_ == Collective::barrier && sizes > 0)
    throw InputError("barrier: expected no bytes or osu_sizes, for it moves no data");
  const bool has_counts = !request_.counts.empty() || !request_.count_of_each.empty();
  if (has_counts && !is_irregular(collective_))
    throw InputError("counts: " + request_.collective + " has equal blocks");
  if (!request_.count_of_each.empty() && sizes > 0)
    throw InputError("counts: expected no bytes or osu_sizes beside the count of each, for they say the size");
  if (!request_.count_of_each.empty() && is_of_neighbors(collective_))
    throw InputError("counts: expected a text among neighbours, such as 'zipf:1.2'");
  if (collective_ != Collective::barrier && request_.count_of_each.empty() && sizes != 1)
    throw InputError("expected one of bytes and osu_sizes");
  if ((!request_.neighbors.empty() || !request_.edges.empty()) != is_of_neighbors(collective_))
    throw InputError("neighbors: expected for neighbor_allgather(v) and neighbor_alltoall(v), and for them alone");
}

std::vector<std::int64_t> Plan::sizes() const {
  if (collective_ == Collective::barrier || !request_.count_of_each.empty()) return {0};
  return request_.osu_sizes.empty() ? parse_list_of("bytes", request_.bytes)
                                    : parse_list_of("osu_sizes", request_.osu_sizes);
}

Case Plan::case_of(int ranks, std::int64_t bytes) const {
  Case c{collective_,
         ranks,
         0,
         request_.element.value_or(default_element_bytes(collective_)),
         request_.root,
         request_.in_place,
         operator_named(request_.op)};
  c.count = count_for_total_bytes(collective_, ranks, c.element_bytes, bytes);
  if (!request_.edges.empty()) c = with_neighborhood(c, std::make_shared<Neighborhood>(ranks, request_.edges));
  if (!request_.neighbors.empty()) c = with_neighborhood(c, Neighborhood::from(request_.neighbors, ranks));
  if (!request_.counts.empty())
    c = with_counts(c, request_.counts, elements_in_all(collective_, ranks, c.element_bytes, bytes));
  if (!request_.count_of_each.empty())
    c = with_counts(c, collective_ == Collective::alltoallv
                           ? std::make_shared<BlockCounts>(ranks, request_.count_of_each)
                           : std::make_shared<BlockCounts>(request_.count_of_each));
  expect_valid(c);
  return c;
}

void Plan::plan_layout(std::size_t layout) {
  const int ranks = layouts_[layout].ranks;
  for (const std::int64_t size : sizes()) {
    const std::int64_t asked = request_.osu_sizes.empty() ? size : total_from_osu_bytes(collective_, ranks, size);
    const Case c = case_of(ranks, asked);
    const std::int64_t bytes = request_.count_of_each.empty() ? asked : total_bytes(c);
    for (const Candidate* candidate : candidates_for(candidates_, c)) plan(layout, c, bytes, *candidate);
  }
}

void Plan::plan(std::size_t layout, const Case& c, std::int64_t bytes, const Candidate& candidate) {
  const Layout& where = layouts_[layout];
  const Places places = places_of(*part_->network, where.core_of_rank);
  std::optional<AskedRun> run = run_of(candidate, c, where.on_nodes(), places, layouts_.size() > 1, remarks_);
  if (!run) return;
  const Trust trust = trust_of_call(request_.machine->read.machine, request_.machine->provenance, c, where.nodes,
                                    where.ppn, bytes, mode_.kind == Mode::Kind::skew);
  calls_.push_back({request_.machine,
                    request_.collective,
                    run->name,
                    text_of_what_runs(run->choice, c, places),
                    request_.engine,
                    mode_.text(),
                    where.ranks,
                    where.nodes,
                    where.ppn,
                    bytes,
                    total_bytes(c),
                    {},
                    to_string(trust)});
  const std::optional<Counts> counts = declared(run->choice, c, places);
  runs_.push_back({layout, c, std::move(run->choice), run->optional, where.ranks + (counts ? counts->messages : 0)});
}

std::vector<std::size_t> Plan::stretches() const {
  std::vector<double> works;
  for (const Run& run : runs_) works.push_back(run.work);
  return stretches_of(works);
}

Experiment Plan::experiment_of(const Run& run) const {
  return {run.c,
          run.choice,
          layouts_[run.layout].core_of_rank,
          mode_,
          request_.seed,
          request_.record,
          request_.check ? proof::make_contributions : nullptr};
}

void Plan::simulate(std::size_t first, std::size_t last) {
  std::vector<Experiment> experiments;
  for (std::size_t i = first; i < last; ++i) experiments.push_back(experiment_of(runs_[i]));
  std::vector<Result> results = engine_->run(*part_, experiments);
  for (std::size_t i = first; i < last; ++i) calls_[i].result = std::move(results[i - first]);
}

std::vector<SimulatedCall> Plan::take(std::set<std::string>& remarks) {
  std::vector<SimulatedCall> taken;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const std::string& refused = calls_[i].result.refused;
    if (refused.empty()) {
      if (request_.record) calls_[i].node_of_rank = nodes_of(*part_->network, layouts_[runs_[i].layout].core_of_rank);
      taken.push_back(std::move(calls_[i]));
    } else {
      if (!runs_[i].optional) throw InputError(refused);
      remarks_.insert("left out: " + refused);
    }
  }
  if (taken.empty()) throw InputError(request_.collective + ": none of the algorithms can run here");
  remarks.insert(remarks_.begin(), remarks_.end());
  return taken;
}

}  // namespace tutti::python
