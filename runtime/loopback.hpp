#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/transport.hpp"

namespace tutti {

/// From a rank to itself.
class Loopback final : public MessageTransport {
 public:
  Loopback(Rank self, Inbox& inbox) : self_(self), inbox_(inbox) {}
  std::string_view name() const override { return "loopback"; }
  bool reaches(Rank peer) const override { return peer == self_; }
  bool send(Rank, const Envelope& envelope, const Region& what, Ticket ticket) override {
    offers_.emplace(next_, Offer{what, ticket});
    inbox_.offered(self_, envelope, next_++);
    return false;
  }
  void accept(Rank, std::uint64_t offer, const Region& into, Ticket ticket) override {
    arrived_.push_back({into, ticket, offers_.extract(offer).mapped()});
  }
  bool progress() override {
    if (arrived_.empty()) return false;
    const auto now = std::exchange(arrived_, {});
    for (const Arrival& arrival : now) {
      copy(arrival.into, arrival.from.what);
      inbox_.sent(arrival.from.ticket);
      inbox_.received(arrival.ticket);
    }
    return true;
  }

 private:
  struct Offer {
    Region what;
    Ticket ticket;
  };
  struct Arrival {
    Region into;
    Ticket ticket;
    Offer from;
  };
  Rank self_;
  Inbox& inbox_;
  std::uint64_t next_ = 0;
  std::unordered_map<std::uint64_t, Offer> offers_;
  std::vector<Arrival> arrived_;
};

}  // namespace tutti
