#include "mpi/bind.hpp"

#include <mpi.h>
#include <sched.h>

#include <cstdio>
#include <exception>

#include "mpi/cores.hpp"
#include "mpi/fail.hpp"

namespace tutti::mpi {
namespace {

constexpr int most_processors = 8192;

/// Those that this job may use, whatever the launcher has bound this rank to.
std::vector<int> allowed_processors() {
  cpu_set_t* set = CPU_ALLOC(most_processors);
  const std::size_t bytes = CPU_ALLOC_SIZE(most_processors);
  CPU_ZERO_S(bytes, set);
  for (int i = 0; i < most_processors; ++i) CPU_SET_S(i, bytes, set);
  std::vector<int> found;
  if (sched_setaffinity(0, bytes, set) == 0 && sched_getaffinity(0, bytes, set) == 0)
    for (int i = 0; i < most_processors; ++i)
      if (CPU_ISSET_S(i, bytes, set)) found.push_back(i);
  CPU_FREE(set);
  return found;
}

void bind_to(int processor) {
  cpu_set_t* set = CPU_ALLOC(most_processors);
  const std::size_t bytes = CPU_ALLOC_SIZE(most_processors);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(processor, bytes, set);
  const int status = sched_setaffinity(0, bytes, set);
  CPU_FREE(set);
  if (status != 0) fail("cannot run on processor " + std::to_string(processor));
}

}  // namespace

bool bind_apart(const std::string& what) {
  int rank = 0, size = 0, here = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm node{};
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &here);
  MPI_Comm_free(&node);
  if (here != size) fail("--apart " + what + ": expected all ranks on one node");
  int pair[2] = {-1, -1};
  const std::vector<int> processors = allowed_processors();  // on all ranks, since it takes bounds away
  if (rank == 0) try {
      const auto found = pair_that_shares(read_cores("/sys/devices/system/cpu", processors), what);
      if (found) pair[0] = found->first, pair[1] = found->second;
    } catch (const std::exception& error) {
      fail(error.what());
    }
  MPI_Bcast(pair, 2, MPI_INT, 0, MPI_COMM_WORLD);
  if (pair[0] < 0) {
    if (rank == 0)
      std::printf("# none: no two cores of this node have a %s as the nearest thing that they share\n", what.c_str());
    return false;
  }
  if (rank == 0) std::printf("# on processors %d and %d, which share a %s at most\n", pair[0], pair[1], what.c_str());
  if (rank == 0 || rank == size - 1) bind_to(pair[rank == 0 ? 0 : 1]);
  return true;
}

}  // namespace tutti::mpi
