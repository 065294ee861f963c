#include "selection/losses.hpp"

#include <algorithm>

#include "selection/protocol.hpp"

namespace tutti {

double Losses::most_seconds() const { return may_be() ? std::max(messages, 1.0) * each_seconds : 0; }

Losses losses_of(const Machine& machine, const Choice& real, const std::optional<Counts>& counts, const Case& c,
                 const Place& place) {
  if (place.nodes == 1 || !counts) return {};
  const Transport& transport = machine.transport(Distance::network);
  if (transport.retransmitted_share == 0) return {};
  const std::vector<Protocol> protocols = protocols_of(machine, {Distance::network}, real, counts, c, place.ppn);
  if (std::all_of(protocols.begin(), protocols.end(), [](const Protocol& p) { return p.eager; })) return {};
  return {transport.retransmitted_share * counts->messages, transport.retransmission_seconds};
}

}  // namespace tutti
