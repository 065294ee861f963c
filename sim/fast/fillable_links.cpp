#include "sim/fast/fillable_links.hpp"

#include <algorithm>
#include <limits>

#include "sim/fast/fingerprint.hpp"

namespace tutti::fast {
namespace {

/// Going through what an algorithm posts costs little beside simulating it, but is not to take minutes either.
constexpr double kMostMessages = 1 << 26;

/// The adapters that send over trunks and receive from them.
class Users {
 public:
  Users(const Network& network, const std::vector<bool>& can_fill)
      : network_(network),
        fabric_links_(network.fabric().links().size()),
        per_node_((network.links().size() - fabric_links_) / static_cast<std::size_t>(network.nodes())),
        row_of_(fabric_links_, kNone) {
    for (std::size_t id = 0; id < per_node_; ++id) {
      const LinkLevel level = network.links()[fabric_links_ + id].level;
      const bool is_adapter = level == LinkLevel::Kind::nic_out || level == LinkLevel::Kind::nic_in;
      place_.push_back(is_adapter ? offsets_.size() : kNone);
      if (is_adapter) offsets_.push_back(id);
    }
    for (std::size_t link = 0; link < fabric_links_; ++link)
      if (can_fill[link]) row_of_[link] = rows_++;
    uses_.resize(rows_ * row_size());
  }
  void add(int from_core, int to_core) {
    network_.route(from_core, to_core, route_);
    for (const LinkId link : route_) {
      if (link >= fabric_links_ || row_of_[link] == kNone) continue;
      for (const LinkId other : route_)
        if (other >= fabric_links_ && place_[(other - fabric_links_) % per_node_] != kNone)
          uses_[row_of_[link] * row_size() + adapter_link(other)] = true;
    }
  }
  bool knows(LinkId link) const { return row_of_[link] != kNone; }
  /// Whether those that send outweigh the trunk, and those that receive.
  bool can_fill(LinkId link) const {
    double sent = 0, received = 0;
    const std::size_t row = row_of_[link] * row_size();
    for (std::size_t at = 0; at < row_size(); ++at) {
      if (!uses_[row + at]) continue;
      const Link& adapter = network_.links()[fabric_links_ + offsets_[at % offsets_.size()]];  // nodes are alike
      (adapter.level == LinkLevel::Kind::nic_out ? sent : received) +=
          adapter.shared ? adapter.bandwidth_bytes_per_second : std::numeric_limits<double>::infinity();
    }
    return std::min(sent, received) > network_.links()[link].bandwidth_bytes_per_second * (1 + 1e-12);
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t row_size() const { return static_cast<std::size_t>(network_.nodes()) * offsets_.size(); }
  /// Where that link of a node's is in a row.
  std::size_t adapter_link(std::size_t id) const {
    return (id - fabric_links_) / per_node_ * offsets_.size() + place_[(id - fabric_links_) % per_node_];
  }

  const Network& network_;
  const std::size_t fabric_links_, per_node_;
  std::vector<std::size_t> place_;    // by link of a node: among its adapters' links
  std::vector<std::size_t> offsets_;  // of these, among the links of a node
  std::vector<std::size_t> row_of_;   // by link of the fabric
  std::size_t rows_ = 0;
  std::vector<bool> uses_;  // by row, node and adapter's link
  std::vector<LinkId> route_;
};

}  // namespace

std::vector<bool> fillable_links(const Machine& machine, const Experiment& experiment) {
  const Network& network = *machine.network;
  std::vector<bool> can_fill = network.can_fill(experiment.core_of_rank);
  const std::size_t trunks = network.fabric().reaches().size();
  const auto end = can_fill.begin() + static_cast<std::ptrdiff_t>(trunks);
  if (std::find(can_fill.begin(), end, true) == end || experiment.background) return can_fill;
  const Case& c = experiment.c;
  const Choice choice = resolve(experiment.choice, c);
  const Quantity& messages = choice.algorithm->messages();
  if (choice.algorithm->is_by_node() || messages.text().empty() ||
      messages(Facts(c, choice.parameters)) > kMostMessages)
    return can_fill;
  const BlockMoves all{BlockMoves::Kind::cyclic, c.ranks, 1};
  Fingerprint fingerprint(c, choice, all, nullptr, false);
  Users users(network, can_fill);
  for (Rank rank = 0; rank < c.ranks; ++rank) {
    if (!fingerprint.of(rank)) return can_fill;
    for (const Rank to : fingerprint.receivers()) {
      const int from_core = experiment.core_of_rank[rank], to_core = experiment.core_of_rank[to];
      if (network.node_of(from_core) != network.node_of(to_core)) users.add(from_core, to_core);
    }
  }
  for (LinkId link = 0; link < trunks; ++link)
    if (users.knows(link)) can_fill[link] = users.can_fill(link);
  return can_fill;
}

}  // namespace tutti::fast
