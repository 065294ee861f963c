#include "sim/proof/executor.hpp"

#include <algorithm>

#include "sim/proof/executor_state.hpp"

namespace tutti::proof {
namespace {

constexpr std::size_t kMostTerms = 1u << 20;

}  // namespace

void Executor::State::prepare(const Case& c) {
  const auto size = static_cast<std::size_t>(c.ranks);
  if (terms.size() > kMostTerms) terms.clear();
  if (ranks.size() != size) pairs_.clear();
  for (auto& [pair, waiting] : pairs_) waiting.clear();
  ranks.resize(size);
  ops_.clear();
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
    rank.calls = {};
    rank.live.clear();
    rank.heard_of.assign(c.collective == Collective::barrier ? size : 0, false);
    if (c.collective == Collective::barrier) rank.heard_of[static_cast<std::size_t>(r)] = true;
  }
}

void Executor::State::drain_ready() {
  for (std::size_t i = 0; i < ready_.size() && !abandoned_ && !told_; ++i)
    ready_[i].resume();  // others may be of dead frames
  ready_.clear();
}

Execution Executor::State::run(AlgorithmFunction function, const Case& c, const Choice& choice, int ports,
                               const Places& places, std::int64_t most_operations) {
  prepare(c);
  most_operations_ = most_operations;
  ports_ = ports;
  groups_ = std::make_unique<GroupTable>(c.ranks, [&places](Rank r, Level level) { return places.of(r, level); });
  std::vector<Task> tasks;
  tasks.reserve(ranks.size());
  const auto check = [&](Rank rank) {
    try {
      tasks[static_cast<std::size_t>(rank)].rethrow();
    } catch (...) {
      throw FaultFound(fault_of(std::current_exception(), rank));
    }
    if (!abandoned_ && !told_) return;
    tasks.clear();  // the calls that this ends say what they threw
    throw FaultFound(told_ ? *told_ : *abandoned_);
  };
  running_ = true;
  abandoned_.reset();
  told_.reset();
  try {
    for (Rank r = 0; r < c.ranks; ++r) {
      tasks.push_back(function(Comm(*this, r, c.ranks), make_call(c, choice, r)));
      check(r);
    }
    for (; static_cast<std::size_t>(round_) < arrivals_.size(); ++round_) {
      auto& due = arrivals_[static_cast<std::size_t>(round_)];
      std::sort(due.begin(), due.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      for (std::size_t i = 0; i < arrivals_[static_cast<std::size_t>(round_)].size(); ++i) {
        const auto [sent, received] = arrivals_[static_cast<std::size_t>(round_)][i];
        deliver(sent, received);
        drain_ready();
        check(ops_[sent].rank);
        check(ops_[received].rank);
      }
    }
    if (!std::all_of(tasks.begin(), tasks.end(), [](const Task& task) { return task.over(); })) {
      execution_.fault = stuck(ops_);
      tasks.clear();  // the calls that this ends say what they threw
      if (told_) execution_.fault = told_;
    }
  } catch (const FaultFound& found) {
    execution_.fault = found.fault;
  }
  running_ = false;
  return execution_;
}

Executor::Executor() : state_(std::make_unique<State>()) {}
Executor::~Executor() = default;

Execution Executor::run(AlgorithmFunction function, const Case& c, const Choice& choice, int ports,
                        const Places& places, std::int64_t most_operations) {
  return state_->run(function, c, choice, ports, places, most_operations);
}
const Buffers& Executor::buffers(Rank rank) const { return state_->ranks[static_cast<std::size_t>(rank)].buffers; }
bool Executor::heard_of(Rank rank, Rank other) const {
  return state_->ranks[static_cast<std::size_t>(rank)].heard_of[static_cast<std::size_t>(other)];
}
TermTable& Executor::terms() { return state_->terms; }

}  // namespace tutti::proof
