#include "sites/slurm_topology.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "calibration/input_text.hpp"
#include "sites/host_list.hpp"
#include "sites/slurm_lines.hpp"
#include "sites/switch_tree.hpp"

namespace tutti {
namespace {

void add_line(const InputText& text, int line, std::string_view said, TreeBuilder& builder) {
  std::string name, nodes, switches;
  bool is_block = false;
  const auto words = slurm_words(text, line, said);
  if (words.empty()) return;
  for (const auto& [key, value] : words) {
    if (key == "switchname" || key == "blockname") {
      name = value;
      is_block = key == "blockname";
    } else if (key == "nodes") {
      nodes = value;
    } else if (key == "switches") {
      switches = value;
    } else if ((key == "blocksizes" && words.size() == 1) || key == "aggregatedblock") {
      return;  // blocks taken together, which have lines of their own
    } else if (key != "level" && key != "linkspeed" && key != "blockindex" && key != "blocksize") {
      throw text.error(
          line, fmt::format("key '{}', expected SwitchName or BlockName, Nodes, Switches, Level or LinkSpeed", key));
    }
  }
  if (name.empty()) throw text.error(line, "expected SwitchName=NAME or BlockName=NAME");
  builder.add(name, nodes, switches, is_block, line);
}

bool is_yaml(const std::filesystem::path& file, const InputText& text) {
  if (file.extension() == ".yaml" || file.extension() == ".yml") return true;
  for (int i = 1; i <= text.lines(); ++i) {
    const std::string_view line = trim(text.line(i));
    if (line.empty() || line.front() == '#') continue;
    return line.starts_with("-") || line.starts_with("topology:");
  }
  return false;
}

}  // namespace

SwitchTree read_slurm_topology(const std::filesystem::path& file) {
  const InputText text = InputText::load_open_ended(file, "a Slurm topology");
  TreeBuilder builder(text);
  if (!text.ends())
    builder.note(
        fmt::format("{}:{}: the file ends inside this line, which is taken as whole", text.file(), text.lines()));
  if (is_yaml(file, text)) {
    add_yaml(text, builder);
  } else {
    for (int i = 1; i <= text.lines(); ++i) {
      const int first = i;
      add_line(text, first, slurm_line(text, i), builder);
    }
  }
  return std::move(builder).done();
}

}  // namespace tutti
