#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "mpi/collective.hpp"
#include "mpi/fail.hpp"
#include "mpi/osu.hpp"
#include "mpi/sent.hpp"
#include "mpi/statistics.hpp"

namespace tutti::mpi {
namespace {

/// OSU's names for its programs.
const std::map<std::string, const char*> titles{{"allgather", "Allgather"},
                                                {"allreduce", "Allreduce"},
                                                {"alltoall", "All-to-All Personalized Exchange"},
                                                {"barrier", "Barrier"},
                                                {"bcast", "Broadcast"},
                                                {"exscan", "Exscan"},
                                                {"gather", "Gather"},
                                                {"reduce", "Reduce"},
                                                {"reduce_scatter", "Reduce_scatter"},
                                                {"reduce_scatter_block", "Reduce_scatter_block"},
                                                {"scan", "Scan"},
                                                {"scatter", "Scatter"}};

/// Of this rank, per iteration and call.
std::vector<double> measure(Collective& collective, const OsuOptions& options) {
  std::vector<double> microseconds;
  for (int i = -options.warm_up; i < options.iterations; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int call = 0; call < options.calls; ++call) collective.call();
    if (i >= 0) microseconds.push_back((MPI_Wtime() - begin) / options.calls * 1e6);
  }
  return microseconds;
}

void print_row(std::int64_t bytes, int rank, int ranks, const std::vector<double>& own) {
  std::vector<double> slowest(own.size());
  const double average = mean(own);
  double sum = 0, least = 0, greatest = 0;
  MPI_Reduce(own.data(), slowest.data(), static_cast<int>(own.size()), MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&average, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&average, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&average, &greatest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  std::printf("%-10lld%18.2f%18.2f%18.2f%12zu%16.2f%16.2f%16.2f\n", static_cast<long long>(bytes), sum / ranks, least,
              greatest, own.size(), percentile(slowest, 50), percentile(slowest, 90), percentile(slowest, 99));
  std::fflush(stdout);
}

/// A rank after the other, so that lines stay whole.
void print_sent(std::int64_t bytes, int rank, int ranks, Collective& collective) {
  std::string text = sent_by([&] { collective.call(); }, MPI_COMM_WORLD);
  if (rank != 0) {
    MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    return;
  }
  std::printf("# %lld sent", static_cast<long long>(bytes));
  for (int from = 0; from < ranks; ++from) {
    if (from > 0) {
      MPI_Status status;
      int length = 0;
      MPI_Probe(from, 0, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_CHAR, &length);
      text.resize(static_cast<std::size_t>(length));
      MPI_Recv(text.data(), length, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (!text.empty()) std::printf(" %s", text.c_str());
  }
  std::printf("\n");
}

}  // namespace

void collective(const std::string& name, const OsuOptions& options) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto title = titles.find(name);
  if (title == titles.end()) fail("unknown benchmark '" + name + "': expected latency, bandwidth or a collective");
  if (options.probe && !can_count()) fail(kCannotCount);
  if (rank == 0) {
    std::printf("# OSU MPI %s Latency Test v7.0\n# by tutti-mpi-bench: %d ranks, ", title->second, ranks);
    if (options.calls == 1)
      std::printf("a barrier before each call\n");
    else
      std::printf("%d calls back to back after each barrier\n", options.calls);
    std::printf("%-10s%18s%18s%18s%12s%16s%16s%16s\n", "# Size", "Avg Latency(us)", "Min Latency(us)",
                "Max Latency(us)", "Iterations", "P50 Max(us)", "P90 Max(us)", "P99 Max(us)");
  }
  const std::vector<std::int64_t> sizes = name == "barrier" ? std::vector<std::int64_t>{0} : options.sizes;
  const auto is_whole = [&](std::int64_t bytes) {
    return Collective::is_whole(name, ranks, Collective::total_bytes(name, ranks, bytes));
  };
  if (std::none_of(sizes.begin(), sizes.end(), is_whole)) fail("--sizes: expected one of whole elements of " + name);
  for (const std::int64_t bytes : sizes) {
    if (!is_whole(bytes)) continue;  // as OSU's begin at an element
    Collective collective(name, MPI_COMM_WORLD, Collective::total_bytes(name, ranks, bytes));
    if (options.probe) print_sent(bytes, rank, ranks, collective);
    print_row(bytes, rank, ranks, measure(collective, options));
  }
}

}  // namespace tutti::mpi
