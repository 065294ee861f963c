#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/distance_curves.hpp"
#include "calibration/eager_limit.hpp"
#include "models/machine.hpp"

namespace tutti {

/// What the links of the machine contribute to one message at a distance.
struct RouteFigures {
  double latency_seconds;             ///< sum over the route
  double bandwidth_bytes_per_second;  ///< of the narrowest link
};

/// A figure that the data do not determine.
struct Unidentified {
  std::string figure;  ///< its key in the machine file
  std::string reason;  ///< and where the value is from instead
};

struct TransportFit {
  Transport transport;
  std::vector<ProtocolSwitch> switches;  ///< best first; the eager limit is the first one's
  std::vector<Unidentified> unidentified;
  std::vector<bool> bandwidth_is_guess;  ///< of each segment: the links' or the base's, not from the data
};

/// The bandwidth that the measured times need: the greatest over the pieces whose bytes make up half of the time or
/// more, fitted without regard to links. A narrower link would make the model slower than the measurement.
double needed_bandwidth(const DistanceCurve& curve);
/// The least bandwidth that explains the times where no long messages were measured, which take little but their
/// bytes': what the largest message reached, or what it took more than the smallest. Bytes per second; 0 where long
/// ones were measured.
double short_messages_bandwidth(const DistanceCurve& curve);

/// Fits a transport so that overheads + [rendezvous] + latency + link latencies + bytes / bandwidth gives the
/// medians. The route must not be narrower than needed, else the fit shows it as residuals. `before` is the machine's
/// transport at this distance, none if it has none: its eager limit is kept where none shows in the data or the data
/// leave it open, its handshake where nothing above that limit was measured, and its rate for messages longer than all
/// that was, where that is faster and the last measured rate not yet that of bytes alone. Throws InputError if the
/// links alone take as long as the smallest message.
TransportFit fit_transport(const DistanceCurve& curve, const RouteFigures& route,
                           const std::optional<Transport>& before);

}  // namespace tutti
