#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "runtime/verbs/wire.hpp"

namespace tutti::verbs {

/// Connect messages of ranks that are not connected yet, as unreliable datagrams on the first rail: they may be lost,
/// or come twice.
class Datagrams {
 public:
  /// Throws TeamError where the adapter refuses.
  explicit Datagrams(const Adapter& rail, ibv_comp_channel* wakes);
  std::uint32_t queue_pair() const { return queue_pair_->qp_num; }
  /// Sent, or lost: also where nothing more can be posted just now. Not 0: there is no way to the rank, for this
  /// reason.
  int send(Rank to, const Endpoint& endpoint, const ConnectMessage& message);
  /// Hands over what has come. True if anything has.
  bool receive(const std::function<void(const ConnectMessage&)>& handle);
  /// Not 0: the device has refused to send or to receive, for this reason; connect messages may be missed from now on.
  int trouble() const { return trouble_; }
  ibv_cq* completions() const { return completions_.get(); }

 private:
  static constexpr std::size_t kBuffers = 64, kGlobalHeader = 40;
  struct Buffer {
    std::byte global_header[kGlobalHeader];
    ConnectMessage message;
  };
  void post_receive(std::size_t buffer);

  const Adapter& rail_;
  int trouble_ = 0;
  std::vector<Buffer> received_;
  std::vector<ConnectMessage> sent_;
  std::vector<std::size_t> free_;  // of sent_
  MemoryRegion received_region_, sent_region_;
  CompletionQueue completions_;
  QueuePair queue_pair_;
  std::unordered_map<Rank, AddressHandle> ways_;
};

}  // namespace tutti::verbs
