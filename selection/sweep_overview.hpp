#pragma once

#include <string>
#include <vector>

#include "selection/sweep_folder.hpp"

namespace tutti {

/// How far a part of a sweep is.
struct PartProgress {
  std::string name;
  std::size_t places = 0, places_done = 0;
  bool begun = false, done = false;
  std::string by, damage, failure;  // who works on it; what is wrong with its file; why its last try failed
  double seconds_since_written = 0;
};

struct SweepOverview {
  std::vector<PartProgress> parts;  // in the order of the table
  double seconds_done = 0;          // processor time
  double part_done = 0;             // of all the work, as foreseen: from 0 to 1; 0 while nothing tells

  std::vector<std::string> names_done() const;
};

/// How far a sweep is. `request`: the folder's, with its machine.
SweepOverview overview_of(const TuneRequest& request, const SweepFolder& folder);

}  // namespace tutti
