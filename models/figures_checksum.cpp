#include "models/figures_checksum.hpp"

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace tutti {

std::string figures_checksum(const std::string& machine_text) {
  const nlohmann::json machine = nlohmann::json::parse(machine_text);
  std::uint64_t sum = 0xcbf29ce484222325;  // FNV-1a
  for (const char* part : {"network", "node", "transport", "compute"})
    for (const char c : machine.at(part).dump() + "\n") sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum));
  return digits;
}

}  // namespace tutti
