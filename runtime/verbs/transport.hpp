#pragma once

#include "runtime/transports.hpp"

namespace tutti {

/// Between nodes, over InfiniBand or RoCE: one reliable connection per pair and rail, made when the first message asks
/// for it. A short message is sent as one packet, from a copy; of a longer one the receiver is told where it lies and
/// fetches it (RDMA read), striped over all rails. Used where every rank has an adapter (verbs::open_adapters()).
std::unique_ptr<MessageTransport> make_verbs_transport(const TransportSetting& setting);

}  // namespace tutti
