#include "selection/merged_times.hpp"

#include "base/error.hpp"

namespace tutti {
namespace {

constexpr const char* kName = "merge";              // no chain is called that
constexpr std::chrono::seconds kBetweenWrites{30};  // what a merge that is killed loses

}  // namespace

MergedTimes::MergedTimes(const SweepFolder& folder, std::vector<std::string> parts)
    : folder_(folder), parts_(std::move(parts)) {
  SweepFolder::Found found = folder.look(kName);
  own_ = found.part ? std::move(*found.part) : PartFile{folder.checksum(), kName, "", {}, {}, false};
  own_.by = who_is_this();
}

std::vector<Simulated> MergedTimes::all() {
  std::vector<Simulated> times = own_.times;
  for (const std::string& name : parts_)
    if (const SweepFolder::Found found = folder_.look(name); found.part)
      times.insert(times.end(), found.part->times.begin(), found.part->times.end());
  return times;
}

void MergedTimes::put(std::span<const Simulated> times) {
  const std::lock_guard lock(mutex_);
  own_.times.insert(own_.times.end(), times.begin(), times.end());
  simulated_ += times.size();
  if (std::chrono::steady_clock::now() - written_ >= kBetweenWrites) write();
}

void MergedTimes::keep() {
  const std::lock_guard lock(mutex_);
  if (simulated_ > 0) write();
}

void MergedTimes::write() {
  try {
    folder_.write(own_);
    not_kept_.clear();
  } catch (const InputError& error) {
    not_kept_ = error.what();
  }
  written_ = std::chrono::steady_clock::now();
}

}  // namespace tutti
