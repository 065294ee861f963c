#include "algos/patterns/hier_reduce_scatter.hpp"

#include <algorithm>
#include <span>

#include "algos/patterns/block_copies.hpp"
#include "algos/patterns/part_exchange.hpp"

namespace tutti {
namespace {

/// What is divided: for which blocks each of its ranks stands, its parts, and the own one.
struct Division {
  Holders whole;
  std::vector<Ranks> parts;
  Ranks part;
};

/// Of all stages, and at the end who stands for which blocks inside the nearest part: each for all, in this order.
std::vector<Division> divisions_of(const Comm& comm, const std::vector<Stage>& all) {
  std::vector<Division> divisions;
  Holders whole = all_with_their_own(comm.size());
  for (const Stage& stage : all) {
    std::vector<Ranks> parts = parts_of(whole, stage.by, place_of(comm));
    Ranks part = part_with(parts, comm.rank());
    Holders after = after_exchange(whole, parts, part);
    divisions.push_back({std::move(whole), std::move(parts), std::move(part)});
    whole = std::move(after);
  }
  divisions.push_back({std::move(whole), {}, {}});
  return divisions;
}

Count elements_for(const Blocks& blocks, const Ranks& ranks) {
  Count sum = 0;
  for (const Rank r : ranks) sum += blocks.count(r);
  return sum;
}

/// Of what is held for whom it comes to, one after the other, each rank gets its own from all parts.
Task sum_of_parts(Comm comm, Call call, const Division& here, View held, View sum) {
  const Ranks senders = senders_to(here.parts, here.part, comm.rank());
  std::vector<std::pair<Op, View>> coming;
  for (const Target& target : targets_of(here.parts, here.part, comm.rank()))
    if (target.rank != comm.rank() && !sum.empty()) {
      const View come = comm.scratch(sum.elements());
      coming.emplace_back(comm.recv(target.rank, come), come);
    }
  Count at = 0;
  View kept;
  for (const Rank to : senders) {
    const View block = held.slice(at, elements_for(call.blocks, here.whole.origins_of(to)));
    at += block.elements();
    if (to == comm.rank())
      kept = block;
    else if (!block.empty())
      comm.send(to, block);
  }
  co_await comm.wait(comm.copy(sum, kept));
  for (const auto& [op, come] : coming) {
    co_await comm.wait(op);
    co_await comm.wait(comm.combine(sum, sum, come));
  }
}

}  // namespace

Task reduce_scatter_of_parts(Comm comm, Call call) {
  const std::vector<Stage> all = stages(comm, call);
  const std::vector<Division> divisions = divisions_of(comm, all);
  View held = comm.scratch(call.in.elements());
  const Ranks& order = divisions.back().whole.origins_of(comm.rank());
  const std::vector<Op> sorted = copy_into_order(comm, order, call.blocks, held, call.in);
  co_await comm.wait(sorted);
  for (std::size_t i = all.size(); i-- > 0;) {
    const Count own = elements_for(call.blocks, divisions[i].whole.origins_of(comm.rank()));
    const View sum = i == 0 ? call.out : comm.scratch(own);
    co_await sum_of_parts(comm, call, divisions[i], held, sum);
    held = sum;
  }
}

namespace {

PartCounts count_sums(const Facts& facts, const Blocks& blocks, const Holders& whole, const std::vector<Ranks>& parts,
                      const char* parameter) {
  const Collective collective = choice_of_number(static_cast<std::int64_t>(facts[parameter])).algorithm->collective();
  facts.see_part(parameter, static_cast<int>(whole.ranks.size()), number_of_choice(collective, "pairwise"));
  PartCounts sum;
  std::vector<int> sent(whole.ranks.size()), received(whole.ranks.size());
  for (const Rank r : whole.ranks) {
    const Count elements = elements_for(blocks, whole.origins_of(r));
    for (const Target& from : targets_of(parts, part_with(parts, r), r)) {
      if (from.rank == r || elements == 0) continue;
      ++sent[number_among(from.rank, whole.ranks)];
      ++received[number_among(r, whole.ranks)];
      ++sum.messages;
      sum.bytes += static_cast<double>(elements) * facts["e"];
    }
  }
  const int most = *std::max_element(sent.begin(), sent.end()) + *std::max_element(received.begin(), received.end());
  sum.rounds = std::max(0, most - 1);
  return sum;
}

PartCounts count_sums_from(const Facts& facts, const Blocks& blocks, const Holders& whole, const char* parameter,
                           std::span<const Level> levels) {
  const std::optional<Level> by = levels.empty() ? std::nullopt : std::optional(levels.front());
  const std::vector<Ranks> parts = parts_of(whole, by, place_of(facts));
  const PartCounts here = count_sums(facts, blocks, whole, parts, parameter);
  PartCounts inside;
  if (!by) return here;
  for (const Ranks& part : parts)
    inside = side_by_side(
        inside, count_sums_from(facts, blocks, after_exchange(whole, parts, part), name_of(*by), levels.subspan(1)));
  return here + inside;
}

}  // namespace

PartCounts count_reduce_scatter_of_parts(const Facts& facts, const Blocks& blocks) {
  const std::vector<Level> levels = levels_in(facts);
  return count_sums_from(facts, blocks, all_with_their_own(static_cast<int>(facts["p"])), "global", levels);
}

}  // namespace tutti
