#include "calibration/collective_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "calibration/collective_times.hpp"
#include "calibration/fitted_ranges.hpp"
#include "calibration/least_squares.hpp"
#include "calibration/machine_figures.hpp"
#include "models/machine.hpp"

namespace tutti {
namespace {

using Json = nlohmann::ordered_json;

// Runs of one algorithm differ by so much, and a model that were right would.
constexpr double tolerance = 0.05;
// A figure is identified where a tenth of it moves some prediction by more than this, and the data narrow its prior: of
// two of which they tell the product alone each keeps 0.71 of it.
constexpr double least_effect = 0.005, narrowed = 0.65;

double median_error(std::span<const double> residuals) {
  std::vector<double> errors;
  for (const double residual : residuals) errors.push_back(std::abs(std::expm1(residual)));
  std::nth_element(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2), errors.end());
  return errors[errors.size() / 2];
}

constexpr int fit_steps = 6;
/// Of a fit: the base, each step, and numbers of bytes with what follows from them.
constexpr std::size_t fit_stages = fit_steps + 2;

/// Simulations of all rows, of all fits for one request.
struct Passes {
  std::size_t done = 0, foreseen = 0;
  std::size_t after = 0;  ///< of the fits after this one, about
};

class Fit {
 public:
  Fit(const CollectiveFitRequest& request, std::span<const CollectiveRow> rows, Passes& passes)
      : request_(request),
        engine_(make_engine(request.engine)),
        machine_(load_machine(request.base)),
        base_(Json::parse(machine_source(request.base))),
        times_(machine_, rows, request.file.string()),
        passes_(passes) {
    if (times_.rows().empty())
      throw InputError(fmt::format("{}: no row of {} that '{}' names can be simulated", request.file.string(),
                                   machine_.name, request.selection));
    FittedJobs jobs{.cables = request.cables};
    for (const CollectiveRow& row : times_.rows()) {
      jobs.inside_nodes |= row.ppn > 1;
      (machine_.is_larger_job(row.ranks) ? jobs.large : jobs.small) = true;
    }
    for (FittedFigure& figure : fitted_figures(base_, jobs))
      (figure.whole ? wholes_ : smooth_).push_back(std::move(figure));
    for (const FittedFigure& figure : smooth_)
      unknowns_.push_back({figure.prior_deviation, std::log(figure.most_factor)});
    factors_.assign(wholes_.size(), 1);
  }

  /// `steps`: so many from the base and no more, numbers of bytes as they are; nothing: as long as it helps.
  CollectiveFit run(const std::optional<int>& steps, std::size_t rows_in_file) {
    foresee(passes_of_all());
    CollectiveFit result;
    result.rows_in_file = rows_in_file;
    const std::vector<double> base(smooth_.size());
    result.median_error_before = median_error(residuals(base));
    LeastSquares best = steps ? improve(base, *steps) : best_of_starts();
    foresee(2 * passes_of_wholes());
    if (!steps && try_wholes(best)) {
      foresee(passes_of_start() + passes_of_wholes());
      best = improve(best.x, fit_steps);
    }
    foresee(passes_of_wholes());
    report(result, best);
    return result;
  }

  /// What this fit from the base says to other rows after each of its stages, as logarithms of predicted over measured.
  std::vector<std::vector<double>> stages_for(std::span<const CollectiveRow> rows) {
    const CollectiveTimes others(machine_, rows, request_.file.string());
    foresee(passes_of_stages());
    std::vector<std::vector<double>> at_stages;
    const auto add = [&](std::span<const double> x) { at_stages.push_back(residuals_of(others, x)); };
    const std::vector<double> base(smooth_.size());
    add(base);
    LeastSquares best = improve(base, fit_steps, add);
    at_stages.resize(fit_stages - 1, at_stages.back());  // it may end before
    foresee(passes_of_wholes());
    if (try_wholes(best)) best = improve(best.x, fit_steps);
    add(best.x);
    return at_stages;
  }

  const CollectiveTimes& times() const { return times_; }
  /// How often all rows are simulated, about.
  std::size_t passes_of_stages() const { return passes_of_start() + passes_of_wholes() + fit_stages; }
  std::size_t passes_of_all() const {
    return static_cast<std::size_t>(request_.starts) * passes_of_start() + 2 * passes_of_wholes() + 1;
  }

 private:
  /// The derivatives by all figures at the start and at the end, and steps.
  std::size_t passes_of_start() const { return 2 * smooth_.size() + 7; }
  std::size_t passes_of_wholes() const { return 2 * wholes_.size() + 1; }
  void foresee(std::size_t passes_left) { passes_.foreseen = passes_.done + passes_left + passes_.after; }

  Json machine_at(std::span<const double> x) const {
    Json machine = base_;
    for (std::size_t i = 0; i < smooth_.size(); ++i)
      set_figure(machine, smooth_[i], moved_value(base_, smooth_[i], x[i]));
    for (std::size_t i = 0; i < wholes_.size(); ++i)
      set_figure(machine, wholes_[i], figure_value(base_, wholes_[i]) * factors_[i]);
    return machine;
  }

  std::vector<double> residuals(std::span<const double> x) const { return residuals_of(times_, x); }

  /// Logarithms of predicted over measured.
  std::vector<double> residuals_of(const CollectiveTimes& times, std::span<const double> x) const {
    const std::string text = machine_at(x).dump();
    const Machine machine = parse_machine(text, request_.base);
    const std::size_t about = std::max(passes_.foreseen, passes_.done + 1);
    WatchedWork watched{request_.store, text};
    if (request_.progress)
      watched.done = [&](double part) {
        request_.progress(passes_.done, about, (static_cast<double>(passes_.done) + part) / static_cast<double>(about));
      };
    std::vector<double> all = times.predict(machine, *engine_, request_.threads, watched);
    ++passes_.done;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const CollectiveRow& row = times.rows()[i];
      if (all[i] == 0)
        throw InputError(fmt::format("{}: the {} engine refuses to simulate the fitted row of line {}",
                                     request_.file.string(), request_.engine, row.line));
      all[i] = std::log(all[i] / row.seconds);
    }
    return all;
  }

  LeastSquares improve(std::vector<double> start, int steps,
                       const std::function<void(std::span<const double>)>& after_step = {}) const {
    return minimise([this](std::span<const double> x) { return residuals(x); }, unknowns_, std::move(start), tolerance,
                    steps, after_step);
  }

  LeastSquares best_of_starts() {
    std::mt19937_64 random(1);
    std::vector<double> start(smooth_.size());
    LeastSquares best = improve(start, fit_steps);
    for (int i = 1; i < request_.starts; ++i) {
      for (std::size_t u = 0; u < start.size(); ++u)
        start[u] = unknowns_[u].prior_deviation * (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5);
      foresee(static_cast<std::size_t>(request_.starts - i) * passes_of_start() + 2 * passes_of_wholes());
      LeastSquares other = improve(start, fit_steps);
      if (other.objective < best.objective) best = std::move(other);
    }
    return best;
  }

  double objective(const std::vector<double>& x) const {
    double sum = robust_objective(residuals(x), x, unknowns_, tolerance);
    for (std::size_t i = 0; i < wholes_.size(); ++i)
      sum += std::pow(std::log(factors_[i]) / wholes_[i].prior_deviation, 2) / 2;
    return sum;
  }

  /// Doubles and halves the numbers of bytes while that helps. Whether any changed.
  bool try_wholes(const LeastSquares& at) {
    bool changed = false;
    double best = objective(at.x);
    for (std::size_t i = 0; i < wholes_.size(); ++i)
      for (const double by : {2.0, 0.5})
        for (;;) {
          const double before = factors_[i];
          factors_[i] *= by;
          const double other = factors_[i] <= wholes_[i].most_factor && 1 / factors_[i] <= wholes_[i].most_factor
                                   ? objective(at.x)
                                   : INFINITY;
          if (other < best) {
            best = other;
            changed = true;
          } else {
            factors_[i] = before;
            break;
          }
        }
    return changed;
  }

  /// Whether doubling or halving the number of bytes moves some prediction.
  double whole_effect(std::size_t i, const std::vector<double>& x, std::span<const double> at) {
    double most = 0;
    for (const double by : {2.0, 0.5}) {
      factors_[i] *= by;
      const std::vector<double> there = residuals(x);
      for (std::size_t j = 0; j < at.size(); ++j) most = std::max(most, std::abs(std::expm1(there[j] - at[j])));
      factors_[i] /= by;
    }
    return most;
  }

  void report(CollectiveFit& result, const LeastSquares& best) {
    Json machine = machine_at(best.x);
    const std::vector<double> at = residuals(best.x);
    result.median_error = median_error(at);
    for (std::size_t i = 0; i < smooth_.size(); ++i) {
      const double effect = 0.1 * best.effect[i];
      result.figures.push_back({smooth_[i].pointer, figure_value(base_, smooth_[i]), figure_value(machine, smooth_[i]),
                                effect, best.deviation[i],
                                effect > least_effect && best.deviation[i] < narrowed * smooth_[i].prior_deviation});
    }
    for (std::size_t i = 0; i < wholes_.size(); ++i) {
      const double effect = whole_effect(i, best.x, at);
      result.figures.push_back({wholes_[i].pointer, figure_value(base_, wholes_[i]), figure_value(machine, wholes_[i]),
                                effect, 0, effect > least_effect});
    }
    result.rows = times_.rows();
    result.left_out = times_.left_out();
    result.beside_a_job = times_.beside_a_job();
    for (std::size_t j = 0; j < at.size(); ++j) result.predicted.push_back(std::exp(at[j]) * result.rows[j].seconds);
    describe(machine, result);
    result.machine_json = machine.dump(2) + "\n";
    parse_machine(result.machine_json, request_.base);
  }

  /// Says in the machine what was fitted to what, and marks as guesses what no datum identifies.
  void describe(Json& machine, const CollectiveFit& result) const {
    if (!request_.name.empty()) machine["name"] = request_.name;
    const std::string file = request_.file.filename().string();
    machine["calibration"] = {{"source", file},
                              {"selection", request_.selection},
                              {"rows", result.rows.size()},
                              {"rows_in_file", result.rows_in_file},
                              {"engine", request_.engine},
                              {"median_error", std::stod(fmt::format("{:.3g}", result.median_error))}};
    machine["fitted"] = fitted_ranges(result.rows, file);
    struct Keys {
      std::set<std::string> fitted, unidentified;
    };
    std::map<std::string, Keys> owners;
    for (const FigureReport& figure : result.figures) {
      std::string owner = figure.pointer.substr(0, figure.pointer.rfind('/'));
      std::string key = figure.pointer.substr(owner.size() + 1);
      if (const auto list = owner.find("/segments/"); list != std::string::npos) {
        owner = owner.substr(0, list);
        key = "segments";
      }
      owners[owner].fitted.insert(key);
      if (!figure.identified) owners[owner].unidentified.insert(key);
    }
    for (auto& [pointer, keys] : owners) {
      Json& owner = machine[Json::json_pointer(pointer)];
      const std::string before = owner["source"];
      const std::string fitted =
          fmt::format("fitted to {} measured collectives ({}), around: ", result.rows.size(), file);
      owner["source"] =
          fitted + (before.starts_with("fitted to ") ? before.substr(before.find("around: ") + 8) : before);
      std::set<std::string> guesses = keys.unidentified;
      for (const Json& guess : owner.value("guess", Json()))  // what no fit has looked at stays one
        if (guess.is_string() && !keys.fitted.contains(guess.get<std::string>())) guesses.insert(guess);
      owner.erase("guess");
      if (!guesses.empty()) owner["guess"] = guesses;
    }
  }

  const CollectiveFitRequest& request_;
  std::unique_ptr<Engine> engine_;
  const Machine machine_;  // first: it refuses what is no machine
  const Json base_;
  const CollectiveTimes times_;
  std::vector<FittedFigure> smooth_, wholes_;
  std::vector<Unknown> unknowns_;
  std::vector<double> factors_;  // of wholes_
  Passes& passes_;
};

/// Of every number of nodes, what a fit to the rows of all others says of its rows; and the stage at which these fits
/// are best, each number of nodes counting as much.
CrossValidation cross_validate(const CollectiveFitRequest& request, const Fit& all, Passes& passes) {
  std::map<int, std::vector<CollectiveRow>> held;
  for (const CollectiveRow& row : all.times().rows()) held[(row.ranks + row.ppn - 1) / row.ppn].push_back(row);
  if (held.size() < 2)
    throw InputError(fmt::format("--cross-validate: all rows that are fitted are of {}, expected several numbers",
                                 counted(static_cast<std::uint64_t>(held.begin()->first), "node")));
  std::map<int, std::vector<std::vector<double>>> residuals;
  std::vector<double> objectives(fit_stages);
  for (const auto& [nodes, rows] : held) {
    std::vector<CollectiveRow> others;
    for (const auto& [other, its] : held)
      if (other != nodes) others.insert(others.end(), its.begin(), its.end());
    passes.after = all.passes_of_all() + (held.size() - residuals.size() - 1) * all.passes_of_stages();
    residuals[nodes] = Fit(request, others, passes).stages_for(rows);
    for (std::size_t i = 0; i < fit_stages; ++i)
      objectives[i] += robust_objective(residuals[nodes][i], {}, {}, tolerance) / static_cast<double>(rows.size());
  }
  passes.after = 0;
  std::size_t best = 0;  // of equal ones the last
  for (std::size_t i = 1; i < fit_stages; ++i)
    if (objectives[i] <= objectives[best]) best = i;
  CrossValidation found;
  if (best + 1 < fit_stages) found.steps = static_cast<int>(best);
  for (const auto& [nodes, of] : residuals)
    found.held_back.push_back({nodes, of[best].size(), median_error(of.front()), median_error(of[best])});
  return found;
}

}  // namespace

CollectiveFit fit_collectives(const CollectiveFitRequest& request) {
  const std::string system = load_machine(request.base).name;
  CollectiveRows measured = read_collective_rows(request.file, system);
  const RowSelection selection(request.selection);
  if (const std::string none = selection.part_without(measured.rows); !none.empty())
    throw InputError(fmt::format("{}: no row of {} is one of '{}', expected some for each part of --fit",
                                 request.file.string(), system, none));
  std::erase_if(measured.rows, [&](const CollectiveRow& row) { return !selection.holds(row); });
  Passes passes;
  Fit all(request, measured.rows, passes);
  if (!request.cross_validate) return all.run(std::nullopt, measured.in_file);
  CrossValidation found = cross_validate(request, all, passes);
  CollectiveFit fit = all.run(found.steps, measured.in_file);
  fit.cross_validation = std::move(found);
  return fit;
}

}  // namespace tutti
