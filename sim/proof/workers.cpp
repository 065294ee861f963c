#include "sim/proof/workers.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <new>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace tutti::proof {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

/// Where a worker is; it writes, and who asked reads when it has ended.
struct Place {
  std::atomic<std::size_t> part = kNone, step = 0;
  std::atomic<double> seconds = 0;  // of processor time that the step may take
};

class Timed final : public Watch {
 public:
  explicit Timed(Place& place) : place_(place) {}
  void step(std::size_t number, double seconds) override {
    place_.step = number;
    place_.seconds = seconds;
    itimerval limit{};
    limit.it_value.tv_sec = static_cast<time_t>(std::min(seconds, 1e9));
    limit.it_value.tv_usec = std::max<suseconds_t>(1, static_cast<suseconds_t>(std::fmod(seconds, 1.0) * 1e6));
    setitimer(ITIMER_PROF, &limit, nullptr);
  }

 private:
  Place& place_;
};

/// What runs away may take its share of half the machine's memory; then its allocations fail.
void limit_memory([[maybe_unused]] int workers) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these reserve terabytes of addresses
  std::set_new_handler([] { throw std::bad_alloc(); });
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const auto page = static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
  const rlim_t share = static_cast<rlim_t>(sysconf(_SC_PHYS_PAGES)) * page / 2 / static_cast<rlim_t>(workers);
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min(limit.rlim_max, pages * page + share);
  setrlimit(RLIMIT_AS, &limit);
#endif
}

void write_all(int to, const void* data, std::size_t bytes) {
  for (const char* at = static_cast<const char*>(data); bytes > 0;) {
    const ssize_t written = write(to, at, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

struct Frame {
  std::size_t part, bytes;
  bool threw;
};

[[noreturn]] void be_worker(const PartedWork& work, std::atomic<std::size_t>& next, Place& place, int to, int workers) {
  for (const int signal : {SIGFPE, SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGPROF}) std::signal(signal, SIG_DFL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  limit_memory(workers);
  Timed watch(place);
  const itimerval never{};
  for (std::size_t part; (part = next++) < work.parts;) {
    place.step = 0;
    place.part = part;
    std::string result;
    bool threw = false;
    try {
      result = work.work(part, watch);
    } catch (const std::exception& error) {
      result = error.what();
      threw = true;
    }
    setitimer(ITIMER_PROF, &never, nullptr);
    place.part = kNone;
    const Frame frame{part, result.size(), threw};
    write_all(to, &frame, sizeof frame);
    write_all(to, result.data(), result.size());
  }
  _exit(0);
}

/// One worker as who asked sees it.
struct Worker {
  pid_t process = -1;
  int from = -1;
  std::string unread;
};

class Pool {
 public:
  Pool(int workers, const PartedWork& work)
      : work_(work), places_(static_cast<std::size_t>(workers)), workers_(static_cast<std::size_t>(workers)) {}
  ~Pool() {
    for (Worker& worker : workers_)
      if (worker.process > 0) {
        kill(worker.process, SIGKILL);
        reap(worker);
      }
  }

  void run() {
    for (std::size_t i = 0; i < workers_.size(); ++i) start(i);
    for (;;) {
      std::vector<pollfd> ready;
      for (const Worker& worker : workers_) ready.push_back({worker.from, POLLIN, 0});
      if (std::all_of(ready.begin(), ready.end(), [](const pollfd& p) { return p.fd < 0; })) return;
      if (poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) fail("poll");
      for (std::size_t i = 0; i < workers_.size(); ++i)
        if (ready[i].fd >= 0 && ready[i].revents != 0) listen(i);
    }
  }

 private:
  void start(std::size_t i) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
    places_[i].part = kNone;
    const pid_t parent = getpid(), child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      close(ends[0]);
      be_worker(work_, next_[0], places_[i], ends[1], static_cast<int>(workers_.size()));
    }
    close(ends[1]);
    workers_[i] = {child, ends[0], ""};
  }

  static int reap(Worker& worker) {
    int status = 0;
    while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
    }
    close(worker.from);
    worker = {};
    return status;
  }

  void listen(std::size_t i) {
    Worker& worker = workers_[i];
    char buffer[1 << 16];
    const ssize_t got = read(worker.from, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) return;
    if (got > 0) {
      worker.unread.append(buffer, static_cast<std::size_t>(got));
      return take_results(worker);
    }
    const int status = reap(worker);
    const Place& place = places_[i];
    if (place.part == kNone && status == 0) return;
    if (place.part == kNone) throw std::runtime_error("a worker of the proof ended between its parts");
    work_.lost({place.part, place.step, WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF, cause(status, place)});
    start(i);
  }

  void take_results(Worker& worker) {
    Frame frame{};
    while (worker.unread.size() >= sizeof frame) {
      std::memcpy(&frame, worker.unread.data(), sizeof frame);
      if (worker.unread.size() < sizeof frame + frame.bytes) return;
      const std::string result = worker.unread.substr(sizeof frame, frame.bytes);
      worker.unread.erase(0, sizeof frame + frame.bytes);
      if (frame.threw) throw std::runtime_error(result);
      work_.done(frame.part, result);
    }
  }

  static std::string cause(int status, const Place& place) {
    if (!WIFSIGNALED(status)) return "the process ended with status " + std::to_string(WEXITSTATUS(status));
    switch (WTERMSIG(status)) {
      case SIGPROF: {
        std::string seconds = std::to_string(place.seconds.load());
        seconds.erase(seconds.find('.') + 2);
        return "not done after " + seconds + " s of processor time";
      }
      case SIGFPE:
        return "division by zero, or a quotient out of range (SIGFPE)";
      case SIGSEGV:
        return "touches memory that is not there, or calls itself too deeply (SIGSEGV)";
      default:
        return std::string("ended by a signal: ") + strsignal(WTERMSIG(status));
    }
  }

  const PartedWork& work_;
  SharedArray<std::atomic<std::size_t>> next_{1};  // part to take
  SharedArray<Place> places_;
  std::vector<Worker> workers_;
};

}  // namespace

void in_workers(int workers, const PartedWork& work) {
  const auto most = static_cast<int>(std::min<std::size_t>(work.parts, 1024));
  if (most > 0) Pool(std::clamp(workers, 1, most), work).run();
}

void* shared_memory(std::size_t bytes) {
  void* const memory =
      mmap(nullptr, std::max<std::size_t>(1, bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("mmap");
  return memory;
}
void release_shared(void* memory, std::size_t bytes) { munmap(memory, std::max<std::size_t>(1, bytes)); }

}  // namespace tutti::proof
