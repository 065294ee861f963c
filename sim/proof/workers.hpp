#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <new>
#include <string>

namespace tutti::proof {

/// In a worker: says which step of its part it is at, for those who look when it has ended.
class Watch {
 public:
  /// The step begins; if it takes more processor time than that, the worker ends.
  virtual void step(std::size_t number, double seconds) = 0;

 protected:
  ~Watch() = default;
};

/// What kept a worker from a part's end. A crash may be one for want of memory, too; `memory` is then what is said.
enum class Loss : std::uint8_t { time, crash, memory };
/// At which step: "division by zero (SIGFPE)", "not done after 20 s of processor time".
struct Lost {
  std::size_t part, step;
  Loss by;
  std::string why;
};

/// Of the machine's, in bytes.
std::size_t half_of_memory();

/// Parts of work in processes of their own, for what may crash or never come to an end.
struct PartedWork {
  std::size_t parts = 0;
  /// Of all workers together; each may take its share beyond what it begins with.
  std::size_t memory = half_of_memory();
  /// In a worker. What it returns reaches `done`, in the process that asked; what it throws, too, as a runtime_error,
  /// but std::bad_alloc, with which the part is lost.
  std::function<std::string(std::size_t part, Watch& watch)> work;
  std::function<void(std::size_t part, const std::string& result)> done;
  std::function<void(const Lost& lost)> lost;
  /// At least ten times a second while workers run, in the process that asked; what it throws ends them. May be
  /// nullptr.
  std::function<void()> look;
};

/// Workers take parts in ascending order; one that ends in the middle of a part is replaced, and that part is lost.
/// Call it where no other thread runs.
void in_workers(int workers, const PartedWork& work);

/// Memory that a process shares with those that it starts.
void* shared_memory(std::size_t bytes);
void release_shared(void* memory, std::size_t bytes);

/// Of atomic types, or such as hold them: written and read on both sides.
template <class T>
class SharedArray {
 public:
  explicit SharedArray(std::size_t count)
      : bytes_(count * sizeof(T)), elements_(static_cast<T*>(shared_memory(bytes_))) {
    for (std::size_t i = 0; i < count; ++i) new (elements_ + i) T{};
  }
  ~SharedArray() { release_shared(elements_, bytes_); }
  SharedArray(const SharedArray&) = delete;
  T& operator[](std::size_t i) const { return elements_[i]; }

 private:
  std::size_t bytes_;
  T* elements_;
};

}  // namespace tutti::proof
