#include <mpi.h>

#include <algorithm>
#include <cstdio>

#include "mpi/fail.hpp"
#include "mpi/osu.hpp"
#include "mpi/statistics.hpp"

namespace tutti::mpi {
namespace {

constexpr int window_messages = 64;
constexpr std::int64_t window_bytes = 4 << 20;  // no more under way where messages are large

struct Pair {
  Pair() {
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2) fail("expected two ranks or more");
    last = size - 1;
    peer = last - rank;
  }
  bool takes_part() const { return rank == 0 || rank == last; }
  int rank = 0, last = 0, peer = 0;
};

void send(std::vector<char>& buffer, int bytes, int to) {
  MPI_Send(buffer.data(), bytes, MPI_BYTE, to, 1, MPI_COMM_WORLD);
}
void receive(std::vector<char>& buffer, int bytes, int from) {
  MPI_Recv(buffer.data(), bytes, MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

double round_trip(const Pair& pair, std::vector<char>& buffer, int bytes) {
  const double begin = MPI_Wtime();
  if (pair.rank == 0) send(buffer, bytes, pair.peer);
  receive(buffer, bytes, pair.peer);
  if (pair.rank != 0) send(buffer, bytes, pair.peer);
  return MPI_Wtime() - begin;
}

/// Seconds for a window of messages and the answer that all are there.
double one_window(const Pair& pair, std::vector<char>& buffer, int bytes, int messages) {
  std::vector<MPI_Request> requests(static_cast<std::size_t>(messages));
  const double begin = MPI_Wtime();
  for (MPI_Request& request : requests)
    if (pair.rank == 0)
      MPI_Isend(buffer.data(), bytes, MPI_BYTE, pair.peer, 1, MPI_COMM_WORLD, &request);
    else
      MPI_Irecv(buffer.data(), bytes, MPI_BYTE, pair.peer, 1, MPI_COMM_WORLD, &request);
  MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
  if (pair.rank == 0)
    receive(buffer, 0, pair.peer);
  else
    send(buffer, 0, pair.peer);
  return MPI_Wtime() - begin;
}

/// One line per size: of what `measure` says, the median.
template <typename Measure>
void table(const OsuOptions& options, const char* title, const char* column, const Measure& measure) {
  const Pair pair;
  if (pair.rank == 0)
    std::printf("# OSU MPI %s Test v7.0\n# by tutti-mpi-bench: medians of %d\n%-10s%20s\n", title, options.iterations,
                "# Size", column);
  MPI_Barrier(MPI_COMM_WORLD);
  if (!pair.takes_part()) return;
  const std::int64_t largest = *std::max_element(options.sizes.begin(), options.sizes.end());
  std::vector<char> buffer(static_cast<std::size_t>(std::max<std::int64_t>(largest, 1)));
  for (const std::int64_t bytes : options.sizes) {
    std::vector<double> values;
    for (int i = -options.warm_up; i < options.iterations; ++i) {
      const double value = measure(pair, buffer, static_cast<int>(bytes));
      if (i >= 0) values.push_back(value);
    }
    if (pair.rank == 0) std::printf("%-10lld%20.3f\n", static_cast<long long>(bytes), percentile(values, 50));
    std::fflush(stdout);
  }
}

}  // namespace

void latency(const OsuOptions& options) {
  table(options, "Latency", "Latency (us)", [](const Pair& pair, std::vector<char>& buffer, int bytes) {
    return round_trip(pair, buffer, bytes) / 2 * 1e6;
  });
}

void bandwidth(const OsuOptions& options) {
  table(options, "Bandwidth", "Bandwidth (MB/s)", [](const Pair& pair, std::vector<char>& buffer, int bytes) {
    const auto messages =
        static_cast<int>(std::clamp<std::int64_t>(window_bytes / std::max(bytes, 1), 1, window_messages));
    return bytes / one_window(pair, buffer, bytes, messages) * messages / 1e6;
  });
}

}  // namespace tutti::mpi
