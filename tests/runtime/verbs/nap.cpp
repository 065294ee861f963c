// Who lets others run sleeps. Emulated machines share the host's cores with each other and with all else: a rank that
// polls there uses up its machine's turn, and then waits for the next with what it has been waiting for. For long: to
// be woken costs an emulated kernel more than most looks.
#include <ctime>

extern "C" int sched_yield() noexcept {
  const timespec nap{0, 1'000'000};
  nanosleep(&nap, nullptr);
  return 0;
}
