#include "algos/patterns/fold.hpp"

namespace tutti {

Task fold_in(Comm comm, Fold fold, View vector, View inbox) {
  const Rank rank = comm.rank(), partner = fold.partner(rank);
  if (!fold.paired(rank)) co_return;
  if (!fold.takes_part(rank)) {
    co_await comm.blocking_send(partner, vector);
  } else {
    co_await comm.wait(comm.recv(partner, inbox));
    co_await comm.wait(comm.combine(vector, inbox, vector));
  }
}

}  // namespace tutti
