#include "calibration/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "calibration/distance_labels.hpp"
#include "calibration/falling_times.hpp"
#include "calibration/files_apart.hpp"
#include "calibration/hwloc_node.hpp"
#include "calibration/infer_node.hpp"
#include "calibration/machine_edit.hpp"
#include "calibration/readers.hpp"
#include "models/figures_checksum.hpp"

namespace tutti {
namespace {

// What one pair reaches with messages of this size is taken for the adapter's bandwidth.
// Machine files hold rounded figures.
constexpr double rounding = 1e-5;
// Pairs that share adapters do not reach this share of what as many by themselves would.
constexpr double kPairsApart = 0.95;

struct InputFile {
  std::string path;
  ReadOptions options;
};

/// "[DISTANCE=]FILE[@DATASET]"; a file of exactly that name comes first, so that names may hold both signs.
InputFile parse_input(const std::string& text) {
  InputFile input{text, {}};
  if (std::filesystem::exists(input.path)) return input;
  if (const auto equals = input.path.find('='); equals != std::string::npos) {
    const std::string name = input.path.substr(0, equals);
    input.options.distance = distance_of_label(name);
    if (!input.options.distance || to_string(*input.options.distance) != name)
      throw InputError(fmt::format("{}: '{}', expected cache, numa, socket, node or network before '='{}", text, name,
                                   did_you_mean(name, {"cache", "numa", "socket", "node", "network"})));
    input.path = input.path.substr(equals + 1);
    if (std::filesystem::exists(input.path)) return input;
  }
  if (const auto at = input.path.rfind('@'); at != std::string::npos) {
    input.options.dataset = input.path.substr(at + 1);
    input.path = input.path.substr(0, at);
  }
  return input;
}

/// Whose invented figures stand for what nobody measured.
constexpr const char* kGuesses = "example-cluster";

Measurements read_inputs(const std::vector<CalibrationInput>& inputs) {
  Measurements all;
  std::set<std::string> seen;
  for (const CalibrationInput& input : inputs) {
    const InputFile file = parse_input(input.file);
    const std::string name = std::filesystem::path(file.path).lexically_normal().string();
    if (!seen.insert(input.format + " " + name + "@" + file.options.dataset).second)
      throw InputError(input.file + ": given twice, expected each file once, at one distance");
    if (!file.options.dataset.empty() && input.format != "csv")
      throw InputError(
          fmt::format("{}: expected no @{}: only a CSV holds several systems", input.file, file.options.dataset));
    Measurements one = find_reader(input.format).read(file.path, file.options);
    std::move(one.series.begin(), one.series.end(), std::back_inserter(all.series));
    std::move(one.skipped.begin(), one.skipped.end(), std::back_inserter(all.skipped));
  }
  return all;
}

std::optional<CorePair> find_pair(const Network& network, Distance distance) {
  if (distance == Distance::network)
    return network.nodes() < 2 ? std::nullopt : std::optional(CorePair{0, network.cores_per_node()});
  for (int core = 1; core < network.cores_per_node(); ++core)
    if (network.distance(0, core) == distance) return CorePair{0, core};
  return std::nullopt;
}

/// "cache, node, network"
std::string distances_of(const Network& network) {
  std::string names;
  for (int i = 0; i < distance_count; ++i)
    if (const auto distance = static_cast<Distance>(i); distance != Distance::self && find_pair(network, distance))
      names += (names.empty() ? "" : ", ") + std::string(to_string(distance));
  return names;
}

std::string file_names(const DistanceCurve& curve) {
  std::string names;
  for (const std::string& file : curve.files)
    names += (names.empty() ? "" : ", ") + std::filesystem::path(file).filename().string();
  return names;
}

class Calibration {
 public:
  explicit Calibration(const CalibrationRequest& request)
      : request_(request),
        base_name_(request.base.empty() ? kGuesses : request.base),
        base_(load_machine(base_name_)),
        measurements_(read_inputs(request.inputs)),
        edit_(nlohmann::ordered_json::parse(machine_source(base_name_))) {}

  CalibrationResult run() {
    CalibrationReport report;
    report.base = has_base() ? base_origin() : "guesses";
    report.machine = !request_.name.empty() ? request_.name : has_base() ? base_.name + "-calibrated" : "one-node";
    notes_ = std::move(measurements_.skipped);
    edit_.anchor_files(std::filesystem::path(base_name_).parent_path());
    if (!has_base()) edit_.set_one_node();
    set_node();

    contradictions_ = leave_out_files_apart(measurements_.series,
                                            request_.known ? request_.known->farther_seconds : farther_seconds());
    std::vector<DistanceCurve> curves;
    if (!request_.inputs.empty()) curves = distance_curves(measurements_.series, *machine().network, notes_);
    for (std::string& line : slower_though_nearer(curves)) notes_.push_back(std::move(line));
    std::string names;
    for (const DistanceCurve& curve : curves) {
      const auto pair = find_pair(*machine().network, curve.distance);
      if (!pair) {
        notes_.push_back(fmt::format(
            "{}: measured at distance {}, but no two cores of the machine are so far apart (they are at {}): "
            "left out",
            file_names(curve), to_string(curve.distance), distances_of(*machine().network)));
        continue;
      }
      report.distances.push_back(calibrate_distance(curve, *pair));
      names += (names.empty() ? "" : ", ") + std::string(to_string(curve.distance));
    }
    if (report.distances.empty() && !request_.inputs.empty()) throw InputError(notes_.back());

    edit_.rename(report.machine, description(names));
    note_what_is_kept(report);
    machine();  // what is returned has passed the schema
    report.figures = figures_checksum(edit_.text());
    report.notes = std::move(notes_);
    report.contradictions = std::move(contradictions_);
    return {edit_.text(), std::move(report)};
  }

 private:
  Machine machine() const { return parse_machine(edit_.text(), base_name_); }
  bool has_base() const { return !request_.base.empty(); }
  const std::string& base_origin() const { return request_.base_origin.empty() ? base_.name : request_.base_origin; }

  std::string shape() const {
    const NodeShape shape = machine().network->node_shape();
    return fmt::format("{} sockets x {} domains x {} cores", shape.sockets, shape.domains_per_socket,
                       shape.caches_per_domain * shape.cores_per_cache);
  }

  /// The base's own description speaks of its own nodes.
  std::string description(const std::string& fitted) const {
    const std::string rest = has_base() ? "as in " + base_.name : "guessed: round figures that nobody measured";
    const std::string transport =
        fitted.empty() ? fmt::format("What messages and computing cost is {}.", rest)
                       : fmt::format("Transport of {} fitted to measurements, the rest {}.", fitted, rest);
    if (node_source_.empty()) return fmt::format("{} Nodes as there, not given anew. {}", base_.description, transport);
    if (!has_base()) return fmt::format("One node of {} ({}). {}", shape(), node_source_, transport);
    return fmt::format("{} nodes of {} ({}) on the network of {}. {}", base_.network->nodes(), shape(), node_source_,
                       base_.name, transport);
  }

  /// As described, else as a table of all pairs of another number of cores shows it, else as in the base.
  void set_node() {
    const std::optional<int> cores = cores_of_pairs(measurements_.series);
    if (!request_.node_xml && (!cores || *cores == base_.network->cores_per_node())) {
      if (request_.base_origin.empty())
        notes_.push_back(
            fmt::format("nodes: {}, memory and adapters kept from {}: --node FILE.xml (lstopo FILE.xml on one "
                        "of yours) says what yours are",
                        shape(), base_.name));
      return;
    }
    const NodeParts parts =
        request_.node_xml ? read_hwloc_node(*request_.node_xml) : infer_node(measurements_.series, *cores);
    node_source_ = request_.node_xml ? request_.node_xml->filename().string() : "inferred from a table of core pairs";
    edit_.set_node(parts, node_source_, base_.name);
    notes_.insert(notes_.end(), parts.notes.begin(), parts.notes.end());
  }

  RouteFigures route_figures(const Machine& at, const CorePair& pair) const {
    std::vector<LinkId> route;
    at.network->route(pair.first, pair.second, route);
    RouteFigures figures{0, std::numeric_limits<double>::infinity()};
    for (const LinkId id : route) {
      const Link& link = at.network->links()[id];
      figures.latency_seconds += link.latency_seconds;
      figures.bandwidth_bytes_per_second =
          std::min(figures.bandwidth_bytes_per_second, link.bandwidth_bytes_per_second);
    }
    return figures;
  }

  /// What the way to the base's farthest node takes beyond that to the nearest.
  double farther_seconds() const {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (int node = 1; node < base_.network->nodes(); ++node) {
      const double way = route_figures(base_, {0, node * base_.network->cores_per_node()}).latency_seconds;
      least = std::min(least, way), most = std::max(most, way);
    }
    return std::max(0.0, most - least);
  }

  void set_bandwidth(const Network& network, LinkId id, double needed, const DistanceCurve& curve) {
    const Link& link = network.links()[id];
    const bool is_streamed = curve.distance == Distance::network && needed == curve.streamed_bytes_per_second;
    const std::string source =
        !is_streamed ? fmt::format("what one pair's times grow by with their bytes in {}", file_names(curve))
        : curve.streaming_pairs == 1
            ? fmt::format("what a stream of one pair's messages reached in {}", file_names(curve))
            : fmt::format("what the streams of {} pairs of processes reached together in {}", curve.streaming_pairs,
                          std::filesystem::path(curve.streamed_file).filename().string());
    if (!edit_.set_bandwidth(link.level.label(), needed, source))
      throw InputError(
          fmt::format("{}: link {} carries {:.4g} GB/s, but a pair at distance {} reached {:.4g} GB/s ({}): "
                      "expected a base whose fabric is as fast",
                      base_name_, network.name_of(id), link.bandwidth_bytes_per_second * 1e-9,
                      to_string(curve.distance), needed * 1e-9, curve.files.front()));
    notes_.push_back(fmt::format("{} links: {:.4g} GB/s instead of {:.4g}, {}", link.level.label(), needed * 1e-9,
                                 link.bandwidth_bytes_per_second * 1e-9, source));
  }

  /// Whether it is known better than by what passes it.
  bool keeps(const Link& link) const {
    if (!request_.known) return false;
    const std::string level = link.level.label();
    return level.starts_with("nic-") ? !request_.known->ports_source.empty() : !MachineEdit::is_node_level(level);
  }

  /// What a pair reached beside the links on its way that are kept. A pair may use all ports of a node.
  void hold_against_links(const DistanceCurve& curve, const CorePair& pair, double needed) {
    if (!request_.known || curve.distance != Distance::network) return;
    double ports = 0, port = 0, cable = 0;
    int number_of_ports = 0;
    for (const auto& nic : edit_.json()["node"]["nics"]) {
      port = std::max(port, nic["bandwidth_bytes_per_second"].get<double>());
      ports += nic.value("count", 1) * nic["bandwidth_bytes_per_second"].get<double>();
      number_of_ports += nic.value("count", 1);
    }
    const Machine at = machine();
    std::vector<LinkId> route;
    at.network->route(pair.first, pair.second, route);
    for (const LinkId id : route)
      if (const Link& link = at.network->links()[id]; !MachineEdit::is_node_level(link.level.label()))
        cable = cable == 0 ? link.bandwidth_bytes_per_second : std::min(cable, link.bandwidth_bytes_per_second);
    const double reached = reached_bandwidth(curve);
    const auto contradict = [&](const char* what, double rate, const std::string& source) {
      contradictions_.push_back(
          fmt::format("{}: a pair of nodes reaches {:.4g} GB/s, but {} {:.4g} GB/s by {}; taken is "
                      "the latter",
                      reached == curve.streamed_bytes_per_second ? curve.streamed_file : curve.pair_file,
                      reached * 1e-9, what, rate * 1e-9, source));
    };
    const std::string& source = request_.known->ports_source;
    if (!source.empty() && reached > kAboveRate * ports)
      contradict("the ports of a node have", ports, source);
    else if (const double cables = number_of_ports * cable; cables > 0 && reached > kAboveRate * cables)
      contradict(number_of_ports == 1 ? "a cable on the way has" : "as many cables on the way as a node has ports have",
                 cables, request_.known->cables_source);
    else if (!source.empty() && needed > kAboveRate * port)
      notes_.push_back(
          fmt::format("nic links: {:.4g} GB/s kept, which {} says, though a pair's times grow by their bytes "
                      "as at {:.4g} GB/s in {}: its long messages are predicted to take longer",
                      port * 1e-9, source, needed * 1e-9, file_names(curve)));
  }

  /// Makes the links on the way as wide as the measurement needs; adapters exactly as wide where that is measured.
  void fit_links(const DistanceCurve& curve, const CorePair& pair, double needed) {
    const bool asymptotic = curve.points.back().bytes >= kLongMessage && needed > 0;  // else the times do not grow
    const Machine before = machine();
    std::vector<LinkId> route;
    before.network->route(pair.first, pair.second, route);
    for (const LinkId id : route) {
      const Link& link = before.network->links()[id];
      const bool adapter = link.level == LinkLevel::Kind::nic_out && asymptotic;
      // Both directions of a channel are one figure in the file, so this one may have been widened with the other.
      const double bandwidth = machine().network->links()[id].bandwidth_bytes_per_second;
      if (bandwidth < needed * (1 - rounding) && keeps(link)) continue;
      if (bandwidth < needed * (1 - rounding) || (adapter && bandwidth > needed * (1 + rounding)))
        set_bandwidth(*before.network, id, needed, curve);
    }
  }

  /// What is beyond one leaf was not on the way of the measurement, and nothing else says it.
  void note_narrow_fabric(double needed) {
    const Machine at = machine();
    const Link* narrowest = nullptr;
    for (const Link& link : at.network->links())
      if (!MachineEdit::is_node_level(link.level.label()) &&
          (narrowest == nullptr || link.bandwidth_bytes_per_second < narrowest->bandwidth_bytes_per_second))
        narrowest = &link;
    if (narrowest != nullptr && narrowest->bandwidth_bytes_per_second < needed * (1 - rounding))
      notes_.push_back(
          fmt::format("{} links of the fabric carry {:.4g} GB/s, less than an adapter: not measured, kept from {}",
                      narrowest->level.label(), narrowest->bandwidth_bytes_per_second * 1e-9, base_origin()));
  }

  /// Streams of several pairs are those of one node to one other only if they were started so, which no file tells.
  void note_pairs_apart(const DistanceCurve& curve) {
    const int pairs = curve.streaming_pairs, cores = machine().network->cores_per_node();
    const double of_one = curve.streamed_bytes_per_second / curve.pair_bytes_per_second;
    if (curve.distance != Distance::network || pairs < 2 || (pairs <= cores && of_one < kPairsApart * pairs)) return;
    notes_.push_back(
        fmt::format("{}: its {} pairs are taken for those of one node with one other, but {}: leave them out "
                    "if they had nodes of their own",
                    curve.streamed_file, pairs,
                    pairs > cores ? fmt::format("a node has {} cores", cores)
                                  : fmt::format("reach {:.3g} times what one does", of_one)));
  }

  DistanceResiduals calibrate_distance(const DistanceCurve& measured, const CorePair& pair) {
    DistanceCurve curve = measured;
    for (std::string& line : leave_out_falls(curve)) contradictions_.push_back(std::move(line));
    if (curve.points.size() < 2)
      throw InputError(fmt::format("{}; expected two sizes or more that go together", contradictions_.back()));
    // Between nodes a stream shows what links carry, of which a lone message may reach less; inside, caches.
    double needed = needed_bandwidth(curve);
    if (curve.distance == Distance::network)
      needed = std::max({needed, curve.streamed_bytes_per_second, short_messages_bandwidth(curve)});
    hold_against_links(curve, pair, needed);
    fit_links(curve, pair, needed);
    if (curve.distance == Distance::network && !request_.known) note_narrow_fabric(needed);
    note_pairs_apart(curve);
    const Machine before = machine();
    const TransportFit fit =
        fit_transport(curve, route_figures(before, pair), before.transports[static_cast<std::size_t>(curve.distance)]);
    edit_.set_transport(curve.distance, fit, file_names(curve));
    const Machine after = machine();

    DistanceResiduals residuals;
    residuals.distance = curve.distance;
    residuals.cores = pair;
    residuals.files = curve.files;
    residuals.curves = static_cast<int>(curve.series.size());
    residuals.reached_bytes_per_second = curve.pair_bytes_per_second;
    residuals.reached_file = curve.pair_file;
    residuals.streamed_bytes_per_second = curve.streamed_bytes_per_second;
    residuals.streaming_pairs = curve.streaming_pairs;
    residuals.streamed_file = curve.streamed_file;
    residuals.transport = after.transport(curve.distance);
    residuals.switches = fit.switches;
    residuals.unidentified = fit.unidentified;
    for (const DistancePoint& point : measured.points)
      residuals.rows.push_back({point, after.message_seconds(pair.first, pair.second, point.bytes)});
    edit_.set_transport(
        curve.distance, fit,
        fmt::format("fitted to {} ({} sizes, medians over {} curves; median error {:.1f} %, worst {:.1f} %)",
                    file_names(curve), curve.points.size(), residuals.curves, residuals.median_error() * 100,
                    residuals.worst_error() * 100));
    edit_.note_fitted(curve, file_names(curve));
    return residuals;
  }

  void note_what_is_kept(const CalibrationReport& report) {
    const Machine at = machine();
    for (int i = 0; i < distance_count; ++i) {
      const auto distance = static_cast<Distance>(i);
      const bool fitted = std::any_of(report.distances.begin(), report.distances.end(),
                                      [&](const DistanceResiduals& one) { return one.distance == distance; });
      if (distance != Distance::self && at.transports[i] && !fitted)
        notes_.push_back(fmt::format("transport {}: not measured, {}", to_string(distance),
                                     edit_.json()["transport"].contains(to_string(distance))
                                         ? (has_base() ? "kept from " + base_origin() : "guessed")
                                         : std::string("the next farther one stands for it")));
    }
  }

  const CalibrationRequest& request_;
  const std::string base_name_;
  std::string node_source_;  // empty: nodes are the base's
  Machine base_;
  Measurements measurements_;
  MachineEdit edit_;
  std::vector<std::string> notes_, contradictions_;
};

}  // namespace

std::string file_of(const CalibrationInput& input) { return parse_input(input.file).path; }

CalibrationResult calibrate(const CalibrationRequest& request) {
  const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '_' || c == '-'; };
  if (!request.name.empty() && (!std::isalnum(static_cast<unsigned char>(request.name.front())) ||
                                !std::all_of(request.name.begin(), request.name.end(), allowed)))
    throw InputError(
        fmt::format("name '{}': expected letters, digits and . _ -, beginning with a letter or digit", request.name));
  if (request.inputs.empty() && !request.node_xml)
    throw InputError("no measurements, expected a file of OSU, IMB or CSV measurements, or a node's description");
  if (request.base.empty() && !request.node_xml)
    throw InputError("expected --base, the machine to start from, or --node, a node's description");
  return Calibration(request).run();
}

}  // namespace tutti
