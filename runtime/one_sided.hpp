#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "runtime/team.hpp"

namespace tutti {

/// What a Window is made of, without the elements' type; in bytes.
class Exposure {
 public:
  Exposure(Team& team, void* first, std::size_t bytes, std::size_t element_bytes);
  Exposure(Exposure&&) noexcept;
  Exposure& operator=(Exposure&&) noexcept;
  ~Exposure();
  std::size_t bytes(Rank rank) const;
  void get(Rank from, std::size_t offset, void* into, std::size_t bytes);
  void put(Rank to, std::size_t offset, const void* what, std::size_t bytes);
  void flush();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Memory of every rank that the others read and write without its taking part: in shared memory as one writes and
/// reads one's own (memory of Team::alloc; any other of threads of one process, and of processes where the system has
/// cross-memory access), over verbs by RDMA. Not over TCP.
///
/// Completion. get() and put() begin an access and return. It is complete when flush() has returned: then what is read
/// is here, what is written is in the peer's memory, and all memory of the access may be used again. Between the two,
/// what is read into must not be touched, and what is written from not be changed. Accesses of one rank are in no order
/// before flush().
///
/// Order between ranks is made by messages: what a rank does after a call that had to wait for another rank's part in
/// it (a barrier, for one) sees all that the other had flushed before it began its part. Two accesses, an owner's own
/// among them, to the same elements, one of which writes, must have such an order; nothing is atomic.
///
/// The first access to a rank over verbs connects to it, and for that waits until the rank is in a call of its team.
///
/// Belongs to its rank's thread, refers to the team and to the memory, and must end before them, once all ranks have
/// flushed their accesses to it and this one knows (by a barrier). Ending it with accesses of its own that are not
/// flushed gives up the team.
template <class T>
requires std::is_trivially_copyable_v<T>
class Window {
 public:
  /// Collective: each rank gives its elements, as many as it wants, or none. On all ranks alike, throws
  /// std::invalid_argument where some rank's memory is out of reach of some other, saying why; TeamError where ranks'
  /// elements differ in size, and as Team does.
  Window(Team& team, std::span<T> mine) : exposure_(team, mine.data(), mine.size_bytes(), sizeof(T)) {}
  template <Writable Data>
  Window(Team& team, Data&& mine) : Window(team, std::span<T>(std::ranges::data(mine), std::ranges::size(mine))) {}

  /// How many elements the rank has exposed. Throws std::out_of_range where there is no such rank.
  std::size_t size(Rank rank) const { return exposure_.bytes(rank) / sizeof(T); }
  /// From the rank's element `first` on. Throws std::out_of_range, before anything is moved, where there is no such
  /// rank or it has not so many elements; TeamError as Team does. The rank may be this one.
  void get(Rank from, std::size_t first, std::span<T> into) {
    exposure_.get(from, scaled(first), into.data(), into.size_bytes());
  }
  void put(Rank to, std::size_t first, std::span<const T> what) {
    exposure_.put(to, scaled(first), what.data(), what.size_bytes());
  }
  /// Waits for all of this rank's accesses. Throws TeamError as Team does: a rank has ended, or the limit is exceeded.
  void flush() { exposure_.flush(); }

 private:
  static std::size_t scaled(std::size_t element) {
    constexpr std::size_t kMost = ~std::size_t{0} / sizeof(T);
    return element > kMost ? ~std::size_t{0} : element * sizeof(T);
  }
  Exposure exposure_;
};
template <class Data>
Window(Team&, Data&&) -> Window<std::ranges::range_value_t<Data>>;

}  // namespace tutti
