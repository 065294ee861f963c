#include "algos/patterns/tree.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>

namespace tutti {

Tree chain_tree(int size, int v, int fanout) {
  Tree tree;
  if (size == 1) return tree;
  const int chains = std::min(fanout, size - 1), shorter = (size - 1) / chains, longer_chains = (size - 1) % chains;
  const auto head = [&](int chain) { return 1 + chain * shorter + std::min(chain, longer_chains); };
  if (v == 0) {
    for (int chain = 0; chain < chains; ++chain) tree.children.push_back(head(chain));
    return tree;
  }
  const int in_longer = longer_chains * (shorter + 1);
  const int chain = v - 1 < in_longer ? (v - 1) / (shorter + 1) : longer_chains + (v - 1 - in_longer) / shorter;
  tree.parent = v == head(chain) ? 0 : v - 1;
  if (v + 1 < head(chain + 1)) tree.children.push_back(v + 1);
  return tree;
}

Tree binary_tree(int size, int v) {
  const auto width =
      static_cast<int>(std::bit_floor(static_cast<unsigned>(v + 1)));  // of v's level, which begins at width - 1
  Tree tree;
  if (v > 0) tree.parent = width / 2 - 1 + (v + 1) % (width / 2);
  for (const std::int64_t child : {std::int64_t{v} + width, v + std::int64_t{2} * width})
    if (child < size) tree.children.push_back(static_cast<Rank>(child));
  return tree;
}

Tree knomial_tree(int size, int v, int radix, bool farthest_first) {
  Tree tree;
  std::int64_t distance = 1;  // the place of v's lowest digit that is not 0; of the root, the first beyond all ranks
  while (distance < size && v % (distance * radix) == 0) distance *= radix;
  if (v > 0) tree.parent = static_cast<Rank>(v - v % (distance * radix));
  while ((distance /= radix) > 0) {
    const auto digits = static_cast<int>(std::min<std::int64_t>(radix - 1, (size - 1 - v) / distance));
    for (int i = 1; i <= digits; ++i)
      tree.children.push_back(static_cast<Rank>(v + distance * (farthest_first ? digits + 1 - i : i)));
  }
  return tree;
}

Tree binomial_tree_nearest_first(int size, int v) {
  Tree tree = knomial_tree(size, v, 2);
  std::reverse(tree.children.begin(), tree.children.end());
  return tree;
}

Tree binomial_tree_of_doubling(int size, int v) {
  const auto above = std::int64_t{std::bit_floor(static_cast<unsigned>(v))};  // 0 for the root
  Tree tree;
  if (v > 0) tree.parent = static_cast<Rank>(v - above);
  for (std::int64_t distance = std::max<std::int64_t>(1, 2 * above); v + distance < size; distance *= 2)
    tree.children.push_back(static_cast<Rank>(v + distance));
  return tree;
}

Tree in_order_binary_tree(int size, Rank rank) {
  Tree tree;
  Rank first = 0, last = size - 1;  // the subtree that the rank is in; its root is `last`
  while (rank != last) {
    const Rank middle = first + (last - first + 1) / 2 - 1;  // the last rank of the lower half
    tree.parent = last;
    if (rank <= middle) {
      last = middle;
    } else {
      first = middle + 1;
      --last;
    }
  }
  if (last > first) tree.children.push_back(last - 1);
  if (last - first > 1) tree.children.push_back(first + (last - first + 1) / 2 - 1);
  return tree;
}

Tree kary_tree(int size, int v, int fanout) {
  Tree tree;
  if (v > 0) tree.parent = (v - 1) / fanout;
  for (std::int64_t child = std::int64_t{v} * fanout + 1; child <= (std::int64_t{v} + 1) * fanout && child < size;
       ++child)
    tree.children.push_back(static_cast<Rank>(child));
  return tree;
}

Tree depth_first_knomial_tree(int size, int v, int radix) {
  Tree tree;
  std::int64_t ranks = 1;  // in the complete tree below `node`
  while (ranks < size) ranks *= radix;
  Rank node = 0;
  while (node != v) {  // down to the child whose subtree holds v
    std::int64_t child = node + 1;
    ranks /= radix;
    for (int i = 1; v >= child + ranks; ++i) {
      child += ranks;
      if (i % (radix - 1) == 0) ranks /= radix;
    }
    tree.parent = node;
    node = static_cast<Rank>(child);
  }
  std::int64_t child = v + 1;
  for (ranks /= radix; ranks > 0; ranks /= radix)
    for (int i = 1; i < radix; ++i, child += ranks)
      if (child < size) tree.children.push_back(static_cast<Rank>(child));
  return tree;
}

Tree tree_of_type(std::int64_t type, int size, int v, int radix) {
  switch (type) {
    case 0:
      return kary_tree(size, v, radix);
    case 1:
      return depth_first_knomial_tree(size, v, radix);
    case 2:
      return knomial_tree(size, v, radix, true);
    default:
      throw std::invalid_argument("a tree type is 0, 1 or 2");
  }
}

Tree rooted_at(Rank root, int size, Tree tree) {
  const auto real = [&](int v) { return static_cast<Rank>((std::int64_t{v} + root) % size); };
  if (tree.parent >= 0) tree.parent = real(tree.parent);
  for (Rank& child : tree.children) child = real(child);
  return tree;
}

}  // namespace tutti
