#pragma once

#include "runtime/transports.hpp"

namespace tutti {

/// Over TCP, between ranks that no faster transport joins. Of two ranks each has a connection of its own for what it
/// sends, made when the first message asks for it. A message of up to 64 KiB is sent at once; a longer one is
/// announced, and sent when the receiver wants it. A peer that answers nothing for TUTTI_TCP_SECONDS (10 by default) is
/// reported as failed.
std::unique_ptr<MessageTransport> make_tcp_transport(const TransportSetting& setting);

}  // namespace tutti
