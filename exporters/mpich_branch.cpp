#include "exporters/mpich_branch.hpp"

#include <bit>
#include <limits>
#include <stdexcept>

#include "exporters/mpich_compositions.hpp"
#include "exporters/mpich_names.hpp"

namespace tutti {
namespace {

std::string said(const std::string& name, std::int64_t value) {
  if (name == "tree_type") return std::string("tree_type=") + kMpichTrees[value];
  return (name == "radix" ? "k=" : "chunk_size=") + std::to_string(value);
}

/// The size that the library compares.
const char* size_key(Collective c) {
  return c == Collective::bcast || c == Collective::allreduce || c == Collective::reduce ? "avg_msg_size"
                                                                                         : "total_msg_size";
}

class Branch {
 public:
  explicit Branch(Collective collective) : collective_(collective) {
    const MpichTree& all = mpich_default().at(mpich_key(collective));
    intra_ = mpich_own(collective);
    inter_ = all.contains("comm_type=inter") ? all.at("comm_type=inter") : all;
  }

  MpichTree tree(std::span<const FileRules> rules) const {
    MpichTree said = by_ppn(rules);
    // Ours are chosen for operators that commute and calls with buffers of their own.
    // The library stops where a scan is asked about its operator.
    const bool is_scan = collective_ == Collective::scan || collective_ == Collective::exscan;
    if (is_reduction(collective_) && !is_scan) said = {{"is_commutative=yes", said}, {"is_commutative=no", intra_}};
    if (collective_ == Collective::alltoall)
      said = {{"is_sendbuf_inplace=yes", intra_}, {"is_sendbuf_inplace=no", said}};
    return {{"comm_type=intra", said}, {"comm_type=inter", inter_}};
  }

 private:
  MpichTree by_ppn(std::span<const FileRules> rules) const {
    MpichTree tree;
    int expected = 1;
    for (std::size_t begin = 0; begin < rules.size();) {
      const int ppn = rules[begin].layout.kind;
      std::size_t end = begin;
      while (end < rules.size() && rules[end].layout.kind == ppn) ++end;
      if (ppn > expected) tree["comm_avg_ppn<=" + std::to_string(ppn - 1)] = intra_;
      tree["comm_avg_ppn<=" + std::to_string(ppn)] = by_ranks(rules.subspan(begin, end - begin), ppn);
      expected = ppn + 1;
      begin = end;
    }
    tree["comm_avg_ppn=any"] = intra_;
    return tree;
  }

  MpichTree by_ranks(std::span<const FileRules> rules, int ppn) const {
    MpichTree tree;
    int expected = 1;  // no communicator has fewer
    for (const FileRules& each : rules) {
      const int first = each.layout.size * ppn;
      if (first > expected) tree["comm_size<=" + std::to_string(first - 1)] = intra_;
      const MpichTree sizes = by_power(each, ppn);
      if (each.last_size == FileRules::kNoEnd) {
        tree["comm_size=any"] = sizes;
        return tree;
      }
      tree["comm_size<=" + std::to_string(each.last_size * ppn)] = sizes;
      expected = each.last_size * ppn + 1;
    }
    tree["comm_size=any"] = intra_;
    return tree;
  }

  /// Some choices are another algorithm where the ranks are no power of two; MPICH stops where it is told the first.
  MpichTree by_power(const FileRules& each, int ppn) const {
    const auto is_power = [&](int size) { return std::has_single_bit(static_cast<unsigned>(size * ppn)); };
    const int first = each.layout.size;
    MpichTree here = by_size(each, first * ppn);
    for (const int size : {first + 1, first + 2, static_cast<int>(std::bit_ceil(static_cast<unsigned>(first)))}) {
      if (size > each.last_size || is_power(size) == is_power(first)) continue;
      const MpichTree there = by_size(each, size * ppn);
      if (there == here) break;
      return {{"comm_size=pow2", is_power(first) ? here : there}, {"comm_size=any", is_power(first) ? there : here}};
    }
    return here;
  }

  MpichTree by_size(const FileRules& each, int ranks) const {
    const std::string key = size_key(collective_);
    MpichTree tree;
    for (const Rule& rule : each.rules) {
      MpichTree leaf = rule.algorithm == kOwnChoice ? intra_ : leaf_for(rule, ranks);
      if (rule.to_bytes == Rule::kUnlimited) {
        if (tree.empty()) return leaf;
        tree[key + "=any"] = leaf;
        return tree;
      }
      const bool is_too_large = rule.to_bytes > std::numeric_limits<int>::max();
      tree[key + "<=" + std::to_string(is_too_large ? std::numeric_limits<int>::max() : rule.to_bytes)] = leaf;
      if (is_too_large) break;
    }
    tree[key + "=any"] = intra_;  // from where on the library cannot compare
    return tree;
  }

  MpichTree leaf_for(const Rule& rule, int ranks) const {
    Case c{collective_, ranks, 0, default_element_bytes(collective_)};
    c.count = ranks;  // enough for those that fall back where there are few elements, which are guarded below
    const Choice choice = resolve(parse_choice(collective_, rule.algorithm), c);
    const Algorithm& algorithm = *choice.algorithm;
    const Library::Name* known = name_of(mpich_names(), choice);
    if (!known) throw std::logic_error("MPICH has no name for " + choice.text());
    MpichTree parameters = MpichTree::object();
    for (const auto& [name, value] : choice.parameters)
      if (known->is_told(name)) parameters[said(name, value)] = MpichTree::object();
    for (const std::string& each : known->with) parameters[each] = MpichTree::object();
    MpichTree leaf{{"algorithm=" + known->theirs, parameters}};
    if (known->theirs == "MPIR_Scan_intra_smp")
      return {{"is_node_consecutive=yes", leaf}, {"is_node_consecutive=no", intra_}};
    if (known->theirs == "MPIR_Reduce_scatter_intra_noncommutative")
      return {{"is_block_regular=yes", leaf}, {"is_block_regular=no", intra_}};
    if (algorithm.is_by_node())
      return {{"comm_hierarchy=parent", where_inside_is_ours(leaf, rule)}, {"comm_hierarchy=any", intra_}};
    if (algorithm.name() == "rabenseifner")
      return {{"is_op_built_in=yes", {{"count<pow2", intra_}, {"count=any", leaf}}}, {"is_op_built_in=no", intra_}};
    return leaf;
  }

  /// What MPICH's algorithms by node run on nodes and between them, it selects; up to these sizes that is what ours do.
  MpichTree where_inside_is_ours(const MpichTree& leaf, const Rule& rule) const {
    const auto up_to = [&](std::int64_t bytes) -> MpichTree {
      if (rule.to_bytes <= bytes) return leaf;
      if (rule.from_bytes > bytes) return intra_;
      return {{"avg_msg_size<=" + std::to_string(bytes), leaf}, {"avg_msg_size=any", intra_}};
    };
    switch (collective_) {
      case Collective::bcast:
        return up_to(12288);
      case Collective::reduce:
        return up_to(2048);
      case Collective::allreduce:
        return {{"is_op_built_in=no", leaf}, {"is_op_built_in=yes", up_to(8)}};
      default:
        return leaf;
    }
  }

  const Collective collective_;
  MpichTree intra_, inter_;
};

}  // namespace

MpichTree mpich_branch(Collective collective, std::span<const FileRules> rules) {
  return Branch(collective).tree(rules);
}

}  // namespace tutti
