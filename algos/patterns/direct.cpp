#include "algos/patterns/direct.hpp"

namespace tutti {

Task reduce_to_leaders(Comm comm, View vector, Blocks blocks) {
  const int size = comm.size(), rank = comm.rank();
  const bool leads = rank < blocks.parts;
  const View own = leads ? blocks.of(vector, rank) : vector.slice(0, 0), arrived = comm.scratch(own.elements());
  for (int step = 1; step < size; ++step) {
    const Rank to = (rank + step) % size, from = (rank - step + size) % size;
    const Op taken = leads ? comm.recv(from, arrived) : Op::none;
    if (to < blocks.parts) co_await comm.blocking_send(to, blocks.of(vector, to));
    if (leads) co_await comm.wait(taken);
    if (leads) co_await comm.wait(comm.combine(own, arrived, own));
  }
}

Task collect_from_leaders(Comm comm, View vector, Blocks blocks) {
  const int size = comm.size(), rank = comm.rank();
  for (int step = 1; step < size; ++step) {
    const Rank to = (rank + step) % size, from = (rank - step + size) % size;
    if (from < blocks.parts) comm.recv(from, blocks.of(vector, from));
    if (rank < blocks.parts) co_await comm.blocking_send(to, blocks.of(vector, rank));
  }
}

}  // namespace tutti
