#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

/// The memory that two processes share for messages from one to the other.
namespace tutti::shm {

inline constexpr std::size_t kLine = 64, kInline = 48, kSlotBytes = 16 << 10;
/// From slot to slot. No two of sixteen begin at the same place of a page: a copy between places that follow each other
/// closely but for whole pages is slow, and it should not be so for all messages of a buffer.
inline constexpr std::size_t kSlotStride = kSlotBytes + 4 * kLine;

enum class CellKind : std::uint8_t {
  small,      // a whole message, in the cell
  eager,      // a whole message, in the slot; the cell says its size
  stream,     // a message begins: the cell says its size and number, the slot holds its first bytes
  chunk,      // the next bytes of the message of that number, in the slot; the cell says how many
  offer,      // a message that waits for accept; the cell says its size and number, and where it lies, if in one piece
  accept,     // send the message of that number
  zero_copy,  // a message that lies in the sender's heap: the cell says its size and number, and where
  done,       // the message of that number has been read
  help,  // put the message of that number, from so many bytes on, to the place that the cell names, as I read the rest
  helped,  // that is done (the cell's bytes are 1), or refused (0)
};

/// One cache line: one transfer between cores carries a small message with all that is needed to match it.
struct alignas(kLine) Cell {
  std::atomic<std::uint32_t> turn;  // sequence number, from 1 on, of the cell that it holds
  CellKind kind;
  std::uint8_t bytes;  // of a small message
  std::uint8_t lane;
  std::uint32_t group, call;
  struct About {
    std::uint64_t bytes, number, place;
  };
  union {
    std::byte payload[kInline];
    About about;
  };
};
static_assert(sizeof(Cell) == kLine);

/// Single producer, single consumer. Bytes that do not fit into a cell are in a slot: there are as many slots as cells,
/// and the cells that need one take them in turn. The consumer says on a line of its own how many cells it is done
/// with.
class Ring {
 public:
  static std::size_t bytes(std::uint32_t cells) { return kLine + cells * (sizeof(Cell) + kSlotStride); }

  Ring() = default;
  Ring(std::byte* memory, std::uint32_t cells)
      : consumed_(reinterpret_cast<std::atomic<std::uint32_t>*>(memory)),
        cells_(reinterpret_cast<Cell*>(memory + kLine)),
        slots_(memory + kLine + cells * sizeof(Cell)),
        mask_(cells - 1) {}

  Cell& cell(std::uint32_t index) const { return cells_[index & mask_]; }
  std::byte* slot(std::uint32_t index) const { return slots_ + std::size_t{index & mask_} * kSlotStride; }
  std::atomic<std::uint32_t>& consumed() const { return *consumed_; }
  std::uint32_t cells() const { return mask_ + 1; }

 private:
  std::atomic<std::uint32_t>* consumed_ = nullptr;
  Cell* cells_ = nullptr;
  std::byte* slots_ = nullptr;
  std::uint32_t mask_ = 0;  // cells is a power of two
};

/// A line that is written soon is fetched for that, while this core goes on.
inline void fetch_to_write(const void* line) {
#ifdef __x86_64__
  asm volatile("prefetchw %0" : : "m"(*static_cast<const std::byte*>(line)));
#else
  (void)line;
#endif
}

/// The producer's end.
class Outgoing {
 public:
  explicit Outgoing(Ring ring = {}) : ring_(ring) {}
  bool has_room() {
    if (next_ - consumed_ < ring_.cells()) return true;
    consumed_ = ring_.consumed().load(std::memory_order_acquire);
    return next_ - consumed_ < ring_.cells();
  }
  /// All only where there is room: the cell to fill, and the slot that it may take.
  Cell& cell() const { return ring_.cell(next_); }
  std::byte* slot() const { return ring_.slot(next_slot_); }
  /// The next cell's line is this core's when it is filled, unless the consumer has looked at it meanwhile.
  void publish() {
    Cell& filled = cell();
    filled.turn.store(++next_, std::memory_order_release);
    fetch_to_write(&cell());
  }
  void publish_with_slot() {
    ++next_slot_;
    publish();
  }
  /// The bytes of the slot published last leave this core's own cache for one that the consumer's core reaches sooner:
  /// some lines do so while this core goes on. To a processor that does not know the instruction it is none.
  void hand_over(std::size_t bytes) const {
#ifdef __x86_64__
    const std::byte* const filled = ring_.slot(next_slot_ - 1);
    for (std::size_t line = 0; line < bytes; line += kLine) asm volatile("cldemote %0" : : "m"(filled[line]));
#else
    (void)bytes;
#endif
  }
  /// The next slot's first bytes will soon be written: their lines, which the consumer has read, are fetched before
  /// anybody waits for that.
  void prepare(std::size_t bytes) const {
    const std::byte* const next = slot();
    for (std::size_t line = 0; line < bytes; line += kLine) fetch_to_write(next + line);
  }

 private:
  Ring ring_;
  std::uint32_t next_ = 0, next_slot_ = 0, consumed_ = 0;
};

/// The consumer's end.
class Incoming {
 public:
  explicit Incoming(Ring ring = {}) : ring_(ring) {}
  bool has_cell() const { return cell().turn.load(std::memory_order_acquire) == next_ + 1; }
  const Cell& cell() const { return ring_.cell(next_); }
  void look_ahead() const { __builtin_prefetch(&cell()); }
  /// Of a cell that has taken one.
  const std::byte* slot() const { return ring_.slot(next_slot_); }
  /// All lines of its first bytes are on their way at once: a copy waits for one before it asks for the next where the
  /// two places are whole pages apart.
  void fetch(std::size_t bytes) const {
    for (std::size_t line = 0; line < bytes; line += kLine) __builtin_prefetch(slot() + line);
  }
  void free_slot() { ++next_slot_; }
  /// The producer learns of it late while it has room for sure: that line is written once for several cells.
  void consume() {
    if (++next_ - told_ >= ring_.cells() / 4) ring_.consumed().store(told_ = next_, std::memory_order_release);
  }

 private:
  Ring ring_;
  std::uint32_t next_ = 0, next_slot_ = 0, told_ = 0;
};

}  // namespace tutti::shm
