#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "algos/view.hpp"

namespace tutti::proof {

/// An ordered multiset of contributing ranks, interned: equal sequences have equal ids.
using Term = std::uint32_t;

/// What an element of a buffer holds: which element of the contributors' input vector, and whose contributions in which
/// order.
struct Symbol {
  Term term = 0;
  Count element = 0;
  friend bool operator==(const Symbol&, const Symbol&) = default;
};

/// Interns sequences of ranks. Not thread-safe: one table per thread.
class TermTable {
 public:
  static constexpr Term kUndefined = 0;  // never written
  static constexpr Term kMixed = 1;      // operands of different elements were combined

  TermTable() { clear(); }
  /// The contribution of one rank.
  Term leaf(Rank rank) { return static_cast<std::size_t>(rank) < leaves_.size() ? leaves_[rank] : new_leaf(rank); }
  /// `left` followed by `right`; undefined or mixed operands stay so.
  Term join(Term left, Term right);
  /// Ranks first..last in order.
  Term range(Rank first, Rank last);
  const std::vector<Rank>& ranks(Term term) const { return sequences_[term]; }
  /// "0+2+1", "undefined", "different elements combined".
  std::string text(Term term) const;
  std::size_t size() const { return sequences_.size(); }
  void clear();

 private:
  Term new_leaf(Rank rank);
  Term intern(std::vector<Rank> sequence);

  std::vector<std::vector<Rank>> sequences_;
  std::map<std::vector<Rank>, Term> ids_;
  std::unordered_map<std::uint64_t, Term> joins_;
  std::vector<Term> leaves_, from_0_;  // by rank; by the last
};

}  // namespace tutti::proof
