#include "sites/slurm_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
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

/// As its keys say it; 0: not said.
struct Keys {
  std::int64_t boards = 0, sockets = 0, sockets_per_board = 0, cores_per_socket = 0, threads_per_core = 0, cpus = 0;
};

/// As slurm.conf(5) says: counts that lack are 1, but for one that CPUs leave open. Of a node of CPUs alone Slurm has
/// as many sockets; here they are one socket's cores.
void set_shape(SlurmNode& node, const Keys& keys) {
  const std::int64_t boards = std::max<std::int64_t>(keys.boards, 1),
                     threads = std::max<std::int64_t>(keys.threads_per_core, 1);
  std::int64_t sockets = keys.sockets > 0 ? keys.sockets : keys.sockets_per_board * boards,
               cores = keys.cores_per_socket;
  node.missing.clear();
  if (sockets == 0 && cores > 0) {
    sockets = std::max<std::int64_t>(keys.cpus / (cores * threads), 1);
    node.missing = fmt::format("Sockets, taken as {}", sockets);
  } else if (cores == 0 && keys.cpus > 0) {
    node.missing = sockets == 0 ? "Sockets and CoresPerSocket" : "CoresPerSocket";
    sockets = std::max<std::int64_t>(sockets, 1);
    cores = std::max<std::int64_t>(keys.cpus / (sockets * threads), 1);
    node.missing += fmt::format(", taken as {} x {}", sockets, cores);
  } else if (cores == 0) {
    node.missing = "CoresPerSocket or CPUs";
  }
  node.sockets = static_cast<int>(std::min(sockets, kMostCores));
  node.cores_per_socket = static_cast<int>(cores);
}

/// A node that scontrol prints in one line has its kernel's "#1 SMP" in it, which begins no comment, and ends in free
/// text of administrators.
std::string record_line(const InputText& text, int& line) {
  const std::string_view here = text.line(line);
  if (here.find(" CPUAlloc=") == std::string_view::npos) return slurm_line(text, line);
  std::size_t end = here.size();
  for (const char* free_text : {" Comment=", " Extra=", " Reason="}) end = std::min(end, here.find(free_text));
  return std::string(here.substr(0, end));
}

}  // namespace

std::vector<SlurmNode> read_slurm_nodes(const std::filesystem::path& file) {
  const InputText text = InputText::load(file, "nodes as scontrol shows them");
  // CPUTot is what scontrol shows of CPUs.
  const std::map<std::string, std::int64_t Keys::*> of_shape{{"boards", &Keys::boards},
                                                             {"sockets", &Keys::sockets},
                                                             {"socketsperboard", &Keys::sockets_per_board},
                                                             {"corespersocket", &Keys::cores_per_socket},
                                                             {"threadspercore", &Keys::threads_per_core},
                                                             {"cpus", &Keys::cpus},
                                                             {"cputot", &Keys::cpus}};
  std::vector<SlurmNode> nodes;
  std::set<std::string> known;
  std::size_t record = 0;  // where the nodes of the current record begin
  Keys keys;               // of the current record
  for (int i = 1; i <= text.lines(); ++i) {
    const std::string_view line = trim(text.line(i));
    // Free text of administrators may hold anything.
    if (line.starts_with("Reason=") || line.starts_with("Comment=") || line.starts_with("OS=") ||
        line.starts_with("Extra=") || line.starts_with("["))
      continue;
    const int first = i;
    for (const auto& word : slurm_words(text, first, record_line(text, i))) {
      const std::string &key = word.first, &value = word.second;
      const auto given = [&](std::int64_t most) {
        if (nodes.empty())
          throw text.error(first, fmt::format("{} before any NodeName, expected NodeName=… first", key));
        return number(text, first, key, value, most);
      };
      if (key == "nodename") {
        record = nodes.size();
        keys = {};
        try {
          for (const std::string& name : expand_hosts(value)) {
            if (name == "DEFAULT")
              throw InputError("NodeName=DEFAULT, expected the nodes' own lines (scontrol show nodes prints them)");
            if (!known.insert(name).second)
              throw InputError(fmt::format("node {} a second time, expected each once", name));
            nodes.push_back({name, 0, 0, 0, first});
            set_shape(nodes.back(), keys);
            if (nodes.size() > kMostNodes) throw InputError("expected at most 2^18 nodes");
          }
        } catch (const InputError& error) {
          throw text.error(first, error.what());
        }
      } else if (const auto member = of_shape.find(key); member != of_shape.end()) {
        keys.*member->second = given(kMostCores);
        for (std::size_t n = record; n < nodes.size(); ++n) set_shape(nodes[n], keys);
      } else if (key == "realmemory") {
        const std::int64_t bytes = given(kMostMegabytes) << 20;
        for (std::size_t n = record; n < nodes.size(); ++n) nodes[n].memory_bytes = bytes;
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
