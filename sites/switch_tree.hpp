#pragma once

#include <map>
#include <string>

#include "calibration/input_text.hpp"
#include "sites/slurm_topology.hpp"

namespace tutti {

/// Puts a tree together from its switches in any order.
class TreeBuilder {
 public:
  explicit TreeBuilder(const InputText& text) : text_(text) { tree_.file = text.file(); }

  /// `nodes` and `switches` are Slurm's lists, empty where there is none. Throws where the name comes twice.
  void add(const std::string& name, const std::string& nodes, const std::string& switches, bool is_block, int line);
  void note(std::string text) { tree_.notes.push_back(std::move(text)); }
  /// Throws where there are no switches with nodes.
  SwitchTree done() &&;

 private:
  void join_blocks();
  /// Indices of the switches, those below first. Notes what is no tree.
  std::vector<int> from_below();
  void keep_nodes_where_they_hang();

  const InputText& text_;
  SwitchTree tree_;
  std::map<std::string, int> by_name_;
  std::vector<std::string> blocks_;
  std::size_t names_ = 0;
};

/// Slurm's topology.yaml (25.05 and later). Of several topologies the one with cluster_default, else the first.
void add_yaml(const InputText& text, TreeBuilder& builder);

}  // namespace tutti
