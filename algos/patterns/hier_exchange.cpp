#include "algos/patterns/hier_exchange.hpp"

#include <algorithm>
#include <span>

#include "algos/patterns/block_copies.hpp"
#include "algos/patterns/part_exchange.hpp"

namespace tutti {
namespace {

/// What lies rank by rank, to lie target by target; and what came sender by sender, to lie rank by rank.
std::vector<Op> by_target(const Comm& comm, const CountFromTo& count, const Holders& whole,
                          const std::vector<Target>& targets, const View& to, const View& from) {
  const Ranks& origins = whole.origins_of(comm.rank());
  std::vector<Count> firsts{0};
  for (const Rank r : whole.ranks) firsts.push_back(firsts.back() + sum_for(count, origins, r));
  Ranks order;
  for (const Target& target : targets)
    for (const Rank r : *target.part) order.push_back(number_among(r, whole.ranks));
  return copy_into_order(comm, order, {static_cast<int>(whole.ranks.size()), 0, 0, firsts.data()}, to, from);
}

/// What begins at these, if it is as much each and equally far apart, else nothing.
std::optional<View> spaced(const View& from, const std::vector<Count>& firsts, const std::vector<Count>& counts) {
  const Count each = counts.front(), apart = firsts.size() > 1 ? firsts[1] - firsts[0] : each;
  if (each == 0 || apart < each) return std::nullopt;
  for (std::size_t i = 0; i < firsts.size(); ++i)
    if (counts[i] != each || firsts[i] != firsts[0] + static_cast<Count>(i) * apart) return std::nullopt;
  return from.slice(firsts.front(), firsts.back() - firsts.front() + each).every(0, each, apart);
}

std::vector<Op> by_rank(const Comm& comm, const CountFromTo& count, const Holders& whole, const Ranks& senders,
                        const Ranks& part, const View& to, const View& from) {
  std::vector<Count> next;  // of each sender
  Count first = 0;
  for (const Rank sender : senders) {
    next.push_back(first);
    first += sum_for(count, whole.origins_of(sender), part);
  }
  std::vector<Op> copies;
  std::vector<Count> counts(senders.size());
  Count at = 0;
  for (const Rank r : part) {
    for (std::size_t i = 0; i < senders.size(); ++i) counts[i] = sum_for(count, whole.origins_of(senders[i]), r);
    if (const std::optional<View> all = spaced(from, next, counts)) {
      copies.push_back(comm.copy(to.slice(at, all->elements()), *all));
      at += all->elements();
    } else {
      for (std::size_t i = 0; i < senders.size(); ++i) {
        copies.push_back(comm.copy(to.slice(at, counts[i]), from.slice(next[i], counts[i])));
        at += counts[i];
      }
    }
    for (std::size_t i = 0; i < senders.size(); ++i) next[i] += counts[i];
  }
  return copies;
}

/// All messages at once, but for empty ones.
Task exchange_directly(Comm comm, Call call, const CountFromTo& count, const Holders& whole,
                       const std::vector<Target>& targets, const Ranks& senders, const Ranks& part) {
  Count at = 0;
  View kept;
  for (const Rank sender : senders) {
    const View block = call.out.slice(at, sum_for(count, whole.origins_of(sender), part));
    at += block.elements();
    if (sender == comm.rank())
      kept = block;
    else if (!block.empty())
      comm.recv(sender, block);
  }
  at = 0;
  for (const Target& target : targets) {
    const View block = call.in.slice(at, sum_for(count, whole.origins_of(comm.rank()), *target.part));
    at += block.elements();
    if (target.rank == comm.rank())
      co_await comm.wait(comm.copy(kept, block));
    else if (!block.empty())
      comm.send(target.rank, block);
  }
}

/// Whether the choice is one for blocks of one size, which parts of different sizes do not have.
bool is_of_one_size(std::int64_t choice) {
  return choice_of_number(choice).algorithm->collective() == Collective::alltoall;
}

/// Whether the lane's members have as much for each other: then an alltoall's algorithm runs as it is.
bool have_as_many_origins(const Holders& whole, const std::vector<Target>& lane) {
  return std::all_of(lane.begin(), lane.end(), [&](const Target& member) {
    return whole.origins_of(member.rank).size() == whole.origins_of(lane.front().rank).size();
  });
}

}  // namespace

Task alltoallv_by_levels(Comm comm, Call call) {
  const std::vector<Stage> all = stages(comm, call);
  if (all.size() == 1) co_return co_await run_choice(comm, "global", call, call);
  const CountFromTo count = counts_of(call);
  Holders whole = all_with_their_own(comm.size());
  View held = call.in;  // for one rank of the whole after the other, what each origin has for it
  for (const Stage& stage : all) {
    const std::vector<Ranks> parts = parts_of(whole, stage.by, place_of(comm));
    const Ranks& part = part_with(parts, comm.rank());
    const std::vector<Target> targets = targets_of(parts, part, comm.rank());
    const Ranks senders = senders_to(parts, part, comm.rank());
    if (!stage.is_in_order()) {
      const View leaving = comm.scratch(held.elements());
      const std::vector<Op> sorted = by_target(comm, count, whole, targets, leaving, held);
      co_await comm.wait(sorted);
      held = leaving;
    }
    Count elements = 0;
    for (const Rank sender : senders) elements += sum_for(count, whole.origins_of(sender), part);
    const View arrived = comm.scratch(elements);
    if (are_equal(parts)) {
      const bool is_regular = is_of_one_size(call.parameter(stage.parameter));
      if (is_regular && have_as_many_origins(whole, targets)) {
        co_await run_choice(stage, call, alltoall_part(call, held, arrived, stage.comm.size()));
      } else {
        const std::shared_ptr<const BlockCounts> counts = counts_on_lane(call, whole, targets);
        Call lane = alltoall_part(call, held, arrived, 1);
        lane.exchange = &counts->exchange(stage.comm.rank());
        lane.blocks = lane.exchange->sent;
        if (is_regular)
          co_await run_irregular(stage, call, lane);
        else
          co_await run_choice(stage, call, lane);
      }
    } else {
      co_await exchange_directly(comm, alltoall_part(call, held, arrived, 1), count, whole, targets, senders, part);
    }
    held = arrived;
    if (part.size() > 1) {
      held = comm.scratch(elements);
      const std::vector<Op> sorted = by_rank(comm, count, whole, senders, part, held, arrived);
      co_await comm.wait(sorted);
    }
    whole = after_exchange(whole, parts, part);
  }
  const std::vector<Op> placed = copy_out_of_order(
      comm, whole.origins.front(), call.exchange ? call.exchange->received : call.blocks, call.out, held);
  co_await comm.wait(placed);
}

namespace {

PartCounts count_on_lanes(const Facts& facts, const char* parameter, const CountFromTo& count, const Holders& whole,
                          const std::vector<Ranks>& parts) {
  PartCounts sum;
  for (const Rank r : parts.front()) {
    const std::vector<Target> lane = targets_of(parts, parts.front(), r);
    Case c{.collective = Collective::alltoallv, .ranks = static_cast<int>(lane.size())};
    const bool is_regular = is_of_one_size(static_cast<std::int64_t>(facts[parameter]));
    if (is_regular && have_as_many_origins(whole, lane)) {
      c.count = sum_for(count, whole.origins_of(r), *lane.front().part);
      sum = side_by_side(sum, count_choice(facts, parameter, c));
      continue;
    }
    c = with_counts(c, counts_on_lane(count, whole, lane));
    sum = side_by_side(sum, is_regular ? count_irregular(facts, parameter, c) : count_choice(facts, parameter, c));
  }
  return sum;
}

/// A message waits for the others of its sender and then for those of its receiver.
PartCounts count_at_once(const Facts& facts, const CountFromTo& count, const Holders& whole,
                         const std::vector<Ranks>& parts, const char* parameter) {
  const Collective collective = choice_of_number(static_cast<std::int64_t>(facts[parameter])).algorithm->collective();
  facts.see_part(parameter, static_cast<int>(whole.ranks.size()), number_of_choice(collective, "linear"));
  PartCounts sum;
  std::vector<int> sent(whole.ranks.size()), received(whole.ranks.size());
  for (const Rank r : whole.ranks)
    for (const Target& target : targets_of(parts, part_with(parts, r), r)) {
      const Count elements = sum_for(count, whole.origins_of(r), *target.part);
      if (target.rank == r || elements == 0) continue;
      ++sent[number_among(r, whole.ranks)];
      ++received[number_among(target.rank, whole.ranks)];
      ++sum.messages;
      sum.bytes += static_cast<double>(elements) * facts["e"];
    }
  const int most = *std::max_element(sent.begin(), sent.end()) + *std::max_element(received.begin(), received.end());
  sum.rounds = std::max(0, most - 1);
  return sum;
}

PartCounts count_from_holders(const Facts& facts, const CountFromTo& count, const Holders& whole, const char* parameter,
                              std::span<const Level> levels) {
  const std::optional<Level> by = levels.empty() ? std::nullopt : std::optional(levels.front());
  const std::vector<Ranks> parts = parts_of(whole, by, place_of(facts));
  const PartCounts here = are_equal(parts) ? count_on_lanes(facts, parameter, count, whole, parts)
                                           : count_at_once(facts, count, whole, parts, parameter);
  if (!by) return here;
  PartCounts inside;
  for (const Ranks& part : parts)
    inside = side_by_side(
        inside, count_from_holders(facts, count, after_exchange(whole, parts, part), name_of(*by), levels.subspan(1)));
  return here + inside;
}

}  // namespace

PartCounts count_alltoallv_by_levels(const Facts& facts) {
  const std::vector<Level> levels = levels_in(facts);
  return count_from_holders(
      facts, [&](Rank from, Rank to) { return facts.count_from_to(from, to); },
      all_with_their_own(static_cast<int>(facts["p"])), "global", levels);
}

}  // namespace tutti
