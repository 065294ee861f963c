#include "algos/patterns/bine.hpp"

#include <algorithm>
#include <numeric>

namespace tutti {
namespace {

// Of a negabinary number of up to 32 bits, those with a negative place value.
constexpr std::uint32_t kNegativePlaces = 0xaaaaaaaa;

constexpr std::uint32_t mirrored(std::uint32_t number, int bits) {
  std::uint32_t mirror = 0;
  for (int bit = 0; bit < bits; ++bit) mirror |= (number >> bit & 1) << (bits - 1 - bit);
  return mirror;
}

int step_at(int place, int steps, BineOrder order) {
  return order == BineOrder::near_first ? place : steps - 1 - place;
}

/// By place: the virtual rank. By virtual rank: its place, the first of its subtree, and how many are in that.
struct Line {
  int size = 0;
  std::vector<int> rank_at, place, first, ranks;
};

const Line& line_of(int size) {
  thread_local Line line;
  if (line.size == size) return line;
  const int core = bine_core(size);
  const auto all = static_cast<std::size_t>(size);
  const auto& arrivals = bine_arrivals(core, BineOrder::far_first);
  const auto step_of = [&](std::size_t v) { return v == 0 ? bine_steps(core) : arrivals[v]; };
  const auto parent_of = [&](std::size_t v) {
    return static_cast<std::size_t>(bine_peer(static_cast<Rank>(v), step_of(v), core));
  };
  std::vector<std::size_t> earliest(static_cast<std::size_t>(core));
  std::iota(earliest.begin(), earliest.end(), 0);
  std::stable_sort(earliest.begin(), earliest.end(), [&](auto a, auto b) { return step_of(a) > step_of(b); });

  std::vector<std::int64_t> number(all, 0);  // not wrapped around; the rank left over, if any, comes last
  number.back() = core < size ? std::int64_t{4} * size : 0;
  for (const std::size_t v : earliest) {
    if (v == 0) continue;
    const std::int64_t distance = bine_distance(step_of(v));
    number[v] = number[parent_of(v)] + (parent_of(v) % 2 == 0 ? distance : -distance);
  }
  line = {size, std::vector<int>(all), std::vector<int>(all), {}, std::vector<int>(all, 1)};
  std::iota(line.rank_at.begin(), line.rank_at.end(), 0);
  std::sort(line.rank_at.begin(), line.rank_at.end(), [&](int a, int b) { return number[a] < number[b]; });
  for (int place = 0; place < size; ++place) line.place[static_cast<std::size_t>(line.rank_at[place])] = place;
  line.first = line.place;
  for (auto v = earliest.rbegin(); v != earliest.rend(); ++v) {
    if (*v == 0) continue;
    line.first[parent_of(*v)] = std::min(line.first[parent_of(*v)], line.first[*v]);
    line.ranks[parent_of(*v)] += line.ranks[*v];
  }
  line.ranks[0] = size;
  return line;
}

}  // namespace

const std::vector<std::int8_t>& bine_arrivals(int size, BineOrder order) {
  thread_local std::vector<std::int8_t> arrivals;
  thread_local int its_size = 0;
  thread_local BineOrder its_order = order;
  if (its_size == size && its_order == order) return arrivals;
  its_size = size;
  its_order = order;
  arrivals.assign(static_cast<std::size_t>(size), -1);
  std::vector<Rank> heard{0};
  const int steps = bine_steps(size);
  for (int place = 0; place < steps; ++place) {
    const int step = step_at(place, steps, order);
    for (std::size_t i = 0, before = heard.size(); i < before; ++i) {
      const Rank peer = bine_peer(heard[i], step, size);
      if (peer == 0 || arrivals[peer] >= 0) continue;
      arrivals[peer] = static_cast<std::int8_t>(step);
      heard.push_back(peer);
    }
  }
  return arrivals;
}

Tree bine_tree(int size, int v, BineOrder order) {
  const int core = bine_core(size), steps = bine_steps(core);
  Tree tree;
  if (v == core) {
    tree.parent = 0;
    return tree;
  }
  const auto& arrivals = bine_arrivals(core, order);
  const auto step_of = [&](int rank) { return arrivals[rank]; };
  if (v != 0) tree.parent = bine_peer(v, step_of(v), core);
  for (int place = 0; place < steps; ++place) {
    const int step = step_at(place, steps, order);
    const Rank peer = bine_peer(v, step, core);
    if (peer != 0 && step_of(peer) == step) tree.children.push_back(peer);
  }
  if (v == 0 && core < size) tree.children.push_back(core);
  return tree;
}

int bine_number(Rank rank, int size) {
  const std::uint32_t value = static_cast<std::uint32_t>(rank % 2 == 0 ? -rank : rank);
  const std::uint32_t negabinary = ((kNegativePlaces + value) ^ kNegativePlaces) & static_cast<std::uint32_t>(size - 1);
  return static_cast<int>(mirrored(negabinary ^ negabinary >> 1, bine_steps(size)));
}

Rank bine_rank_of(int number, int size) {
  std::uint32_t negabinary = mirrored(static_cast<std::uint32_t>(number), bine_steps(size));
  for (int shift = 1; shift < 32; shift *= 2) negabinary ^= negabinary >> shift;
  const std::uint32_t value = (negabinary ^ kNegativePlaces) - kNegativePlaces;
  return static_cast<Rank>((value % 2 == 0 ? 0 - value : value) & static_cast<std::uint32_t>(size - 1));
}

Blocks bine_numbered(const Blocks& blocks, std::vector<Count>& firsts) {
  if (!blocks.firsts && blocks.larger == 0) return blocks;
  firsts.assign(1, 0);
  for (int number = 0; number < blocks.parts; ++number)
    firsts.push_back(firsts.back() + blocks.count(bine_rank_of(number, blocks.parts)));
  return {blocks.parts, 0, 0, firsts.data()};
}

BineInterval bine_interval(int size, int v) {
  const Line& line = line_of(size);
  const auto i = static_cast<std::size_t>(v);
  return {line.first[i], line.ranks[i], line.place[i]};
}

int bine_rank_at(int size, int place) { return line_of(size).rank_at[place]; }

int bine_way(int offset, int size) {
  int steps = 0;
  while (offset != 0) {
    const std::int8_t step = bine_arrivals(size, BineOrder::near_first)[offset];
    steps |= 1 << step;
    offset = bine_peer(offset, step, size);
  }
  return steps;
}

double bine_tree_bytes(const Facts& facts) {
  const auto size = static_cast<int>(facts["p"]);
  double hops = 0;
  for (int v = 1; v < size; ++v) hops += bine_interval(size, v).ranks;
  return hops * facts["c"] * facts["e"];
}

}  // namespace tutti
