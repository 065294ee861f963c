#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tutti::shm {

/// Pages of one allocation may lie at different distances from the cores, unseen: a virtual machine's memory can be
/// that of two sockets of its host. A line in a far page takes twice as long from core to core (measured: 292 ns
/// instead of 141, in one page of 200), and all messages through a ring whose cells lie there take half as long again.

/// Seconds that eight lines of this page take from memory, one after the other; 0 where there is no way to know. Nobody
/// else uses the page meanwhile.
double fetch_seconds(const std::byte* page);

/// Those that took much longer than most, ascending.
std::vector<std::size_t> far_pages(std::span<const double> seconds);

}  // namespace tutti::shm
