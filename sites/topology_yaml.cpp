#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <optional>

#include "base/error.hpp"
#include "sites/switch_tree.hpp"

namespace tutti {
namespace {

// YAML of so many bytes describes a hundred thousand nodes; the library is slow and deep.
constexpr std::size_t kMostBytes = 8 << 20;

class Yaml {
 public:
  Yaml(const InputText& text, TreeBuilder& builder) : text_(text), builder_(builder) {}

  void read() {
    std::string whole;
    for (int i = 1; i <= text_.lines(); ++i) whole += std::string(text_.line(i)) + "\n";
    if (whole.size() > kMostBytes) throw text_.error(1, "expected at most 8 MiB of YAML");
    try {
      const YAML::Node root = YAML::Load(whole);
      const YAML::Node topology = chosen(root);
      if (topology["tree"]) return read_tree(topology["tree"]);
      if (topology["block"]) return read_blocks(topology["block"]);
      const std::string what = topology["flat"] ? "a flat topology, which groups no nodes"
                                                : fmt::format("neither tree nor block in topology {}",
                                                              scalar(topology, "topology").substr(0, 60));
      throw text_.error(line_of(topology), what + ": expected tree or block");
    } catch (const YAML::Exception& error) {
      throw text_.error(line_of(error.mark), fmt::format("expected YAML as Slurm reads it: {}", error.msg));
    }
  }

 private:
  int line_of(const YAML::Mark& mark) const {
    return mark.is_null() || mark.line < 0 || mark.line >= text_.lines() ? 1 : mark.line + 1;
  }
  int line_of(const YAML::Node& node) const { return line_of(node.Mark()); }

  YAML::Node list(const YAML::Node& node, const char* key) const {
    if (!node.IsMap() || !node[key] || !node[key].IsSequence())
      throw text_.error(line_of(node), fmt::format("expected a list '{}'", key));
    return node[key];
  }

  std::string scalar(const YAML::Node& node, const char* key) const {
    if (!node.IsMap()) throw text_.error(line_of(node), fmt::format("expected keys and values, '{}' among them", key));
    if (!node[key]) return "";
    if (!node[key].IsScalar()) throw text_.error(line_of(node[key]), fmt::format("expected a text as '{}'", key));
    return node[key].Scalar();
  }

  YAML::Node chosen(const YAML::Node& root) {
    if (!root.IsSequence() || root.size() == 0) throw text_.error(line_of(root), "expected a list of topologies");
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < root.size(); ++i)
      if (const std::string said = scalar(root[i], "cluster_default");
          said == "true" || said == "True" || said == "yes")
        found = i;
    if (root.size() > 1)
      builder_.note(fmt::format("{}: {} topologies, taken is {}", text_.file(), root.size(),
                                scalar(root[found.value_or(0)], "topology")));
    return root[found.value_or(0)];
  }

  void read_tree(const YAML::Node& tree) {
    for (const YAML::Node& one : list(tree, "switches"))
      builder_.add(scalar(one, "switch"), scalar(one, "nodes"), scalar(one, "children"), false, line_of(one));
  }

  void read_blocks(const YAML::Node& block) {
    for (const YAML::Node& one : list(block, "blocks"))
      builder_.add(scalar(one, "block"), scalar(one, "nodes"), "", true, line_of(one));
  }

  const InputText& text_;
  TreeBuilder& builder_;
};

}  // namespace

void add_yaml(const InputText& text, TreeBuilder& builder) { Yaml(text, builder).read(); }

}  // namespace tutti
