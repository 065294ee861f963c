#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "exporters/open_mpi_han_reader.hpp"
#include "selection/export.hpp"

namespace tutti {

/// What the file of Open MPI 5.0's coll/han says of whole communicators: whether coll/han or coll/tuned serves a call.
/// Sizes are of the vector, or of one rank's block; barriers are looked up by 0.
class HanRules {
 public:
  HanRules() = default;
  /// As read_han_file().
  HanRules(const std::string& text, const std::string& origin, std::ptrdiff_t first_line = 1, Doubts* doubts = nullptr);
  /// Who serves the call, coll/tuned or, in which variant, coll/han, which does so as usual where nothing is said.
  /// `why` may be nullptr. Throws InputError where the file has it run what is none of our algorithms.
  HanRow::By served_by(const Case& c, Explanation* why = nullptr) const;
  /// Whether the line for the call names coll/tuned, and no other component.
  bool names_tuned(const Case& c) const;
  /// Whether it has coll/han run a simple variant that is made of the collective.
  bool asks_for(Collective part) const;
  /// Whether any line says something else than coll/han does without the file.
  bool changes_anything() const;

 private:
  struct Found {
    const HanConfiguration* configuration;
    const HanRow* row;
  };
  std::optional<Found> look_up(const Case& c) const;
  void expect_ours(const Case& c, HanVariant variant) const;

  std::string origin_;
  HanFile file_;
};

/// Where coll/han is: several nodes, with several ranks on some.
inline bool is_hierarchical(const Case& c, int nodes) { return nodes > 1 && nodes < c.ranks; }

/// The collectives that it looks up by a rank's block.
bool is_by_block_in_han(Collective collective);

/// Leaves all sizes to the library's own choice.
void leave_all_out(FileRules& rules);

/// Whether the rule has coll/han run its simple variant ("han_simple:low=1:up=7").
bool is_simple_in_han(const Rule& rule);
/// What coll/han is to run in its simple variant, and to leave to coll/tuned: whatever else the rules name an algorithm
/// for. Empty: nothing.
std::string write_han_rules(std::span<const FileRules> rules);
/// A file that says what coll/han does anyway: one without collectives it would call broken.
inline constexpr char kSaysNothing[] = "1\nbcast\n1\nglobal_communicator\n1\n1\n1\n0 han\n";

/// The variables as lines of openmpi-mca-params.conf.
std::string mca_params(const SwitchOn& switch_on);

}  // namespace tutti
