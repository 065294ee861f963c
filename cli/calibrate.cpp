#include "calibration/calibrate.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <limits>
#include <thread>

#include "base/error.hpp"
#include "calibration/collective_fit.hpp"
#include "calibration/collective_predictions.hpp"
#include "cli/kept.hpp"
#include "cli/large_pages.hpp"
#include "cli/measured_messages.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/usage.hpp"
#include "cli/verbs.hpp"
#include "json/text_file.hpp"
#include "models/machine_files.hpp"

namespace tutti::cli {
namespace {

struct CalibrateOptions {
  std::vector<std::string> osu, imb, csv;
  std::string base, node, name, output, collectives, fit, predictions, state, engine = "fast";
  int jobs = 0, starts = 3, most_ranks = std::numeric_limits<int>::max();
  bool json = false, cables = false, cross_validate = false;
};

/// The table of measurements and the placements that it may name.
std::vector<std::string> collective_files(const std::string& table) {
  std::vector<std::string> files{table};
  std::error_code none;
  const auto folder = std::filesystem::path(table).parent_path() / "placements";
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) files.push_back(entry.path().string());
  return files;
}

void open(Kept& kept, const CalibrateOptions& options) {
  if (!options.state.empty())
    kept.open(model_identity(read_machine(options.base)) + "measured " +
              read_text_file(options.collectives).value_or(""));
}

void say_left_out(std::size_t left_out, std::size_t beside_a_job, std::size_t rows) {
  if (left_out > 0)
    fmt::print(stderr, "{} of {} rows are left out: no algorithm bears their name, or it cannot run there\n", left_out,
               rows);
  if (beside_a_job > 0)
    fmt::print(stderr, "{} of {} rows are left out: measured beside another job (background)\n", beside_a_job, rows);
}

/// The fit to collectives, or what the base says to them.
int run_collectives(const CalibrateOptions& options) {
  if (options.base.empty()) throw InputError("--collectives: expected --base, the machine to start from");
  if (!options.osu.empty() || !options.imb.empty() || !options.csv.empty() || !options.node.empty())
    throw InputError("--collectives goes with neither --osu, --imb, --csv nor --node");
  if (options.fit.empty() == options.predictions.empty())
    throw InputError("--collectives: expected one of --fit and --predictions");
  const int threads =
      options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::string> inputs = machine_files(options.base);
  for (std::string& file : collective_files(options.collectives)) inputs.push_back(std::move(file));
  Kept kept(options.state);
  if (!options.state.empty()) inputs.push_back(kept.file());
  expect_apart({options.predictions.empty() ? options.output : options.predictions}, inputs);
  if (!options.predictions.empty()) {
    for (const auto& [name, given] :
         {std::pair("-o", !options.output.empty()), {"--name", !options.name.empty()}, {"--json", options.json}})
      if (given) throw InputError(fmt::format("{}: expected --fit beside it: --predictions makes no machine", name));
    if (options.predictions != "-") expect_writable(options.predictions);
    CollectivePredictions predicted;
    {
      open(kept, options);
      Progress progress("simulating", "%");
      predicted = predict_collectives(
          options.base, options.collectives, options.engine, threads, options.most_ranks,
          {kept.store(), machine_source(options.base),
           [&](double part) { progress.update(static_cast<std::size_t>(100 * part), 100, [&] { return part; }); }});
    }
    kept.close();
    say_left_out(predicted.left_out, predicted.beside_a_job, predicted.rows);
    if (predicted.refused > 0)
      fmt::print(stderr, "{} of {} rows are left out: the engine does not simulate them, or they take no time\n",
                 predicted.refused, predicted.rows);
    write_output(options.predictions, predicted.csv);
    return kDone;
  }
  if (options.output.empty()) throw InputError("--fit: expected --output");
  if (options.output != "-") expect_writable(options.output);
  open(kept, options);
  CollectiveFitRequest request{
      options.base, options.collectives, options.fit,    options.name,           options.engine,
      threads,      options.starts,      options.cables, options.cross_validate, kept.store()};
  CollectiveFit fit;
  {
    Progress progress("fitting", "simulations of all rows");
    request.progress = [&](std::size_t done, std::size_t about, double part) {
      progress.update(done, about, [&] { return part; });
    };
    fit = fit_collectives(request);
  }
  kept.close();
  say_left_out(fit.left_out, fit.beside_a_job, fit.left_out + fit.beside_a_job + fit.rows.size());
  write_output(options.output, fit.machine_json);
  fmt::print(options.output == "-" ? stderr : stdout, "{}",
             options.json ? fit_json(fit).dump(1) + "\n" : format_fit(fit));
  return kDone;
}

int run_calibrate(const CalibrateOptions& options) {
  if (!options.collectives.empty()) return run_collectives(options);
  if (!options.state.empty())
    throw InputError("--state: expected --collectives beside it, for nothing else takes long");
  if (options.output.empty()) throw InputError("expected --output");
  CalibrationRequest request;
  request.base = options.base;
  request.name = options.name;
  std::vector<std::string> inputs;
  for (const auto& [format, files] : {std::pair{"osu", &options.osu}, {"imb", &options.imb}, {"csv", &options.csv}})
    for (const std::string& file : *files) {
      request.inputs.push_back({format, file});
      inputs.push_back(file_of(request.inputs.back()));
    }
  if (!options.node.empty()) request.node_xml = options.node;
  if (request.inputs.empty() && !request.node_xml)
    throw InputError("expected at least one of --osu, --imb, --csv, --node and --collectives");
  if (!options.base.empty())
    for (std::string& file : machine_files(options.base)) inputs.push_back(std::move(file));
  inputs.push_back(options.node);
  expect_apart({options.output}, inputs);
  const CalibrationResult result = calibrate(request);
  write_output(options.output, result.machine_json);
  const std::string report =
      options.json ? residuals_json(result.report).dump(1) + "\n" : format_residuals(result.report);
  fmt::print(options.output == "-" ? stderr : stdout, "{}", report);
  return result.report.contradictions.empty() ? kDone : kFinding;
}

}  // namespace

void add_calibrate(CLI::App& app, int& status) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* verb = app.add_subcommand("calibrate", "Fit a machine to measurements and say where the fit is wrong");
  add_measured_messages(*verb);
  verb->footer(
      "Exit status is 1 where measurements contradict each other; the machine is written all the same.\n"
      "A file may be given as DISTANCE=FILE (cache, numa, socket, node, network; default network).\n"
      "Example: tutti calibrate --node topology.xml -o mine.json\n"
      "Example: tutti calibrate --mpi points --nodes 2 --batch\n"
      "Example: tutti calibrate --imb node=pingpong.txt --osu latency.txt --base example-cluster -o mine.json");
  verb->add_option("--osu", options->osu, "output of OSU's point-to-point benchmarks");
  verb->add_option("--imb", options->imb, "output of IMB-MPI1 PingPong");
  verb->add_option("--csv", options->csv, "measurements as CSV");
  verb->add_option("--node", options->node, "a node's topology, as lstopo writes it in XML");
  verb->add_option(
      "--base", options->base,
      "the machine to start from: whatever is not measured stays; with --node alone: one node, the rest guessed");
  verb->add_option("--name", options->name, "the new machine's name");
  verb->add_option("--collectives", options->collectives,
                   "CSV of measured collectives: system, collective, algorithm, ranks, ppn, bytes, median_us …");
  verb->add_option(
      "--fit", options->fit,
      "the rows to fit to and no others: allreduce:ring+recursive_doubling:ranks=4-32,gather:linear:bytes=0-16K");
  verb->add_option("--predictions", options->predictions, "do not fit: write what the base says to every row, as CSV");
  verb->add_option("--engine", options->engine, "the simulator of the collectives")->capture_default_str();
  verb->add_option("--starts", options->starts, "starting points of the fit")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  verb->add_flag(
      "--cables", options->cables,
      "fit what each level of the network's cables has, too: latency, bandwidth (and with it the taper), and "
      "the share of adaptive routing's detours");
  verb->add_flag("--cross-validate", options->cross_validate,
                 "hold back each number of nodes in turn, say how a fit to all others foretells it, and stop the fit "
                 "where that gets worse; takes as many fits more");
  verb->add_option("--most-ranks", options->most_ranks, "leave out predictions of more ranks")
      ->check(CLI::PositiveNumber);
  verb->add_option("--jobs", options->jobs, "threads (default: all cores)")->check(CLI::PositiveNumber);
  verb->add_option("--state", options->state, std::string("with --collectives: ") + kStateHelp);
  verb->add_option("-o,--output", options->output, "the machine file to write; -: stdout, and the report to stderr");
  verb->add_flag("--json", options->json, "the residual report for machines");
  verb->callback([options, verb, &status] {
    if (verb->count("--mpi") > 0) run_measured_messages(*verb);
    expect_no_measuring(*verb);
    if (options->collectives.empty())
      expect_beside(*verb, {"--fit", "--predictions", "--engine", "--starts", "--most-ranks", "--jobs"},
                    "--collectives");
    if (options->predictions.empty()) expect_beside(*verb, {"--most-ranks"}, "--predictions");
    if (options->fit.empty()) expect_beside(*verb, {"--starts", "--cables", "--cross-validate"}, "--fit");
    prefer_large_pages();
    status = run_calibrate(*options);
  });
}

}  // namespace tutti::cli
