#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "selection/explanation.hpp"
#include "selection/han_pick.hpp"
#include "selection/library.hpp"
#include "selection/lint.hpp"

namespace tutti {

/// What a line of Open MPI's classic rules file says (exporters/open_mpi_classic.cpp).
struct OpenMpiSetting {
  int algorithm = 0;  // its number; 0: the library's own choice
  std::int64_t fanout = 0, segment = 0;
  friend bool operator==(const OpenMpiSetting&, const OpenMpiSetting&) = default;
};

/// A line of the file, with what it holds for: from so many bytes on, on at least so many ranks.
struct OpenMpiLine {
  std::int64_t from_bytes = 0;
  OpenMpiSetting setting;
  int number = 0;  // of the line
};

/// Of more chains Open MPI makes as many (MAXTREEFANOUT).
constexpr std::int64_t kOpenMpiMostChains = 32;

/// Nothing for what the file of this version cannot say.
std::optional<OpenMpiSetting> open_mpi_setting(const Choice& choice, const Library& library);
/// What the library runs by such a line; nothing where it has no algorithm of that number.
std::optional<Choice> open_mpi_choice(Collective collective, const OpenMpiSetting& setting, const Library& library);

/// The collective is looked up by something else than its size: one rule serves all sizes.
inline bool has_one_rule(Collective c) {
  return c == Collective::barrier || c == Collective::scan || c == Collective::exscan || c == Collective::alltoallv;
}
/// What it compares where the rules go by size: of an allgatherv the mean of the ranks' bytes, rounded down, else the
/// bytes of the total convention.
inline std::int64_t compared_bytes(Collective c, int ranks, std::int64_t bytes) {
  return c == Collective::allgatherv ? bytes / ranks : bytes;
}

/// What the file says for communicators from so many ranks on.
struct OpenMpiCommunicator {
  std::vector<OpenMpiLine> lines;  // by size, ascending
  int number = 0;                  // of its line
};
using OpenMpiCommunicators = std::map<std::int64_t, OpenMpiCommunicator>;  // by the least number of ranks

/// A classic rules file as the library's reader takes it.
class OpenMpiRules {
 public:
  /// Throws InputError "ORIGIN:LINE: what was expected". With `doubts` it reads on wherever the library would, too, and
  /// adds what it thinks of that.
  OpenMpiRules(const std::string& text, const std::string& origin, const Library& library, Doubts* doubts = nullptr);
  const std::map<Collective, OpenMpiCommunicators>& communicators() const { return communicators_; }
  /// The line that the library follows in this call; algorithm 0 where it decides by itself. `why` (may be nullptr) is
  /// told which line, and why.
  OpenMpiLine look_up(const Case& c, Explanation* why = nullptr) const;
  const std::string& origin() const { return origin_; }

 private:
  void explain(const Case& c, std::int64_t ranks, const OpenMpiLine& line, Explanation& why) const;

  std::string origin_;
  std::map<Collective, OpenMpiCommunicators> communicators_;
};

/// An alltoall or alltoallv in place, of which all algorithms are one and the same, whatever rules say: `why` is told.
bool is_one_in_place(const Case& c, Explanation* why);
/// What coll/tuned runs in the call by these rules; nothing where they leave it to the fixed ones. `why` may be
/// nullptr. Throws InputError where the line names an algorithm that the library does not have: the call ends with an
/// error there.
std::optional<Choice> open_mpi_choice_by(const OpenMpiRules& rules, const Case& c, const Library& library,
                                         Explanation* why);
/// Where they leave it to the fixed rules, what those pick. All must outlive it.
TunedPick open_mpi_picks_by(const OpenMpiRules& rules, const Library& library);

}  // namespace tutti
