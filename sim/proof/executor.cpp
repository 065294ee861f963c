#include "sim/proof/executor.hpp"

#include <algorithm>

#include "sim/proof/executor_state.hpp"

namespace tutti::proof {
namespace {

constexpr std::size_t kMostTerms = 1u << 20;
constexpr std::size_t kMostKeptOperations = 1u << 12;

/// Elements of scratch that a rank may ask for: far more than all ranks' vectors have.
std::int64_t most_scratch(const Case& c) {
  double elements = 0;
  for (Rank r = 0; r < c.ranks; ++r) {
    const BufferSizes sizes = buffer_sizes(c, r);
    elements += static_cast<double>(sizes.in) + static_cast<double>(sizes.out);
  }
  return static_cast<std::int64_t>((1 << 24) + std::min(1e18, 16 * elements));
}

}  // namespace

void Executor::State::prepare(const Case& c) {
  const auto size = static_cast<std::size_t>(c.ranks);
  if (terms.size() > kMostTerms) terms.clear();
  if (ranks.size() != size) {
    pairs_.clear();
    kept_groups_.clear();
  }
  for (auto& [pair, waiting] : pairs_) waiting.clear();
  ranks.resize(size);
  posted_ = 0;
  if (ops_.size() > kMostKeptOperations) ops_.clear();
  for (auto& messages : arrivals_) messages.clear();
  ready_.clear();
  execution_ = {};
  round_ = 0;
  for (Rank r = 0; r < c.ranks; ++r) {
    RankState& rank = ranks[r];
    rank.buffers.fill(terms, c, r);
    rank.open.clear();
    rank.ports = {};
    rank.posted = 0;
    rank.scratches = 0;
    rank.scratch_elements = 0;
    rank.calls = {};
    rank.live.clear();
    rank.heard_of.assign(c.collective == Collective::barrier ? size : 0, false);
    if (c.collective == Collective::barrier) rank.heard_of[r] = true;
  }
}

GroupTable& Executor::State::groups_of(const Places& places) {
  constexpr std::size_t kMostKept = 16;  // more than there are node_shapes()
  for (const KeptGroups& kept : kept_groups_)
    if (kept.places == places) return *kept.groups;
  if (kept_groups_.size() >= kMostKept) kept_groups_.clear();
  KeptGroups& kept = kept_groups_.emplace_back(places);
  kept.groups = std::make_unique<GroupTable>(static_cast<int>(ranks.size()),
                                             [&of = kept.places](Rank r, Level level) { return of.of(r, level); });
  return *kept.groups;
}

void Executor::State::drain_ready() {
  const auto algorithms = own_memory.algorithm_runs();
  for (std::size_t i = 0; i < ready_.size() && !abandoned_ && !told_; ++i)
    ready_[i].resume();  // others may be of dead frames
  ready_.clear();
}

Execution Executor::State::run(AlgorithmFunction function, const Case& c, const Choice& choice, int ports,
                               const Places& places, std::int64_t most_operations) {
  prepare(c);
  most_operations_ = most_operations;
  most_scratch_ = most_scratch(c);
  ports_ = ports;
  groups_ = &groups_of(places);
  std::vector<Task> tasks;
  tasks.reserve(ranks.size());
  const auto check = [&](Rank rank) {
    try {
      tasks[rank].rethrow();
    } catch (...) {
      out_of_memory_ = is_of_memory(std::current_exception());
      throw FaultFound(fault_of(std::current_exception(), rank));
    }
    if (!abandoned_ && !told_) return;
    tasks.clear();  // the calls that this ends say what they threw
    throw FaultFound(told_ ? *told_ : *abandoned_);
  };
  running_ = true;
  abandoned_.reset();
  told_.reset();
  out_of_memory_ = false;
  own_memory.begin_case();
  try {
    for (Rank r = 0; r < c.ranks; ++r) {
      {
        const auto algorithms = own_memory.algorithm_runs();
        tasks.push_back(function(Comm(*this, r, c.ranks), make_call(c, choice, r)));
      }
      check(r);
    }
    for (; static_cast<std::size_t>(round_) < arrivals_.size(); ++round_) {
      auto& due = arrivals_[round_];
      std::sort(due.begin(), due.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      for (std::size_t i = 0; i < arrivals_[round_].size(); ++i) {
        const auto [sent, received] = arrivals_[round_][i];
        deliver(sent, received);
        drain_ready();
        check(ops_[sent].rank);
        check(ops_[received].rank);
      }
    }
    if (!std::all_of(tasks.begin(), tasks.end(), [](const Task& task) { return task.over(); })) {
      execution_.fault = stuck(ops_, posted_);
      tasks.clear();  // the calls that this ends say what they threw
      if (told_) execution_.fault = told_;
    }
  } catch (const FaultFound& found) {
    execution_.fault = found.fault;
  } catch (const std::bad_alloc&) {
    running_ = false;
    tasks.clear();
    throw;
  }
  running_ = false;
  if (out_of_memory_) {
    tasks.clear();
    if (!own_memory.is_to_blame()) throw std::bad_alloc();
    execution_.fault->text += ", having asked for all memory itself";
  }
  return execution_;
}

Executor::Executor() : state_(std::make_unique<State>()) {}
Executor::~Executor() = default;

Execution Executor::run(AlgorithmFunction function, const Case& c, const Choice& choice, int ports,
                        const Places& places, std::int64_t most_operations) {
  return state_->run(function, c, choice, ports, places, most_operations);
}
void Executor::set_memory_limit(std::size_t bytes) { state_->own_memory.set_limit(bytes); }
const Buffers& Executor::buffers(Rank rank) const { return state_->ranks[rank].buffers; }
bool Executor::heard_of(Rank rank, Rank other) const { return state_->ranks[rank].heard_of[other]; }
TermTable& Executor::terms() { return state_->terms; }

}  // namespace tutti::proof
