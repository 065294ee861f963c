#include "selection/tune.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>

#include "base/csv_field.hpp"
#include "base/error.hpp"
#include "cli/counts.hpp"
#include "cli/interruption.hpp"
#include "cli/large_pages.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/sharded.hpp"
#include "cli/slurm.hpp"
#include "cli/tune_options.hpp"
#include "cli/tuned_table.hpp"
#include "cli/verbs.hpp"
#include "selection/sweep_folder.hpp"

namespace tutti::cli {
namespace {

int run_tune(const TuneOptions& options) {
  const bool has_sizes = is_counts_file(options.counts) || options.collectives == name_of(Collective::barrier);
  if (options.bytes.empty() == options.osu_sizes.empty() && !(has_sizes && options.bytes.empty()))
    throw InputError("expected one of --bytes and --osu-sizes");
  if (!options.shard.empty() && !options.slurm.empty()) throw InputError("expected one of --shard and --slurm");
  if (!options.shard.empty() && !options.output.empty())
    throw InputError("-o: a shard writes no table: expected tutti merge DIR -o TABLE once all are made");
  if (options.shard.empty() && options.output.empty()) throw InputError("--output: expected a file for the table");
  if (!options.slurm.empty() && !options.costs.empty())
    throw InputError("--costs: expected no --slurm beside it, for many processes make the sweep");
  if (options.json && (options.output == "-" || !options.slurm.empty()))
    throw InputError("--json: expected a table in a file, by -o FILE, or --shard");
  if (options.state.empty() && !(options.shard.empty() && options.slurm.empty()))
    throw InputError("--state: expected a directory that all shards see");
  const ReadMachine read = load_machine_and_warn(options.machine);
  std::vector<std::string> inputs = read.files;
  if (!options.state.empty()) {
    const std::vector<std::string> files = files_of_sweep(options.state);
    inputs.insert(inputs.end(), files.begin(), files.end());
    inputs.push_back(options.state + "/sweep.sqlite");
  }
  TuneRequest request = request_of(options, read);
  for (const std::string& file : files_of(request.placement, request.mode, request.loads)) {
    if (!(options.shard.empty() && options.slurm.empty()))
      throw InputError(file + ": expected no file of placements, noise or lateness with --shard or --slurm");
    inputs.push_back(file);
  }
  if (is_counts_file(options.counts)) inputs.push_back(options.counts);
  expect_apart({options.output, options.costs}, inputs);
  if (options.shard.empty()) expect_writable(options.output);
  if (!options.slurm.empty()) return write_slurm_job(options, request);
  if (options.shard.empty() && !options.state.empty() && std::filesystem::exists(options.state + "/sweep.json"))
    throw InputError(options.state +
                     "/sweep.json: is a sweep in parts: expected tutti merge, or a new --state directory");
  say_when_interrupted(!options.state.empty());
  Progress progress("tuning", "steps");
  request.progress = [&](std::size_t done, std::size_t total, const std::function<double()>& part) {
    progress.update(done, total, part);
  };
  std::ofstream costs;  // line by line, so that a sweep can be watched
  if (!options.costs.empty()) {
    expect_writable(options.costs);
    costs.open(options.costs);
    costs << "engine,collective,nodes,ppn,bytes,algorithm,time_us,exceeded,messages,processor_seconds,load"
          << std::endl;
    request.simulated = [&](const SimulationCost& cost) {
      const Simulated& what = cost.what;
      costs << fmt::format("{},{},{},{},{},{},{:.6g},{:d},{},{:.6f},\"{}\"", what.engine,
                           name_of(what.place.collective), what.place.nodes, what.place.ppn, what.bytes,
                           csv_field(what.choice), 1e6 * what.seconds, what.exceeded, cost.messages,
                           cost.processor_seconds, what.load)
            << std::endl;
    };
  }
  int status = kDone;
  if (!options.shard.empty()) {
    status = tune_shard(request, options);
  } else {
    Table table = tune(request);
    const TableSummary summary = finish_table(table, request, options.machine, options.output);
    if (options.json) fmt::print("{}\n", summary_json(summary).dump(1));
  }
  if (costs.is_open()) costs.close();
  if (!costs)
    throw InputError(options.costs + ": cannot be written: it does not hold all costs; the " +
                     (options.shard.empty() ? "table" : "shard") + " is written");
  return status;
}

}  // namespace

void add_tune(CLI::App& app, int& status) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* verb = app.add_subcommand("tune", "Find the best algorithm for every case and write the selection table");
  verb->footer(
      "Example: tutti tune --machine example-cluster --nodes 2-16 --ppn 1,8 --osu-sizes 8:1M --collectives bcast -o "
      "table.json\n"
      "Example: tutti tune --machine example-cluster --nodes 2-16 --osu-sizes 8:1M --collectives bcast --shard 1/1 "
      "--state sweep\n"
      "Example: tutti tune --machine example-cluster --nodes 2-16 --osu-sizes 8:1M --collectives alltoallv --counts "
      "zipf:1.2 --for open-mpi-5.0 -o skewed.json\n"
      "Example: tutti tune --machine leonardo-booster --nodes 16 --osu-sizes 64K,1M --collectives allgather "
      "--placement scattered:1 --background none --background incast:nodes=32,bytes=2M,placement=scattered:6 "
      "--robust mean -o loaded.json");
  verb->add_option("--machine", options->machine, "a machine's name (tutti machines) or file")->required();
  verb->add_option("--nodes", options->nodes, "numbers of nodes: 2-16  2,3,5")->required();
  verb->add_option("--ppn", options->ppn, "numbers of ranks per node")->capture_default_str();
  verb->add_option("--bytes", options->bytes, "sizes in the total convention (none for barriers alone)");
  verb->add_option("--osu-sizes", options->osu_sizes, "sizes as OSU's benchmarks print them");
  verb->add_option("--collectives", options->collectives, "bcast,allreduce  all (default)");
  verb->add_option("--counts", options->counts,
                   "how counts of allgatherv, alltoallv, gatherv, reduce_scatter and scatterv are spread, zipf:1.2, "
                   "random, one, or as in "
                   "a file of counts, for which the table then is (default: equally); a file's own size is taken where "
                   "none is asked for; simulates every choice at every size");
  verb->add_option("--algorithms", options->algorithms,
                   "only these: ring,knomial:radix=8 (default: all, with a grid of parameters)");
  verb->add_option(
          "--placement", options->placement,
          "block or cyclic; beside --background, with --noise or --exhaustive also scattered:SEED, or a CSV of "
          "rank,node[,group[,leaf]] for one number of nodes")
      ->capture_default_str();
  verb->add_option("--engine", options->engine, "the simulator")->capture_default_str();
  verb->add_option("--confirm", options->confirming,
                   "the engine that decides between choices that are close, or none (default: simgrid)");
  verb->add_flag("--exhaustive", options->exhaustive, "simulate every choice at every size, however long it takes");
  verb->add_option(
          "--most-messages", options->most_messages,
          fmt::format("simulations of more messages are replaced by smaller ones and an extrapolation; where no "
                      "smaller ones tell, and for --baselines, up to {:.0f} times as many are made",
                      kLargestBudgetFactor * MessageBudget().in_all / MessageBudget().whole))
      ->capture_default_str();
  verb->add_option("--mode", options->mode,
                   "isolated, barrier, back-to-back:CALLS, skew:SECONDS[:CALLS], skew:file=FILE[:CALLS], loop:CALLS "
                   "(default isolated; "
                   "loop:32 beside "
                   "--background and with --noise)");
  verb->add_option(
          "--background", options->loads,
          "another job beside, for a table of a loaded machine: incast:nodes=16,bytes=2M or alltoall:…, on the nodes "
          "behind each layout's; placement=scattered:SEED: on others; as in tutti simulate. Several times: several "
          "loads, of which none is the unloaded machine. Every choice is then simulated at every size")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--noise", options->noise,
                   "what interrupts processors, for a table of a noisy machine: every=1e-3,for=25e-6 or file=FILE, "
                   "by=node, as in "
                   "tutti simulate; also seed=N. Several times: several noises, of which none is a quiet machine, each "
                   "with each --background. Every choice is then simulated at every size")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--robust", options->robust,
                   "of several loads, which of a choice's times beside them counts: worst (default) or mean");
  verb->add_option(
      "--statistic", options->statistic,
      "beside --background or with --noise, which time of a choice's calls counts: median (default), mean or "
      "p95");
  verb->add_option("--bound", options->bound, "the regret that merging size ranges may cost: 0.05 is 5 %")
      ->capture_default_str();
  verb->add_option("--jobs", options->jobs, "simulations at a time")->capture_default_str();
  verb->add_option("--state", options->state, "a directory that keeps finished cells, so that a killed sweep resumes");
  verb->add_option("--shard", options->shard,
                   "make only one part of so many, 3/40, in the --state that all of them share; then tutti merge");
  verb->add_option("--slurm", options->slurm,
                   "write a script that submits the sweep to Slurm and joins it: tasks=40,cpus=16,time=30:00 and, if "
                   "wanted, partition, account, qos, mem");
  verb->add_option("--baselines", options->baselines,
                   "what libraries pick themselves is a candidate, no rule is slower than it, and what is gained is "
                   "said: open-mpi-4.1,mpich");
  verb->add_option(
      "--for", options->library,
      "search only among what this library's tuning file can say and what it picks itself somewhere in "
      "the sweep, which a file cannot ask for elsewhere, and say what is gained over what it picks: open-mpi-4.1");
  verb->add_option("--costs", options->costs, "a CSV file: what was simulated, and the processor time that it took");
  verb->add_flag("--json", options->json, "for machines: what is in the table, or of a shard what was made");
  verb->add_option("-o,--output", options->output, "the table, or - for stdout; with --slurm the script");
  verb->callback([options, verb, &status] {
    if (!options->slurm.empty() && verb->count("--jobs") > 0)
      throw InputError("--jobs: expected no --slurm beside it, whose cpus=… says how many a task makes at a time");
    prefer_large_pages();
    status = run_tune(*options);
  });
}

}  // namespace tutti::cli
