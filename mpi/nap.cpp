#include "mpi/nap.hpp"

#include <mpi.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

#include "mpi/fail.hpp"

namespace {

long nap_nanoseconds = 0;

/// Of a library that is not Open MPI nothing is known.
bool yields_when_idle() {
  MPI_T_cvar_handle handle;
  int index = 0, elements = 0, value = 0;  // zeroed: a bool may fill the first byte alone
  if (MPI_T_cvar_get_index("mpi_yield_when_idle", &index) != MPI_SUCCESS) return true;
  if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &elements) != MPI_SUCCESS) return false;
  MPI_T_cvar_read(handle, &value);
  MPI_T_cvar_handle_free(&handle);
  return value != 0;
}

}  // namespace

/// The C library's, for everyone in this process.
extern "C" int sched_yield() noexcept {
  if (nap_nanoseconds == 0) return static_cast<int>(syscall(SYS_sched_yield));
  const timespec nap{0, nap_nanoseconds};
  nanosleep(&nap, nullptr);
  return 0;
}

namespace tutti::mpi {

void set_nap(int microseconds) {
  if (microseconds == 0) return;
  if (!yields_when_idle()) fail("--nap: expected Open MPI to yield when idle (--mca mpi_yield_when_idle 1)");
  nap_nanoseconds = 1000L * microseconds;
  prctl(PR_SET_TIMERSLACK, 1UL);  // else the kernel adds 50 us to every nap
}

}  // namespace tutti::mpi
