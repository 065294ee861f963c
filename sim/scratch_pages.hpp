#pragma once

#include <cstdint>
#include <vector>

#include "algos/view.hpp"
#include "models/machine.hpp"

namespace tutti {

/// Memory that a rank's call took for itself so far: in all; in pieces from the allocator's pool, and of them the
/// largest; which part of each piece was written to, and which is registered with an adapter.
class ScratchPages {
 public:
  std::int64_t bytes() const { return bytes_; }
  /// Takes one more piece, which is that scratch buffer.
  void take(std::int32_t buffer, std::int64_t piece_bytes, const Compute::Temporary& cost);
  /// Returns how many bytes of fresh pages it touches to write there: none outside scratch buffers, nor in what the
  /// allocator kept from the calls before. A piece is taken to be written to from one place on, to both sides.
  std::int64_t touch(const View& written, int element_bytes, const Compute::Temporary& cost);

  /// An adapter is to read or write there by itself: how much of a registration that takes. 0: all of it is registered,
  /// or outside of scratch buffers. What is not fresh is taken to be registered since earlier calls.
  double register_with_adapter(const View& where, const Compute::Temporary& cost);

 private:
  struct Piece;
  double fresh_part(const Piece& piece, const Compute::Temporary& cost) const;
  double trimmed_part(const Compute::Temporary& cost) const;
  /// Of a piece of at least mapped_from_bytes.
  static double mapped_part(std::int64_t piece_bytes, const Compute::Temporary& cost);
  struct Stretch {
    Count first, end;
  };
  struct Piece {
    std::int64_t bytes;
    Count touched_first, touched_end;
    std::vector<Stretch> registered;  // in order, with gaps between them
  };
  std::int64_t bytes_ = 0, pooled_ = 0, largest_ = 0;
  std::int32_t first_buffer_ = 0;
  std::vector<Piece> pieces_;  // of consecutive buffers; only where fresh pages cost anything
};

}  // namespace tutti
