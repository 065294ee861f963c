#include "exporters/mpich_compositions.hpp"

#include <algorithm>
#include <iterator>

#include "algos/registry.hpp"

namespace tutti {
namespace {

MpichTree composition(Collective collective, const std::string& greek) {
  std::string name(name_of(collective));
  name.front() = static_cast<char>(name.front() - 'a' + 'A');
  return {{"composition=MPIDI_" + name + "_intra_composition_" + greek, MpichTree::object()}};
}

/// How the device leaves a call alone.
const char* leaving(Collective collective) {
  return collective == Collective::bcast || collective == Collective::reduce ? "gamma" : "beta";
}

/// What the device does by itself with a call of one communicator's ranks. Sizes of communicators are compared with
/// `<=`, which MPICH gets right wherever it stands (mpich_tree.cpp).
MpichTree own_composition(Collective collective) {
  const auto greek = [&](const char* letter) { return composition(collective, letter); };
  switch (collective) {
    case Collective::bcast: {
      const MpichTree hierarchy{
          {"comm_size<=7", greek("alpha")},
          {"comm_size=pow2",
           {{"avg_msg_size<12288", greek("alpha")},
            {"avg_msg_size<524288", greek("beta")},
            {"avg_msg_size=any", greek("gamma")}}},
          {"comm_size=any", {{"avg_msg_size<12288", greek("alpha")}, {"avg_msg_size=any", greek("gamma")}}}};
      return {{"comm_hierarchy=parent", hierarchy}, {"comm_hierarchy=any", greek("gamma")}};
    }
    case Collective::allreduce: {
      const MpichTree hierarchy{{"is_commutative=yes", greek("alpha")}, {"is_commutative=no", greek("beta")}};
      return {{"comm_size=node_comm_size", greek("gamma")},
              {"comm_size=any", {{"comm_hierarchy=parent", hierarchy}, {"comm_hierarchy=any", greek("beta")}}}};
    }
    case Collective::reduce: {
      const MpichTree commuting{{"avg_msg_size<=2048", greek("beta")}, {"avg_msg_size=any", greek("alpha")}};
      return {{"comm_hierarchy=parent", {{"is_commutative=yes", commuting}, {"is_commutative=no", greek("gamma")}}},
              {"comm_hierarchy=any", greek("gamma")}};
    }
    case Collective::barrier:
      return {{"comm_hierarchy=parent", greek("alpha")}, {"comm_hierarchy=any", greek("beta")}};
    default:  // scan
      return {{"is_node_consecutive=yes", greek("alpha")}, {"is_node_consecutive=no", greek("beta")}};
  }
}

MpichTree compositions_for(const MpichTree& tree, Collective collective) {
  if (tree == mpich_own(collective)) return own_composition(collective);
  if (tree.begin().key().starts_with("algorithm=")) return composition(collective, leaving(collective));
  MpichTree changed;
  for (const auto& [key, below] : tree.items()) changed[key] = compositions_for(below, collective);
  return changed;
}

}  // namespace

bool is_composed(Collective collective) {
  constexpr Collective kComposed[] = {Collective::allreduce, Collective::barrier, Collective::bcast, Collective::reduce,
                                      Collective::scan};
  return std::find(std::begin(kComposed), std::end(kComposed), collective) != std::end(kComposed);
}

const MpichTree& mpich_own(Collective collective) {
  const MpichTree& all = mpich_default().at(mpich_key(collective));
  return all.contains("comm_type=intra") ? all.at("comm_type=intra") : all;
}

MpichTree mpich_compositions(const MpichTree& file) {
  MpichTree root;  // where it has nothing, the device leaves calls alone
  for (int i = 0; i < kCollectives; ++i) {
    const auto collective = static_cast<Collective>(i);
    if (!is_composed(collective)) continue;
    const std::string key = mpich_key(collective);
    const MpichTree& tree = file.at(key);
    const MpichTree& intra = tree.contains("comm_type=intra") ? tree.at("comm_type=intra") : tree;
    root[key] = {{"comm_type=intra", compositions_for(intra, collective)}};
  }
  return root;
}

bool keeps_composition(const MpichTree& file, Collective collective, const std::vector<std::string>& path) {
  if (!is_composed(collective)) return false;
  const MpichTree* here = &file;
  for (const std::string& key : path) {
    here = &here->at(key);
    if (*here == mpich_own(collective)) return true;
  }
  return false;
}

}  // namespace tutti
