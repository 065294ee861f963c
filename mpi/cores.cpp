#include "mpi/cores.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace tutti::mpi {
namespace {

namespace fs = std::filesystem;

/// The first word of a file; empty: it is not there.
std::string word_of(const fs::path& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

/// The processors that share the last cache, which holds data.
std::string last_cache(const fs::path& processor) {
  std::string shared;
  int level = 0;
  for (int index = 0; fs::exists(processor / "cache" / ("index" + std::to_string(index))); ++index) {
    const fs::path cache = processor / "cache" / ("index" + std::to_string(index));
    const std::string of = word_of(cache / "level");
    if (word_of(cache / "type") == "Instruction" || of.empty() || std::stoi(of) <= level) continue;
    level = std::stoi(of);
    shared = word_of(cache / "shared_cpu_list");
  }
  return shared;
}

std::string numa_node(const fs::path& processor) {
  for (const auto& entry : fs::directory_iterator(processor)) {
    std::string name = entry.path().filename();
    if (name.starts_with("node") && name.size() > 4 && std::isdigit(static_cast<unsigned char>(name[4]))) return name;
  }
  return "";
}

}  // namespace

std::vector<Core> read_cores(const std::string& devices, const std::vector<int>& processors) {
  std::vector<Core> cores;
  std::vector<std::string> seen;
  for (const int number : processors) {
    const fs::path processor = fs::path(devices) / ("cpu" + std::to_string(number));
    const std::string threads = word_of(processor / "topology" / "thread_siblings_list");
    if (threads.empty())
      throw std::runtime_error(processor.string() + "/topology/thread_siblings_list: expected the threads of a core");
    if (std::find(seen.begin(), seen.end(), threads) != seen.end()) continue;
    seen.push_back(threads);
    cores.push_back(
        {number, last_cache(processor), numa_node(processor), word_of(processor / "topology" / "physical_package_id")});
  }
  return cores;
}

std::string shared_by(const Core& a, const Core& b) {
  const auto same = [](const std::string& one, const std::string& other) { return !one.empty() && one == other; };
  return same(a.cache, b.cache)     ? "cache"
         : same(a.numa, b.numa)     ? "numa"
         : same(a.socket, b.socket) ? "socket"
                                    : "node";
}

std::optional<std::pair<int, int>> pair_that_shares(const std::vector<Core>& cores, const std::string& what) {
  for (std::size_t i = 0; i < cores.size(); ++i)
    for (std::size_t j = i + 1; j < cores.size(); ++j)
      if (shared_by(cores[i], cores[j]) == what) return std::pair(cores[i].processor, cores[j].processor);
  return std::nullopt;
}

}  // namespace tutti::mpi
