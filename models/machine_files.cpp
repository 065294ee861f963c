#include "models/machine_files.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace tutti {

std::vector<std::string> machine_files(const std::string& name_or_path, const std::string& text) {
  const std::vector<std::string> names = machine_names();
  if (std::find(names.begin(), names.end(), name_or_path) != names.end()) return {};
  std::vector<std::string> files{name_or_path};
  const auto machine = nlohmann::json::parse(text, nullptr, false);
  const nlohmann::json::json_pointer cables("/network/graph/file");
  if (machine.is_object() && machine.contains(cables) && machine[cables].is_string())
    files.push_back((std::filesystem::path(name_or_path).parent_path() / machine[cables].get<std::string>()).string());
  return files;
}

std::vector<std::string> machine_files(const std::string& name_or_path) {
  return machine_files(name_or_path, machine_source(name_or_path));
}

ReadMachine read_machine(const std::string& name_or_path) {
  const std::string text = machine_source(name_or_path);
  return {name_or_path, text, machine_files(name_or_path, text), parse_machine(text, name_or_path)};
}

}  // namespace tutti
