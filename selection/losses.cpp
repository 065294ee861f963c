#include "selection/losses.hpp"

#include <fmt/core.h>

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

std::string losses_note(const Machine& machine) {
  const Transport& transport = machine.transport(Distance::network);
  return fmt::format(
      "times on {} may have messages in them that are lost and sent again: of those between nodes that are not eager "
      "one in {:.6g}, {:.6g} us later",
      machine.name, 1 / transport.retransmitted_share, transport.retransmission_seconds * 1e6);
}

}  // namespace tutti
