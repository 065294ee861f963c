#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "mpi/fail.hpp"
#include "mpi/osu.hpp"
#include "mpi/statistics.hpp"

namespace tutti::mpi {
namespace {

std::vector<std::string> names_of_hosts(int size) {
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(name, &length);
  std::vector<char> all(static_cast<std::size_t>(size) * MPI_MAX_PROCESSOR_NAME);
  MPI_Allgather(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> names;
  for (int r = 0; r < size; ++r) {
    const std::string whole = all.data() + static_cast<std::size_t>(r) * MPI_MAX_PROCESSOR_NAME;
    names.push_back(whole.substr(0, whole.find('.')));
  }
  return names;
}

/// Microseconds, half a round trip of 8 bytes; the median.
double latency_us(const OsuOptions& options, int peer, bool begins) {
  char buffer[8] = {};
  std::vector<double> values;
  for (int i = -options.warm_up; i < options.iterations; ++i) {
    const double begin = MPI_Wtime();
    if (begins) MPI_Send(buffer, 8, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
    MPI_Recv(buffer, 8, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!begins) MPI_Send(buffer, 8, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
    if (i >= 0) values.push_back((MPI_Wtime() - begin) / 2 * 1e6);
  }
  return percentile(values, 50);
}

}  // namespace

void matrix(const OsuOptions& options) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) fail("expected two ranks or more");
  const std::vector<std::string> names = names_of_hosts(size);
  for (int a = 0; a < size; ++a)
    if (std::find(names.begin() + a + 1, names.end(), names[a]) != names.end())
      fail("expected one rank on each host: " + names[a] + " has several");
  std::vector<double> own(static_cast<std::size_t>(size));
  for (int a = 0; a < size; ++a)
    for (int b = a + 1; b < size; ++b) {
      MPI_Barrier(MPI_COMM_WORLD);  // one pair at a time
      if (rank == a || rank == b) own[rank == a ? b : a] = latency_us(options, rank == a ? b : a, rank == a);
    }
  std::vector<double> all(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  MPI_Gather(own.data(), size, MPI_DOUBLE, all.data(), size, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  std::printf("latency_us");
  for (const std::string& name : names) std::printf(" %s", name.c_str());
  for (int a = 0; a < size; ++a) {
    std::printf("\n%s", names[a].c_str());
    for (int b = 0; b < size; ++b)
      a == b ? std::printf(" -")
             : std::printf(
                   " %.3f",
                   all[static_cast<std::size_t>(a) * static_cast<std::size_t>(size) + static_cast<std::size_t>(b)]);
  }
  std::printf("\n");
}

}  // namespace tutti::mpi
