#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "algos/case.hpp"
#include "algos/comm.hpp"

namespace tutti {

/// The data of simulated ranks. A simulator by itself moves none; one that is given a payload has its operations move
/// that: what an operation reads is read and what it writes is written when it completes, by the simulator's clock.
/// Ranks are world ranks, views those of the rank's call. Used by one thread.
class Payload {
 public:
  using Parcel = std::uint32_t;  // what a message carries

  virtual ~Payload() = default;
  /// The rank enters a call: its buffers hold what a caller gives, and nothing is left of the call before.
  virtual void begin(Rank rank, const Case& c) = 0;
  /// The rank leaves the call that it has begun.
  virtual void end(Rank rank) = 0;
  /// Memory of that call, its content undefined.
  virtual View scratch(Rank rank, Count elements) = 0;
  /// What the elements hold now.
  virtual Parcel pack(Rank rank, const View& what) = 0;
  /// Each parcel once.
  virtual void unpack(Parcel parcel, Rank rank, const View& to) = 0;
  /// As Comm::recv_combine.
  virtual void unpack_combined(Parcel parcel, Rank rank, const View& to, const View& own, Incoming side) = 0;
  virtual void copy(Rank rank, const View& to, const View& from) = 0;
  virtual void combine(Rank rank, const View& to, const View& left, const View& right) = 0;
  /// The first thing that was found wrong, in one line; empty: nothing was.
  virtual std::string fault() const = 0;
};

/// Makes one for so many ranks.
using MakePayload = std::unique_ptr<Payload> (*)(int ranks);

}  // namespace tutti
