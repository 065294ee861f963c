#pragma once

#include <string>

namespace tutti {

/// Text as a field of a CSV (RFC 4180): between quotes where it holds a comma, a quote or a line end, as choices with
/// parts do ("hier(node=flat,global=ring)").
inline std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace tutti
