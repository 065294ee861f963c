#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

namespace tutti {

/// Memory shaped like a View, in bytes: `runs` pieces of `block` bytes, `stride` apart, the last of `last` bytes.
/// Refers to memory, does not own it. Regions that are sent are only read.
struct Region {
  std::byte* first = nullptr;
  std::size_t block = 0, stride = 0, runs = 0, last = 0;

  static Region contiguous(void* first, std::size_t bytes) {
    return {static_cast<std::byte*>(first), bytes, bytes, 1, bytes};
  }
  std::size_t bytes() const { return runs == 0 ? 0 : (runs - 1) * block + last; }
  bool is_contiguous() const { return runs <= 1; }
};

/// Walks through a region front to back.
class Cursor {
 public:
  Cursor() = default;
  explicit Cursor(const Region& region) : region_(region), left_(region.bytes()) {}

  std::size_t left() const { return left_; }
  /// The next bytes that lie in one piece, at most `most`; empty only where nothing is left or `most` is 0.
  std::span<std::byte> next(std::size_t most) {
    const std::size_t length = run_ + 1 == region_.runs ? region_.last : region_.block;
    const std::size_t piece = std::min({most, left_, length - offset_});
    std::byte* const begin = left_ == 0 ? nullptr : region_.first + run_ * region_.stride + offset_;
    offset_ += piece;
    left_ -= piece;
    if (offset_ == length) ++run_, offset_ = 0;
    return {begin, piece};
  }
  /// Copies the next bytes out; there must be as many.
  void read(void* to, std::size_t bytes) {
    for (auto* at = static_cast<std::byte*>(to); bytes > 0;) {
      const auto piece = next(bytes);
      std::memcpy(at, piece.data(), piece.size());
      at += piece.size(), bytes -= piece.size();
    }
  }
  /// Fills the next bytes; there must be as many.
  void write(const void* from, std::size_t bytes) {
    for (auto* at = static_cast<const std::byte*>(from); bytes > 0;) {
      const auto piece = next(bytes);
      std::memcpy(piece.data(), at, piece.size());
      at += piece.size(), bytes -= piece.size();
    }
  }

 private:
  Region region_;
  std::size_t run_ = 0, offset_ = 0, left_ = 0;
};

/// All of a region out, or in. Most are in one piece: no cursor walks through those. An empty one may be nowhere.
inline void copy_out(const Region& from, void* to) {
  if (from.runs == 1 && from.last > 0)
    std::memcpy(to, from.first, from.last);
  else
    Cursor(from).read(to, from.bytes());
}
inline void copy_in(const Region& to, const void* from) {
  if (to.runs == 1 && to.last > 0)
    std::memcpy(to.first, from, to.last);
  else
    Cursor(to).write(from, to.bytes());
}

/// Long copies go from piece to piece: there and back, two of these stay in a core's own cache.
inline constexpr std::size_t kPieceBytes = 256 << 10;

/// Calls piece(begin, size), which says whether it could, for all of [0, bytes): at once, or piece by piece from the
/// end.
template <class Piece>
bool copy_pieces(std::size_t bytes, bool from_end, const Piece& piece) {
  if (!from_end) return piece(std::size_t{0}, bytes);
  for (std::size_t end = bytes; end > 0;) {
    const std::size_t begin = (end - 1) / kPieceBytes * kPieceBytes;
    if (!piece(begin, end - begin)) return false;
    end = begin;
  }
  return true;
}

/// The regions have the same size; they are identical or do not overlap.
inline void copy(const Region& to, const Region& from) {
  Cursor into(to);
  if (from.is_contiguous()) return into.write(from.first, from.bytes());
  for (Cursor source(from); source.left() > 0;) {
    const auto piece = source.next(source.left());
    into.write(piece.data(), piece.size());
  }
}

}  // namespace tutti
