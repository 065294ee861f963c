// tutti_peer FOLDER clock|barrier|loop [shared], under tutti launch: our own part in `make bench-peers`; with `shared`,
// buffers are Team::alloc's. Beside the collectives: `line`, the way of a cache line from rank 0 to rank 1, and
// `by_hand`, an allreduce of 8 bytes written for the purpose. See orders.hpp.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <iostream>
#include <map>
#include <thread>

#include "bench/peers/orders.hpp"
#include "runtime/shm/ring.hpp"
#include "runtime/team.hpp"

namespace {

using namespace tutti;

/// A line of its own for every rank and turn, in a file that all ranks map.
class Lines {
 public:
  struct alignas(64) Line {
    std::atomic<std::uint64_t> turn;
    std::int64_t value;
  };
  explicit Lines(const std::string& path) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, kBytes) != 0) throw std::runtime_error("cannot make " + path);
    memory_ = static_cast<Line*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    ::close(file);
    if (memory_ == MAP_FAILED) throw std::runtime_error("cannot map " + path);
  }
  Line& line(int rank, std::uint64_t turn) { return memory_[rank * 2 + static_cast<int>(turn & 1)]; }
  /// Waits as the runtime does where there is a core for every rank.
  static void await(const Line& line, std::uint64_t turn, bool yield) {
    for (int polls = 0; line.turn.load(std::memory_order_acquire) < turn; ++polls) {
      __builtin_ia32_pause();
      if (yield && polls >= 8) std::this_thread::yield();
    }
  }

 private:
  static constexpr std::size_t kBytes = 1 << 16;
  Line* memory_;
};

class Library {
 public:
  Library(const std::string& folder, bool shared)
      : team_(Team::from_environment()), shared_(shared), lines_(folder + "/lines") {}
  int rank() const { return team_.rank(); }
  void barrier() { team_.barrier(); }

  std::function<void()>& prepare(const peers::Order& order) {
    const auto key = std::make_pair(order.collective, order.bytes);
    const auto known = calls_.find(key);
    return known != calls_.end() ? known->second : calls_.emplace(key, make(order)).first->second;
  }
  void maximum(std::vector<double>& values) { team_.allreduce(values, Predefined::maximum); }
  void mean(std::vector<double>& values) {
    team_.allreduce(values, Predefined::sum);
    for (double& value : values) value /= team_.size();
  }

 private:
  std::function<void()> make(const peers::Order& order) {
    const bool yield = team_.layout().ranks_here() > team_.layout().usable_cores;
    if (order.collective == "line") return [this, yield] { exchange_line(yield); };
    if (order.collective == "by_hand") return [this, yield] { allreduce_by_hand(1, yield); };
    const Collective collective = collective_named(order.collective);
    const std::int64_t total = total_from_osu_bytes(collective, team_.size(), order.bytes);
    return is_reduction(collective) ? call_on<std::int32_t>(collective, total)
                                    : call_on<std::uint8_t>(collective, total);
  }

  template <class T>
  std::function<void()> call_on(Collective collective, std::int64_t total) {
    Case c{collective, team_.size(), 0, sizeof(T), 0, false, Operator::sum};
    c.count = count_for_total_bytes(collective, team_.size(), sizeof(T), total);
    const BufferSizes sizes = buffer_sizes(c, team_.rank());
    const auto in = memory<T>(sizes.in), out = memory<T>(sizes.out);
    CollectiveCall call;
    call.collective = collective;
    call.in = collective == Collective::bcast ? out.get() : in.get();
    call.out = out.get();
    call.in_elements = collective == Collective::bcast ? sizes.out : sizes.in;
    call.out_elements = sizes.out;
    call.element_bytes = sizeof(T);
    if (is_reduction(collective)) call.reduction = reduction_of<T>(Predefined::sum);
    return [this, call, in, out] { team_.run(call); };
  }

  template <class T>
  std::shared_ptr<T> memory(Count elements) {
    const auto size = static_cast<std::size_t>(elements);
    std::shared_ptr<T> found;
    if (shared_) {
      const auto array = std::make_shared<SharedArray<T>>(team_.alloc<T>(size));
      found = {array, array->data()};
    } else {
      constexpr std::align_val_t kPage{4096};  // as OSU's, and those of the other libraries
      found = {static_cast<T*>(::operator new(size * sizeof(T), kPage)),
               [](T* memory) { ::operator delete(memory, kPage); }};
    }
    std::fill_n(found.get(), size, T{});
    return found;
  }

  /// There and back, half of it in each call: the mean of the two ranks is the way of a line.
  void exchange_line(bool yield) {
    if (team_.rank() > 1) return;
    ++turn_;
    if (team_.rank() == 0) lines_.line(0, 0).turn.store(turn_, std::memory_order_release);
    Lines::await(lines_.line(1 - team_.rank(), 0), turn_, yield);
    if (team_.rank() == 1) lines_.line(1, 0).turn.store(turn_, std::memory_order_release);
  }

  std::int64_t allreduce_by_hand(std::int64_t own, bool yield) {
    ++hand_turn_;
    Lines::Line& mine = lines_.line(team_.rank() + 64, hand_turn_);
    mine.value = own;
    mine.turn.store(hand_turn_, std::memory_order_release);
    std::int64_t sum = 0;
    for (int other = 0; other < team_.size(); ++other) {
      const Lines::Line& theirs = lines_.line(other + 64, hand_turn_);
      Lines::await(theirs, hand_turn_, yield);
      sum += theirs.value;
    }
    shm::fetch_to_write(&lines_.line(team_.rank() + 64, hand_turn_ + 1));  // as the runtime does
    return sum;
  }

  Team team_;
  bool shared_;
  Lines lines_;
  std::uint64_t turn_ = 0, hand_turn_ = 0;
  std::map<std::pair<std::string, long long>, std::function<void()>> calls_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) throw std::runtime_error("tutti_peer FOLDER clock|barrier|loop [shared]");
  Library library(argv[1], argc > 3 && std::string(argv[3]) == "shared");
  peers::serve(library, argv[1], argv[2]);
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
