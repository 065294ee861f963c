#include "algos/patterns/hier_allgather.hpp"

#include <numeric>

namespace tutti {
namespace {

/// Blocks that lie part by part go to where the whole's ranks have them. `firsts`: as firsts_of_parts() says.
Task sort_blocks(Comm comm, const Stage& stage, const std::vector<Count>& firsts, View to, View from) {
  const Comm& whole = stage.whole;
  const Count each = from.elements() / whole.size();
  for (Rank r = 0; r < whole.size(); ++r) {
    const std::vector<Rank>& mates = whole.mates_of(r, *stage.by);
    const Rank part = stage.comm.rank_of(mates.front());
    const Count first = firsts.empty() ? std::ssize(mates) * part : firsts[part];
    const Count place = first + number_among(whole.world_rank(r), mates);
    co_await comm.wait(comm.copy(to.slice(r * each, each), from.slice(place * each, each)));
  }
}

}  // namespace

Task allgather_by_levels(Comm comm, Call call) {
  const std::vector<Stage> all = stages(comm, call);
  if (all.size() == 1 || call.blocks.firsts) co_return co_await run_choice(comm, "global", call, call);
  const Count each = call.in.elements();
  View own = call.in;
  for (std::size_t i = all.size() - 1; all[i].takes_part; --i) {  // up, so that who leads has a part's blocks in order
    const Stage& stage = all[i];
    const bool is_last = i == 0, leads = !is_last && stage.comm.rank() == 0;
    const Count elements = is_last || leads ? stage.whole.size() * each : 0;
    const View sorted = is_last ? call.out : comm.scratch(elements);
    const View come = stage.is_in_order() ? sorted : comm.scratch(elements);
    Call part = is_last ? allgather_part(call, own, come, stage.comm.size())
                        : gather_part(call, own, come, stage.comm.size(), leads, 0);
    const std::vector<Count> firsts = firsts_of_parts(stage);
    std::vector<Count> of_elements = firsts;
    for (Count& first : of_elements) first *= each;
    if (!firsts.empty()) part.blocks = {stage.comm.size(), 0, 0, of_elements.data()}, part.in_place = false;
    if (firsts.empty())
      co_await run_choice(stage, call, part);
    else
      co_await run_irregular(stage, call, part);
    if ((is_last || leads) && come != sorted) co_await sort_blocks(comm, stage, firsts, sorted, come);
    if (is_last) break;
    own = sorted;
  }
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].takes_part) co_await run_choice(all[i].comm, "down", call, bcast_part(call, call.out, 0));
}

namespace {

/// The blocks of a group's parts come together.
PartCounts count_up(const Facts& facts, const StageShape& stage, const StageGroup& group) {
  const auto each = static_cast<Count>(facts["c"]);
  if (group.sizes.empty()) return count_choice(facts, stage.parameter, group.ranks, group.whole / group.ranks * each);
  std::vector<Count> counts;
  for (const int ranks : group.sizes) counts.push_back(ranks * each);
  Case c{.ranks = group.ranks, .count = counts.front()};
  c.counts = std::make_shared<BlockCounts>(counts);
  return count_irregular(facts, stage.parameter, c);
}

}  // namespace

PartCounts count_allgather_by_levels(const Facts& facts) {
  const auto of_all = static_cast<Count>(facts["p"] * facts["c"]);
  const std::vector<StageShape> all = stage_shapes(facts);
  PartCounts sum;
  for (const StageShape& stage : all) {  // up on one node and down on another may be the longest
    sum = sum + over_groups(stage, [&](const StageGroup& group) { return count_up(facts, stage, group); });
    if (&stage == &all.front()) continue;
    sum = sum +
          over_groups(stage, [&](const StageGroup& group) { return count_choice(facts, "down", group.ranks, of_all); });
  }
  return sum;
}

}  // namespace tutti
