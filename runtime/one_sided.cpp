#include "runtime/one_sided.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/executor.hpp"
#include "runtime/remote_memory.hpp"

namespace tutti {
namespace {

/// What ranks tell each other; a key for each transport follows.
struct Notice {
  std::uint64_t bytes = 0, element_bytes = 0;
  char trouble[240] = {};  // why this rank's memory cannot be exposed

  void set_trouble(const std::string& text) { text.copy(trouble, sizeof trouble - 1); }
};

}  // namespace

struct Exposure::State {
  Executor& executor;
  Rank self = 0;
  std::byte* first = nullptr;
  std::vector<std::uint64_t> bytes;          // by rank
  std::vector<RemoteKey> own;                // by transport
  std::vector<std::vector<RemoteKey>> keys;  // by rank, then by transport
  std::vector<std::uint32_t> pending;        // by rank: accesses that are not complete

  struct Way {
    RemoteMemory* memory;
    const RemoteKey* key;
  };
  /// How the peer's memory is reached; no memory: not at all.
  Way way_to(Rank peer) const {
    const auto rank = static_cast<std::size_t>(peer);
    const std::size_t transport = executor.transport_number(peer);
    return {executor.remote_memories()[transport], &keys[rank][transport]};
  }

  std::uint64_t checked(Rank peer) const {
    if (peer < 0 || static_cast<std::size_t>(peer) >= bytes.size())
      throw std::out_of_range("one-sided access to rank " + std::to_string(peer) + " of " +
                              std::to_string(bytes.size()));
    return bytes[peer];
  }
  void check(Rank peer, std::size_t offset, std::size_t wanted) const {
    const std::uint64_t there = checked(peer);
    if (offset > there || wanted > there - offset)
      throw std::out_of_range("one-sided access to " + std::to_string(wanted) + " bytes from byte " +
                              std::to_string(offset) + " on of rank " + std::to_string(peer) + ", which has exposed " +
                              std::to_string(there));
    executor.check_alive();
  }

  void conceal() {
    if (executor.failed()) return;  // its transports are gone, and with them all access
    const auto memories = executor.remote_memories();
    for (std::size_t i = 0; i < own.size(); ++i)
      if (memories[i] && bytes[self] > 0) memories[i]->conceal(own[i]);
    own.clear();
  }
};

Exposure::Exposure(Team& team, void* first, std::size_t bytes, std::size_t element_bytes)
    : state_(new State{team.executor(), team.rank(), static_cast<std::byte*>(first), {}, {}, {}, {}}) {
  State& s = *state_;
  s.executor.check_alive();
  const auto ranks = static_cast<std::size_t>(team.size());
  const auto memories = s.executor.remote_memories();
  s.bytes.assign(ranks, 0);
  s.bytes[s.self] = bytes;
  Notice notice{bytes, element_bytes, {}};
  try {
    for (RemoteMemory* memory : memories)
      s.own.push_back(memory && bytes > 0 ? memory->expose(first, bytes) : RemoteKey{});
  } catch (const std::exception& error) {
    notice.set_trouble(error.what());
  }
  s.own.resize(memories.size());

  const auto exchange = [&](const Notice& mine) {
    std::vector<std::byte> out(sizeof mine + memories.size() * sizeof(RemoteKey)), all(out.size() * ranks);
    std::memcpy(out.data(), &mine, sizeof mine);
    std::memcpy(out.data() + sizeof mine, s.own.data(), memories.size() * sizeof(RemoteKey));
    team.allgather_bytes(out, all);
    std::vector<Notice> notices(ranks);
    s.keys.assign(ranks, std::vector<RemoteKey>(memories.size()));
    for (std::size_t r = 0; r < ranks; ++r) {
      std::memcpy(&notices[r], all.data() + r * out.size(), sizeof mine);
      std::memcpy(s.keys[r].data(), all.data() + r * out.size() + sizeof mine, memories.size() * sizeof(RemoteKey));
    }
    return notices;
  };
  const std::vector<Notice> notices = exchange(notice);
  for (std::size_t r = 0; r < ranks; ++r) {
    s.bytes[r] = notices[r].bytes;
    if (notices[r].element_bytes != element_bytes)
      s.executor.refuse_calls("rank " + std::to_string(s.self) + " exposes elements of " +
                              std::to_string(element_bytes) + " bytes, rank " + std::to_string(r) + " of " +
                              std::to_string(notices[r].element_bytes));
    if (notice.trouble[0] || r == static_cast<std::size_t>(s.self) || s.bytes[r] == 0) continue;
    const auto [memory, key] = s.way_to(static_cast<Rank>(r));
    const std::string why =
        memory ? memory->why_not(static_cast<Rank>(r), *key)
               : std::string(s.executor.transport_to(static_cast<Rank>(r))->name()) + " has no one-sided access";
    if (!why.empty()) notice.set_trouble("the memory of rank " + std::to_string(r) + " is out of reach: " + why);
  }
  // Whoever returns from here may write at once; so everybody must have looked before.
  const std::vector<Notice> again = exchange(notice);
  s.pending.assign(ranks, 0);
  for (std::size_t r = 0; r < ranks; ++r)
    if (again[r].trouble[0]) {
      s.conceal();
      throw std::invalid_argument("rank " + std::to_string(r) + ": " + again[r].trouble);
    }
}

Exposure::Exposure(Exposure&&) noexcept = default;
Exposure& Exposure::operator=(Exposure&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Exposure::~Exposure() {
  if (!state_) return;
  if (std::any_of(state_->pending.begin(), state_->pending.end(), [](std::uint32_t n) { return n > 0; }))
    state_->executor.abandon_accesses();
  state_->conceal();
}

std::size_t Exposure::bytes(Rank rank) const { return state_->checked(rank); }

void Exposure::get(Rank from, std::size_t offset, void* into, std::size_t bytes) {
  State& s = *state_;
  s.check(from, offset, bytes);
  if (bytes == 0) return;
  if (from == s.self) {
    std::memmove(into, s.first + offset, bytes);
    return;
  }
  const auto [memory, key] = s.way_to(from);
  memory->get(from, *key, offset, into, bytes, s.pending[from]);
}

void Exposure::put(Rank to, std::size_t offset, const void* what, std::size_t bytes) {
  State& s = *state_;
  s.check(to, offset, bytes);
  if (bytes == 0) return;
  if (to == s.self) {
    std::memmove(s.first + offset, what, bytes);
    return;
  }
  const auto [memory, key] = s.way_to(to);
  memory->put(to, *key, offset, what, bytes, s.pending[to]);
}

void Exposure::flush() {
  state_->executor.check_alive();
  state_->executor.wait_for(state_->pending);
}

}  // namespace tutti
