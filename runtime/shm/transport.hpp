#pragma once

#include "runtime/transports.hpp"

namespace tutti {

/// Between ranks of a node: processes, or threads of one process.
std::unique_ptr<MessageTransport> make_shared_memory_transport(const TransportSetting& setting);

}  // namespace tutti
