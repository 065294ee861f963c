#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/machine.hpp"

namespace tutti {

/// A number of bytes at which costs of the machine change at once, by its JSON pointer.
struct ProtocolLimit {
  std::string pointer;
  std::int64_t bytes;
};

/// Of a job of so many ranks. `document` is the machine's JSON.
std::vector<ProtocolLimit> limits_of(const Machine& machine, const nlohmann::json& document, int ranks);
/// The machine as a job of so many ranks finds it, with these limits elsewhere.
Machine with_limits(const Machine& machine, const nlohmann::json& document, int ranks,
                    const std::vector<std::string>& pointers, std::int64_t bytes);

}  // namespace tutti
