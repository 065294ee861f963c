#include "selection/model_identity.hpp"

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

std::string loaded_identity() {
  std::string loaded;
  for (const std::string& path : plugins())
    loaded += "plug-in " + checksum_of(read_text_file(path).value_or("")) + "\n";
  return loaded;
}

}  // namespace

std::string proof_identity() { return loaded_identity() + "proof " + embedded::proof_fingerprint() + "\n"; }

std::string machine_identity(const std::string& text, const std::vector<std::string>& files) {
  std::string identity = text;
  for (const std::string& path : files)
    if (std::filesystem::is_regular_file(path)) identity += "\nfile " + checksum_of(read_text_file(path).value_or(""));
  return identity;
}

std::string model_identity(const std::string& machine) {
  return loaded_identity() + "model " + std::string(embedded::cost_model_fingerprint()) + "\nmachine " + machine + "\n";
}

std::string model_identity(const ReadMachine& machine) {
  return model_identity(machine_identity(machine.text, machine.files));
}

}  // namespace tutti
