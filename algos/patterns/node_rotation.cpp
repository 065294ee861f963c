#include "algos/patterns/node_rotation.hpp"

#include <algorithm>

namespace tutti {

NodeRotation::NodeRotation(const Comm& comm, const Blocks& blocks) : blocks_(blocks), fewest_(comm.size()) {
  for (Rank r = 0; r < comm.size(); ++r)
    if (const std::vector<Rank>& mates = comm.mates_of(r, Level::node); mates.front() == r) nodes_.push_back(&mates);
  const Rank own = comm.mates_of(comm.rank(), Level::node).front();
  const auto is_own = [&](const std::vector<Rank>* node) { return node->front() == own; };
  std::rotate(nodes_.begin(), std::find_if(nodes_.begin(), nodes_.end(), is_own), nodes_.end());
  for (const std::vector<Rank>* node : nodes_) {
    Count elements = 0;
    for (const Rank r : *node) elements += blocks_.count(r);
    firsts_.push_back(firsts_.back() + elements);
    fewest_ = std::min(fewest_, static_cast<int>(node->size()));
  }
}

Rank NodeRotation::rank_on(int away, int number_on_node) const {
  return (*nodes_[(away + number()) % number()])[number_on_node];
}

std::vector<Count> NodeRotation::firsts_on_own() const {
  std::vector<Count> firsts{0};
  for (const Rank r : *nodes_.front()) firsts.push_back(firsts.back() + blocks_.count(r));
  return firsts;
}

std::vector<Count> NodeRotation::firsts_of_fetched(int have) const {
  std::vector<Count> firsts;
  for (int i = 0; i <= static_cast<int>(nodes_.front()->size()); ++i)
    firsts.push_back(first(std::min(number(), (std::min(i, fewest_) + 1) * have)));
  return firsts;
}

std::vector<Op> NodeRotation::place(const Comm& comm, const Call& call, const View& held) const {
  std::vector<Op> copies;
  Count at = 0;
  for (const std::vector<Rank>* node : nodes_)
    for (const Rank r : *node) {
      copies.push_back(comm.copy(call.block(r), held.slice(at, blocks_.count(r))));
      at += blocks_.count(r);
    }
  return copies;
}

}  // namespace tutti
