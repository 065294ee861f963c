#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include "runtime/tcp/streams.hpp"

namespace tutti::tcp {

/// One who has connected and has not said yet, with a proof, which rank it is. Nothing more than that is read.
class Stranger {
 public:
  enum class Is : std::uint8_t { unknown, known, wrong };
  using Clock = std::chrono::steady_clock;

  Stranger() = default;
  Stranger(Descriptor descriptor, Clock::time_point since) : descriptor_(std::move(descriptor)), since_(since) {}
  bool is_here() const { return descriptor_.is_open(); }
  int descriptor() const { return *descriptor_; }
  Clock::time_point since() const { return since_; }
  /// Reads what is there, and says whether it is a rank that connects to rank `self` of so many.
  Is read(const Secret& key, Rank self, int ranks);
  /// Who it is, where it is known.
  Rank rank() const { return hello_.from; }
  void send_away();
  Descriptor take() { return std::move(descriptor_); }

 private:
  Descriptor descriptor_;
  Clock::time_point since_;
  Hello hello_;
  std::size_t have_ = 0;  // of it
};

/// As many as may wait to be known; more are not kept.
class Strangers {
 public:
  static constexpr std::size_t kMost = 64;

  Stranger& operator[](std::size_t place) { return all_[place]; }
  /// A place where nobody is.
  std::optional<std::size_t> free_place() const;
  /// The place of the one who has been here longest.
  std::optional<std::size_t> oldest() const;
  auto begin() { return all_.begin(); }
  auto end() { return all_.end(); }

 private:
  std::array<Stranger, kMost> all_;
};

}  // namespace tutti::tcp
