#pragma once

#include <filesystem>
#include <string>

#include "calibration/collective_times.hpp"

namespace tutti {

struct CollectivePredictions {
  std::string csv;
  std::size_t rows = 0;          ///< of the system, of at most so many ranks
  std::size_t left_out = 0;      ///< of them: no algorithm bears their name, or it cannot run there
  std::size_t beside_a_job = 0;  ///< of them: measured while another job loaded the fabric
  std::size_t refused = 0;       ///< of them: the engine does not simulate them, or they take no time
};

/// What a machine's model says to every measured row of its system, of at most `most_ranks` ranks, as CSV with the
/// columns system, collective, algorithm, ranks, ppn, bytes, implementation, measured_us, time_us and fitted (1: it is
/// one of those that the machine's figures were fitted to, by its "calibration"); rows that the engine refuses, or
/// that take no time, are missing. Throws InputError on bad input.
CollectivePredictions predict_collectives(const std::string& machine, const std::filesystem::path& file,
                                          const std::string& engine, int threads, int most_ranks,
                                          const WatchedWork& watched = {});

}  // namespace tutti
