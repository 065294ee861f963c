#include "calibration/collective_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "base/error.hpp"
#include "calibration/collective_times.hpp"
#include "calibration/fitted_ranges.hpp"
#include "calibration/least_squares.hpp"
#include "calibration/machine_figures.hpp"
#include "models/figures_checksum.hpp"
#include "models/machine.hpp"

namespace tutti {
namespace {

using Json = nlohmann::ordered_json;

// Runs of one algorithm differ by so much, and a model that were right would.
constexpr double tolerance = 0.05;
// A figure is identified where a tenth of it moves some prediction by more than this, and the data narrow its prior.
constexpr double least_effect = 0.005, narrowed = 0.8;

double median_error(std::span<const double> residuals) {
  std::vector<double> errors;
  for (const double residual : residuals) errors.push_back(std::abs(std::expm1(residual)));
  std::nth_element(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2), errors.end());
  return errors[errors.size() / 2];
}

std::vector<CollectiveRow> selected(std::vector<CollectiveRow> rows, const RowSelection& selection) {
  std::erase_if(rows, [&](const CollectiveRow& row) { return !selection.holds(row); });
  return rows;
}

class Fit {
 public:
  explicit Fit(const CollectiveFitRequest& request)
      : request_(request),
        engine_(make_engine(request.engine)),
        machine_(load_machine(request.base)),
        base_(Json::parse(machine_source(request.base))),
        measured_(read_collective_rows(request.file, machine_.name)),
        times_(machine_, selected(measured_.rows, RowSelection(request.selection)), request.file.string()) {
    if (times_.rows().empty())
      throw InputError(fmt::format("{}: no row of {} that '{}' names can be simulated", request.file.string(),
                                   machine_.name, request.selection));
    FittedJobs jobs;
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

  CollectiveFit run() {
    foresee(static_cast<std::size_t>(request_.starts) * passes_of_start() + 2 * passes_of_wholes() + 1);
    CollectiveFit result;
    result.median_error_before = median_error(residuals(std::vector<double>(smooth_.size())));
    LeastSquares best = best_of_starts();
    foresee(2 * passes_of_wholes());
    if (try_wholes(best)) {
      foresee(passes_of_start() + passes_of_wholes());
      best = improve(best.x, 6);
    }
    foresee(passes_of_wholes());
    report(result, best);
    return result;
  }

 private:
  /// How often all rows are simulated, about: the derivatives by all figures at the start and at the end, and steps.
  std::size_t passes_of_start() const { return 2 * smooth_.size() + 7; }
  std::size_t passes_of_wholes() const { return 2 * wholes_.size() + 1; }
  void foresee(std::size_t passes_left) { foreseen_ = passes_ + passes_left; }

  Json machine_at(std::span<const double> x) const {
    Json machine = base_;
    for (std::size_t i = 0; i < smooth_.size(); ++i)
      set_figure(machine, smooth_[i], figure_value(base_, smooth_[i]) * std::exp(x[i]));
    for (std::size_t i = 0; i < wholes_.size(); ++i)
      set_figure(machine, wholes_[i], figure_value(base_, wholes_[i]) * factors_[i]);
    return machine;
  }

  /// Logarithms of predicted over measured.
  std::vector<double> residuals(std::span<const double> x) const {
    const std::string text = machine_at(x).dump();
    const Machine machine = parse_machine(text, request_.base);
    const std::size_t about = std::max(foreseen_, passes_ + 1);
    WatchedWork watched{request_.store, text};
    if (request_.progress)
      watched.done = [&](double part) {
        request_.progress(passes_, about, (static_cast<double>(passes_) + part) / static_cast<double>(about));
      };
    std::vector<double> all = times_.predict(machine, *engine_, request_.threads, watched);
    ++passes_;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] == 0)
        throw InputError(fmt::format("{}: the {} engine refuses to simulate the fitted row of line {}",
                                     request_.file.string(), request_.engine, times_.rows()[i].line));
      all[i] = std::log(all[i] / times_.rows()[i].seconds);
    }
    return all;
  }

  LeastSquares improve(std::vector<double> start, int most_steps) const {
    return minimise([this](std::span<const double> x) { return residuals(x); }, unknowns_, std::move(start), tolerance,
                    most_steps);
  }

  LeastSquares best_of_starts() {
    std::mt19937_64 random(1);
    std::vector<double> start(smooth_.size());
    LeastSquares best = improve(start, 6);
    for (int i = 1; i < request_.starts; ++i) {
      for (std::size_t u = 0; u < start.size(); ++u)
        start[u] = unknowns_[u].prior_deviation * (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5);
      foresee(static_cast<std::size_t>(request_.starts - i) * passes_of_start() + 2 * passes_of_wholes());
      LeastSquares other = improve(start, 6);
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
    result.rows_in_file = measured_.in_file;
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
    std::map<std::string, std::set<std::string>> unidentified;  // keys by owner
    std::set<std::string> owners;
    for (const FigureReport& figure : result.figures) {
      std::string owner = figure.pointer.substr(0, figure.pointer.rfind('/'));
      std::string key = figure.pointer.substr(owner.size() + 1);
      if (const auto list = owner.find("/segments/"); list != std::string::npos) {
        owner = owner.substr(0, list);
        key = "segments";
      }
      owners.insert(owner);
      if (!figure.identified) unidentified[owner].insert(key);
    }
    for (const std::string& pointer : owners) {
      Json& owner = machine[Json::json_pointer(pointer)];
      const std::string before = owner["source"];
      const std::string fitted =
          fmt::format("fitted to {} measured collectives ({}), around: ", result.rows.size(), file);
      owner["source"] =
          fitted + (before.starts_with("fitted to ") ? before.substr(before.find("around: ") + 8) : before);
      owner.erase("guess");
      if (!unidentified[pointer].empty()) owner["guess"] = unidentified[pointer];
    }
  }

  const CollectiveFitRequest& request_;
  std::unique_ptr<Engine> engine_;
  const Machine machine_;  // first: it refuses what is no machine
  const Json base_;
  const CollectiveRows measured_;
  const CollectiveTimes times_;
  std::vector<FittedFigure> smooth_, wholes_;
  std::vector<Unknown> unknowns_;
  std::vector<double> factors_;     // of wholes_
  mutable std::size_t passes_ = 0;  // over all rows
  std::size_t foreseen_ = 0;
};

}  // namespace

CollectiveFit fit_collectives(const CollectiveFitRequest& request) { return Fit(request).run(); }

std::string format_fit(const CollectiveFit& fit) {
  std::string text = fmt::format(
      "{} rows fitted of {} in the file ({:.1f} %); median error {:.1f} %, before {:.1f} %\n\n", fit.rows.size(),
      fit.rows_in_file, 100.0 * static_cast<double>(fit.rows.size()) / static_cast<double>(fit.rows_in_file),
      100 * fit.median_error, 100 * fit.median_error_before);
  text += fmt::format("{:<58} {:>12} {:>12} {:>9} {:>9}\n", "figure", "base", "fitted", "+/- %", "effect %");
  for (const FigureReport& f : fit.figures)
    text += fmt::format("{:<58} {:>12.5g} {:>12.5g} {:>9.0f} {:>9.2f}{}\n", f.pointer, f.base, f.fitted,
                        100 * f.deviation, 100 * f.effect, f.identified ? "" : "  not identified");
  text += "+/-: around this fit, by the rows' noise; from other starting points (--starts) it may end elsewhere\n";
  return text;
}

nlohmann::ordered_json fit_json(const CollectiveFit& fit) {
  Json json{{"machine", Json::parse(fit.machine_json)["name"]},
            {"machine_checksum", figures_checksum(fit.machine_json)},
            {"rows", fit.rows.size()},
            {"rows_in_file", fit.rows_in_file},
            {"median_error", fit.median_error},
            {"median_error_before", fit.median_error_before},
            {"figures", Json::array()}};
  for (const FigureReport& f : fit.figures)
    json["figures"].push_back({{"figure", f.pointer},
                               {"base", f.base},
                               {"fitted", f.fitted},
                               {"deviation", f.deviation},
                               {"effect", f.effect},
                               {"identified", f.identified}});
  return json;
}

}  // namespace tutti
