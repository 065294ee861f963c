#pragma once

#include <string>
#include <vector>

namespace tutti::cli {

/// Whether one optional part works here.
struct Diagnosis {
  std::string part;  // "mpi"
  bool works = false;
  std::string what;    // what was found, or why it does not work
  std::string mend{};  // the command that mends it; empty where it works, or none does
};

/// All parts, by trying each. No program that is asked may take longer than `limit_seconds`.
std::vector<Diagnosis> diagnose(double limit_seconds);
/// Their names, in that order.
std::vector<std::string> part_names();

}  // namespace tutti::cli
