#include "runtime/shm/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "runtime/error.hpp"

namespace tutti::shm {
namespace {

constexpr std::size_t kSegmentPage = 4096;

std::string folder() {
  const char* chosen = std::getenv("TUTTI_SHM_FOLDER");
  return chosen ? chosen : "/dev/shm";
}

[[noreturn]] void refuse(const std::string& what, int error) { throw TeamError(what + ": " + std::strerror(error)); }

std::byte* map(int descriptor, std::size_t bytes, const std::string& what) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) refuse(what, errno);
  return static_cast<std::byte*>(memory);
}

/// Pages that nobody uses.
class Held {
 public:
  Held() = default;
  Held(const Held&) = delete;
  ~Held() {
    for (void* const page : pages_) munmap(page, kSegmentPage);
  }
  void add_page() {
    void* const page = mmap(nullptr, kSegmentPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    pages_.push_back(page);
    *static_cast<volatile std::byte*>(page) = std::byte{1};
  }

 private:
  std::vector<void*> pages_;
};

}  // namespace

Segment Segment::make(std::size_t bytes, const FetchSeconds& seconds) {
  Segment made = make_empty(bytes);
  // Without this, a full folder would show as a signal at the first touch.
  if (const int error = posix_fallocate(made.descriptor_, 0, static_cast<off_t>(bytes)))
    refuse(std::to_string(bytes) + " bytes of shared memory in " + folder(), error);
  try {
    made.replace_far_pages(0, bytes, seconds);
  } catch (const std::bad_alloc&) {
    refuse(std::to_string(bytes) + " bytes of shared memory in " + folder(), ENOSPC);
  }
  return made;
}

void Segment::replace_far_pages(std::size_t first, std::size_t bytes, const FetchSeconds& seconds_of) {
  constexpr int kAttempts = 4;
  constexpr std::size_t kMostBytes = 16 << 20;  // a look takes about 2 ms a MiB
  if (bytes > kMostBytes) return;
  std::vector<double> seconds;
  for (std::size_t at = first; at < first + bytes; at += kSegmentPage) seconds.push_back(seconds_of(memory_ + at));
  Held held;  // what the system gets back it gives to the next who asks, which would be this segment again
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::vector<std::size_t> far = far_pages(seconds);
    if (far.size() > seconds.size() / 3) return;  // by intention, as where memory is interleaved
    for (const std::size_t page : far) {
      const std::size_t at = first + page * kSegmentPage;
      if (!change(FALLOC_FL_PUNCH_HOLE, at, kSegmentPage)) return;
      held.add_page();
      if (!change(0, at, kSegmentPage)) throw std::bad_alloc();
      seconds[page] = seconds_of(memory_ + at);
    }
  }
}

bool Segment::change(int how, std::size_t first, std::size_t bytes) {
  return fallocate(descriptor_, how | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first), static_cast<off_t>(bytes)) == 0;
}

void Segment::reserve(std::size_t first, std::size_t bytes) {
  if (posix_fallocate(descriptor_, static_cast<off_t>(first), static_cast<off_t>(bytes)) != 0) throw std::bad_alloc();
}

Segment Segment::make_empty(std::size_t bytes) {
  Segment made;
  made.descriptor_ = open(folder().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (made.descriptor_ < 0) refuse("no shared memory in " + folder(), errno);
  if (ftruncate(made.descriptor_, static_cast<off_t>(bytes)) != 0) refuse("no shared memory in " + folder(), errno);
  made.memory_ = map(made.descriptor_, bytes, folder());
  made.bytes_ = bytes;
  return made;
}

Segment Segment::attach(pid_t maker, int descriptor, std::size_t bytes) {
  const std::string path = "/proc/" + std::to_string(maker) + "/fd/" + std::to_string(descriptor);
  const int opened = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (opened < 0) refuse("shared memory of process " + std::to_string(maker), errno);
  Segment attached;
  attached.descriptor_ = opened;
  attached.memory_ = map(opened, bytes, path);
  attached.bytes_ = bytes;
  attached.close();
  return attached;
}

Segment::Segment(Segment&& other) noexcept { *this = std::move(other); }
Segment& Segment::operator=(Segment&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}
Segment::~Segment() {
  if (memory_) munmap(memory_, bytes_);
  close();
}
void Segment::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

}  // namespace tutti::shm
