#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algos/payload.hpp"
#include "sim/proof/buffers.hpp"
#include "sim/proof/fault.hpp"

namespace tutti::proof {

/// The proof's pieces, moved by a simulator: every element carries the ordered contributions that it is made of, and a
/// rank's results are compared with what the collective promises when the rank leaves its call. In a barrier a message
/// carries whom its sender has heard of; a rank may leave when it has heard of all.
class Contributions final : public Payload {
 public:
  explicit Contributions(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}

  void begin(Rank rank, const Case& c) override;
  void end(Rank rank) override;
  View scratch(Rank rank, Count elements) override { return state_of(rank).buffers.scratch(elements); }
  Parcel pack(Rank rank, const View& what) override;
  void unpack(Parcel parcel, Rank rank, const View& to) override;
  void unpack_combined(Parcel parcel, Rank rank, const View& to, const View& own, Incoming side) override;
  void copy(Rank rank, const View& to, const View& from) override;
  void combine(Rank rank, const View& to, const View& left, const View& right) override;
  std::string fault() const override;

 private:
  using Ranks = std::vector<bool>;
  struct State {
    Case c{};
    Buffers buffers;
    Ranks heard_of;  // of a barrier
  };
  struct Content {
    Pieces pieces;
    Ranks heard_of;
  };
  State& state_of(Rank rank) { return ranks_[rank]; }
  void found(FaultKind kind, Rank rank, const std::string& text);
  /// False, and a fault, where the rank has no such elements, or not as many as expected.
  bool may_touch(Rank rank, const View& view, Count elements);
  /// What is in left_.
  void write(Rank rank, const View& to);
  /// Takes what came; false: it is of no use.
  bool open(Parcel parcel, Rank rank, const View& to, Pieces& into);

  TermTable terms_;
  std::vector<State> ranks_;
  std::vector<Content> parcels_;
  std::vector<Parcel> free_;
  Pieces left_, right_;
  std::optional<Fault> fault_;
};

/// A MakePayload.
std::unique_ptr<Payload> make_contributions(int ranks);

}  // namespace tutti::proof
