#include "algos/patterns/swing_packed.hpp"

#include "algos/patterns/bine.hpp"

namespace tutti {
namespace {

/// Of one part: its blocks, and the rank's steps with them.
struct Piece {
  View vector, inbox, outbox;
  Blocks blocks;
  std::vector<SwingBlocks> steps;
};
using Runs = std::vector<BlockRun>;

View view_of(const Piece& piece, const BlockRun& run) { return piece.blocks.of(piece.vector, run.first, run.blocks); }

/// Where runs lie one after the other in a buffer; `visit(run's view, its place)`.
template <class Visit>
void each_run(const Piece& piece, const Runs& runs, const View& buffer, Visit visit) {
  Count at = 0;
  for (const BlockRun& run : runs) {
    const View there = view_of(piece, run);
    visit(there, buffer.slice(at, there.elements()));
    at += there.elements();
  }
}

View place_of_runs(const Piece& piece, const Runs& runs, const View& buffer) {
  Count all = 0;
  for (const BlockRun& run : runs) all += view_of(piece, run).elements();
  return buffer.slice(0, all);
}

std::vector<Piece> pieces_of(const Comm& comm, const SwingParts& parts, const View& vector) {
  std::vector<Piece> pieces;
  const int core = bine_core(comm.size());
  if (comm.rank() == core) return pieces;
  const View inbox = comm.scratch(vector.elements()), outbox = comm.scratch(vector.elements());
  const Blocks cut = Blocks::split(vector.elements(), parts.parts);
  for (int part = 0; part < parts.parts; ++part)
    pieces.push_back(
        {cut.of(vector, part), cut.of(inbox, part), cut.of(outbox, part), Blocks::split(cut.count(part), comm.size()),
         swing_blocks(core, comm.rank(), parts.dimensions, {part % parts.dimensions, part >= parts.dimensions})});
  return pieces;
}

}  // namespace

Task swing_phase(Comm comm, View vector, SwingParts parts, bool reduces) {
  const std::vector<Piece> pieces = pieces_of(comm, parts, vector);
  const std::size_t steps = pieces.empty() ? 0 : pieces.front().steps.size();
  std::vector<Op> ops;
  for (std::size_t i = 0; i < steps; ++i) {
    const std::size_t at = reduces ? i : steps - 1 - i;
    const auto leaving = [=](const Piece& piece) -> const Runs& {
      return reduces ? piece.steps[at].given : piece.steps[at].kept;
    };
    const auto coming = [=](const Piece& piece) -> const Runs& {
      return reduces ? piece.steps[at].kept : piece.steps[at].given;
    };
    ops.clear();
    for (const Piece& piece : pieces)
      if (const Runs& runs = leaving(piece); runs.size() > 1)
        each_run(piece, runs, piece.outbox,
                 [&](const View& there, const View& to) { ops.push_back(comm.copy(to, there)); });
    co_await comm.wait(ops);
    ops.clear();
    for (std::size_t lane = 0; lane < pieces.size(); ++lane) {
      const Piece& piece = pieces[lane];
      const Runs &out = leaving(piece), &in = coming(piece);
      const View come = !reduces && in.size() == 1 ? view_of(piece, in.front()) : place_of_runs(piece, in, piece.inbox);
      const View gone = out.size() == 1 ? view_of(piece, out.front()) : place_of_runs(piece, out, piece.outbox);
      ops.push_back(comm.recv(piece.steps[at].peer, come, static_cast<int>(lane)));
      ops.push_back(comm.send(piece.steps[at].peer, gone, static_cast<int>(lane)));
    }
    co_await comm.wait(ops);
    ops.clear();
    for (const Piece& piece : pieces)
      if (const Runs& runs = coming(piece); reduces || runs.size() > 1)
        each_run(piece, runs, piece.inbox, [&](const View& there, const View& from) {
          ops.push_back(reduces ? comm.combine(there, from, there) : comm.copy(there, from));
        });
    co_await comm.wait(ops);
  }
}

Task exchange_with_last(Comm comm, View vector, View into, int parts, bool reduces) {
  const Rank last = comm.size() - 1, rank = comm.rank();
  if (bine_core(comm.size()) == comm.size()) co_return;
  const Blocks cut = Blocks::split(vector.elements(), parts);
  std::vector<Op> ops;
  for (int part = 0; part < parts; ++part) {
    const Blocks blocks = Blocks::split(cut.count(part), comm.size());
    const auto block = [&](const View& of, Rank r) { return blocks.of(cut.of(of, part), r); };
    const Count each = blocks.count(last);
    for (Rank r = rank == last ? 0 : last; r < (rank == last ? last : last + 1); ++r) {
      const View own = cut.of(into, part);
      const View come = !reduces ? block(into, r) : rank == last ? own.slice(r * each, each) : block(into, rank);
      ops.push_back(comm.recv(r, come, part));
      ops.push_back(comm.send(r, block(vector, reduces ? r : rank), part));
    }
  }
  co_await comm.wait(ops);
}

Task add_from_last(Comm comm, View vector, View from, int parts) {
  const Rank last = comm.size() - 1, rank = comm.rank();
  if (bine_core(comm.size()) == comm.size()) co_return;
  const Blocks cut = Blocks::split(vector.elements(), parts);
  for (int part = 0; part < parts; ++part) {
    const Blocks blocks = Blocks::split(cut.count(part), comm.size());
    const View sum = blocks.of(cut.of(vector, part), rank), come = cut.of(from, part);
    const Count each = sum.elements();
    std::vector<View> addends;
    for (Rank r = 0; r < (rank == last ? last : 1); ++r)
      addends.push_back(rank == last ? come.slice(r * each, each) : blocks.of(come, rank));
    for (const View& addend : addends) co_await comm.wait(comm.combine(sum, addend, sum));
  }
}

}  // namespace tutti
