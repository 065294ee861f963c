#include "algos/task.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutti {
namespace {

constexpr std::size_t kGranule = 16, kClasses = 256;
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kMostFree = 0;  // a frame that is used again hides that it was used after its end
#else
constexpr std::size_t kMostFree = 256;  // of a class: those of a million ranks go back, for frames of other sizes
#endif

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
  auto& frames = free_frames().of_class[size_class];
  if (frames.size() >= kMostFree) return ::operator delete(frame);
  try {
    frames.push_back(frame);
  } catch (const std::bad_alloc&) {
    ::operator delete(frame);
  }
}

void Comm::refuse_rank(Rank r) const {
  throw std::out_of_range("rank " + std::to_string(r) + " of a group of " + std::to_string(size_));
}
void Comm::refuse_requests(int count) {
  throw std::out_of_range(std::to_string(count) + " persistent requests, not 0 or more");
}
void Comm::refuse_lane(int lane) { throw std::out_of_range("lane " + std::to_string(lane) + ", not one of 0 to 255"); }
void Comm::refuse_without_call() { throw std::logic_error("operation on a communicator outside any call"); }

const Group* Comm::find(Rank rank, Level level, GroupKind kind) const {
  if (rank < 0 || rank >= size_) refuse_rank(rank);
  if (group_ && (group_->kind != GroupKind::together || group_->levels == 0 || kind > GroupKind::peers))
    throw std::logic_error("groups of a group: only all ranks and those that share something have groups");
  if (group_ && 1 << static_cast<int>(level) >= (group_->levels & -group_->levels))
    throw std::logic_error("groups of a group: expected a level nearer than that by which it was made");
  return backend_->group(world(rank), level, kind, group_);
}

Rank Comm::rank_of(Rank world_rank) const {
  if (!group_ || group_->members.empty()) return world_rank >= 0 && world_rank < size_ ? world_rank : -1;
  const auto& members = group_->members;
  const auto found = group_->ascending ? std::lower_bound(members.begin(), members.end(), world_rank)
                                       : std::find(members.begin(), members.end(), world_rank);
  return found != members.end() && *found == world_rank ? static_cast<Rank>(found - members.begin()) : -1;
}

Comm Comm::ordered(const Group& all) const {
  if (group_ || all.id != kListedOrder || all.members.size() != static_cast<std::size_t>(size_))
    throw std::logic_error("ranks in a given order: expected all ranks, in a list");
  return in(&all);
}

Comm Comm::in(const Group* group) const {
  Comm comm = *this;
  comm.group_ = group;
  comm.size_ = group ? static_cast<int>(group->members.size()) : 0;
  if (group) comm.rank_ = comm.rank_of(world(rank_));
  return comm;
}

}  // namespace tutti
