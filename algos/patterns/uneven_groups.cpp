#include "algos/patterns/uneven_groups.hpp"

#include "algos/patterns/combine_in_order.hpp"

namespace tutti {
namespace {

/// This rank in its group.
struct Member {
  Member(const Comm& comm, const UnevenGroups& uneven)
      : group(uneven.groups.holding(comm.rank())),
        first(uneven.first(group)),
        members(uneven.members(group)),
        number(comm.rank() - first),
        holds(number < uneven.holders) {}
  int group;
  Rank first;
  int members, number;
  bool holds;
};

}  // namespace

Task reduce_to_holders(Comm comm, UnevenGroups uneven, View vector) {
  const Member own(comm, uneven);
  const Blocks parts = Blocks::split(vector.elements(), uneven.holders);
  const View mine = own.holds ? parts.of(vector, own.number) : vector.slice(0, 0),
             inbox = comm.scratch((own.members - 1) * mine.elements());
  std::vector<Op> ops;
  for (int i = 1; i < own.members; ++i) {
    const int to = (own.number + i) % own.members, from = (own.number - i + own.members) % own.members;
    const View place = inbox.slice((from < own.number ? from : from - 1) * mine.elements(), mine.elements());
    if (own.holds) ops.push_back(comm.recv(own.first + from, place));
    if (to < uneven.holders) ops.push_back(comm.send(own.first + to, parts.of(vector, to)));
  }
  co_await comm.wait(ops);
  if (own.holds) co_await combine_in_order(comm, mine, inbox, own.members, own.number);
}

Task collect_from_holders(Comm comm, UnevenGroups uneven, View vector) {
  const Member own(comm, uneven);
  const Blocks parts = Blocks::split(vector.elements(), uneven.holders);
  std::vector<Op> ops;
  for (int i = 1; i < own.members; ++i) {
    const int to = (own.number + i) % own.members, from = (own.number - i + own.members) % own.members;
    if (from < uneven.holders) ops.push_back(comm.recv(own.first + from, parts.of(vector, from)));
    if (own.holds) ops.push_back(comm.send(own.first + to, parts.of(vector, own.number)));
  }
  co_await comm.wait(ops);
}

}  // namespace tutti
