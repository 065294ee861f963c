#include "algos/patterns/hier_blocks.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "algos/patterns/hier_uneven.hpp"
#include "algos/patterns/level_parts.hpp"

namespace tutti {

Blocks StageBlocks::blocks() const {
  return of_one_size ? *of_one_size : Blocks{static_cast<int>(firsts.size()) - 1, 0, 0, firsts.data()};
}

bool StageBlocks::are_sorted() const { return std::is_sorted(ranks.begin(), ranks.end()); }

namespace {

using Levels = std::span<const Level>;

/// Of one who takes part in a stage: for which ranks it has blocks, in the order in which they lie.
struct Share {
  Rank leader;
  std::vector<Rank> ranks;
};

/// All shares of a stage, ascending by who leads.
struct Shares {
  bool divided;  // else each rank has its own
  std::vector<Share> all;
};

/// Appends all ranks of the shares, one share after the other.
void append_shares(std::vector<Rank>& ranks, const std::vector<Rank>& whole, Rank root, Levels levels,
                   const PlaceOf& place);

/// Of what is divided by the first of the levels, if by any.
Shares shares_of(const std::vector<Rank>& whole, Rank root, Levels levels, const PlaceOf& place) {
  const auto parts = levels.empty() ? std::vector<std::vector<Rank>>{} : divide(whole, levels.front(), place);
  const bool equal = are_equal(parts);
  if (levels.empty()) {
    Shares own{false, {}};
    own.all.reserve(whole.size());
    for (const Rank r : whole) own.all.push_back({r, {r}});
    return own;
  }
  Rank number = 0;
  for (const std::vector<Rank>& part : parts)
    if (equal && std::binary_search(part.begin(), part.end(), root)) number = number_among(root, part);
  Shares shares{true, {}};
  for (const std::vector<Rank>& part : parts) {
    Share share{part[number], {}};
    append_shares(share.ranks, part, share.leader, levels.subspan(1), place);
    shares.all.push_back(std::move(share));
  }
  std::sort(shares.all.begin(), shares.all.end(), [](const Share& a, const Share& b) { return a.leader < b.leader; });
  return shares;
}

void append_shares(std::vector<Rank>& ranks, const std::vector<Rank>& whole, Rank root, Levels levels,
                   const PlaceOf& place) {
  ranks.reserve(ranks.size() + whole.size());
  if (levels.empty()) {
    ranks.insert(ranks.end(), whole.begin(), whole.end());
    return;
  }
  for (const Share& share : shares_of(whole, root, levels, place).all)
    ranks.insert(ranks.end(), share.ranks.begin(), share.ranks.end());
}

StageBlocks blocks_of(const Comm& comm, const Call& call, const std::vector<Stage>& all, std::size_t i, BlocksOf kind) {
  const Stage& stage = all[i];
  StageBlocks blocks;
  if (kind == BlocksOf::one_size && (!stage.by || stage.whole.is_equal(*stage.by))) {
    const Count ranks = stage.whole.size() / stage.comm.size();
    blocks.of_one_size = Blocks::regular(stage.comm.size(), ranks * call.blocks.count(0));
    if (i > 0 || comm.rank() != call.root) return blocks;  // who does not sort them need not know whose they are
  }
  const std::vector<Level> levels = levels_in(call);
  std::vector<Rank> whole;
  whole.reserve(static_cast<std::size_t>(stage.whole.size()));
  for (Rank r = 0; r < stage.whole.size(); ++r) whole.push_back(stage.whole.world_rank(r));
  const Levels rest = stage.by ? Levels(levels).subspan(i) : Levels();
  for (const Share& share : shares_of(whole, stage.whole_root, rest, place_of(comm)).all) {
    blocks.firsts.push_back(blocks.firsts.back());
    for (const Rank r : share.ranks) {
      blocks.ranks.push_back(r);
      blocks.firsts.back() += call.blocks.count(r);
    }
  }
  return blocks;
}

Call stage_part(const Call& whole, const Stage& stage, const View& in, const View& out, const Blocks& blocks) {
  Call part = whole;
  part.in = in;
  part.out = out;
  part.root = stage.root;
  part.in_place = false;
  part.blocks = blocks;
  return part;
}

/// With those of any size the level's algorithm is one for such anyway.
Task run_stage(const Stage& stage, const Call& whole, const Call& part, const StageBlocks& blocks, BlocksOf kind) {
  const bool differ = kind == BlocksOf::one_size && !blocks.of_one_size;
  return differ ? run_irregular(stage, whole, part) : run_choice(stage, whole, part);
}

/// Between blocks of ranks in any order and the call's own.
template <class CopyOne>
std::vector<Op> sort_into(const Call& call, const std::vector<Rank>& ranks, const View& held, CopyOne copy_one) {
  std::vector<Op> copies;
  Count at = 0;
  for (const Rank r : ranks) {
    copies.push_back(copy_one(call.block(r), held.slice(at, call.blocks.count(r))));
    at += call.blocks.count(r);
  }
  return copies;
}

}  // namespace

Task gather_by_levels(Comm comm, Call call, BlocksOf kind) {
  const std::vector<Stage> all = stages(comm, call);
  if (all.size() == 1) co_return co_await run_choice(comm, "global", call, call);
  View held = call.in;
  for (std::size_t i = all.size(); i-- > 0;) {
    const Stage& stage = all[i];
    const bool is_root = comm.rank() == stage.whole_root, leads = comm.rank() == stage.stand_in;
    if (!stage.takes_part && !is_root) continue;
    const StageBlocks of_stage = blocks_of(comm, call, all, i, kind);
    const bool is_sorted = i == 0 && is_root && of_stage.are_sorted();
    const View gathered = is_sorted ? call.out : comm.scratch(leads || is_root ? of_stage.elements() : 0);
    if (stage.takes_part) {
      const View all_of_part = leads ? gathered : gathered.slice(0, 0);
      const Call part = stage_part(call, stage, held, all_of_part, of_stage.blocks());
      co_await run_stage(stage, call, part, of_stage, kind);
    }
    if (leads && !is_root) co_await comm.blocking_send(stage.whole_root, gathered);
    if (is_root && !leads) co_await comm.wait(comm.recv(stage.stand_in, gathered));
    if (leads || is_root) held = gathered;
    if (i > 0 || !is_root || is_sorted) continue;
    const std::vector<Op> sorted =
        sort_into(call, of_stage.ranks, held, [&](const View& own, const View& part) { return comm.copy(own, part); });
    co_await comm.wait(sorted);
  }
}

Task scatter_by_levels(Comm comm, Call call, BlocksOf kind) {
  const std::vector<Stage> all = stages(comm, call);
  if (all.size() == 1) co_return co_await run_choice(comm, "global", call, call);
  View held = call.in;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Stage& stage = all[i];
    const bool is_root = comm.rank() == stage.whole_root, leads = comm.rank() == stage.stand_in;
    if (!stage.takes_part && !is_root) continue;
    const StageBlocks of_stage = blocks_of(comm, call, all, i, kind);
    if (i == 0 && is_root && !of_stage.are_sorted()) {
      held = comm.scratch(of_stage.elements());
      const std::vector<Op> sorted = sort_into(call, of_stage.ranks, held,
                                               [&](const View& own, const View& part) { return comm.copy(part, own); });
      co_await comm.wait(sorted);
    }
    if (is_root && !leads) co_await comm.blocking_send(stage.stand_in, held);
    if (leads && !is_root) {
      held = comm.scratch(of_stage.elements());
      co_await comm.wait(comm.recv(stage.whole_root, held));
    }
    if (!stage.takes_part) continue;
    const Blocks blocks = of_stage.blocks();
    const View own = stage.by ? comm.scratch(blocks.count(stage.comm.rank())) : call.out;
    const Call part = stage_part(call, stage, leads ? held : held.slice(0, 0), own, blocks);
    co_await run_stage(stage, call, part, of_stage, kind);
    held = own;
  }
}

namespace {

/// Of a stage and all that is nearer.
PartCounts count_from_stage(const Facts& facts, const std::vector<Rank>& whole, Rank root, const char* parameter,
                            Levels levels, BlocksOf kind) {
  const Shares shares = shares_of(whole, root, levels, place_of(facts));
  std::vector<Count> counts;
  Case c{.ranks = static_cast<int>(shares.all.size())};
  Rank stand_in = root;
  PartCounts inside;
  for (const Share& share : shares.all) {
    std::vector<Rank> part = share.ranks;
    std::sort(part.begin(), part.end());
    if (std::binary_search(part.begin(), part.end(), root)) {
      c.root = static_cast<Rank>(counts.size());
      stand_in = share.leader;
    }
    counts.push_back(0);
    for (const Rank r : part) counts.back() += facts.count_of(r);
    if (!shares.divided) continue;
    inside = side_by_side(
        inside, count_from_stage(facts, part, share.leader, name_of(levels.front()), levels.subspan(1), kind));
  }
  const Count all = std::accumulate(counts.begin(), counts.end(), Count{0});
  c.count = counts.front();
  const bool differ = std::any_of(shares.all.begin(), shares.all.end(), [&](const Share& share) {
    return share.ranks.size() != shares.all.front().ranks.size();
  });
  if (kind == BlocksOf::any_size || differ) c.counts = std::make_shared<BlockCounts>(counts);
  const PartCounts sum = inside + (kind == BlocksOf::one_size && differ ? count_irregular(facts, parameter, c)
                                                                        : count_choice(facts, parameter, c));
  return stand_in == root ? sum : sum + PartCounts{1, 1, static_cast<double>(all) * facts["e"]};
}

}  // namespace

PartCounts count_blocks_by_levels(const Facts& facts) {
  const std::vector<Level> levels = levels_in(facts);
  return count_from_stage(facts, all_ranks(static_cast<int>(facts["p"])), static_cast<Rank>(facts["root"]), "global",
                          levels, BlocksOf::one_size);
}

PartCounts count_any_blocks_by_levels(const Facts& facts) {
  const std::vector<Level> levels = levels_in(facts);
  return count_from_stage(facts, all_ranks(static_cast<int>(facts["p"])), static_cast<Rank>(facts["root"]), "global",
                          levels, BlocksOf::any_size);
}

}  // namespace tutti
