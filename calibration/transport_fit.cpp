#include "calibration/transport_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace tutti {
namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

/// Shares of the smallest message's time, where only ping-pongs were measured: they give the sum of overheads and
/// latency, never its parts. Network: medians of 35 LogGP runs of netgauge on eight systems (De Sensi et al., "Noise in
/// the Clouds", 2022, data set cloud_noise). Shared memory: the cores do all the work; a guess that leaves a fifth to
/// the cache lines' way.
struct Shares {
  double send, receive, gap;
};
constexpr Shares network_shares{0.08, 0.27, 0.23};
constexpr Shares memory_shares{0.4, 0.4, 0.4};
/// Of the smallest message's time that overheads may take in all.
constexpr double most_overhead = 0.9;

Shares shares_at(Distance distance) { return distance == Distance::network ? network_shares : memory_shares; }

std::vector<CurvePoint> medians(const DistanceCurve& curve) {
  std::vector<CurvePoint> points;
  for (const DistancePoint& point : curve.points) points.push_back({point.bytes, point.median_seconds});
  return points;
}

struct Overheads {
  double send, receive, gap;
};

Overheads choose_overheads(const DistanceCurve& curve, double seconds, std::vector<Unidentified>& unidentified) {
  const Shares shares = shares_at(curve.distance);
  const auto prior = [&](const char* figure, double share) {
    unidentified.push_back(
        {figure, fmt::format("not identified by the data; {:.0f} % of the smallest message's time", share * 100)});
    return share * seconds;
  };
  Overheads chosen{curve.send_overhead_seconds, curve.receive_overhead_seconds, curve.gap_seconds};
  const double measured = chosen.send + chosen.receive;
  if (measured > most_overhead * seconds) chosen.send = chosen.receive = 0;
  if (chosen.gap == 0) chosen.gap = prior("gap_seconds", shares.gap);
  // A sender that streams a message every gap is not busier than that with one.
  if (chosen.send == 0) chosen.send = std::min(prior("send_overhead_seconds", shares.send), chosen.gap);
  if (chosen.receive == 0) chosen.receive = prior("receive_overhead_seconds", shares.receive);
  if (measured > most_overhead * seconds)
    unidentified.back().reason +=
        fmt::format("; the overheads measured, {:.3g} us in all, exceed the time they are part of", measured * 1e6);
  const double scale = std::min(1.0, most_overhead * seconds / (chosen.send + chosen.receive));
  return {chosen.send * scale, chosen.receive * scale, chosen.gap};
}

/// Where one piece ends and the next begins, between two measured sizes: at their crossing if there is one, else at the
/// last size measured with the first.
std::int64_t last_bytes_of(const Piece& left, const Piece& right, const std::vector<CurvePoint>& points) {
  const std::int64_t from = points[left.last].bytes, to = points[right.first].bytes;
  const double crossing =
      (right.constant_seconds - left.constant_seconds) / (left.seconds_per_byte - right.seconds_per_byte);
  if (crossing > static_cast<double>(from) && crossing < static_cast<double>(to))
    return static_cast<std::int64_t>(crossing);
  return from;
}

constexpr double kSlowest = 1000;  // bytes per second: a machine's file takes no less

/// A segment per piece, and one more where the eager limit lies inside a piece.
void set_segments(TransportFit& fit, const std::vector<Piece>& pieces, const std::vector<CurvePoint>& points,
                  double taken_seconds) {
  const std::int64_t eager_limit = fit.transport.eager_limit_bytes;
  std::vector<Segment>& segments = fit.transport.segments;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::int64_t end = no_limit;
    if (i + 1 < pieces.size()) {
      const std::int64_t from = points[pieces[i].last].bytes, to = points[pieces[i + 1].first].bytes;
      const bool is_switch = from == eager_limit || (!fit.switches.empty() && from < eager_limit && eager_limit < to);
      end = is_switch ? eager_limit : last_bytes_of(pieces[i], pieces[i + 1], points);
    }
    const std::int64_t begin = segments.empty() ? -1 : segments.back().up_to_bytes;
    const double latency = std::max(0.0, pieces[i].constant_seconds - taken_seconds);
    const bool is_noise = 1 / pieces[i].seconds_per_byte < kSlowest;
    const double bandwidth = std::max(kSlowest, 1 / pieces[i].seconds_per_byte);
    if (begin < eager_limit && eager_limit < end) segments.push_back({eager_limit, latency, bandwidth});
    const double after =
        begin < eager_limit && end <= eager_limit ? latency : std::max(0.0, latency - fit.transport.rendezvous_seconds);
    segments.push_back({end, after, bandwidth});
    fit.bandwidth_is_guess.resize(segments.size(), pieces[i].slope_is_bound);
    if (is_noise)
      fit.unidentified.push_back(
          {fmt::format("segments/{}/bandwidth_bytes_per_second", segments.size() - 1),
           fmt::format("{} to {} bytes: the times there grow more than on any network: noise, measure again",
                       points[pieces[i].first].bytes, points[pieces[i].last].bytes)});
    if (pieces[i].slope_is_bound)
      fit.unidentified.push_back(
          {fmt::format("segments/{}/bandwidth_bytes_per_second", segments.size() - 1),
           fmt::format("{} to {} bytes: that of the narrowest link, for the times there hardly grow",
                       points[pieces[i].first].bytes, points[pieces[i].last].bytes)});
  }
}

/// Nothing that was measured is as long as what goes by rendezvous.
bool is_eager_alone(const TransportFit& fit, const std::vector<CurvePoint>& points) {
  return fit.switches.empty() && points.back().bytes <= fit.transport.eager_limit_bytes;
}

/// What is longer than all that was measured. The last rate goes on where bytes had come to be most of the time; else
/// it may be that of eager copies or noise, and longer messages are as fast as those of `before`, if these are faster.
void set_longer_messages(TransportFit& fit, const std::vector<CurvePoint>& points, const RouteFigures& route,
                         const std::optional<Transport>& before) {
  const CurvePoint& longest = points.back();
  if (longest.bytes >= kLongMessage) return;
  std::vector<Segment>& segments = fit.transport.segments;
  const double rate = segments.back().bandwidth_bytes_per_second, bytes = static_cast<double>(longest.bytes);
  const double other =
      before ? std::min(before->segments.back().bandwidth_bytes_per_second, route.bandwidth_bytes_per_second) : 0;
  const bool is_known = !is_eager_alone(fit, points) && bytes / rate >= longest.seconds / 2;
  const bool is_other = !is_known && other > rate;
  if (is_other) {
    while (segments.size() > 1 && segments[segments.size() - 2].up_to_bytes >= longest.bytes) segments.pop_back();
    segments.back().up_to_bytes = longest.bytes;
    segments.push_back({no_limit, segments.back().latency_seconds + bytes / rate - bytes / other, other});
    fit.bandwidth_is_guess.resize(segments.size() - 1);
    fit.bandwidth_is_guess.push_back(true);
  }
  fit.unidentified.push_back(
      {fmt::format("segments/{}/bandwidth_bytes_per_second", segments.size() - 1),
       fmt::format("nothing above {} bytes was measured; {}", longest.bytes,
                   is_other ? "as fast there as the base's long messages" : "the last rate goes on")});
}

/// Where no change of protocol shows.
void keep_protocol(TransportFit& fit, const std::vector<CurvePoint>& points, const std::optional<Transport>& before) {
  fit.transport.eager_limit_bytes = before ? before->eager_limit_bytes : no_limit;
  fit.transport.rendezvous_seconds = 0;
  if (fit.transport.eager_limit_bytes != no_limit && is_eager_alone(fit, points)) {
    for (const char* figure : {"eager_limit_bytes", "rendezvous_seconds"})
      fit.unidentified.push_back({figure, "nothing above the base's eager limit was measured; as in the base"});
    return;
  }
  std::string reason = "no significant jump in the data; none is set";
  if (fit.transport.eager_limit_bytes < points.front().bytes)
    reason = "nothing up to the base's was measured; the handshake is in the latencies, of short messages too";
  else if (fit.transport.eager_limit_bytes != no_limit)
    reason = "no significant jump in the data; as in the base, the handshake is in the latencies";
  fit.unidentified.push_back({"eager_limit_bytes", reason});
}

}  // namespace

double needed_bandwidth(const DistanceCurve& curve) {
  const std::vector<CurvePoint> points = medians(curve);
  double needed = 0;
  for (const Piece& piece : fit_pieces(points, {})) {
    const CurvePoint& last = points[piece.last];
    if (static_cast<double>(last.bytes) * piece.seconds_per_byte >= 0.5 * last.seconds)
      needed = std::max(needed, 1 / piece.seconds_per_byte);
  }
  return needed;
}

double short_messages_bandwidth(const DistanceCurve& curve) {
  const DistancePoint& last = curve.points.back();
  if (last.bytes >= kLongMessage) return 0;
  double smallest = last.median_seconds;
  for (const DistancePoint& point : curve.points) smallest = std::min(smallest, point.median_seconds);
  // Below that share noise has too much of it.
  const double grown = last.median_seconds - smallest;
  const double growth = grown >= last.median_seconds / 3 ? static_cast<double>(last.bytes) / grown : 0;
  return std::max(growth, reached_bandwidth(curve));
}

TransportFit fit_transport(const DistanceCurve& curve, const RouteFigures& route,
                           const std::optional<Transport>& before) {
  const std::vector<CurvePoint> points = medians(curve);
  double smallest = points.front().seconds;
  for (const CurvePoint& point : points) smallest = std::min(smallest, point.seconds);
  if (smallest <= route.latency_seconds)
    throw InputError(
        fmt::format("{}: a message at distance {} takes {:.3g} us, but the base machine's links alone {:.3g} us: "
                    "expected a base with shorter links, or a nearer distance before the file's name",
                    curve.files.front(), to_string(curve.distance), smallest * 1e6, route.latency_seconds * 1e6));

  TransportFit fit;
  Transport& transport = fit.transport;
  const Overheads overheads = choose_overheads(curve, smallest - route.latency_seconds, fit.unidentified);
  transport.send_overhead_seconds = overheads.send;
  transport.receive_overhead_seconds = overheads.receive;
  transport.gap_seconds = overheads.gap;

  const double taken = route.latency_seconds + overheads.send + overheads.receive;
  PieceBounds bounds{taken, 1 / route.bandwidth_bytes_per_second};
  std::vector<Piece> pieces = fit_pieces(points, bounds);
  fit.switches = find_protocol_switches(curve, pieces);
  if (fit.switches.empty()) {
    keep_protocol(fit, points, before);
  } else {
    // Both sides again, so that every piece after the switch has room for the handshake in its constant.
    const ProtocolSwitch& best = fit.switches.front();
    const auto split = std::find_if(points.begin(), points.end(),
                                    [&](const CurvePoint& point) { return point.bytes > best.last_eager_bytes; });
    const int eager_points = static_cast<int>(split - points.begin());
    transport.eager_limit_bytes = best.last_eager_bytes;
    if (before && best.last_eager_bytes < before->eager_limit_bytes && before->eager_limit_bytes < split->bytes) {
      transport.eager_limit_bytes = before->eager_limit_bytes;
      fit.unidentified.push_back(
          {"eager_limit_bytes", "somewhere between two sizes that were measured; as in the base"});
    }
    const auto after =
        std::find_if(pieces.begin(), pieces.end(), [&](const Piece& piece) { return piece.first >= eager_points; });
    transport.rendezvous_seconds = std::min(best.rendezvous_seconds, after->constant_seconds - taken);
    if (best.jump < 0)
      fit.unidentified.push_back(
          {"rendezvous_seconds",
           "times fall where the protocol changes, so the handshake is seen only in part: what the "
           "constant is above the smallest message's"});
    pieces = fit_pieces({points.begin(), split}, bounds);
    bounds.least_constant_seconds += transport.rendezvous_seconds;
    for (Piece piece : fit_pieces({split, points.end()}, bounds)) {
      piece.first += eager_points, piece.last += eager_points;
      pieces.push_back(piece);
    }
  }
  set_segments(fit, pieces, points, taken);
  set_longer_messages(fit, points, route, before);
  if (before && is_eager_alone(fit, points)) transport.rendezvous_seconds = before->rendezvous_seconds;
  return fit;
}

}  // namespace tutti
