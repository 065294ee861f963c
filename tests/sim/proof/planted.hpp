#pragma once

#include <algorithm>
#include <vector>

#include "algos/registry.hpp"

/// Small sound algorithms with faults planted in them, one at a time: plant == Plant::none is the sound one.
namespace tutti::proof {

enum class Plant {
  none,
  dropped_message,
  wrong_block,
  cyclic_wait,
  other_lane,
  received_where_sent_from,
  short_message,
  peer_too_high,
  view_too_long,
  message_no_one_takes,
  receive_no_one_sends,
  thrown,
  slice_too_long,
  overwritten_in_flight,
  off_by_one,
  skipped_operand,
  operand_twice,
  swapped_operands,
  shifted_operands,
  sent_before_combined,
  input_as_accumulator,
  root_ignored,
  passed_on_before_received,
  rank_left_out,
  neighbours_block,
};

template <Plant plant>
Task ring_allgather(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const int shift = plant == Plant::wrong_block ? 1 : 0;  // every block goes by its neighbour's number
  const Rank right = plant == Plant::peer_too_high ? rank + 1 : (rank + 1) % size, left = (rank - 1 + size) % size;
  if (plant == Plant::thrown && size == 5 && rank == 2) throw std::runtime_error("five is too many");
  co_await comm.wait(comm.copy(call.block((rank + shift) % size), call.in));
  for (int step = 0; step < size - (plant == Plant::dropped_message ? 2 : 1); ++step) {
    View sent = call.block((rank - step + shift + size) % size),
         got = call.block((rank - step - 1 + shift + size) % size);
    if (plant == Plant::short_message && rank == size - 1)
      sent = sent.slice(0, std::max<Count>(0, sent.elements() - 1));
    if (plant == Plant::slice_too_long) sent = sent.slice(0, sent.elements() + 1);
    if (plant == Plant::view_too_long) got = View::contiguous(got.buffer, got.first, got.elements() + 1);
    if (plant == Plant::received_where_sent_from) got = sent;
    if (plant == Plant::cyclic_wait) {
      co_await comm.wait(comm.send(right, sent));
      co_await comm.wait(comm.recv(left, got));
    } else {
      const Op taken = comm.recv(left, got, plant == Plant::other_lane ? 1 : 0), given = comm.send(right, sent);
      co_await comm.wait(taken, given);
    }
  }
  if (plant == Plant::message_no_one_takes && size > 1 && rank == 0) comm.send(right, call.in);
  if (plant == Plant::receive_no_one_sends && size > 1 && rank == 0) comm.recv(left, call.block(left));
}

/// A ring whose block travels in one buffer, received beside it.
template <Plant plant>
Task travelling_allgather(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const View travelling = comm.scratch(call.in.elements()), arriving = comm.scratch(call.in.elements());
  co_await comm.wait(comm.copy(call.block(rank), call.in));
  co_await comm.wait(comm.copy(travelling, call.in));
  for (int step = 1; step < size; ++step) {
    const Op given = comm.send((rank + 1) % size, travelling);
    co_await comm.wait(comm.recv((rank - 1 + size) % size, arriving));
    if (plant != Plant::overwritten_in_flight) co_await comm.wait(given);
    co_await comm.wait(comm.copy(travelling, arriving));
    co_await comm.wait(comm.copy(call.block((rank - step + size) % size), arriving));
  }
}

/// Bruck's allgather; off by one it stops short where one block is left to fetch.
template <Plant plant>
Task bruck_allgather(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  const Count each = call.in.elements();
  const View work = comm.scratch(size * each);
  co_await comm.wait(comm.copy(work.slice(0, each), call.in));
  for (int distance = 1; distance < size - (plant == Plant::off_by_one); distance *= 2) {
    const Count elements = std::min(distance, size - distance) * each;
    co_await comm.exchange((rank - distance + size) % size, work.slice(0, elements), (rank + distance) % size,
                           work.slice(distance * each, elements));
  }
  co_await comm.wait(comm.copy(call.block(rank, size - rank), work.slice(0, (size - rank) * each)));
  co_await comm.wait(comm.copy(call.block(0, rank), work.slice((size - rank) * each, rank * each)));
}

/// Rank 0 combines in rank order and sends the result to every other rank.
template <Plant plant>
Task linear_allreduce(Comm comm, Call call) {
  const int size = comm.size();
  const Count n = call.out.elements();
  if (comm.rank() != 0) {
    co_await comm.wait(comm.send(0, call.in));
    co_await comm.wait(comm.recv(0, call.out));
    co_return;
  }
  const View sum = plant == Plant::input_as_accumulator ? call.in : call.out, arriving = comm.scratch(n);
  co_await comm.wait(comm.copy(sum, call.in));
  for (Rank r = 1; r < size; ++r) {
    co_await comm.wait(comm.recv(r, arriving));
    if (plant == Plant::skipped_operand && r == size - 1) break;
    if (plant == Plant::operand_twice && r == 1) co_await comm.wait(comm.combine(sum, sum, arriving));
    if (plant == Plant::shifted_operands && n > 1)
      co_await comm.wait(comm.combine(sum.slice(0, n - 1), sum.slice(1, n - 1), arriving.slice(0, n - 1)));
    const Op combined =
        plant == Plant::swapped_operands ? comm.combine(sum, arriving, sum) : comm.combine(sum, sum, arriving);
    if (plant != Plant::sent_before_combined) co_await comm.wait(combined);
  }
  co_await comm.wait(comm.copy(call.out, sum));
  for (Rank r = 1; r < size; ++r) comm.send(r, call.out);
}

template <Plant plant>
Task chain_bcast(Comm comm, Call call) {
  const Rank root = plant == Plant::root_ignored ? 0 : call.root;
  const int size = comm.size() - (plant == Plant::rank_left_out),
            position = (comm.rank() - root + comm.size()) % comm.size();
  if (position > 0 && position < size) {
    const Op received = comm.recv((comm.rank() - 1 + comm.size()) % comm.size(), call.out);
    if (plant != Plant::passed_on_before_received) co_await comm.wait(received);
  }
  if (position < size - 1) comm.send((comm.rank() + 1) % comm.size(), call.out);
}

template <Plant plant>
Task linear_scatter(Comm comm, Call call) {
  const int shift = plant == Plant::neighbours_block ? 1 : 0;
  if (comm.rank() != call.root) {
    co_await comm.wait(comm.recv(call.root, call.out));
    co_return;
  }
  for (Rank r = 0; r < comm.size(); ++r)
    if (r != call.root) comm.send(r, call.block((r + shift) % comm.size()));
  co_await comm.wait(comm.copy(call.out, call.block(call.root)));
}

/// Dissemination; off by one it leaves out the last round where p is no power of two.
template <Plant plant>
Task dissemination_barrier(Comm comm, Call call) {
  const int size = comm.size(), rank = comm.rank();
  for (int distance = 1; (plant == Plant::off_by_one ? 2 * distance : distance + 1) <= size; distance *= 2)
    co_await comm.exchange((rank + distance) % size, call.out, (rank - distance + size) % size, call.out);
}

}  // namespace tutti::proof
