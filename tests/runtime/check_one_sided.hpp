#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/one_sided.hpp"

namespace tutti {

enum class OneSidedMemory { heap, any };

/// Every rank writes into every other's memory, at places of its own, and reads it back and what the others wrote.
/// Sizes around every limit that transports have: slots, packets, pieces; at odd places. `whole_windows`: all of every
/// rank's memory is read, too, which is as many times as much as there are ranks. Throws on a wrong element.
inline void check_one_sided(Team& team, OneSidedMemory memory,
                            const std::vector<std::size_t>& sizes = {0, 1, 7, 1000, 4096, 100'003, 600'001},
                            bool whole_windows = true) {
  const auto ranks = static_cast<std::size_t>(team.size());
  const auto self = static_cast<std::size_t>(team.rank());
  const auto value = [](std::size_t from, std::size_t to, std::size_t i) {
    return static_cast<std::int32_t>(from * 1'000'003 + to * 7919 + i * 13 + 1);
  };
  for (const std::size_t size : sizes) {
    // An element before, between and behind the ranks' parts, which nobody may touch.
    const std::size_t stride = size + 1, all = ranks * stride + 1;
    std::vector<std::int32_t> own(all, -5);
    const auto shared = team.alloc<std::int32_t>(memory == OneSidedMemory::heap ? all : 0);
    std::span<std::int32_t> mine = own;
    if (memory == OneSidedMemory::heap) std::fill(shared.begin(), shared.end(), -5), mine = {shared.data(), all};
    Window<std::int32_t> window(team, mine);
    const auto fail = [&](const char* what) {
      throw std::runtime_error(std::string(what) + ", " + std::to_string(size) + " elements");
    };
    if (window.size(team.size() - 1) != all) fail("wrong size of a window");

    std::vector<std::vector<std::int32_t>> sent(ranks);
    for (std::size_t to = 0; to < ranks; ++to) {
      for (std::size_t i = 0; i < size; ++i) sent[to].push_back(value(self, to, i));
      window.put(static_cast<Rank>(to), self * stride + 1, sent[to]);
    }
    window.flush();
    std::vector<std::int32_t> back(size, -9);
    for (std::size_t from = 0; from < ranks; ++from) {
      window.get(static_cast<Rank>(from), self * stride + 1, back);
      window.flush();
      if (back != sent[from]) fail("what is read back is not what was put");
    }
    team.barrier();
    for (std::size_t from = 0; from < ranks; ++from) {
      if (mine[from * stride] != -5) fail("written outside");
      for (std::size_t i = 0; i < size; ++i)
        if (mine[from * stride + 1 + i] != value(from, self, i)) fail("a wrong element was put");
    }
    if (mine[all - 1] != -5) fail("written behind the end");
    if (!whole_windows) {
      team.barrier();  // nobody's memory ends before all have read it
      continue;
    }
    // All of each, several at once.
    std::vector<std::vector<std::int32_t>> whole(ranks, std::vector<std::int32_t>(all));
    for (std::size_t from = 0; from < ranks; ++from) window.get(static_cast<Rank>(from), 0, whole[from]);
    window.flush();
    for (std::size_t owner = 0; owner < ranks; ++owner)
      for (std::size_t from = 0; from < ranks; ++from)
        for (std::size_t i = 0; i < size; ++i)
          if (whole[owner][from * stride + 1 + i] != value(from, owner, i)) fail("a wrong element was read");
    team.barrier();
  }
}

}  // namespace tutti
