#include "algos/patterns/permuted.hpp"

namespace tutti {

Task gather_permuted(Comm comm, Call call) {
  const Comm other = permuted(comm, call);
  const bool is_root = comm.rank() == call.root;
  const Count each = call.in.elements();
  const View all = comm.scratch(is_root ? comm.size() * each : 0);
  co_await run_choice(other, "of", call,
                      gather_part(call, call.in, all, comm.size(), is_root, other.rank_of(call.root)));
  if (is_root) copy_out_of_order(comm, order_of(other), call.blocks, call.out, all);
}

TUTTI_ALGORITHM(gather, "permuted", gather_permuted)
    .by_node()
    .parameter("order", order_names())
    .or_list_of_ranks()
    .parameter("of", number_of_choice(Collective::gather, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::gather, "bine"), number_of_choice(Collective::gather, "linear")})
    .rounds_between(no_rounds, rounds_of<count_permuted>, "those of `of`, at most")
    .messages(messages_of<count_permuted>, "those of `of`")
    .bytes(bytes_of<count_permuted>, "those of `of`")
    .cite(kOrdersSource)
    .deviates(
        "any algorithm that does not ask for groups, in three orders or a given one (order=2-0-1); the root copies "
        "blocks to their places at the end");

}  // namespace tutti
