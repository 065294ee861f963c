#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algos/groups.hpp"
#include "algos/registry.hpp"
#include "sim/symmetry.hpp"

namespace tutti::fast {

/// What an algorithm does on one rank, in 64 bits: all that it posts and waits for, in order, with numbers of bytes
/// and with peers as they are after the move that takes the rank's block to block 0, and in groups of which division.
/// Control flow of an algorithm depends on no data, and its waits are for all of what they name, so that this depends
/// on no time either.
///
/// One run serves one rank after the other: every operation is over when it is posted. Used by one thread.
class Fingerprint final : public Backend {
 public:
  /// All must outlive it. `groups`: of the ranks; nullptr: unknown. `compares_scratch`: it counts where in scratch
  /// memory a rank writes, and from where it sends.
  Fingerprint(const Case& c, const Choice& choice, const BlockMoves& moves, GroupTable* groups, bool compares_scratch,
              std::int64_t counted_above_bytes = INT64_MAX)
      : c_(c),
        choice_(choice),
        moves_(moves),
        groups_(groups),
        compares_scratch_(compares_scratch),
        counted_above_bytes_(counted_above_bytes) {}
  /// Nothing where a call throws, is given up before its end, asks which ranks share a node where that is unknown, or
  /// sends, from block 0, to a rank for which one stands that is not in the same group.
  std::optional<std::uint64_t> of(Rank rank);
  /// Of the last rank that was asked for: to whom it sends bytes, each once.
  std::vector<Rank> receivers() const;
  /// How many messages of more than `counted_above_bytes` the last rank has sent.
  std::int64_t counted_messages() const { return counted_messages_; }
  /// Bytes, of the longest message that the ranks so far have sent.
  std::int64_t longest_message() const { return longest_message_elements_ * c_.element_bytes; }

  // Backend
  Op send(CallScope& scope, Rank to, const View& what, int lane, SendMode mode) override;
  Op recv(CallScope& scope, Rank from, const View& into, int lane) override;
  Op recv_combine(CallScope& scope, Rank from, const View& to, const View& own, Incoming side, int lane) override;
  Op copy(CallScope& scope, const View& to, const View& from) override;
  Op combine(CallScope& scope, const View& to, const View& left, const View& right) override;
  View scratch(CallScope& scope, Count elements) override;
  bool complete(CallScope& scope, std::span<const Op> ops) override;
  void park(CallScope& scope, Waiter& waiter, std::span<const Op> ops) override;
  void on(CallEvent event, CallScope& scope) override;
  const Group* group(Rank rank, Level level, GroupKind kind, const Group* within) override;

 private:
  enum What : std::uint64_t {
    send_kind = 1,
    receive_kind,
    copy_kind,
    combine_kind,
    scratch_kind,
    wait_kind,
    call_kind,
    receive_combine_kind,
    blocking_kind,
    scattered_kind,
    requests_kind,
    group_kind,
    write_kind,
    read_kind
  };
  void add(std::uint64_t what) {
    // Multiplication carries upwards, the shift downwards: every bit comes to matter for every other.
    hash_ = (hash_ ^ what) * 0x9E3779B97F4A7C15u;
    hash_ ^= hash_ >> 32;
  }
  static std::uint64_t division_of(const CallScope& scope) {
    if (!scope.group) return 0;
    return std::uint64_t{scope.group->levels} << 8 | (static_cast<std::uint64_t>(scope.group->kind) + 1);
  }
  bool is_received_in_the_group(const CallScope& scope, Rank to) const;
  void add_requests(CallScope& scope);
  void add_scratch(What what, const View& where);
  Op post(const CallScope& scope, std::uint64_t kind, Rank peer, int lane, Count elements);

  const Case& c_;
  const Choice& choice_;
  const BlockMoves& moves_;
  GroupTable* const groups_;
  const bool compares_scratch_;
  const std::int64_t counted_above_bytes_;
  std::int64_t counted_messages_ = 0;
  Count longest_message_elements_ = 0;
  std::vector<Rank> sent_to_;  // by the rank, without repetition in a row
  int block_ = 0;              // of the rank
  std::uint64_t hash_ = 0;
  std::uint32_t posted_ = 0, calls_ = 0;
  bool faulty_ = false;
  std::int32_t next_buffer_ = View::kFirstScratch;
};

}  // namespace tutti::fast
