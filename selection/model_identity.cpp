#include "selection/model_identity.hpp"

#include <bit>
#include <filesystem>

#include "json/text_file.hpp"
#include "selection/part_file.hpp"
#include "selection/plugins.hpp"

namespace tutti {
namespace embedded {
const char* cost_model_fingerprint();
const char* proof_fingerprint();
}  // namespace embedded

namespace {

/// A machine file may name further files, so its text is not all: what they make of the network is added up.
std::uint64_t network_checksum(const Network& network) {
  std::uint64_t sum = 0xcbf29ce484222325;  // FNV-1a over words
  const auto add = [&](std::uint64_t word) { sum = (sum ^ word) * 0x100000001b3; };
  for (const Link& link : network.links()) {
    add(std::bit_cast<std::uint64_t>(link.bandwidth_bytes_per_second));
    add(std::bit_cast<std::uint64_t>(link.latency_seconds));
    add(link.shared);
  }
  std::vector<LinkId> route;
  for (int node = 1; node < network.nodes(); ++node)
    for (const int other : {0, node - 1}) {
      network.route(other * network.cores_per_node(), node * network.cores_per_node(), route);
      for (const LinkId link : route) add(link);
    }
  return sum;
}

std::string loaded_identity() {
  std::string loaded;
  for (const std::string& path : plugins())
    loaded += "plug-in " + checksum_of(read_text_file(path).value_or("")) + "\n";
  return loaded;
}

}  // namespace

std::string proof_identity() { return loaded_identity() + "proof " + embedded::proof_fingerprint() + "\n"; }

std::string model_identity(const std::string& machine_text, const Network& network) {
  return loaded_identity() + "model " + std::string(embedded::cost_model_fingerprint()) + "\nmachine " + machine_text +
         "\nnetwork " + std::to_string(network_checksum(network)) + "\n";
}

std::string model_identity(const ReadMachine& machine) {
  std::string files;
  for (const std::string& path : machine.files)
    if (std::filesystem::is_regular_file(path))
      files += "file " + checksum_of(read_text_file(path).value_or("")) + "\n";
  return model_identity(machine.text, *machine.machine.network) + files;
}

}  // namespace tutti
