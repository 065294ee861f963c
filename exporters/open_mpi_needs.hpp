#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exporters/open_mpi_han_reader.hpp"
#include "selection/export.hpp"

namespace tutti {

/// A collective of which a simple variant is made, and what a classic rule calls the algorithm for it; nothing where it
/// cannot be named.
struct SimplePart {
  HanPart of;
  std::optional<std::string> algorithm;
};

/// Of a choice of han_simple, in the order in which they run.
std::vector<SimplePart> parts_of_simple(const Choice& choice);

/// What is to run of a collective on communicators of so many ranks: an algorithm, or what coll/tuned picks by itself.
struct Needed {
  Collective collective;
  int ranks;
  std::int64_t from_bytes, to_bytes;
  std::string algorithm = kOwnChoice;
  std::size_t by = 0;  // the number of the rules that need it, of those that were asked
};

/// Of rules that leave calls to coll/han as it is by itself.
std::vector<Needed> needs_of_own(const std::vector<FileRules>& rules);
/// Of rules that have coll/han run its simple variant.
std::vector<Needed> needs_of_simple(const std::vector<FileRules>& rules);

/// Whether what one needs is not what the other does.
bool contradict(const Needed& a, const Needed& b);
/// Whether what is needed is not what the rules say of so many ranks.
bool contradicts(const Needed& needed, const FileRules& of_ranks);

}  // namespace tutti
