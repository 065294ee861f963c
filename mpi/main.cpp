// tutti-mpi-bench: measures a real MPI library. Started by mpirun or srun; see `usage`.
#include <mpi.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>

#include "mpi/bind.hpp"
#include "mpi/fail.hpp"
#include "mpi/osu.hpp"
#include "mpi/plan.hpp"
#include "mpi/sleep_on_yield.hpp"

namespace {

using namespace tutti::mpi;

constexpr const char* usage =
    "tutti-mpi-bench BENCHMARK [OPTION ...], under mpirun or srun: measures the MPI library\n"
    "\n"
    "BENCHMARK: latency, bandwidth (first and last rank), matrix (latency between every two hosts),\n"
    "or a collective (all ranks): allgather, allreduce, alltoall, barrier, bcast, exscan, gather, reduce,\n"
    "reduce_scatter, reduce_scatter_block, scan, scatter. The output is OSU's.\n"
    "  --sizes A:B          sizes from A to B, doubling, as OSU prints them; K and M are 1024 and its square (1:1M)\n"
    "  --iterations N       measured (100)\n"
    "  --warm-up N          not measured, before them (10)\n"
    "  --back-to-back N     so many calls after each barrier, times per call (1)\n"
    "  --apart LEVEL        latency, bandwidth: on two cores of a node that share a cache, numa, socket or node at "
    "most\n"
    "  --probe              also what a call sends from rank to rank (Open MPI: --mca pml_monitoring_enable 1 --mca "
    "coll ^monitoring)\n"
    "BENCHMARK: plan FILE, ways to make calls compared in turn; lines COLLECTIVE RANKS BYTES ARM [VARIABLE=VALUE ...]\n"
    "  --repetitions N      of every call (1)\n"
    "  --probe              as above, two more calls of each first\n"
    "All:\n"
    "  --nap MICROSECONDS   ranks that wait sleep so long at a time, where the library yields when idle (0: never)\n"
    "\n"
    "Example: mpirun -np 2 tutti-mpi-bench latency --sizes 1:4M > latency.txt\n";

std::int64_t parse_size(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string suffix(end, text.data() + text.size());
  const std::int64_t unit = suffix.empty() ? 1 : suffix == "K" ? 1 << 10 : suffix == "M" ? 1 << 20 : 0;
  if (error != std::errc() || unit == 0 || value < 0 || value > std::numeric_limits<int>::max() / unit)
    fail("'" + text + "': expected a size below 2 GiB, such as 64K");
  return value * unit;
}

std::vector<std::int64_t> parse_sizes(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::int64_t first = parse_size(text.substr(0, colon)),
                     last = colon == std::string::npos ? first : parse_size(text.substr(colon + 1));
  if (first > last || (first == 0 && last > 0)) fail("--sizes " + text + ": expected A:B with 0 < A <= B");
  std::vector<std::int64_t> sizes;
  for (std::int64_t bytes = first; bytes <= last; bytes *= 2) {
    sizes.push_back(bytes);
    if (bytes == 0) break;
  }
  return sizes;
}

std::string level(const std::string& text) {
  for (const char* known : {"cache", "numa", "socket", "node"})
    if (text == known) return text;
  fail("--apart " + text + ": expected cache, numa, socket or node");
}

struct Options {
  std::string benchmark, plan, apart;
  OsuOptions osu;
  PlanOptions repeat;
  int nap = 0;
};

Options parse(int argc, char** argv) {
  Options options;
  if (argc < 2) fail("expected a benchmark; --help lists them");
  options.benchmark = argv[1];
  options.osu.sizes = parse_sizes("1:1M");
  int next = 2;
  const auto value = [&](const std::string& name) -> std::string {
    if (next >= argc) fail(name + ": expected a value");
    return argv[next++];
  };
  const auto count = [&](const std::string& name, int least) {
    const std::string text = value(name);
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || *end != 0 || number < least)
      fail(name + " " + text + ": expected a whole number from " + std::to_string(least) + " on");
    return number;
  };
  const bool planned = options.benchmark == "plan";
  if (planned) options.plan = value("plan");
  while (next < argc) {
    const std::string name = argv[next++];
    if (name == "--probe")
      options.osu.probe = options.repeat.probe = true;
    else if (name == "--nap")
      options.nap = count(name, 0);
    else if (name == "--apart" && (options.benchmark == "latency" || options.benchmark == "bandwidth"))
      options.apart = level(value(name));
    else if (planned && name == "--repetitions")
      options.repeat.repetitions = count(name, 1);
    else if (!planned && name == "--sizes")
      options.osu.sizes = parse_sizes(value(name));
    else if (!planned && name == "--iterations")
      options.osu.iterations = count(name, 1);
    else if (!planned && name == "--warm-up")
      options.osu.warm_up = count(name, 0);
    else if (!planned && name == "--back-to-back")
      options.osu.calls = count(name, 1);
    else
      fail("unknown option '" + name + "'; --help lists them");
  }
  return options;
}

void run(const Options& options) {
  int size = 0, provided = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) fail("the MPI library does not start MPI_T");
  sleep_on_yield(options.nap);
  if (options.benchmark == "plan")
    run_plan(read_plan(options.plan, size), options.repeat);
  else if (!options.apart.empty() && !bind_apart(options.apart))
    return;
  else if (options.benchmark == "matrix")
    matrix(options.osu);
  else if (options.benchmark == "latency")
    latency(options.osu);
  else if (options.benchmark == "bandwidth")
    bandwidth(options.osu);
  else
    collective(options.benchmark, options.osu);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::printf("%s", usage);
    return 0;
  }
  const Options options = parse(argc, argv);
  MPI_Init(&argc, &argv);
  run(options);
  MPI_Finalize();
  return 0;
}
