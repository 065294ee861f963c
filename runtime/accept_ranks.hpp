#pragma once

#include <vector>

#include "algos/view.hpp"
#include "runtime/secret.hpp"
#include "runtime/tcp_socket.hpp"

namespace tutti {

/// Lets the ranks 1 to `size` - 1 of a job in, among whoever else connects: both sides prove that they know the job's
/// secret. Who does not is forgotten; there are at most 256 of those at a time, for ten seconds each or, where all
/// places are taken, a tenth of one. Returns the ranks' connections by rank, not open where a rank has not come by
/// `until`, or before there was no use in waiting (TcpSocket::give_up_when_readable). Throws TeamError where one who
/// knows the secret says to be a rank that does not exist or is here already.
std::vector<TcpSocket> accept_ranks(const TcpSocket& listener, int size, const Secret& secret,
                                    TcpSocket::Deadline until);

/// The other side: of rank `rank`, to rank 0 behind `root`. False where that does not know the secret, is gone or
/// silent.
bool introduce(const TcpSocket& root, Rank rank, int size, const Secret& secret, TcpSocket::Deadline until);

}  // namespace tutti
