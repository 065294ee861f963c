#include "sites/slurm_nodes.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "sites/host_list.hpp"
#include "sites/slurm_lines.hpp"

namespace tutti {
namespace {

constexpr std::size_t kMostNodes = std::size_t{1} << 18;
constexpr std::int64_t kMostCores = 262144;                     // as in machine files
constexpr std::int64_t kMostMegabytes = std::int64_t{1} << 30;  // 2^50 bytes

std::int64_t number(const InputText& text, int line, const std::string& key, const std::string& value,
                    std::int64_t most) {
  std::int64_t result = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
  if (error != std::errc() || end != value.data() + value.size() || result < 1 || result > most)
    throw text.error(line, fmt::format("{}={}, expected a number of 1 to {}", key, value, most));
  return result;
}

}  // namespace

std::vector<SlurmNode> read_slurm_nodes(const std::filesystem::path& file) {
  const InputText text = InputText::load(file, "nodes as scontrol shows them");
  std::vector<SlurmNode> nodes;
  std::set<std::string> known;
  std::size_t record = 0;  // where the nodes of the current record begin
  for (int i = 1; i <= text.lines(); ++i) {
    const std::string_view line = trim(text.line(i));
    // Free text of administrators may hold anything.
    if (line.starts_with("Reason=") || line.starts_with("Comment=") || line.starts_with("OS=") ||
        line.starts_with("Extra=") || line.starts_with("["))
      continue;
    const int first = i;
    for (const auto& word : slurm_words(text, first, slurm_line(text, i))) {
      const std::string &key = word.first, &value = word.second;
      const auto set = [&](auto SlurmNode::*member, std::int64_t most, std::int64_t unit = 1) {
        if (nodes.empty())
          throw text.error(first, fmt::format("{} before any NodeName, expected NodeName=… first", key));
        const std::int64_t found = number(text, first, key, value, most) * unit;
        for (std::size_t n = record; n < nodes.size(); ++n)
          nodes[n].*member = static_cast<std::remove_reference_t<decltype(nodes[n].*member)>>(found);
      };
      if (key == "nodename") {
        record = nodes.size();
        try {
          for (const std::string& name : expand_hosts(value)) {
            if (name == "DEFAULT")
              throw InputError("NodeName=DEFAULT, expected the nodes' own lines (scontrol show nodes prints them)");
            if (!known.insert(name).second)
              throw InputError(fmt::format("node {} a second time, expected each once", name));
            nodes.push_back({name, 0, 0, 0, first});
            if (nodes.size() > kMostNodes) throw InputError("expected at most 2^18 nodes");
          }
        } catch (const InputError& error) {
          throw text.error(first, error.what());
        }
      } else if (key == "sockets" || key == "socketsperboard") {
        set(&SlurmNode::sockets, kMostCores);
      } else if (key == "corespersocket") {
        set(&SlurmNode::cores_per_socket, kMostCores);
      } else if (key == "realmemory") {
        set(&SlurmNode::memory_bytes, kMostMegabytes, 1 << 20);
      }
    }
  }
  if (nodes.empty()) throw text.error(1, "no node in all of the file, expected NodeName=…");
  return nodes;
}

CommonNode common_node(const std::vector<SlurmNode>& nodes) {
  const auto shape = [](const SlurmNode& node) {
    return std::tuple(node.sockets, node.cores_per_socket, node.memory_bytes);
  };
  std::map<std::tuple<int, int, std::int64_t>, int> alike;
  for (const SlurmNode& node : nodes) ++alike[shape(node)];
  CommonNode common{nodes.front(), {}};
  for (const SlurmNode& node : nodes)
    if (alike[shape(node)] > alike[shape(common.node)]) common.node = node;
  for (const SlurmNode& node : nodes)
    if (shape(node) != shape(common.node)) common.others.push_back(node.name);
  return common;
}

}  // namespace tutti
