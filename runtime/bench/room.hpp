#pragma once

#include <string>

#include "runtime/team.hpp"

namespace tutti::bench {

/// The memory of this machine, or what its control group leaves of it.
double memory_bytes();

/// Whether what is to be measured fits into the nodes: into the smallest of them, so that all ranks answer alike.
class Room {
 public:
  /// All ranks together.
  explicit Room(Team& team);
  /// Throws InputError "WHAT: …" unless the buffers of so many calls fit on every node.
  void expect_calls(const std::string& what, const Case& c, int calls = 1) const;
  /// … or so many bytes of every rank.
  void expect_bytes(const std::string& what, double bytes_per_rank) const;

 private:
  void expect(const std::string& what, double bytes, int ranks) const;

  const TeamLayout& layout_;
  double memory_bytes_;
};

}  // namespace tutti::bench
