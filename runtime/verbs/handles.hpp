#pragma once

#include <infiniband/verbs.h>

#include <memory>

namespace tutti::verbs {

/// Owners of what libibverbs hands out. Destroy in the reverse order of making: queue pairs before their completion
/// queues, everything before its protection domain, that before its context.
template <auto release>
struct Release {
  template <typename T>
  void operator()(T* object) const {
    release(object);
  }
};
using Context = std::unique_ptr<ibv_context, Release<ibv_close_device>>;
using ProtectionDomain = std::unique_ptr<ibv_pd, Release<ibv_dealloc_pd>>;
using CompletionChannel = std::unique_ptr<ibv_comp_channel, Release<ibv_destroy_comp_channel>>;
using CompletionQueue = std::unique_ptr<ibv_cq, Release<ibv_destroy_cq>>;
using SharedReceiveQueue = std::unique_ptr<ibv_srq, Release<ibv_destroy_srq>>;
using QueuePair = std::unique_ptr<ibv_qp, Release<ibv_destroy_qp>>;
using MemoryRegion = std::unique_ptr<ibv_mr, Release<ibv_dereg_mr>>;
using AddressHandle = std::unique_ptr<ibv_ah, Release<ibv_destroy_ah>>;

}  // namespace tutti::verbs
