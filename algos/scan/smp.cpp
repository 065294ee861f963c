#include <algorithm>
#include <bit>

#include "algos/bcast/calls.hpp"
#include "algos/patterns/compose.hpp"
#include "algos/patterns/node_places.hpp"
#include "algos/patterns/round_clock.hpp"
#include "algos/scan/calls.hpp"

namespace tutti {

Task scan_smp(Comm comm, Call call) {
  if (!comm.is_consecutive(Level::node)) {
    co_await scan_recursive_doubling(comm, call);
    co_return;
  }
  const Comm node = comm.group(Level::node), leaders = comm.leaders(Level::node);
  const Count n = call.out.elements();
  const int last = node.size() - 1;
  co_await scan_recursive_doubling(node, call);
  const View before = comm.scratch(n);  // the sum over all nodes before this one
  if (last > 0 && node.rank() == last) co_await comm.wait(node.send(0, call.out));
  if (leaders.is_member()) {
    Call across = call;
    across.in_place = false;
    across.in = last > 0 ? comm.scratch(n) : call.out;  // the node's sum
    across.out = comm.scratch(n);
    if (last > 0) co_await comm.wait(node.recv(last, across.in));
    co_await scan_recursive_doubling(leaders, across);
    if (leaders.rank() < leaders.size() - 1) co_await comm.wait(leaders.send(leaders.rank() + 1, across.out));
    if (leaders.rank() > 0) co_await comm.wait(leaders.recv(leaders.rank() - 1, before));
  }
  if (node.rank_of(0) == 0) co_return;  // the first node
  Call down = bcast_from_first(call);
  down.in = down.out = before;
  co_await bcast_binomial_halving(node, down);
  co_await comm.wait(comm.combine(call.out, before, call.out));
}

namespace {

/// Nothing where ranks of a node do not follow one another: then nodes do not matter.
std::vector<int> consecutive_sizes(const Facts& facts) {
  const std::vector<NodePlace> places = places_of(facts);
  const auto by_node = [](const NodePlace& a, const NodePlace& b) { return a.node < b.node; };
  if (!std::is_sorted(places.begin(), places.end(), by_node)) return {};
  return node_sizes(facts);
}

/// Runs `exchange(a, b)` for each exchange of recursive doubling, and `wait()` after each step.
template <class Exchange, class Wait>
void doubling(int size, Exchange exchange, Wait wait) {
  for (int distance = 1; distance < size; distance *= 2, wait())
    for (int i = 0; i < size; ++i)
      if ((i & distance) == 0 && i + distance < size)
        exchange(static_cast<std::size_t>(i), static_cast<std::size_t>(i + distance));
}

double doubling_messages(int size) {
  double messages = 0;
  doubling(
      size, [&](std::size_t, std::size_t) { messages += 2; }, [] {});
  return messages;
}

double smp_messages(const Facts& facts) {
  const std::vector<int> sizes = consecutive_sizes(facts);
  if (sizes.empty()) return doubling_messages(static_cast<int>(facts["p"]));
  const auto nodes = static_cast<int>(sizes.size());
  double messages = doubling_messages(nodes) + nodes - 1;
  for (const int size : sizes) messages += doubling_messages(size) + (size > 1 ? 1 : 0);
  return messages + facts["p"] - sizes.front() - (nodes - 1);
}
double smp_bytes(const Facts& facts) { return smp_messages(facts) * facts["n"]; }

RoundClock after_doubling(const std::vector<int>& reached) {
  RoundClock clock(reached);
  doubling(
      static_cast<int>(reached.size()), [&](std::size_t a, std::size_t b) { clock.exchange(a, b); },
      [&] { clock.wait(); });
  return clock;
}

double smp_rounds(const Facts& facts) {
  const std::vector<int> sizes = consecutive_sizes(facts);
  const auto ranks = static_cast<std::size_t>(facts["p"]);
  if (sizes.empty()) return after_doubling(std::vector<int>(ranks)).reached().front();
  std::vector<int> on_node, summed;
  for (const int size : sizes) {
    on_node.push_back(std::bit_width(static_cast<unsigned>(size - 1)));
    summed.push_back(on_node.back() + (size > 1));  // the first rank has taken in a message in every round
  }
  RoundClock clock = after_doubling(summed);
  for (std::size_t i = sizes.size(); --i > 0; clock.wait()) clock.message(i - 1, i);  // the last one waits for nobody
  std::vector<int> ends = clock.reached();
  for (std::size_t i = 1; i < sizes.size(); ++i) ends[i] += on_node[i];
  return std::max(on_node.front(), *std::max_element(ends.begin(), ends.end()));
}

}  // namespace

TUTTI_ALGORITHM(scan, "smp", scan_smp)
    .by_node()
    .rounds(smp_rounds,
            "recursive doubling on each node, among the first ranks, the chain to the next node, a tree down")
    .messages(smp_messages, "recursive doubling on each node and among the first ranks, and what links the two")
    .bytes(smp_bytes, "n for each message")
    .cite("MPICH, src/mpi/coll/scan/scan_intra_smp.c: each node, the first ranks, each node but the first")
    .deviates(
        "where the ranks of a node do not follow one another it runs recursive doubling, as MPICH's selection does; "
        "operands stay in order, yet MPICH selects it for commutative operators only. MPICH also broadcasts on each "
        "node whether anything comes from the nodes before, which a rank can know; the scans inside are by recursive "
        "doubling and the broadcast is binomial, where MPICH selects");

}  // namespace tutti
