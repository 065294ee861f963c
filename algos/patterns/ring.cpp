#include "algos/patterns/ring.hpp"

#include <array>

#include "algos/patterns/segments.hpp"

namespace tutti {

Task reduce_around_ring(Comm comm, View vector, Blocks blocks, int first, Count pieces, Count piece) {
  const int size = comm.size(), right = (comm.rank() + 1) % size, left = (comm.rank() - 1 + size) % size;
  if (size == 1) co_return;
  const auto at_step = [=](int step) {  // what is sent in this step, and arrives in the one before
    return piece_of(blocks.of(vector, (first - step + 2 * size) % size), pieces, piece);
  };
  const Count largest = (blocks.largest() + pieces - 1) / pieces;
  const std::array<View, 2> inbox{comm.scratch(largest), comm.scratch(size > 2 ? largest : 0)};
  const auto into = [=](int step) { return inbox[(step + 1) % 2].slice(0, at_step(step).elements()); };
  Op arriving = comm.recv(left, into(1));
  co_await comm.blocking_send(right, at_step(0));
  for (int step = 1; step < size - 1; ++step) {
    const Op next = comm.recv(left, into(step + 1));
    co_await comm.wait(arriving);
    co_await comm.wait(comm.combine(at_step(step), into(step), at_step(step)));
    co_await comm.blocking_send(right, at_step(step));
    arriving = next;
  }
  co_await comm.wait(arriving);
  co_await comm.wait(comm.combine(at_step(size - 1), into(size - 1), at_step(size - 1)));
}

Task collect_around_ring(Comm comm, View vector, Blocks blocks, int first) {
  const int size = comm.size(), right = (comm.rank() + 1) % size, left = (comm.rank() - 1 + size) % size;
  for (int step = 0; step < size - 1; ++step)
    co_await comm.exchange(right, blocks.of(vector, (first - step + size) % size), left,
                           blocks.of(vector, (first - step - 1 + size) % size));
}

}  // namespace tutti
