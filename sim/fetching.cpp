// What comes next is brought into the cache before its turn comes.
#include "sim/simulation.hpp"

namespace tutti {

/// What it will touch, of which little is in the cache where there are thousands of ranks.
void Simulation::fetch_ahead(const Event& event, std::size_t events) {
  if (events > 64 || simulated_ranks() <= kRanksInCache) return;
  const auto fetch_frame = [&](Slot op) {  // the coroutine's, which begins with its call's scope
    constexpr std::uintptr_t kLine = 64, kLines = 6;
    const auto scope = reinterpret_cast<std::uintptr_t>(operations_.scope_of(op));
    for (std::uintptr_t line = 0; line < kLines; ++line)
      __builtin_prefetch(reinterpret_cast<const void*>(scope + line * kLine));
  };
  switch (event.kind) {
    case Event::Kind::work_over: {
      const auto rank = static_cast<Rank>(event.id);
      processors_.fetch_ahead(rank);
      if (events > 24) return;
      const Work& work = processors_[rank].front;
      if (work.kind == Work::Kind::inject || work.kind == Work::Kind::receive) {
        messages_.fetch_ahead(work.id);
        if (events > 6) return;
        const Message& message = messages_[work.id];
        const std::uint32_t op = work.kind == Work::Kind::inject ? message.send_op : message.recv_op;
        operations_.fetch_ahead(op);
        if (events > 3) return;
        if (work.kind == Work::Kind::receive) fetch_frame(op);
        if (work.kind == Work::Kind::inject) paths_.fetch_ahead(message.from, message.to);
      }
      return;
    }
    case Event::Kind::transfer:
    case Event::Kind::flow_over: {
      messages_.fetch_ahead(event.id);
      if (events > 12) return;
      const Message& message = messages_[event.id];
      paths_.fetch_ahead(message.from, message.to);
      if (events > 4) return;
      connections_.fetch_ahead(message);
      if (const Path* path = paths_.remembered(message.from, message.to)) network_.fetch_ahead(paths_.links(*path));
      return;
    }
    case Event::Kind::acknowledged:
      operations_.fetch_ahead(event.id);
      if (events > 8) return;
      fetch_frame(event.id);
      return;
    case Event::Kind::tree_stands:
    case Event::Kind::tree_passes:
    case Event::Kind::start_rank:
      return;
  }
}

}  // namespace tutti
