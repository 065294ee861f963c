#include "selection/search.hpp"

#include <algorithm>
#include <cmath>

#include "selection/candidates.hpp"
#include "selection/curve.hpp"

namespace tutti {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// Whose best choice is sought.
using Audience = bool (*)(const Algorithm&);
constexpr Audience kAudiences[] = {[](const Algorithm&) { return true; },
                                   [](const Algorithm& a) { return !a.open_mpi().empty(); },
                                   [](const Algorithm& a) { return !a.mpich().empty(); }};

/// More nodes may suit an algorithm better: by so much.
constexpr double kLessOnMoreNodes = 0.8;

class Search {
 public:
  Search(Simulations& simulations, const Place& place, const std::vector<std::int64_t>& bytes,
         const std::vector<Choice>& candidates, const SearchOptions& options, const Found* fewer_nodes)
      : simulations_(simulations),
        place_(place),
        candidates_(candidates),
        options_(options),
        bounds_(simulations.machine(), simulations.mode(), simulations.cores(place), place.nodes, place.ppn),
        distances_(distances_between(*simulations.machine().network, simulations.cores(place))),
        scaling_(simulations.machine().for_job(place.ranks()), distances_, bytes),
        simulated_(candidates.size(), std::vector<bool>(bytes.size(), false)) {
    std::vector<std::vector<double>> lower(candidates.size(), std::vector<double>(bytes.size(), 0));
    std::vector<std::vector<int>> piece(candidates.size(), std::vector<int>(bytes.size(), -1));
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const Case c = case_for(place, bytes[i]);
      for (const std::size_t a : distinct_choices(candidates, c)) {
        const Choice real = resolve(candidates[a], c);
        lower[a][i] = std::max(bounds_.seconds(real, c), fewer_nodes ? least_by(*fewer_nodes, a, i, real) : 0);
        const Piece key{real.algorithm, real.parameters,
                        eager_distances(simulations.machine().for_job(c.ranks), real, c)};
        const auto known = std::find(pieces.begin(), pieces.end(), key);
        piece[a][i] = static_cast<int>(known - pieces.begin());
        if (known == pieces.end()) pieces.push_back(key);
      }
    }
    for (std::size_t a = 0; a < candidates.size(); ++a)
      curves_.emplace_back(scaling_, std::move(lower[a]), std::move(piece[a]));
  }

  Found run() {
    if (options_.exhaustive) {
      for (std::size_t i = 0; i < sizes(); ++i)
        for (std::size_t a = 0; a < candidates_.size(); ++a)
          if (curves_[a].runs(i)) ask(a, i);
    } else {
      while (const auto next = most_wanted()) ask(next->first, next->second);
    }
    return found();
  }

 private:
  /// By what fewer nodes took for the same candidate, if they ran the same algorithm.
  double least_by(const Found& fewer_nodes, std::size_t a, std::size_t i, const Choice& real) const {
    if (i >= fewer_nodes.cells.size()) return 0;  // the node's memory has room for more there
    const Case there = case_for(fewer_nodes.place, fewer_nodes.cells[i].bytes);
    if (!why_not(candidates_[a], there).empty() || resolve(candidates_[a], there) != real) return 0;
    const double least = fewer_nodes.least_seconds[a][i];
    return std::isfinite(least) ? kLessOnMoreNodes * least : 0;
  }

  /// Sizes at which a choice does the same, but for the sizes of its messages.
  struct Piece {
    const Algorithm* algorithm;
    ParameterValues parameters;
    std::vector<bool> eager;
    friend bool operator==(const Piece&, const Piece&) = default;
  };

  /// At which distances the mean message is eager: where a sender need not wait for the receiver, chains of operations
  /// are others.
  std::vector<bool> eager_distances(const Machine& machine, const Choice& real, const Case& c) const {
    std::vector<bool> eager;
    if (real.algorithm->messages().text().empty()) return eager;  // not a registered algorithm
    const Facts facts(c, real.parameters);
    const double messages = real.algorithm->messages()(facts);
    const double mean_bytes = messages > 0 ? real.algorithm->bytes()(facts) / messages : 0;
    for (const Distance distance : distances_)
      for (const bool blocking : {false, true})
        eager.push_back(machine.transport(distance).is_eager(std::llround(std::ceil(mean_bytes)), blocking));
    return eager;
  }

  std::size_t sizes() const { return scaling_.bytes().size(); }

  void ask(std::size_t a, std::size_t i) {
    MessageBudget budget = options_.budget;
    if (options_.exhaustive) budget.in_all = kUnknown;
    const Evaluation found =
        evaluate(simulations_, options_.engine, {place_, scaling_.bytes()[i], candidates_[a]}, budget, bounds_);
    simulated_[a][i] = found.simulated;
    curves_[a].set(i, found.seconds);
  }

  /// The choice and size to simulate next: for every audience and size, the choice that may be the fastest; among
  /// these, unless it can hardly be faster than the best, the one at the size whose best time is least known (the
  /// outermost such size).
  std::optional<std::pair<std::size_t, std::size_t>> most_wanted() const {
    std::optional<std::pair<std::size_t, std::size_t>> wanted;
    double widest = 0;
    std::size_t outermost = 0;
    for (const Audience audience : kAudiences)
      for (std::size_t i = 0; i < sizes(); ++i) {
        double best = kUnknown;  // what the best takes at most
        std::optional<std::size_t> fastest;
        for (std::size_t a = 0; a < candidates_.size(); ++a) {
          if (!curves_[a].runs(i) || !audience(*candidates_[a].algorithm)) continue;
          best = std::min(best, curves_[a].upper(i));
          if (!curves_[a].known(i) && (!fastest || curves_[a].lower(i) <= curves_[*fastest].lower(i))) fastest = a;
        }
        if (!fastest || curves_[*fastest].lower(i) * (1 + options_.tolerance) >= best) continue;
        const double lower = curves_[*fastest].lower(i);
        const double width = lower > 0 ? best / lower : kUnknown;
        const std::size_t from_middle = std::max(i, sizes() - 1 - i);
        if (wanted && (width < widest || (width == widest && from_middle <= outermost))) continue;
        wanted = {*fastest, i};
        widest = width;
        outermost = from_middle;
      }
    return wanted;
  }

  Found found() const {
    Found found;
    found.place = place_;
    for (const TimeCurve& curve : curves_) {
      std::vector<double>& least = found.least_seconds.emplace_back();
      for (std::size_t i = 0; i < sizes(); ++i) least.push_back(curve.runs(i) ? curve.lower(i) : 0);
    }
    for (std::size_t i = 0; i < sizes(); ++i) {
      Cell cell{place_, scaling_.bytes()[i], {}};
      for (std::size_t a = 0; a < candidates_.size(); ++a) {
        if (!curves_[a].runs(i)) continue;
        const double seconds = curves_[a].upper(i);
        if (curves_[a].known(i) && seconds == kRefused) {
          ++found.refused;
        } else if (seconds == kUnknown) {
          ++found.dropped;
        } else {
          const std::string name = candidates_[a].text();
          cell.seconds[name] = seconds;
          if (!simulated_[a][i]) cell.inferred.insert(name);
        }
      }
      found.cells.push_back(std::move(cell));
    }
    return found;
  }

  Simulations& simulations_;
  const Place place_;
  const std::vector<Choice>& candidates_;
  const SearchOptions& options_;
  LowerBounds bounds_;
  std::vector<Distance> distances_;
  SizeScaling scaling_;
  std::vector<TimeCurve> curves_;             // by candidate
  std::vector<std::vector<bool>> simulated_;  // by candidate and size: not inferred
};

}  // namespace

Found search_place(Simulations& simulations, const Place& place, const std::vector<std::int64_t>& bytes,
                   const std::vector<Choice>& candidates, const SearchOptions& options, const Found* fewer_nodes) {
  return Search(simulations, place, bytes, candidates, options, fewer_nodes).run();
}

}  // namespace tutti
