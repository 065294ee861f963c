#pragma once

#include <string>

namespace tutti {

/// Equal for two processes exactly if they can share memory: the same boot of the same kernel, host name, /dev/shm, and
/// view of process ids (containers differ in one of them).
std::string shared_memory_domain();

/// Equal for processes of one host, containers or not.
std::string host_identity();

/// Equal for processes of one host that have the same network interfaces.
std::string network_domain();

}  // namespace tutti
