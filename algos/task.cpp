#include "algos/task.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutti {
namespace {

constexpr std::size_t kGranule = 64, kClasses = 64;

/// Free frames of this thread by size class; freed when the thread ends.
struct FreeFrames {
  std::array<std::vector<void*>, kClasses> of_class;
  ~FreeFrames() {
    for (auto& frames : of_class)
      for (void* frame : frames) ::operator delete(frame);
  }
};

FreeFrames& free_frames() {
  static thread_local FreeFrames frames;
  return frames;
}

std::size_t class_of(std::size_t bytes) { return (bytes + kGranule - 1) / kGranule; }

}  // namespace

void* frame_allocate(std::size_t bytes) {
  const std::size_t size_class = class_of(bytes);
  if (size_class >= kClasses) return ::operator new(bytes);
  auto& frames = free_frames().of_class[size_class];
  if (frames.empty()) return ::operator new(size_class* kGranule);
  void* frame = frames.back();
  frames.pop_back();
  return frame;
}

void frame_release(void* frame, std::size_t bytes) noexcept {
  const std::size_t size_class = class_of(bytes);
  if (size_class >= kClasses) return ::operator delete(frame);
  try {
    free_frames().of_class[size_class].push_back(frame);
  } catch (const std::bad_alloc&) {
    ::operator delete(frame);
  }
}

void Comm::refuse_rank(Rank r) const {
  throw std::out_of_range("rank " + std::to_string(r) + " of a group of " + std::to_string(size_));
}
void Comm::refuse_lane(int lane) { throw std::out_of_range("lane " + std::to_string(lane) + ", not one of 0 to 255"); }
void Comm::refuse_without_call() { throw std::logic_error("operation on a communicator outside any call"); }

Comm Comm::in(const Group* group) const {
  Comm comm = *this;
  comm.group_ = group;
  if (!group) {
    comm.size_ = 0;
    return comm;
  }
  comm.size_ = static_cast<int>(group->members.size());
  comm.rank_ =
      static_cast<Rank>(std::find(group->members.begin(), group->members.end(), world_) - group->members.begin());
  return comm;
}

}  // namespace tutti
