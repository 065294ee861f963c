#include "runtime/shm/transport.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <sstream>

#include "runtime/error.hpp"
#include "runtime/shm/cross_memory_probe.hpp"
#include "runtime/shm/heap.hpp"
#include "runtime/shm/peer.hpp"
#include "runtime/shm/remote_access.hpp"

namespace tutti {
namespace {

using namespace shm;

constexpr std::size_t kMostBytesPerRank = std::size_t{64} << 20;

std::uint32_t cells_for(int ranks_here) {
  std::uint32_t cells = 16;
  while (cells > 4 && static_cast<std::size_t>(ranks_here) * Ring::bytes(cells) > kMostBytesPerRank) cells /= 2;
  return cells;
}

/// What a rank tells the others of itself. What follows are its segments.
struct Endpoint {
  pid_t process = 0;
  std::uintptr_t probe = 0;  // a byte, for others to try whether they can read it
  int wish = 0;
  int core = -1;  // for a probe
  std::istringstream segments;
  explicit Endpoint(const std::string& text) : segments(text) { segments >> process >> probe >> wish >> core; }
};

class SharedMemoryTransport final : public MessageTransport {
 public:
  explicit SharedMemoryTransport(const TransportSetting& setting)
      : inbox_(setting.inbox), peers_(static_cast<std::size_t>(setting.layout.size())) {
    const TeamLayout& layout = setting.layout;
    for (Rank r = 0; r < layout.size(); ++r)
      if (layout.same_node(r)) here_.push_back(r);
    const std::uint32_t cells = cells_for(layout.ranks_here());
    Trouble trouble;
    std::string endpoint;
    const std::byte probe{1};
    try {
      segment_ = std::make_shared<Segment>(Segment::make(sizeof(Header) + here_.size() * Ring::bytes(cells)));
      heap_segment_ = std::make_shared<Segment>(Segment::make_empty(std::max<std::size_t>(setting.heap_bytes, 1)));
      heap_ = std::make_shared<Heap>(heap_segment_);
      std::ostringstream out;
      wish_ = cross_memory_wish();
      remote_ = std::make_unique<RemoteAccess>(inbox_, wish_, heap_segment_, peers_.size());
      out << getpid() << ' ' << reinterpret_cast<std::uintptr_t>(&probe) << ' ' << static_cast<int>(wish_) << ' '
          << core_for_probe(layout.rank == here_.front());
      for (const auto* one : {&segment_, &heap_segment_})
        out << ' ' << (*one)->descriptor() << ' ' << (*one)->bytes() << ' ' << reinterpret_cast<std::uintptr_t>(one);
      endpoint = out.str();
    } catch (const std::runtime_error& error) {
      trouble = Trouble(error);
    }
    agree(setting.bootstrap, trouble);
    const auto endpoints = setting.bootstrap.allgather(endpoint);
    try {
      for (std::size_t i = 0; i < here_.size(); ++i)
        if (here_[i] != layout.rank) attach(i, layout.rank, endpoints[here_[i]], cells);
    } catch (const TeamError& error) {
      trouble = Trouble(error);
    }
    agree(setting.bootstrap, trouble);
    const std::uint64_t from = find_cross_memory_limit(setting, endpoints);
    for (const Rank rank : here_) {
      if (rank == layout.rank) continue;
      Peer& peer = *peers_[rank];
      peer.use_cross_memory(from, CrossMemory(Endpoint(endpoints[rank]).process));
      if (layout.ranks_here() <= layout.usable_cores) peer.share_work();
    }
    segment_->close();  // the heap keeps its descriptor, to reserve memory by
  }

  ~SharedMemoryTransport() override {
    own().left.store(lost_ ? Header::kLost + *lost_ : Header::kInOrder, std::memory_order_release);
  }

  std::string_view name() const override { return "shm"; }
  bool reaches(Rank peer) const override { return peers_[peer] != nullptr; }
  bool send(Rank to, const Envelope& envelope, const Region& what, Ticket ticket) override {
    return peers_[to]->send(envelope, what, ticket, inbox_);
  }
  bool send_at_once(Rank to, const Envelope& envelope, const Region& what) override {
    return peers_[to]->send_at_once(envelope, what);
  }
  void accept(Rank from, std::uint64_t offer, const Region& into, Ticket ticket) override {
    peers_[from]->accept(offer, into.bytes(), {into, ticket}, inbox_);
  }
  bool receives_in_parts() const override { return true; }
  void accept_parts(Rank from, std::uint64_t offer, std::uint64_t bytes, const ReceiveBuffer& where) override {
    peers_[from]->accept(offer, bytes, where, inbox_);
  }
  std::shared_ptr<void> allocate(std::size_t bytes) override {
    return {heap_->allocate(bytes), [heap = heap_](void* memory) { heap->release(memory); }};
  }
  RemoteMemory* remote_memory() override { return remote_.get(); }
  bool progress() override {
    bool moved = false;
    for (const Peer* peer : all_) peer->look_ahead();  // all at once, for each takes its time
    for (Peer* peer : all_) moved |= peer->progress(inbox_);
    return moved;
  }
  void read_from_end(bool from_end) override {
    for (Peer* peer : all_) peer->read_from_end(from_end);
  }
  bool runs_elsewhere(Rank peer) override {
    const int here = sched_getcpu() + 1, there = peers_[peer]->core();
    if (own().core.load(std::memory_order_relaxed) != here) own().core.store(here, std::memory_order_relaxed);
    return there != 0 && there != here;
  }
  void check_liveness() override {
    for (Peer* peer : all_) peer->check_liveness(inbox_);
  }
  void lost(Rank rank) override { lost_ = rank; }

 private:
  /// By neighbours in pairs; then for all, as the one with the least gain has it. Where there are not cores for all, by
  /// the first two alone, each on a core of its own, while the others sleep.
  std::uint64_t find_cross_memory_limit(const TransportSetting& setting, const std::vector<std::string>& endpoints) {
    const TeamLayout& layout = setting.layout;
    const auto place = static_cast<std::size_t>(std::find(here_.begin(), here_.end(), layout.rank) - here_.begin());
    const std::size_t other = place ^ 1;
    const bool cores_for_all = layout.ranks_here() <= layout.usable_cores;
    Trouble trouble;
    std::uint64_t from = 0;  // of no weight
    if (other < here_.size() && (cores_for_all || place < 2)) try {
        const Endpoint own(endpoints[layout.rank]);
        const Endpoint endpoint(endpoints[here_[other]]);
        const CrossMemory memory(endpoint.process);
        std::byte byte{};
        const bool may_read = wish_ != CrossMemoryWish::never && memory.read(&byte, endpoint.probe, 1);
        const bool both_measure = wish_ == CrossMemoryWish::measured && endpoint.wish == own.wish;
        Peer& peer = *peers_[here_[other]];
        if (!both_measure) {
          from = may_read ? kSlotBytes + 1 : kNoCrossMemory;
        } else if (cores_for_all) {
          from = probe_cross_memory(peer, memory, may_read);
        } else if (own.core == endpoint.core || own.core < 0 || endpoint.core < 0) {
          from = kNoCrossMemory;  // ranks on one core share its cache
        } else {
          const PinnedToCore here(own.core);
          from = probe_cross_memory(peer, memory, may_read);
        }
      } catch (const std::exception& error) {
        trouble = Trouble(error);
      }
    agree(setting.bootstrap, trouble);
    const auto all = setting.bootstrap.allgather(std::to_string(from));
    for (const Rank rank : here_) from = std::max<std::uint64_t>(from, std::stoull(all[rank]));
    return from;
  }

  Header& own() const { return *reinterpret_cast<Header*>(segment_->memory()); }
  static Ring ring(std::byte* memory, std::size_t of_source, std::uint32_t cells) {
    return {memory + sizeof(Header) + of_source * Ring::bytes(cells), cells};
  }

  void attach(std::size_t place, Rank self, const std::string& text, std::uint32_t cells) {
    Endpoint endpoint(text);
    const pid_t process = endpoint.process;
    const auto next = [&]() -> std::shared_ptr<Segment> {
      int descriptor = -1;
      std::size_t bytes = 0;
      std::uintptr_t address = 0;
      endpoint.segments >> descriptor >> bytes >> address;
      if (process == getpid())  // of another thread, which waits for this one
        return *reinterpret_cast<const std::shared_ptr<Segment>*>(address);
      return std::make_shared<Segment>(Segment::attach(process, descriptor, bytes));
    };
    const auto theirs = next(), heap = next();
    int watch = -1;
    if (process != getpid()) {
      watch = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
      if (watch < 0)
        throw TeamError("process " + std::to_string(process) + " cannot be watched: " + std::strerror(errno));
    }
    const auto mine = static_cast<std::size_t>(std::find(here_.begin(), here_.end(), self) - here_.begin());
    const Rank rank = here_[place];
    auto& peer = peers_[rank];
    peer = std::make_unique<Peer>(rank, ring(theirs->memory(), mine, cells), ring(segment_->memory(), place, cells),
                                  theirs, heap, *heap_segment_, watch);
    all_.push_back(peer.get());
    remote_->add(rank, process, heap);
  }

  Inbox& inbox_;
  std::vector<Rank> here_;                           // the ranks of this node, ascending
  std::shared_ptr<Segment> segment_, heap_segment_;  // with threads of this process
  std::shared_ptr<Heap> heap_;
  CrossMemoryWish wish_ = CrossMemoryWish::measured;
  std::unique_ptr<RemoteAccess> remote_;
  std::vector<std::unique_ptr<Peer>> peers_;  // by rank
  std::vector<Peer*> all_;
  std::optional<Rank> lost_;  // why this rank leaves
};

}  // namespace

std::unique_ptr<MessageTransport> make_shared_memory_transport(const TransportSetting& setting) {
  return std::make_unique<SharedMemoryTransport>(setting);
}

}  // namespace tutti
