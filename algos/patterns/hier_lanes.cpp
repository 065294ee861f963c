#include "algos/patterns/hier_lanes.hpp"

#include <algorithm>

#include "algos/patterns/block_copies.hpp"
#include "algos/patterns/hier_exchange.hpp"
#include "algos/patterns/hier_reduce_scatter.hpp"
#include "algos/patterns/lanes.hpp"

namespace tutti {
std::vector<Rank> ranks_behind(const std::vector<Stage>& all) {
  std::vector<Rank> ranks;
  ranks.reserve(static_cast<std::size_t>(all.back().whole.size()));
  for (Rank i = 0; i < all.back().whole.size(); ++i) ranks.push_back(all.back().whole.world_rank(i));
  for (auto stage = all.rbegin() + 1; stage != all.rend(); ++stage) {
    const std::vector<std::vector<Rank>> lanes = lanes_of(stage->whole, *stage->by);
    std::vector<Rank> behind;
    for (const Rank r : ranks) {
      const Rank number = number_among(r, stage->whole.mates_of(stage->whole.rank_of(r), *stage->by));
      const std::vector<Rank>& lane = lanes[number];
      behind.insert(behind.end(), lane.begin(), lane.end());
    }
    ranks = std::move(behind);
  }
  return ranks;
}

std::vector<Op> part_by_part(const Comm& comm, const Stage& stage, const View& to, const View& from) {
  const int size = stage.whole.size();
  std::vector<Rank> order;
  order.reserve(static_cast<std::size_t>(size));
  for (Rank part = 0; part < stage.comm.size(); ++part)
    for (const Rank r : stage.whole.mates_of(stage.whole.rank_of(stage.comm.world_rank(part)), *stage.by))
      order.push_back(stage.whole.rank_of(r));
  return copy_into_order(comm, order, Blocks::regular(size, from.elements() / size), to, from);
}

std::vector<Op> rank_by_rank(const Comm& comm, const Stage& stage, const View& to, const View& from) {
  const Count parts = stage.comm.size(), ranks = stage.whole.size() / parts,
              each = from.elements() / stage.whole.size();
  std::vector<Op> copies;
  for (Count r = 0; r < ranks; ++r)
    copies.push_back(comm.copy(to.slice(r * parts * each, parts * each), from.every(r * each, each, ranks * each)));
  return copies;
}

std::vector<Op> blocks_of_one_size(const Comm& comm, const Call& call, const std::vector<Rank>& ranks, const View& to) {
  const Count each = call.blocks.largest();
  std::vector<Op> copies;
  for (const SpacedRanks& spaced : spaced_ranks(ranks, call.blocks)) {
    const View there = to.slice(static_cast<Count>(spaced.first) * each, spaced.ranks * each);
    const Count own = spaced.each, missing = each - own;
    if (own > 0) copies.push_back(comm.copy(there.every(0, own, each), spaced.blocks_of(call.in, call.blocks)));
    for (Count filled = 0; missing > 0 && filled < spaced.ranks;) {  // of as many as there are elements
      const Count now = std::min(spaced.ranks - filled, call.in.elements() / missing);
      const View blocks = there.slice(filled * each, now * each);
      copies.push_back(comm.copy(blocks.every(own, missing, each), call.in.slice(0, now * missing)));
      filled += now;
    }
  }
  return copies;
}

Task reduce_scatter_by_levels(Comm comm, Call call) {
  const std::vector<Stage> all = stages(comm, call);
  if (all.size() == 1 || call.in.empty()) co_return co_await run_choice(comm, "global", call, call);
  if (!are_even_everywhere(comm, call)) co_return co_await reduce_scatter_of_parts(comm, call);
  const Count each = call.blocks.largest();
  const std::vector<Rank> ranks = ranks_behind(all);
  View sum = comm.scratch(comm.size() * each);
  const std::vector<Op> copies = blocks_of_one_size(comm, call, ranks, sum);
  co_await comm.wait(copies);
  for (std::size_t i = all.size(); i-- > 0;) {
    const int size = all[i].comm.size();
    const View part = i == 0 && call.out.elements() == each ? call.out : comm.scratch(sum.elements() / size);
    co_await run_choice(all[i], call, reduce_scatter_part(call, sum, part, size));
    sum = part;
  }
  if (sum != call.out) co_await comm.wait(comm.copy(call.out, sum.slice(0, call.out.elements())));
}

namespace {

/// All stages on all their lanes, each of so many elements as `count_of(group)` says, by the case's count.
template <class CountOf>
PartCounts count_lanes_of_stages(const Facts& facts, CountOf count_of) {
  PartCounts sum;
  for (const StageShape& stage : stage_shapes(facts))
    sum = sum + over_groups(stage, [&](const StageGroup& group) {
            const int lanes = group.whole / group.ranks;
            return on_each(lanes, count_choice(facts, stage.parameter, group.ranks, count_of(group)));
          });
  return sum;
}

PartCounts count_undivided(const Facts& facts) {
  Case c{.ranks = static_cast<int>(facts["p"]), .count = static_cast<Count>(facts["c"])};
  if (facts.blocks().firsts) {
    std::vector<Count> counts(static_cast<std::size_t>(c.ranks));
    for (Rank rank = 0; rank < c.ranks; ++rank) counts[rank] = facts.count_of(rank);
    c.counts = std::make_shared<BlockCounts>(counts);
  }
  return count_choice(facts, "global", c);
}

}  // namespace

PartCounts count_reduce_scatter_by_levels(const Facts& facts) {
  const auto count = static_cast<Count>(facts["c"]);
  const auto ranks = static_cast<int>(facts["p"]);
  if (count == 0 || levels_in(facts).empty()) return count_undivided(facts);
  if (!are_even_everywhere(facts)) return count_reduce_scatter_of_parts(facts, facts.blocks());
  const Count padded = facts.blocks().largest() * ranks;
  return count_lanes_of_stages(facts, [&](const StageGroup& group) { return padded * group.ranks / group.whole; });
}

PartCounts count_reduce_scatter_block_by_levels(const Facts& facts) {
  const auto count = static_cast<Count>(facts["c"]);
  const auto ranks = static_cast<int>(facts["p"]);
  if (count == 0 || levels_in(facts).empty()) return count_undivided(facts);
  if (!are_even_everywhere(facts)) return count_reduce_scatter_of_parts(facts, Blocks::regular(ranks, count));
  const Count all = ranks * count;
  return count_lanes_of_stages(facts, [&](const StageGroup& group) { return all / group.whole; });
}

PartCounts count_alltoall_by_levels(const Facts& facts) {
  if (!are_even_everywhere(facts)) return count_alltoallv_by_levels(facts);
  const auto all = static_cast<Count>(facts["p"] * facts["c"]);
  return count_lanes_of_stages(facts, [&](const StageGroup& group) { return all / group.ranks; });
}

}  // namespace tutti
