#include "cli/simulate_options.hpp"

#include <algorithm>
#include <thread>

#include "cli/kept.hpp"
#include "cli/usage.hpp"

namespace tutti::cli {

void add_options(CLI::App& verb, SimulateOptions& options) {
  verb.footer(
      "Example: tutti simulate bcast --machine example-cluster --algorithm all --nodes 12 --ppn 1 --bytes 8:1M\n"
      "Example: tutti simulate allreduce --machine example-cluster --algorithm ring --nodes 3 --ppn 2 --bytes 64K "
      "--mode skew:1e-6 --trace trace.json --critical-path\n"
      "Example: tutti simulate alltoall --machine leonardo-booster --algorithm linear,pairwise --nodes 32 --ppn 1 "
      "--osu-sizes 256K --mode loop:100 --background incast:nodes=32,bytes=2M\n"
      "Example: tutti simulate alltoallv --machine example-cluster --algorithm all --nodes 12 --ppn 2 --bytes 1M "
      "--counts zipf:1.2\n"
      "Example: tutti simulate neighbor_alltoall --machine example-cluster --algorithm all --nodes 16 --ppn 2 --bytes "
      "1K --neighbors 4x4x2:box");
  options.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  verb.add_option("collective", options.collective, "the collective")->required();
  verb.add_option("--machine", options.machine, "a machine's name (tutti machines) or file")->required();
  verb.add_option("--algorithm", options.algorithms,
                  "binomial  ring,knomial:radix=8  all (with the parameters that tune tries)  default:open-mpi-4.1 "
                  "(what the library picks itself)")
      ->capture_default_str();
  verb.add_option("--nodes", options.layouts.nodes, "numbers of nodes: 12  2,3,5  2-300");
  verb.add_option("--ppn", options.layouts.ppn, "numbers of ranks on each node");
  verb.add_option("--ranks", options.layouts.ranks,
                  "numbers of ranks; without --ppn one a node where there are so many, else nodes are full");
  verb.add_option("--bytes", options.bytes, "sizes in the total convention: 1K  8,64K  4:16M (doubling)");
  verb.add_option("--osu-sizes", options.osu_sizes, "sizes as OSU's benchmarks print them");
  verb.add_option("--counts", options.counts,
                  "of reduce_scatter and collectives that end in v: how unequal blocks are: zipf:EXPONENT[:SEED], "
                  "random[:SEED], one[:RANK] (has all), or a file of counts, of each rank or, of alltoallv and "
                  "neighbor_alltoallv, a line for each sender (default equal)");
  verb.add_option("--neighbors", options.neighbors,
                  "of neighbor_…: a grid that wraps around, 4x4x2, or with borders, 4x4:open; with all around a rank, "
                  "4x4:box, or up to 2 away, 4x4:box=2; random:DEGREE[:SEED]; or a file of edges, FROM TO a line");
  verb.add_option("--placement", options.layouts.placement,
                  "block, cyclic, scattered:SEED, or a CSV of rank,node[,group[,leaf]]")
      ->capture_default_str();
  verb.add_option("--engine", options.engine, "the simulator")->capture_default_str();
  verb.add_option(
      "--mode", options.mode,
      "isolated, barrier[:ALGORITHM], loop:CALLS[:ALGORITHM], back-to-back:CALLS, skew:SECONDS or "
      "skew:file=FILE (how late ranks come: a CSV of late_us, of which each draws one), :CALLS behind it: so "
      "many, each with arrivals of its own (default isolated; "
      "loop:32 beside --background and with --noise)");
  verb.add_option("--background", options.background,
                  "another job beside: incast:nodes=16,bytes=2M or alltoall:…, on the nodes behind the case's; also "
                  "placement=FILE, burst=SECONDS,pause=SECONDS, gap=SECONDS after each round. Times are then medians "
                  "of the mode's calls");
  verb.add_option(
      "--noise", options.noise,
      "what interrupts processors: every=1e-3,for=25e-6 (seconds, in the mean and each) or file=FILE (a CSV of "
      "begin_us,duration_us), by=node: all of a node at once. Times are then medians of the mode's calls");
  verb.add_option("--root", options.root, "the root of rooted collectives")->capture_default_str();
  verb.add_option("--element", options.element, "bytes of an element (default 4 in reductions, else 1)");
  verb.add_option("--op", options.op, "sum, product, min, max, user-commutative, user (not commutative)")
      ->capture_default_str();
  verb.add_flag("--in-place", options.in_place, "input and output in one buffer");
  expect_unsigned(*verb.add_option("--seed", options.seed, "of the skew and of the noise (default 1)"));
  verb.add_option("--jobs,--threads", options.jobs, "simulations at a time, on a thread each")->capture_default_str();
  verb.add_option("--state", options.state, kStateHelp);
  verb.add_option("--csv", options.csv, "write CSV to a file, or - for stdout");
  verb.add_option("--plot", options.plot,
                  "draw the times, over sizes or, where there are more, over numbers of ranks, as .png or .svg");
  verb.add_option("--trace", options.trace, "write a trace for Perfetto or chrome://tracing (one run)");
  verb.add_option("--space-time", options.space_time,
                  "draw the call, ranks over time with messages as lines, as .svg (one run)");
  verb.add_option("--goal", options.goal,
                  "write the schedule in GOAL, for LogGOPSim: what every rank sends, receives and computes (one run)");
  verb.add_flag("--check", options.check,
                "have the simulated messages carry the contributions of the proof, and check every rank's results");
  verb.add_flag("--critical-path", options.critical_path,
                "which ranks, messages and resources the time was spent on, one after the other");
  verb.add_flag("--json", options.json,
                "an array for machines, with times per rank, bytes per level of links and the critical path");
}

}  // namespace tutti::cli
