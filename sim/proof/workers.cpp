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
constexpr int kMillisecondsBetweenLooks = 100;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

/// Where a worker is; it writes, and who asked reads when it has ended.
struct Place {
  std::atomic<std::size_t> part = kNone, step = 0;
  std::atomic<double> seconds = 0;          // of processor time that the step may take
  std::atomic<bool> out_of_memory = false;  // in this part an allocation has failed
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

/// What runs away may take its share of the memory; then its allocations fail.
class MemoryLimit {
 public:
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // these reserve terabytes of addresses
  MemoryLimit(std::size_t, Place&) {}
  void begin_part() {}
#else
  MemoryLimit(std::size_t share, Place& place) : share_(share) {
    of_this_process = {this, &place};
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    share_ += pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
    std::set_new_handler([] {
      of_this_process.second->out_of_memory = true;
      of_this_process.first->set(kToSaySo);
      throw std::bad_alloc();
    });
  }
  void begin_part() { set(0); }

 private:
  static constexpr rlim_t kToSaySo = 64 << 20;  // so that what is destroyed does not fail for want of memory, too
  void set(rlim_t more) const {
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = std::min(limit.rlim_max, share_ + more);
    setrlimit(RLIMIT_AS, &limit);
  }
  static inline std::pair<MemoryLimit*, Place*> of_this_process;
  rlim_t share_;
#endif
};

void write_all(int to, const void* data, std::size_t bytes) {
  for (const char* at = static_cast<const char*>(data); bytes > 0;) {
    const ssize_t written = write(to, at, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

enum class Outcome : std::uint8_t { done, threw, out_of_memory };
struct Frame {
  std::size_t part, step, bytes;
  Outcome outcome;
};

[[noreturn]] void be_worker(const PartedWork& work, std::atomic<std::size_t>& next, Place& place, int to, int workers) {
  for (const int signal : {SIGFPE, SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGPROF}) std::signal(signal, SIG_DFL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  MemoryLimit limit(work.memory / static_cast<std::size_t>(workers), place);
  Timed watch(place);
  const itimerval never{};
  for (std::size_t part; (part = next++) < work.parts;) {
    place.step = 0;
    place.part = part;
    place.out_of_memory = false;
    limit.begin_part();
    std::string result;
    Outcome outcome = Outcome::done;
    try {
      result = work.work(part, watch);
    } catch (const std::bad_alloc&) {
      outcome = Outcome::out_of_memory;
    } catch (const std::exception& error) {
      result = error.what();
      outcome = Outcome::threw;
    }
    setitimer(ITIMER_PROF, &never, nullptr);
    place.part = kNone;
    const Frame frame{part, place.step, result.size(), outcome};
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
      if (poll(ready.data(), ready.size(), work_.look ? kMillisecondsBetweenLooks : -1) < 0 && errno != EINTR)
        fail("poll");
      if (work_.look) work_.look();
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
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    work_.lost({place.part, place.step,
                signal == SIGPROF                          ? Loss::time
                : signal == SIGKILL || place.out_of_memory ? Loss::memory  // the system kills whom it has no memory for
                                                           : Loss::crash,
                cause(status, place)});
    start(i);
  }

  void take_results(Worker& worker) {
    Frame frame{};
    while (worker.unread.size() >= sizeof frame) {
      std::memcpy(&frame, worker.unread.data(), sizeof frame);
      if (worker.unread.size() < sizeof frame + frame.bytes) return;
      const std::string result = worker.unread.substr(sizeof frame, frame.bytes);
      worker.unread.erase(0, sizeof frame + frame.bytes);
      if (frame.outcome == Outcome::threw) throw std::runtime_error(result);
      if (frame.outcome == Outcome::out_of_memory)
        work_.lost({frame.part, frame.step, Loss::memory, "not enough memory"});
      else
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

std::size_t half_of_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 2;
}

void* shared_memory(std::size_t bytes) {
  void* const memory =
      mmap(nullptr, std::max<std::size_t>(1, bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("mmap");
  return memory;
}
void release_shared(void* memory, std::size_t bytes) { munmap(memory, std::max<std::size_t>(1, bytes)); }

}  // namespace tutti::proof
