#include "mpi/sleep_on_yield.hpp"

#include <dirent.h>
#include <mpi.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "mpi/fail.hpp"

namespace {

timespec longest_sleep{0, 0};
constexpr std::uint64_t slice_nanoseconds = 100'000;  // the least that Linux grants
constexpr double look_again_seconds = 0.5;            // libraries connect on first use

double now_seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

int option_of(int socket, int option) {
  int value = -1;
  socklen_t length = sizeof value;
  return getsockopt(socket, SOL_SOCKET, option, &value, &length) == 0 ? value : -1;
}

/// Adds this process's TCP connections to those that end a sleep; those that are there already stay.
void watch_connections(int watched) {
  DIR* directory = opendir("/proc/self/fd");
  if (!directory) return;
  while (const dirent* entry = readdir(directory)) {
    const int file = std::atoi(entry->d_name), domain = option_of(file, SO_DOMAIN);
    if ((domain != AF_INET && domain != AF_INET6) || option_of(file, SO_TYPE) != SOCK_STREAM ||
        option_of(file, SO_ACCEPTCONN) != 0)
      continue;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = file;
    epoll_ctl(watched, EPOLL_CTL_ADD, file, &event);
  }
  closedir(directory);
}

void sleep_until_arrival() {
  static thread_local const int watched = epoll_create1(EPOLL_CLOEXEC);
  static thread_local double looked_seconds = 0;
  if (const double now = now_seconds(); now > looked_seconds + look_again_seconds) {
    watch_connections(watched);
    looked_seconds = now;
  }
  epoll_event event{};
  const int ended = epoll_pwait2(watched, &event, 1, &longest_sleep, nullptr);
  if (ended < 0 && errno != EINTR)
    tutti::mpi::fail(std::string("--nap: the system does not let a rank sleep: ") + std::strerror(errno));
  if (ended == 1 && (event.events & (EPOLLHUP | EPOLLERR)))
    epoll_ctl(watched, EPOLL_CTL_DEL, event.data.fd, nullptr);  // gone: ends no more sleeps
}

/// Asks Linux (6.12 or later) for short turns on the processor: the same share of it, but soon after waking. Elsewhere
/// the kernel knows of no such wish and ignores it.
void ask_for_short_turns() {
  struct {
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
  } attributes{};
  attributes.size = sizeof attributes;
  attributes.policy = SCHED_OTHER;
  attributes.nice = getpriority(PRIO_PROCESS, 0);
  attributes.runtime = slice_nanoseconds;
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

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
  if (longest_sleep.tv_nsec == 0) return static_cast<int>(syscall(SYS_sched_yield));
  sleep_until_arrival();
  return 0;
}

namespace tutti::mpi {

void sleep_on_yield(int microseconds) {
  if (microseconds == 0) return;
  if (microseconds > 999'999) fail("--nap: expected less than a second");
  if (!yields_when_idle()) fail("--nap: expected Open MPI to yield when idle (--mca mpi_yield_when_idle 1)");
  longest_sleep.tv_nsec = 1000L * microseconds;
  ask_for_short_turns();
  prctl(PR_SET_TIMERSLACK, 1UL);  // else the kernel adds 50 us to every sleep
}

}  // namespace tutti::mpi
