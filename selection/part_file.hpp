#pragma once

#include <string>
#include <vector>

#include "selection/time_store.hpp"

namespace tutti {

/// What a file holds of one part of a sweep (a chain, selection/sweep_plan.hpp): the times that were simulated for it,
/// and how far it is.
struct PartFile {
  struct Place {
    int nodes = 0;
    double processor_seconds = 0;  // that it took when it was first done
  };
  std::string sweep;          // the checksum of what was asked for (SweepFile::checksum)
  std::string name;           // of the chain
  std::string by;             // who works on it, for people
  std::vector<Place> places;  // that are done
  std::vector<Simulated> times;
  bool done = false;
};

/// Lines of text, the last of which is a checksum: the same bytes for the same content.
std::string to_text(const PartFile& part);
/// Throws InputError "FILE:LINE: what was expected", also where the checksum is another one.
PartFile parse_part(const std::string& text, const std::string& origin);

/// FNV-1a, in hexadecimal digits: for damage, not against malice.
std::string checksum_of(const std::string& text);

}  // namespace tutti
