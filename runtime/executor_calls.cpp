// Calls: how they begin, go on, and end.
#include <algorithm>
#include <stdexcept>

#include "runtime/error.hpp"
#include "runtime/executor.hpp"

namespace tutti {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kWithLoopback = 2;  // transports, where one alone serves all peers

/// The root's packets are everybody's. Its part of the call is over when all have them.
Task bcast_by_multicast(Comm comm, Call call, Executor* executor) {
  if (comm.rank() == call.root)
    co_await comm.wait(executor->multicast(call.out));
  else
    co_await comm.wait(comm.recv(call.root, call.out));
}

}  // namespace

Executor::Id Executor::start(AlgorithmFunction function, const Call& call, const std::string& name, void* in, void* out,
                             const Reduction& reduction, bool blocking) {
  if (failed()) stop();
  if (free_running_.empty()) {
    free_running_.push_back(static_cast<Id>(running_.size()));
    running_.emplace_back();
  }
  const Id id = free_running_.back();
  free_running_.pop_back();
  Running& running = running_[id];
  running.name = &name;
  running.memory.begin(in, out, static_cast<std::size_t>(call.element_bytes), reduction);
  starting_ = &running.memory;
  if ((call.in.elements() + call.out.elements()) * call.element_bytes > own_cache_bytes_) turn();
  polls_ = blocking ? std::min(policy_.polls_before_yield(), 1024u) : 0;
  const Comm comm(*this, rank_, size_);
  running.task.emplace(function ? function(comm, call) : bcast_by_multicast(comm, call, this));
  polls_ = 0;
  return id;
}

bool Executor::progress() {
  bool moved = false;
  for (const auto& transport : transports_) moved |= transport->progress();
  if (ready_.empty()) return moved;
  for (std::size_t i = 0; i < ready_.size() && !failed(); ++i) ready_[i].resume();
  ready_.clear();
  return true;
}

bool Executor::test(Id id) {
  if (!failed() && !progress() && !copy_later()) check_now_and_then();
  Task& task = *running_[id].task;
  if (task.over() && !task.failed() && !unheard_) {
    finish(id);
    return true;
  }
  if (task.failed() || failed()) {
    abandon(id);
    stop();
  }
  return false;
}

/// Until over(), or the team cannot go on. check() follows check_liveness(); pending() says what is waited for.
template <class Over, class Check, class Pending>
void Executor::poll_until(const Over& over, const Check& check, const Pending& pending) {
  constexpr std::uint32_t kLooksAtTheClockEvery = 256, kPollsPerYield = 16;  // in time, about
  std::uint32_t fruitless = 0, to_look = kLooksAtTheClockEvery;
  bool patient = false;
  Clock::time_point last_progress{};
  polls_ = std::min(policy_.polls_before_yield(), 1024u);
  while (!over() && !failed()) {
    copy_what_comes_first();
    if (progress()) {
      fruitless = 0, to_look = kLooksAtTheClockEvery, last_progress = {};
      continue;
    }
    if (fruitless >= polls_before_copy() && copy_later()) continue;
    if (++fruitless == 1) patient = policy_.is_crowded() && waits_for_other_cores();
    if (!rested(fruitless)) {
      to_look -= std::min(to_look, policy_.pause(fruitless, patient) ? kPollsPerYield : 1);
      if (to_look > 0) continue;
    }
    to_look = kLooksAtTheClockEvery;
    const auto now = Clock::now();
    if (last_progress == Clock::time_point{}) last_progress = checked_ = now;
    if (now - checked_ >= kCheckPeersEvery) {
      checked_ = now;
      check_liveness();
      check();
    }
    if (now - last_progress > limit_ && suspected_) lose(suspected_->loss);
    if (now - last_progress > limit_)
      give_up("rank " + std::to_string(rank_) + " waited more than " + std::to_string(limit_.count()) +
              " s: " + pending());
  }
  polls_ = 0;
}

void Executor::wait(Id id) {
  const Task& task = *running_[id].task;
  poll_until([&] { return task.over() || task.failed(); }, [] {}, [&] { return pending_text(); });
  if (task.over() && !task.failed() && !unheard_) return finish(id);
  abandon(id);
  stop();
}

/// Where one transport alone can bring the end of the wait, and the wait is long.
bool Executor::rested(std::uint32_t fruitless) {
  constexpr std::uint32_t kPollsBeforeRest = 256;
  constexpr std::chrono::milliseconds kLongestRest(1);
  return fruitless >= std::min(policy_.polls_before_yield(), kPollsBeforeRest) && transports_.size() == kWithLoopback &&
         transports_.back()->rest(kLongestRest);
}

/// And for nobody else: a rank of this core cannot send before this one lets it run.
bool Executor::waits_for_other_cores() const {
  bool waits = false;
  for (const Record& record : records_) {
    if (!record.open || !record.scope) continue;
    if (!route(record.peer).runs_elsewhere(record.peer)) return false;
    waits = true;
  }
  return waits;
}

void Executor::finish(Id id) {
  running_[id].task.reset();
  free_running_.push_back(id);
  if (is_idle())
    for (const auto& transport : transports_) transport->quiet();
}

void Executor::abandon(Id id) {
  Running& running = running_[id];
  if (running.task->failed()) try {
      running.task->rethrow();
    } catch (const std::exception& error) {
      give_up("rank " + std::to_string(rank_) + ": " + *running.name + " threw: " + error.what());
    }
  give_up("rank " + std::to_string(rank_) + ": " + *running.name + " was given up before its end");
  close_transports();  // nobody touches the call's memory from now on
  running.memory.release(pool_, nullptr);
  finish(id);
}

// --- one-sided accesses

std::vector<RemoteMemory*> Executor::remote_memories() const {
  std::vector<RemoteMemory*> memories;
  for (const auto& transport : transports_) memories.push_back(transport->remote_memory());
  return memories;
}

std::size_t Executor::transport_number(Rank peer) const {
  const auto at = std::find_if(transports_.begin(), transports_.end(),
                               [&](const auto& transport) { return transport.get() == &route(peer); });
  return static_cast<std::size_t>(at - transports_.begin());
}

void Executor::wait_for(std::span<const std::uint32_t> pending) {
  const auto first = [&] {
    return std::find_if(pending.begin(), pending.end(), [](std::uint32_t n) { return n > 0; }) - pending.begin();
  };
  const auto text = [&] { return "one-sided access to rank " + std::to_string(first()) + " is pending"; };
  const auto check = [&] {
    for (std::size_t rank = 0; rank < pending.size(); ++rank) {
      if (pending[rank] == 0) continue;
      const auto peer = static_cast<Rank>(rank);
      gone_[rank] ? missed(peer, text()) : route(peer).expect_message(peer);
    }
  };
  poll_until([&] { return static_cast<std::size_t>(first()) == pending.size(); }, check, text);
  check_alive();
}

void Executor::abandon_accesses() {
  give_up("rank " + std::to_string(rank_) + ": one-sided accesses were given up before their end");
  close_transports();
}

std::string Executor::pending_text() const {
  std::string text;
  for (const Running& running : running_)
    if (running.task && !running.task->over()) text += (text.empty() ? "" : ", ") + *running.name;
  int listed = 0;
  for (const Record& record : records_) {
    if (!record.open || !record.scope) continue;
    if (++listed > 8) return text + "; …";
    text += (listed == 1 ? " is pending: " : "; ") +
            std::string(record.is_send ? "send to rank " : "receive from rank ") + std::to_string(record.peer) +
            " of " + std::to_string(record.region.bytes()) + " bytes" +
            (record.lane ? " on lane " + std::to_string(record.lane) : "");
  }
  for (const auto& transport : transports_)
    if (const std::string more = transport->pending(); !more.empty()) text += "; " + more;
  return text;
}

}  // namespace tutti
