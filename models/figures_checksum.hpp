#pragma once

#include <string>

namespace tutti {

/// Of all that a machine's text says of its network, nodes, messages and computing, whatever it is called and however
/// it is laid out: 16 hexadecimal digits, against mistakes, not against malice. The text must be a machine's.
std::string figures_checksum(const std::string& machine_text);

}  // namespace tutti
