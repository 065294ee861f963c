#pragma once

#include <optional>
#include <string>
#include <vector>

#include "selection/part_file.hpp"
#include "selection/sweep_file.hpp"

namespace tutti {

/// sweep.json and what is there of parts: what nothing else may be written over.
std::vector<std::string> files_of_sweep(const std::string& folder);

/// A sweep's folder for processes that share nothing else, on one node or many: sweep.json says what was asked for,
/// parts/NAME.part holds the times of one part, NAME.failed why its last try failed. Each file is written whole beside
/// its place and renamed, nothing is locked and nothing appended to, so that a network's file system serves; where two
/// processes do the same part, both write the same times. Thread-safe.
class SweepFolder {
 public:
  /// Makes the folder's sweep.json, or throws InputError if it is of another sweep. Of a request that no sweep can be
  /// made of it makes nothing, and throws InputError.
  static void begin(const std::string& folder, const TuneRequest& request, const std::string& machine);
  /// Throws InputError where there is no sweep.
  explicit SweepFolder(std::string folder);

  const SweepFile& sweep() const { return sweep_; }
  /// Throws InputError unless the request, as loaded here, is what the sweep's times follow from.
  void expect_same_model(const TuneRequest& request) const;

  struct Found {
    std::optional<PartFile> part;  // nothing: not begun, or damaged
    std::string damage;            // what is wrong with its file; empty: nothing
    std::string failure;           // of its last try; empty: none
    double seconds_since_written = 0;
  };
  /// Has the system ask a network's file system anew which files there are: it may remember for a minute that one was
  /// not there.
  void look_anew() const;
  /// What is there of a part.
  Found look(const std::string& name) const;
  void write(const PartFile& part) const;
  void write_failure(const std::string& name, const std::string& what) const;
  void remove_failure(const std::string& name) const;
  /// Of sweep.json: parts that were made for another one are damaged.
  const std::string& checksum() const { return checksum_; }

 private:
  std::string path_of(const std::string& name, const char* extension) const;

  const std::string folder_;
  std::string checksum_;
  SweepFile sweep_;
};

/// "node17, process 4242, Slurm job 12_3".
std::string who_is_this();

}  // namespace tutti
