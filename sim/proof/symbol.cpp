#include "sim/proof/symbol.hpp"

namespace tutti::proof {

void TermTable::clear() {
  ids_.clear();
  joins_.clear();
  leaves_.clear();
  from_0_.clear();
  sequences_.assign(2, {});  // kUndefined, kMixed
}

Term TermTable::intern(std::vector<Rank> sequence) {
  const auto [position, is_new] = ids_.try_emplace(sequence, static_cast<Term>(sequences_.size()));
  if (is_new) sequences_.push_back(std::move(sequence));
  return position->second;
}

Term TermTable::new_leaf(Rank rank) {
  while (leaves_.size() <= static_cast<std::size_t>(rank))
    leaves_.push_back(intern({static_cast<Rank>(leaves_.size())}));
  return leaves_[rank];
}

Term TermTable::join(Term left, Term right) {
  if (left == kUndefined || right == kUndefined) return kUndefined;
  if (left == kMixed || right == kMixed) return kMixed;
  const std::uint64_t key = std::uint64_t{left} << 32 | right;
  if (const auto known = joins_.find(key); known != joins_.end()) return known->second;
  std::vector<Rank> sequence = sequences_[left];
  sequence.insert(sequence.end(), sequences_[right].begin(), sequences_[right].end());
  return joins_[key] = intern(std::move(sequence));
}

Term TermTable::range(Rank first, Rank last) {
  if (first == 0) {
    while (from_0_.size() <= static_cast<std::size_t>(last)) {
      const Term next = leaf(static_cast<Rank>(from_0_.size()));
      from_0_.push_back(from_0_.empty() ? next : join(from_0_.back(), next));
    }
    return from_0_[last];
  }
  Term term = leaf(first);
  for (Rank r = first + 1; r <= last; ++r) term = join(term, leaf(r));
  return term;
}

std::string TermTable::text(Term term) const {
  if (term == kUndefined) return "undefined";
  if (term == kMixed) return "different elements combined";
  std::string text;
  for (const Rank r : sequences_[term]) text += (text.empty() ? "" : "+") + std::to_string(r);
  return text;
}

}  // namespace tutti::proof
