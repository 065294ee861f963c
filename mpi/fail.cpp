#include "mpi/fail.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace tutti::mpi {

void fail(const std::string& why) {
  std::fprintf(stderr, "tutti-mpi-bench: %s\n", why.c_str());
  int running = 0;
  MPI_Initialized(&running);
  if (running) MPI_Abort(MPI_COMM_WORLD, 2);
  std::exit(2);
}

}  // namespace tutti::mpi
