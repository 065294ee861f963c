#include "sim/fast/fingerprint.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tutti::fast {
std::optional<std::uint64_t> Fingerprint::of(Rank rank) {
  block_ = rank / moves_.size;
  hash_ = posted_ = calls_ = 0;
  counted_messages_ = 0;
  next_buffer_ = View::kFirstScratch;
  faulty_ = false;
  sent_to_.clear();
  const BufferSizes sizes = buffer_sizes(c_, rank);
  add(static_cast<std::uint64_t>(sizes.in));
  add(static_cast<std::uint64_t>(sizes.out));
  const Task task = choice_.algorithm->function()(Comm(*this, rank, c_.ranks), make_call(c_, choice_, rank));
  if (faulty_ || task.failed() || !task.over()) return std::nullopt;
  return hash_;
}

std::vector<Rank> Fingerprint::receivers() const {
  std::vector<Rank> all = sent_to_;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// What pages it makes a rank touch first, and register.
inline void Fingerprint::add_scratch(What what, const View& where) {
  if (!compares_scratch_ || where.buffer < View::kFirstScratch) return;
  add(what << 40 | static_cast<std::uint32_t>(where.buffer));
  add(static_cast<std::uint64_t>(where.first));
  add(static_cast<std::uint64_t>(where.end()));
  add(static_cast<std::uint64_t>(where.elements()));
}

inline Op Fingerprint::post(const CallScope& scope, std::uint64_t kind, Rank peer, int lane, Count elements) {
  if (scope.group) add(group_kind << 40 | division_of(scope));
  add(kind << 40 | static_cast<std::uint64_t>(lane) << 32 | static_cast<std::uint32_t>(peer));
  add(static_cast<std::uint64_t>(elements));
  return op_of(posted_++, 0);
}

/// Messages match in their group: who stands for the receiver must wait for it in the same one. Divisions give each
/// rank one group.
bool Fingerprint::is_received_in_the_group(const CallScope& scope, Rank to) const {
  if (!scope.group || scope.group->members.empty() || !scope.group->ascending || block_ != 0) return true;
  const std::vector<Rank>& members = scope.group->members;
  return std::binary_search(members.begin(), members.end(), moves_.representative(to));
}

void Fingerprint::add_requests(CallScope& scope) {
  if (const std::uint32_t count = std::exchange(scope.requests, 0); count > 0) add(requests_kind << 40 | count);
}

Op Fingerprint::send(CallScope& scope, Rank to, const View& what, int lane, SendMode mode) {
  add_requests(scope);
  if (mode == SendMode::blocking) add(blocking_kind);
  if (to < 0 || to >= c_.ranks) throw std::out_of_range("names a rank that is not there");
  if (!is_received_in_the_group(scope, to)) throw std::logic_error("Fingerprint: a message that leaves its group");
  if (!what.is_contiguous()) add(scattered_kind);
  add_scratch(read_kind, what);
  longest_message_elements_ = std::max(longest_message_elements_, what.elements());
  if (what.elements() * c_.element_bytes > counted_above_bytes_) ++counted_messages_;
  if (!what.empty() && (sent_to_.empty() || sent_to_.back() != to)) sent_to_.push_back(to);
  return post(scope, send_kind, moves_.moved_back(to, block_), lane, what.elements());
}

Op Fingerprint::recv(CallScope& scope, Rank from, const View& into, int lane) {
  add_requests(scope);
  if (from < 0 || from >= c_.ranks) throw std::out_of_range("names a rank that is not there");
  if (!into.is_contiguous()) add(scattered_kind);
  add_scratch(write_kind, into);
  return post(scope, receive_kind, moves_.moved_back(from, block_), lane, into.elements());
}

Op Fingerprint::recv_combine(CallScope& scope, Rank from, const View& to, const View&, Incoming, int lane) {
  add_requests(scope);
  if (from < 0 || from >= c_.ranks) throw std::out_of_range("names a rank that is not there");
  add_scratch(write_kind, to);
  return post(scope, receive_combine_kind, moves_.moved_back(from, block_), lane, to.elements());
}

Op Fingerprint::copy(CallScope& scope, const View& to, const View& from) {
  add_scratch(write_kind, to);
  return post(scope, copy_kind, 0, 0, to == from ? 0 : to.elements());
}

Op Fingerprint::combine(CallScope& scope, const View& to, const View&, const View&) {
  add_scratch(write_kind, to);
  return post(scope, combine_kind, 0, 0, to.elements());
}

View Fingerprint::scratch(CallScope&, Count elements) {
  add(scratch_kind << 40);
  add(static_cast<std::uint64_t>(elements));
  return View::contiguous(next_buffer_++, 0, elements);
}

bool Fingerprint::complete(CallScope& scope, std::span<const Op> ops) {
  add(wait_kind << 40 | static_cast<std::uint64_t>(scope.number) << 16 | ops.size());
  for (const Op op : ops) add(slot_of(op));
  return true;
}

void Fingerprint::park(CallScope&, Waiter&, std::span<const Op>) {
  throw std::logic_error("Fingerprint: a wait for operations that are over");
}

// Which call posts follows from the order in which calls begin, return and are waited for.
void Fingerprint::on(CallEvent event, CallScope& scope) {
  switch (event) {
    case CallEvent::begun:
      scope.number = calls_++;
      return add(call_kind << 40 | division_of(scope));
    case CallEvent::returned:
      return add(call_kind << 40 | 1u << 30 | scope.number);
    case CallEvent::joined:
      return add(call_kind << 40 | 1u << 31 | scope.number);
    case CallEvent::left:
      faulty_ |= scope.exception || !scope.over();
  }
}

/// Where ranks are is for the machine alone to say.
const Group* Fingerprint::group(Rank rank, Level level, GroupKind kind, const Group* within) {
  if (!groups_) throw std::logic_error("Fingerprint: the algorithm asks which ranks share a node");
  return groups_->find(rank, level, kind, within);
}

}  // namespace tutti::fast
