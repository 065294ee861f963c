#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "algos/payload.hpp"

namespace tutti {

/// What the operations of a simulation do to its payload, by their numbers, until they are done. Without a payload it
/// is false, and nothing else may be asked of it.
class DataMoves {
 public:
  struct Move {
    enum class Kind : std::uint8_t { send, receive, receive_combined, copy, combine };
    Kind kind = Kind::send;
    Rank rank = 0;
    View to, left, right;  // a send reads `left`, as a copy does; of a receive that combines, `left` is its own operand
    Incoming side = Incoming::left;
  };

  DataMoves(MakePayload make, int ranks) : payload_(make ? make(ranks) : nullptr) {}
  explicit operator bool() const { return payload_ != nullptr; }
  Payload* operator->() { return payload_.get(); }

  void post(std::uint32_t op, const Move& move) {
    if (moves_.size() <= op) moves_.resize(op + 1), parcels_.resize(op + 1);
    moves_[op] = move;
  }
  /// The send is complete, or as good as.
  Payload::Parcel pack(std::uint32_t send) { return payload_->pack(moves_[send].rank, moves_[send].left); }
  /// The receive's message is this one.
  void bring(std::uint32_t receive, Payload::Parcel parcel) { parcels_[receive] = parcel; }
  /// A receive, a copy or a combination is complete.
  void complete(std::uint32_t op) {
    const Move& move = moves_[op];
    switch (move.kind) {
      case Move::Kind::send:
        return;
      case Move::Kind::receive:
        return payload_->unpack(parcels_[op], move.rank, move.to);
      case Move::Kind::receive_combined:
        return payload_->unpack_combined(parcels_[op], move.rank, move.to, move.left, move.side);
      case Move::Kind::copy:
        return payload_->copy(move.rank, move.to, move.left);
      case Move::Kind::combine:
        return payload_->combine(move.rank, move.to, move.left, move.right);
    }
  }

 private:
  std::unique_ptr<Payload> payload_;
  std::vector<Move> moves_;
  std::vector<Payload::Parcel> parcels_;
};

}  // namespace tutti
