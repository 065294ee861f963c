#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "calibration/distance_curves.hpp"
#include "calibration/piecewise_fit.hpp"

namespace tutti {

/// A break in a measured curve that looks like the switch from eager to rendezvous.
struct ProtocolSwitch {
  std::int64_t last_eager_bytes, first_rendezvous_bytes;  ///< neighbouring measured sizes; the limit lies between
  double jump;                ///< (time after - time before) / time before, at first_rendezvous_bytes
  double rendezvous_seconds;  ///< what the handshake adds to the constant part
  double support;             ///< share of the single curves that jump the same way
};

/// Finds where the curve's constant part rises while bytes get no dearer. That is what a handshake does; a cache that
/// overflows makes bytes dearer instead. A switch counts if
///   - it is at 1 KiB or above: what jumps below are inline sizes and small buffers, no MPI library shakes hands there;
///   - the constant rises by half the time of the smallest message or more (a handshake is at least one message more,
///     part of it hidden);
///   - the jump is above three expected errors of the time measured there;
///   - 9 of 10 single curves that hold both sizes jump the same way.
/// Best first, by the ratio of times before and after. An upward jump goes before a downward one, where the library
/// also switched to a faster copy, unless its ratio's logarithm is less than half the greatest. Empty: none is
/// significant. `pieces` are those of the medians.
std::vector<ProtocolSwitch> find_protocol_switches(const DistanceCurve& curve, std::span<const Piece> pieces);

}  // namespace tutti
