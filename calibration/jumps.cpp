#include "calibration/jumps.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "algos/registry.hpp"
#include "base/forecast.hpp"
#include "base/in_parallel.hpp"
#include "base/scattered.hpp"
#include "calibration/jump_text.hpp"
#include "calibration/limits.hpp"
#include "calibration/switch_jumps.hpp"
#include "models/placement.hpp"
#include "sim/engine.hpp"
#include "topologies/first_nodes.hpp"

namespace tutti {
namespace {

using nlohmann::json;

constexpr std::int64_t kMostBytes = 16 << 20;

struct TimeSeries {
  const Algorithm* algorithm;
  int nodes, ppn;
  int second_core = 1;  ///< of a pair in a node
};

/// Blocking and other sends, receives in turn and at once, reductions with and without memory of their own.
constexpr std::pair<Collective, std::string_view> kFew[] = {
    {Collective::allgather, "ring"},      {Collective::allgather, "recursive_doubling"},
    {Collective::allreduce, "ring"},      {Collective::allreduce, "recursive_doubling"},
    {Collective::alltoall, "linear"},     {Collective::alltoall, "pairwise"},
    {Collective::bcast, "linear"},        {Collective::bcast, "binomial"},
    {Collective::gather, "linear"},       {Collective::reduce, "knomial"},
    {Collective::reduce, "rabenseifner"}, {Collective::scatter, "linear"}};

/// By how much the second time is larger, beyond what its size is, or smaller.
double excess(double from, double to, double growth) {
  if (from <= 0 || to <= 0) return 1;
  return to > from * growth ? to / (from * growth) : to < from ? to / from : 1;
}
/// What a limit is a figure of: a transport, or a rate.
std::string owner_of(const std::string& pointer) {
  return pointer.substr(0, std::min(pointer.find("/segments/"), pointer.rfind('/')));
}
/// Where a limit may be moved: as far as eight times away, but not past the next segment's, whose place it would take.
std::array<std::int64_t, 2> elsewhere(const ProtocolLimit& limit, const std::vector<ProtocolLimit>& limits) {
  std::int64_t below = std::max<std::int64_t>(limit.bytes / 8, 1), above = limit.bytes * 8;
  const auto is_segment = [](const ProtocolLimit& one) { return one.pointer.find("/segments/") != std::string::npos; };
  for (const ProtocolLimit& other : limits) {
    if (!is_segment(limit) || !is_segment(other) || owner_of(limit.pointer) != owner_of(other.pointer)) continue;
    if (other.bytes < limit.bytes) below = std::max(below, other.bytes + 1);
    if (other.bytes > limit.bytes) above = std::min(above, other.bytes - 1);
  }
  return {above, below};
}

bool is_jump(double factor) { return factor >= kJump || factor <= 1 / kJump; }
double size_of(double factor) { return std::abs(std::log(factor)); }

class Scanner {
 public:
  Scanner(const Machine& machine, const json& document, const std::string& origin, std::vector<Figure> figures)
      : whole_(machine), document_(document), origin_(origin), engine_(make_engine("fast")) {
    for (Figure& figure : figures) figures_.emplace(figure.pointer, std::move(figure));
  }

  std::vector<Jump> over_sizes(const TimeSeries& series) const {
    std::vector<Jump> jumps;
    const Run run = run_of(series);
    const int ranks = series.nodes * series.ppn;
    const Machine job = without_larger(run.machine.for_job(ranks));
    const std::int64_t most = count_for_total_bytes(collective_of(series), ranks, element_of(series), kMostBytes);
    std::map<std::int64_t, double> known;
    const auto seconds = [&](std::int64_t count) {
      const auto [place, is_new] = known.try_emplace(count, 0.0);
      if (is_new) place->second = time(job, series, run, count);
      return place->second;
    };
    const std::function<void(std::int64_t, std::int64_t)> look = [&](std::int64_t from, std::int64_t to) {
      const double a = seconds(from), b = seconds(to);
      if (a <= 0 || b <= 0 || jumps.size() >= kMostJumps) return;
      if (to == from + 1) {
        const double factor = excess(a, b, static_cast<double>(to) / static_cast<double>(from));
        if (is_jump(factor)) explain(jumps, series, run, job, from, a, b);
        return;
      }
      if (b / a < kSteep && b / a > kFalling) return;
      const std::int64_t middle = from + (to - from) / 2;
      look(from, middle);
      look(middle, to);
    };
    std::int64_t from = 1;
    while (from < most) {
      const std::int64_t to =
          std::min(most, std::max(from + 1, static_cast<std::int64_t>(std::ceil(1.19 * static_cast<double>(from)))));
      look(from, to);
      from = to;
    }
    return jumps;
  }

  /// From the largest job of the one kind to the smallest of the other, the same call by the figures of both.
  std::vector<Jump> over_ranks(const Algorithm& algorithm) const {
    std::vector<Jump> jumps;
    if (!whole_.larger_jobs) return jumps;
    // Fewest on each node, so that most goes over the network.
    const int most_nodes = whole_.network->nodes(), ppn = (whole_.larger_job_ranks + most_nodes) / most_nodes;
    if (ppn > whole_.network->cores_per_node()) return jumps;
    const int nodes = (whole_.larger_job_ranks + ppn) / ppn, ranks = nodes * ppn;
    const TimeSeries series{&algorithm, nodes, ppn};
    const Run run = run_of(series);
    const Machine small = without_larger(run.machine), large = without_larger(run.machine.for_job(ranks));
    for (const std::int64_t bytes : kSizesToCompare) {
      const std::int64_t count = count_for_total_bytes(collective_of(series), ranks, element_of(series), bytes);
      if (count < 1) continue;
      const double a = time(small, series, run, count), b = time(large, series, run, count);
      const double factor = excess(a, b, 1);
      if (!is_jump(factor)) continue;
      Jump jump = jump_of(series, count, count, a, b);
      jump.from_ranks = whole_.larger_job_ranks;
      blame_difference(jump, 0.5 * size_of(factor),
                       [&](const Machine& other) { return size_of(excess(a, time(other, series, run, count), 1)); });
      if (jump.figure.empty()) blame_larger_jobs(jump);
      jumps.push_back(std::move(jump));
    }
    return jumps;
  }

  std::vector<Jump> over_switches(const Algorithm& algorithm) const {
    return jumps_over_switches(*engine_, whole_, document_, origin_, figures_, algorithm);
  }

 private:
  static constexpr std::size_t kMostJumps = 32;  // of one series: beyond, the rest is more of the same
  static constexpr double kSteep = 1.25, kFalling = 0.95;
  struct Run {
    Machine machine;
    std::vector<int> cores;
  };

  static bool is_pair(const TimeSeries& series) { return series.nodes == 1 && series.ppn == 2; }
  static Collective collective_of(const TimeSeries& series) { return series.algorithm->collective(); }
  static std::int32_t element_of(const TimeSeries& series) { return default_element_bytes(collective_of(series)); }
  static Machine without_larger(Machine machine) {
    machine.larger_jobs = nullptr;
    return machine;
  }

  /// Cut down to the nodes that it takes.
  Run run_of(const TimeSeries& series) const {
    Run run{whole_, place_block(*whole_.network, series.nodes * series.ppn, series.ppn)};
    if (is_pair(series)) run.cores = {0, series.second_core};
    run.machine.network = first_nodes(whole_.network, series.nodes);
    if (whole_.larger_jobs) {
      Machine larger = *whole_.larger_jobs;
      larger.network = run.machine.network;
      run.machine.larger_jobs = std::make_shared<const Machine>(std::move(larger));
    }
    return run;
  }

  /// 0: it cannot run, or has too many messages.
  double time(const Machine& machine, const TimeSeries& series, const Run& run, std::int64_t count) const {
    if (!why_not(default_choice(*series.algorithm), case_of(series, count)).empty()) return 0;
    const Result result = result_of(machine, series, run, count);
    return result.refused.empty() ? result.makespan_seconds : 0;
  }
  Result result_of(const Machine& machine, const TimeSeries& series, const Run& run, std::int64_t count) const {
    const Experiment experiment{
        case_of(series, count), default_choice(*series.algorithm), run.cores, Mode{}, 1, false, nullptr};
    return engine_->run(machine, std::span(&experiment, 1)).front();
  }

  static std::string runs(const TimeSeries& series, std::int64_t count) {
    return resolve(default_choice(*series.algorithm), case_of(series, count)).text();
  }
  static Case case_of(const TimeSeries& series, std::int64_t count) {
    return {collective_of(series), series.nodes * series.ppn, count, element_of(series), 0, false, Operator::sum};
  }

  Jump jump_of(const TimeSeries& series, std::int64_t from, std::int64_t to, double a, double b) const {
    const int ranks = series.nodes * series.ppn;
    return {collective_of(series),
            default_choice(*series.algorithm).text(),
            series.nodes,
            series.ppn,
            is_pair(series) ? whole_.network->distance(0, series.second_core) : Distance::self,
            total_bytes(case_of(series, from)),
            total_bytes(case_of(series, to)),
            ranks,
            ranks,
            a,
            b,
            "",
            ""};
  }

  void explain(std::vector<Jump>& jumps, const TimeSeries& series, const Run& run, const Machine& job,
               std::int64_t from, double a, double b) const {
    if (runs(series, from) != runs(series, from + 1)) return;  // another algorithm in its place
    const int ranks = series.nodes * series.ppn;
    const double growth = static_cast<double>(from + 1) / static_cast<double>(from);
    Jump jump = jump_of(series, from, from + 1, a, b);
    const auto left = [&](const Machine& other) {
      return size_of(excess(time(other, series, run, from), time(other, series, run, from + 1), growth));
    };
    double least = 0.5 * size_of(excess(a, b, growth));
    if (left(smooth(job)) > least) return;  // the algorithm's own
    const std::vector<ProtocolLimit> limits = limits_of(run.machine, document_, ranks);
    const auto try_elsewhere = [&](const ProtocolLimit& limit, const std::vector<std::string>& moved) {
      const auto figure = figures_.find(limit.pointer);
      if (figure == figures_.end()) return;
      for (const std::int64_t bytes : elsewhere(limit, limits)) {
        const double remains = left(with_limits(run.machine, document_, ranks, moved, bytes));
        if (remains >= least) continue;
        least = remains;
        blame(jump, figure->second);
      }
    };
    for (const ProtocolLimit& limit : limits) try_elsewhere(limit, {limit.pointer});
    if (jump.figure.empty())
      for (const ProtocolLimit& limit : limits) {  // several of a transport at one size
        std::vector<std::string> together;
        for (const ProtocolLimit& other : limits)
          if (other.bytes == limit.bytes && owner_of(other.pointer) == owner_of(limit.pointer))
            together.push_back(other.pointer);
        if (together.size() > 1) try_elsewhere(limit, together);
      }
    if (jump.figure.empty())
      blame_messages(jump, result_of(job, series, run, from).messages, result_of(job, series, run, from + 1).messages);
    if (jump.figure.empty())
      blame_blocks(
          jump, [&](std::int64_t count) { return time(job, series, run, count); }, from, ranks);
    jumps.push_back(std::move(jump));
  }

  /// Without any limit: the last segment for all, nothing eager, no caches, no memory that is given back.
  static Machine smooth(Machine machine) {
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    for (auto& transport : machine.transports) {
      if (!transport) continue;
      transport->segments.erase(transport->segments.begin(), transport->segments.end() - 1);
      transport->eager_limit_bytes = none;
      transport->blocking_eager_limit_bytes = transport->acknowledged_above_bytes = 0;
      transport->half_duplex_above_bytes = none;
    }
    machine.compute.reduce.cache_bytes = machine.compute.copy.cache_bytes = none;
    machine.compute.temporary = {};
    return machine;
  }

  static void blame(Jump& jump, const Figure& figure) {
    jump.figure = figure.pointer + " = " + figure.value;
    jump.source = figure.source;
    jump.guessed = figure.guess;
  }

  /// The algorithm cuts the data where no limit of the machine is, into pieces that this machine sends otherwise.
  static void blame_messages(Jump& jump, std::int64_t from, std::int64_t to) {
    if (from == to) return;
    blame(jump, {"the algorithm's messages", std::to_string(to),
                 "its own schedule: " + std::to_string(from) + " up to this size", false});
  }

  /// Where blocks are of different sizes an algorithm may move more: then the jump comes back every so many elements.
  static void blame_blocks(Jump& jump, const std::function<double(std::int64_t)>& seconds, std::int64_t from,
                           int ranks) {
    if (from <= ranks || !is_jump(excess(seconds(from - ranks), seconds(from + 1 - ranks), 1))) return;
    blame(jump, {"the algorithm's blocks", (from + 1) % ranks == 0 ? "all of one size" : "of different sizes",
                 "its own schedule: the jump comes back every " + std::to_string(ranks) + " elements", false});
  }

  /// The figure of larger jobs, or group of such, without which less is left of a jump than without any other.
  void blame_difference(Jump& jump, double least, const std::function<double(const Machine&)>& left) const {
    const json::json_pointer classes("/larger_jobs/transport");
    for (const auto& [name, difference] : document_[classes].items())
      for (const auto& figures : difference.items()) {
        const std::string& key = figures.key();
        const json::json_pointer at = classes / name / key;
        const auto figure = figures_.lower_bound(at.to_string());  // of a group, the first
        if (figure == figures_.end() || !figure->first.starts_with(at.to_string())) continue;
        json changed = document_;
        changed[classes / name].erase("guess");  // it may name the key
        changed[classes / name].erase(key);
        Machine other = parse_machine(changed.dump(), origin_).for_job(jump.to_ranks);
        other.network = first_nodes(whole_.network, jump.nodes);
        const double remains = left(without_larger(std::move(other)));
        if (remains >= least) continue;
        least = remains;
        blame(jump, figure->second);
      }
  }

  /// Several of its figures together.
  void blame_larger_jobs(Jump& jump) const {
    const json& larger = document_["larger_jobs"];
    blame(jump, {"/larger_jobs/more_ranks_than", larger["more_ranks_than"].dump(), larger["source"],
                 larger.value("guess", json(false)) == true});
  }

  const Machine& whole_;
  const json& document_;
  const std::string& origin_;
  std::map<std::string, Figure> figures_;
  std::unique_ptr<Engine> engine_;
};

/// Which layout comes first, and so is compared over ranks too, depends on what is looked at.
std::string key_of(const TimeSeries& series, bool everything) {
  return series.algorithm->full_name() + " nodes=" + std::to_string(series.nodes) +
         " ppn=" + std::to_string(series.ppn) + " core=" + std::to_string(series.second_core) +
         (everything ? "" : " quick");
}

std::vector<TimeSeries> series_of(const Machine& machine, bool everything) {
  std::vector<TimeSeries> all;
  const int nodes = machine.network->nodes(), cores = machine.network->cores_per_node();
  std::vector<std::pair<int, int>> layouts;
  for (const auto& [n, k] : everything ? std::vector<std::pair<int, int>>{{1, 7}, {2, 1}, {3, 2}, {10, 1}, {16, 1}}
                                       : std::vector<std::pair<int, int>>{{1, 4}, {2, 1}, {10, 1}})
    if (n <= nodes && k <= cores) layouts.push_back({n, k});
  for (int i = 0; i < kCollectives; ++i)
    for (const Algorithm* algorithm : algorithms_of(static_cast<Collective>(i))) {
      const bool is_of_few =
          std::find(std::begin(kFew), std::end(kFew),
                    std::pair(algorithm->collective(), std::string_view(algorithm->name()))) != std::end(kFew);
      if (algorithm->collective() == Collective::barrier || (!everything && !is_of_few)) continue;
      for (const auto& [n, k] : layouts) all.push_back({algorithm, n, k});
      for (int core = 1; everything && core < cores; ++core)  // nearer cores have lower numbers
        if (core == 1 || machine.network->distance(0, core) != machine.network->distance(0, core - 1))
          all.push_back({algorithm, 1, 2, core});
    }
  return all;
}

}  // namespace

std::vector<Jump> find_jumps(const Machine& machine, const std::string& text, const std::string& origin,
                             const JumpScan& scan) {
  const json document = json::parse(text);
  const Scanner scanner(machine, document, origin, machine_figures(text, origin));
  const std::vector<TimeSeries> all = series_of(machine, scan.everything);
  std::vector<std::vector<Jump>> found(all.size());
  const auto look = [&](std::size_t k) {
    std::vector<Jump> jumps = scanner.over_sizes(all[k]);
    if (k > 0 && all[k - 1].algorithm == all[k].algorithm) return jumps;
    const auto add = [&](std::vector<Jump> more) { std::move(more.begin(), more.end(), std::back_inserter(jumps)); };
    if (all[k].algorithm->collective() != Collective::alltoall) add(scanner.over_ranks(*all[k].algorithm));
    add(scanner.over_switches(*all[k].algorithm));
    return jumps;
  };
  Forecast forecast;
  for (const TimeSeries& one : all) forecast.add({{}, 1, static_cast<double>(one.nodes) * one.ppn});
  std::mutex counting;
  const std::vector<std::size_t> order = scattered(all.size());
  in_parallel(scan.threads, all.size(), [&](std::size_t i, std::size_t) {
    const std::size_t k = order[i];
    const auto begun = std::chrono::steady_clock::now();
    const std::string key = key_of(all[k], scan.everything);
    const auto known = scan.store ? scan.store->find(key) : std::nullopt;
    if (known) {
      found[k] = jumps_of(*known);
    } else {
      found[k] = look(k);
      if (scan.store) scan.store->keep(key, text_of(found[k]));
    }
    const std::lock_guard lock(counting);
    forecast.done(k, std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(), !known);
    if (scan.progress) scan.progress(forecast.items_done(), all.size(), [&] { return forecast.part_done(); });
  });
  std::vector<Jump> jumps;
  for (std::vector<Jump>& some : found) std::move(some.begin(), some.end(), std::back_inserter(jumps));
  std::stable_sort(jumps.begin(), jumps.end(), [](const Jump& a, const Jump& b) {
    return std::tuple(!a.guessed, a.figure) < std::tuple(!b.guessed, b.figure);
  });
  return jumps;
}

}  // namespace tutti
