#include "algos/patterns/permuted.hpp"

namespace tutti {

Task scatter_permuted(Comm comm, Call call) {
  const Comm other = permuted(comm, call);
  const bool is_root = comm.rank() == call.root;
  const Count each = call.out.elements();
  const View all = comm.scratch(is_root ? comm.size() * each : 0);
  std::vector<Op> sorted;
  if (is_root) sorted = copy_into_order(comm, order_of(other), call.blocks, all, call.in);
  co_await comm.wait(sorted);
  co_await run_choice(other, "of", call,
                      scatter_part(call, all, call.out, comm.size(), is_root, other.rank_of(call.root)));
}

TUTTI_ALGORITHM(scatter, "permuted", scatter_permuted)
    .by_node()
    .parameter("order", order_names())
    .or_list_of_ranks()
    .parameter("of", number_of_choice(Collective::scatter, "binomial"), kFirstChoice)
    .tried({number_of_choice(Collective::scatter, "bine"), number_of_choice(Collective::scatter, "linear")})
    .rounds_between(no_rounds, rounds_of<count_permuted>, "those of `of`, at most")
    .messages(messages_of<count_permuted>, "those of `of`")
    .bytes(bytes_of<count_permuted>, "those of `of`")
    .cite(kOrdersSource)
    .deviates(
        "any algorithm that does not ask for groups, in three orders or a given one (order=2-0-1); the root copies "
        "blocks into that order first");

}  // namespace tutti
