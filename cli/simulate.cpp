#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>

#include "algos/operator.hpp"
#include "algos/valid_case.hpp"
#include "algos/what_runs.hpp"
#include "base/error.hpp"
#include "base/forecast.hpp"
#include "base/in_parallel.hpp"
#include "base/option_lists.hpp"
#include "cli/checked_results.hpp"
#include "cli/counts.hpp"
#include "cli/critical_path.hpp"
#include "cli/drawn_call.hpp"
#include "cli/kept.hpp"
#include "cli/large_pages.hpp"
#include "cli/layout.hpp"
#include "cli/neighbors.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/python.hpp"
#include "cli/simulate_options.hpp"
#include "cli/simulated.hpp"
#include "cli/verbs.hpp"
#include "models/machine_part.hpp"
#include "selection/asked_amount.hpp"
#include "selection/asked_candidates.hpp"
#include "selection/baselines.hpp"
#include "selection/candidates.hpp"
#include "selection/loads.hpp"
#include "selection/losses.hpp"
#include "sim/arrivals.hpp"
#include "sim/background_placement.hpp"
#include "sim/call_trust.hpp"
#include "sim/engine.hpp"
#include "sim/goal.hpp"
#include "sim/kept_engine.hpp"
#include "sim/proof/contributions.hpp"
#include "sim/rank_groups.hpp"

namespace tutti::cli {
namespace {

class Simulate {
 public:
  explicit Simulate(SimulateOptions options)
      : options_(std::move(options)),
        collective_(any_collective_named(options_.collective)),
        counts_(options_.counts, collective_),
        neighbors_(options_.neighbors, collective_),
        read_(load_machine_and_warn(options_.machine)),
        machine_(read_.machine),
        kept_(options_.state),
        layouts_(each_layout(options_.layouts)),
        candidates_(candidates_of(collective_, options_.algorithms, *machine_.network)) {
    if (!options_.background.empty()) background_ = parse_background(options_.background);
    if (!options_.noise.empty()) noise_ = parse_noise(options_.noise);
    if (options_.mode.empty()) options_.mode = background_ || noise_ ? kManyCalls : "isolated";
    mode_ = parse_mode(options_.mode);
    options_.mode = mode_.text();  // as rows repeat it
    warn_of_layout_jump(machine_, layouts_);
  }

  int run() {
    check_options();
    sizes_ = sizes_asked_for();
    expect_few_runs("--nodes, --ppn, --ranks, --bytes and --algorithm", layouts_.size(), sizes_.size(),
                    candidates_.size());
    for (const LayoutOptions& layout : layouts_) plan(layout);
    for (const auto& [name, file] :
         {std::pair{"--trace", &options_.trace}, {"--goal", &options_.goal}, {"--space-time", &options_.space_time}})
      if (!file->empty() && runs_.size() != 1)
        throw InputError(fmt::format("{}: expected one algorithm, one size and one number of ranks, not {} runs", name,
                                     runs_.size()));
    kept_.open(model_identity(read_));
    simulate();
    kept_.close();
    const Provenance provenance = provenance_of(read_.text, options_.machine);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      SimulatedRow& row = rows_[i];
      if (!row.result.refused.empty()) {
        if (!runs_[i].optional) throw InputError(row.result.refused);
        remarks_.insert("left out: " + row.result.refused);
        continue;
      }
      row.trust = trust_of_call(machine_, provenance, runs_[i].c, row.nodes, row.ppn, row.bytes,
                                background_ || noise_ || mode_.kind == Mode::Kind::skew);
    }
    std::erase_if(rows_, [](const SimulatedRow& row) { return !row.result.refused.empty(); });
    for (const std::string& remark : remarks_) fmt::print(stderr, "{}\n", remark);
    if (rows_.empty()) throw InputError(options_.collective + ": none of the algorithms can run here");
    const int drawn = write();
    const int checked = options_.check ? report_check(rows_) : kDone;
    return drawn != kDone ? drawn : checked;
  }

 private:
  struct Run {
    const LayoutOptions* layout;
    Case c;
    Choice choice;
    bool optional;
    double work;
  };

  void check_options() const {
    const bool has_size = !options_.bytes.empty() || !options_.osu_sizes.empty();
    if (counts_.is_file() && has_size)
      throw InputError("--counts " + counts_.text() + ": expected no --bytes or --osu-sizes, for the file says them");
    if (collective_ == Collective::barrier && has_size)
      throw InputError("barrier: expected no --bytes or --osu-sizes, for it moves no data");
    if (options_.seed && !seed())
      throw InputError(
          "--seed: expected --noise, --mode skew:SECONDS or --mode loop:CALLS beside it, for nothing is random in "
          "--mode " +
          options_.mode);
    if ((!has_size || (!options_.bytes.empty() && !options_.osu_sizes.empty())) && collective_ != Collective::barrier &&
        !counts_.is_file())
      throw InputError("expected one of --bytes and --osu-sizes");
    if (options_.json && options_.csv == "-") throw InputError("--json and --csv -: expected one result on stdout");
    if (options_.trace == "-") throw InputError("--trace -: expected a file, for the times go to stdout");
    if (options_.goal == "-") throw InputError("--goal -: expected a file, for the times go to stdout");
    if (options_.critical_path && options_.csv == "-")
      throw InputError("--critical-path and --csv -: expected one result on stdout");
    if (options_.element.value_or(1) < 1) throw InputError("--element: expected 1 byte or more");
    if (background_ && (options_.records() || options_.check || !options_.goal.empty()))
      throw InputError("--background: expected no --trace, --space-time, --critical-path, --check or --goal beside it");
    if (noise_ && !options_.goal.empty()) throw InputError("--noise: expected no --goal beside it");
    expect_thread_count(options_.jobs, "--jobs");
    if (!options_.plot.empty() && !options_.plot.ends_with(".png") && !options_.plot.ends_with(".svg"))
      throw InputError("--plot " + options_.plot + ": expected a name that ends in .png or .svg");
    if (!options_.space_time.empty() && !options_.space_time.ends_with(".svg"))
      throw InputError("--space-time " + options_.space_time + ": expected a name that ends in .svg");
    std::vector<std::string> inputs = read_.files;
    if (is_placement_file(options_.layouts.placement)) inputs.push_back(options_.layouts.placement);
    if (counts_.is_file()) inputs.push_back(counts_.text());
    if (neighbors_.is_file()) inputs.push_back(neighbors_.text());
    if (background_ && is_placement_file(background_->placement) && background_->placement != "after")
      inputs.push_back(background_->placement);
    if (noise_ && noise_->measured) inputs.push_back(noise_->file);
    if (mode_.measured_seconds) inputs.push_back(mode_.file);
    if (!options_.state.empty() && !(options_.trace.empty() && options_.space_time.empty()))
      throw InputError("--state: expected no --trace or --space-time beside it, for messages are not kept");
    if (!options_.goal.empty() && options_.mode != "isolated")
      throw InputError("--goal: expected --mode isolated, for the schedule is that of one call");
    if (!options_.state.empty()) inputs.push_back(kept_.file());
    const std::vector<std::string> outputs{options_.csv, options_.trace, options_.plot, options_.goal,
                                           options_.space_time};
    expect_apart(outputs, inputs);
    for (const std::string& path : outputs)
      if (!path.empty()) expect_writable(path);
    make_engine(options_.engine);
  }

  /// Where something is random.
  std::optional<std::uint64_t> seed() const {
    if (!noise_ && !mode_.is_skewed()) return std::nullopt;
    return options_.seed.value_or(1);
  }

  std::vector<std::int64_t> sizes_asked_for() const {
    if (collective_ == Collective::barrier || counts_.is_file()) return {0};
    return options_.osu_sizes.empty() ? parse_list_of("--bytes", options_.bytes)
                                      : parse_list_of("--osu-sizes", options_.osu_sizes);
  }

  /// All that is to be simulated in one layout.
  void plan(const LayoutOptions& where) {
    const Layout layout = make_layout(machine_, where);
    std::vector<int> cores = layout.core_of_rank;
    if (background_) {
      const std::vector<int> beside =
          place_background(*machine_.network, layout.core_of_rank, where.placement, *background_);
      cores.insert(cores.end(), beside.begin(), beside.end());
    }
    for (const int core : cores) most_nodes_ = std::max(most_nodes_, machine_.network->node_of(core) + 1);
    const bool osu = !options_.osu_sizes.empty();
    for (const std::int64_t size : sizes_) {
      std::int64_t bytes = osu ? total_from_osu_bytes(collective_, layout.ranks, size) : size;
      Case c{collective_,
             layout.ranks,
             0,
             options_.element.value_or(default_element_bytes(collective_)),
             options_.root,
             options_.in_place,
             operator_named(options_.op)};
      c.count = count_for_total_bytes(collective_, c.ranks, c.element_bytes, bytes);
      c = counts_.applied(neighbors_.applied(c), bytes);
      expect_valid(c);
      if (counts_.is_file()) bytes = total_bytes(c);
      for (const Candidate* candidate : candidates_for(candidates_, c)) plan(*candidate, where, layout, c, bytes);
    }
  }

  void plan(const Candidate& candidate, const LayoutOptions& where, const Layout& layout, const Case& c,
            std::int64_t bytes) {
    const Places places = places_of(*machine_.network, layout.core_of_rank);
    std::optional<AskedRun> run = run_of(candidate, c, layout.on_nodes(), places, layouts_.size() > 1, remarks_);
    if (!run) return;
    kept_ranks_.add(static_cast<std::size_t>(layout.ranks));
    const std::optional<Counts> counts = declared(run->choice, c, places);
    if (losses_.empty()) {
      const Machine& machine = machine_.for_job(c.ranks);
      const Place place{c.collective, layout.nodes, layout.ppn};
      if (losses_of(machine, normalized(run->choice, c), counts, c, place).may_be()) losses_ = losses_note(machine);
    }
    rows_.push_back({run->name,
                     text_of_what_runs(run->choice, c, places),
                     layout.ranks,
                     layout.nodes,
                     layout.ppn,
                     bytes,
                     total_bytes(c),
                     {}});
    runs_.push_back({&where, c, std::move(run->choice), run->optional, layout.ranks + (counts ? counts->messages : 0)});
  }

  Experiment experiment_of(const Run& run) const {
    const Layout layout = make_layout(machine_, *run.layout);
    Experiment one{run.c,
                   run.choice,
                   layout.core_of_rank,
                   mode_,
                   options_.seed.value_or(1),
                   options_.records(),
                   options_.check ? proof::make_contributions : nullptr};
    if (background_) {
      BackgroundOptions background = *background_;
      const std::vector<int> beside =
          place_background(*machine_.network, layout.core_of_rank, run.layout->placement, background);
      one.core_of_rank.insert(one.core_of_rank.end(), beside.begin(), beside.end());
      one.background = background.background;
    }
    one.noise = noise_;
    return one;
  }

  void simulate() {
    std::vector<double> works;
    for (const Run& run : runs_) works.push_back(run.work);
    const std::vector<std::size_t> begins = stretches_of(works);
    Forecast forecast;
    for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
      const double runs = static_cast<double>(begins[s + 1] - begins[s]);
      double work = 0;
      for (std::size_t i = begins[s]; i < begins[s + 1]; ++i) work += runs_[i].work;
      forecast.add({{"run"}, work / runs, runs});
    }
    Progress progress("simulating", "runs");
    const auto simulator = make_engine(options_.engine);
    const auto engine = kept_.engine(*simulator, model_identity(read_));
    const Machine machine = first_nodes(machine_, most_nodes_);
    std::mutex mutex;
    std::size_t done = 0;
    in_parallel(options_.jobs, begins.size() - 1, [&](std::size_t s, std::size_t) {
      const auto begun = std::chrono::steady_clock::now();
      const std::size_t before = KeptEngine::simulated_by_this_thread();
      std::vector<Experiment> experiments;
      for (std::size_t i = begins[s]; i < begins[s + 1]; ++i) experiments.push_back(experiment_of(runs_[i]));
      std::vector<Result> results = engine->run(machine, experiments);
      const std::lock_guard lock(mutex);
      for (std::size_t i = begins[s]; i < begins[s + 1]; ++i) rows_[i].result = std::move(results[i - begins[s]]);
      const bool tells = !kept_.store() || KeptEngine::simulated_by_this_thread() > before;
      forecast.done(s, std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(), tells);
      progress.update(done += experiments.size(), runs_.size(), [&] { return forecast.part_done(); });
    });
  }

  int write() const {
    const SimulatedHead head{
        machine_.name,
        options_.collective,
        options_.engine,
        options_.mode,
        fabric_levels(*machine_.network),
        background_ ? text_of(*background_) : "",
        background_ ? no_congestion_trees(machine_, background_->background) : "",
        noise_ ? noise_->text() : "",
        noise_ ? noise_->share() : 0,
        losses_,
        counts_.text(),
        neighbors_.text(),
        asked_otherwise(options_.layouts.placement, options_.root, options_.element, options_.op, options_.in_place),
        seed(),
        has_several_arrivals(mode_)};
    if (!options_.trace.empty()) {
      const std::vector<int> nodes = nodes_of(*machine_.network, experiment_of(runs_.front()).core_of_rank);
      write_output(options_.trace, chrome_trace(rows_.front().result, nodes));
    }
    if (!options_.goal.empty()) {
      const Experiment run = experiment_of(runs_.front());
      write_output(options_.goal, goal_text(run.c, run.choice, machine_, run.core_of_rank));
    }
    if (!options_.csv.empty()) write_output(options_.csv, csv_of(head, rows_));
    if (options_.json)
      fmt::print("{}\n", json_of(head, rows_, *machine_.network, options_.check).dump(1));
    else if (options_.csv != "-")
      print_table(head);
    std::fflush(stdout);
    if (!options_.space_time.empty())
      if (const int drawn = draw_call(); drawn != kDone) return drawn;
    if (options_.plot.empty()) return kDone;
    return run_script("plots/curves.py", {"-", "-o", options_.plot}, csv_of(head, rows_));
  }

  int draw_call() const {
    const Run& run = runs_.front();
    const auto call = space_time_json("", experiment_of(run), make_layout(machine_, *run.layout), rows_.front().result,
                                      *machine_.network);
    return run_script("plots/space_time.py", {"-o", options_.space_time}, call.dump());
  }

  void print_table(const SimulatedHead& head) const {
    fmt::print("{}", table_of(head, rows_));
    if (!options_.critical_path) return;
    for (const SimulatedRow& row : rows_)
      fmt::print("\n{}",
                 critical_path_text(fmt::format("{}, {} bytes", with_what_runs(row.algorithm, row.chosen), row.bytes),
                                    row.result, mode_, *machine_.network));
  }

  SimulateOptions options_;
  const Collective collective_;
  const CountsOption counts_;
  const NeighborsOption neighbors_;
  const ReadMachine read_;
  const Machine& machine_;
  Kept kept_;
  const std::vector<LayoutOptions> layouts_;
  const std::vector<Candidate> candidates_;
  std::optional<BackgroundOptions> background_;
  std::optional<Noise> noise_;
  Mode mode_;
  int most_nodes_ = 1;  // of the machine's first
  std::vector<std::int64_t> sizes_;
  KeptRanks kept_ranks_{"--nodes, --ppn, --ranks, --bytes and --algorithm"};
  std::vector<Run> runs_;
  std::vector<SimulatedRow> rows_;  // of the runs
  std::set<std::string> remarks_;
  std::string losses_;  // of messages, in some of the runs
};

}  // namespace

void add_simulate(CLI::App& app, int& status) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* verb = app.add_subcommand("simulate", "Predict the times of algorithms on a machine");
  add_options(*verb, *options);
  verb->callback([options, &status] {
    prefer_large_pages();
    status = Simulate(*options).run();
  });
}

}  // namespace tutti::cli
