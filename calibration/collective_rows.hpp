#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "algos/case.hpp"
#include "algos/registry.hpp"

namespace tutti {

/// What of the ranks' times was measured.
enum class Statistic { longest, mean, least };

/// One measured time of a forced algorithm, in a call that follows a barrier.
struct CollectiveRow {
  int line = 0;  ///< in its file
  std::string system, implementation, library;
  std::string barrier = "recursive_doubling";  ///< of the barrier between calls; "": all leave it at once
  Collective collective = Collective::barrier;
  std::string algorithm;
  int ranks = 0, ppn = 0;
  std::int64_t bytes = 0;  ///< total convention (docs/formats.md); of which elements, case_of says
  double seconds = 0;
  Statistic statistic = Statistic::longest;
  bool beside_a_job = false;  ///< another job loaded the fabric meanwhile: simulated alone, it takes another time
  bool by_socket = false;     ///< ranks of a node are on its sockets in turn; else on its cores in order
  std::string placement;      ///< path of its placement file; empty: block
};

struct CollectiveRows {
  std::vector<CollectiveRow> rows;
  std::size_t in_file = 0;  ///< rows of all systems
};

/// Reads the rows of `system` from a CSV with at least the columns system, collective, algorithm, ranks, ppn, bytes and
/// median_us; implementation, barrier, library, placement, map_by ("core", which is meant where nothing is said, or
/// "socket"), statistic ("longest", which is meant where nothing is said, "mean" or "min") and background ("none",
/// which is meant where nothing is said, or what another job did meanwhile) may be there. Placement
/// files are sought in placements/ beside the file. Throws InputError "FILE:LINE: what was expected" on anything that
/// is not such a table, or where the system has no row.
CollectiveRows read_collective_rows(const std::filesystem::path& file, const std::string& system);

/// Whether the row ran one of Schedgen's schedules (schedgen.hpp): its implementation is "schedgen".
bool is_schedgen(const CollectiveRow& row);
/// What a choice of rows calls its algorithm: our name where its implementation is Fujitsu's, else the row's.
std::string selected_name(const CollectiveRow& row);
/// What the row ran, as an experiment's case; blocks are of whole four-byte elements, those of OSU's benchmarks
/// (implementation "osu") but for reductions and of Schedgen of bytes.
Case case_of(const CollectiveRow& row);
/// The algorithm that bears the row's name, forced as the measurement forced it: without segments; or the choice that
/// the row names with its parameters ("ring:segment=64K"). False where there is none, or where it cannot run the row's
/// case.
bool choice_of(const CollectiveRow& row, Choice& choice);

/// A choice of rows:
/// "COLLECTIVE:ALGORITHM[+ALGORITHM…][:ranks=A-B][:ppn=A-B][:bytes=A-B][:implementation=NAME]", any number of them,
/// separated by commas. Sizes take K, M and G. Throws InputError naming the part that cannot be read.
class RowSelection {
 public:
  explicit RowSelection(const std::string& text);
  bool holds(const CollectiveRow& row) const;
  /// The first part of the choice, as it is written, that names none of the rows; empty: all name some.
  std::string part_without(std::span<const CollectiveRow> rows) const;

 private:
  struct Range {
    std::int64_t least = 0, most = INT64_MAX;
  };
  struct Clause {
    std::string text;
    Collective collective;
    std::vector<std::string> algorithms;
    Range ranks, ppn, bytes;
    std::string implementation;  // empty: any
    bool holds(const CollectiveRow& row) const;
  };
  static Clause parse(const std::string& text);
  static Range parse_range(const std::string& text, const std::string& whole);

  std::vector<Clause> clauses_;
};

}  // namespace tutti
