#include <algorithm>

#include "sim/proof/access.hpp"
#include "sim/proof/executor.hpp"

namespace tutti::proof {
namespace {

/// Which element and whose contributions an element of out must hold; nothing where the collective leaves it undefined.
struct Expectation {
  Rank first = 0, last = 0;  // contributions of first..last, in this order
  Count element = 0;
};

std::optional<Expectation> expected(const Case& c, Rank rank, Count i) {
  const Rank last = c.ranks - 1;
  switch (c.collective) {
    case Collective::bcast:
      return Expectation{c.root, c.root, i};
    case Collective::reduce:
    case Collective::allreduce:
      return Expectation{0, last, i};
    case Collective::scan:
      return Expectation{0, rank, i};
    case Collective::exscan:
      if (rank == 0) return std::nullopt;
      return Expectation{0, rank - 1, i};
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::gather:
    case Collective::gatherv:
    case Collective::scatter:
    case Collective::scatterv:
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
    case Collective::neighbor_alltoall:
    case Collective::neighbor_alltoallv: {
      const Origin origin = origin_of(c, rank, i);
      if (origin.rank == kNobody) return std::nullopt;
      return Expectation{origin.rank, origin.rank, origin.element};
    }
    case Collective::reduce_scatter:
      return Expectation{0, last, blocks_of(c).first(rank) + i};
    case Collective::reduce_scatter_block:
      return Expectation{0, last, rank * c.count + i};
    case Collective::barrier:
      return std::nullopt;
  }
  return std::nullopt;
}

/// From element `i` on, how many have the same contributions, of elements that follow each other: at least one.
Count run_from(const Case& c, Rank rank, Count i, Count end) {
  const bool moves_blocks = !is_reduction(c.collective) && c.collective != Collective::bcast;
  return moves_blocks ? origin_of(c, rank, i).elements : end - i;
}

FaultKind classify(const std::vector<Rank>& got, const std::vector<Rank>& wanted) {
  std::vector<Rank> sorted = got;
  std::sort(sorted.begin(), sorted.end());
  if (sorted == wanted) return FaultKind::operand_order;
  if (!std::includes(wanted.begin(), wanted.end(), sorted.begin(), sorted.end())) {
    const bool repeated = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
    return repeated ? FaultKind::duplicate_contribution : FaultKind::wrong_contribution;
  }
  return FaultKind::missing_contribution;
}

std::optional<Fault> compare(const TermTable& terms, const Case& c, Rank rank, const View& at, Symbol got,
                             Symbol right) {
  const std::vector<Rank>&wanted = terms.ranks(right.term), &found = terms.ranks(got.term);
  FaultKind kind = FaultKind::missing_contribution;
  if (got.term == TermTable::kMixed || (got.term != TermTable::kUndefined && got.element != right.element)) {
    kind = FaultKind::wrong_contribution;
  } else if (got.term != TermTable::kUndefined) {
    kind = classify(found, wanted);
    if (kind == FaultKind::operand_order && is_commutative(c.op)) return std::nullopt;
  }
  const std::string where = buffer_name(at.buffer) + "[" + std::to_string(at.first) + "]";
  return Fault{kind, "rank " + std::to_string(rank) + ", " + where + ": holds " + terms.text(got.term) +
                         (got.term > TermTable::kMixed ? " of element " + std::to_string(got.element) : "") +
                         ", expected " + terms.text(right.term) + " of element " + std::to_string(right.element)};
}

std::optional<Fault> check_inputs(TermTable& terms, const View& in, Rank rank, const Buffers& buffers) {
  if (in.buffer != View::kIn || in.empty()) return std::nullopt;
  Pieces held;
  buffers.gather(in, held);
  const Piece input{input_symbol(terms.leaf(rank), 0), in.elements()};
  if (held.front() == input) return std::nullopt;
  const Count kept = held.front().first == input.first ? held.front().elements : 0;
  return Fault{FaultKind::input_overwritten, "rank " + std::to_string(rank) + ", in[" + std::to_string(kept) +
                                                 "]: the input was overwritten with " +
                                                 terms.text(held[kept == 0 ? 0 : 1].first.term)};
}

/// A barrier moves no data: what counts is that every rank's entry happens before every rank's exit.
std::optional<Fault> check_barrier(const Executor& executor, const Case& c) {
  for (Rank rank = 0; rank < c.ranks; ++rank)
    for (Rank other = 0; other < c.ranks; ++other)
      if (!executor.heard_of(rank, other))
        return Fault{FaultKind::missing_contribution, "rank " + std::to_string(rank) +
                                                          " may leave the barrier before rank " +
                                                          std::to_string(other) + " has entered it"};
  return std::nullopt;
}

}  // namespace

std::optional<Fault> check_buffers(TermTable& terms, const Case& c, Rank rank, const Buffers& buffers) {
  const Call call = make_call(c, rank);
  const View& out = call.out;
  Pieces all;
  buffers.gather(out, all);
  PieceReader held(all);
  Count end = 0;
  for (Count i = 0; i < out.elements(); i = end) {
    end = i + run_from(c, rank, i, out.elements());
    const auto want = expected(c, rank, i);
    const Term wanted = want ? terms.range(want->first, want->last) : TermTable::kUndefined;
    Term also_right = wanted;
    Piece piece;
    for (Count k = i; k < end; k += piece.elements) {
      piece = held.take(end - k);
      if (!want) continue;
      const Symbol got = piece.first, right{wanted, want->element + k - i};
      if (got.element == right.element && (got.term == wanted || got.term == also_right)) continue;
      if (auto fault = compare(terms, c, rank, out.slice(k, 1), got, right)) return fault;
      also_right = got.term;
    }
  }
  return check_inputs(terms, call.in, rank, buffers);
}

std::optional<Fault> check_results(Executor& executor, const Case& c) {
  if (c.collective == Collective::barrier) return check_barrier(executor, c);
  for (Rank rank = 0; rank < c.ranks; ++rank)
    if (auto fault = check_buffers(executor.terms(), c, rank, executor.buffers(rank))) return fault;
  return std::nullopt;
}

}  // namespace tutti::proof
