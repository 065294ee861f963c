#pragma once
// The texts that the build embeds (models/embed.cmake).

#include <map>
#include <string>

namespace tutti {

/// Machine files by name.
const std::map<std::string, std::string>& embedded_machines();
const std::string& embedded_schema();

}  // namespace tutti
