#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "selection/library.hpp"

namespace tutti {

/// What a line of Open MPI's classic rules file says (exporters/open_mpi_classic.cpp).
struct OpenMpiSetting {
  int algorithm = 0;  // its number; 0: the library's own choice
  std::int64_t fanout = 0, segment = 0;
  friend bool operator==(const OpenMpiSetting&, const OpenMpiSetting&) = default;
};

/// Nothing for what the file of this version cannot say.
std::optional<OpenMpiSetting> open_mpi_setting(const Choice& choice, const Library& library);
/// What the library runs by such a line; nothing where it has no algorithm of that number.
std::optional<Choice> open_mpi_choice(Collective collective, const OpenMpiSetting& setting, const Library& library);

/// The collective's number in the file.
int open_mpi_id(Collective collective);

/// The collective is looked up by something else than its size: one rule serves all sizes.
inline bool has_one_rule(Collective c) {
  return c == Collective::barrier || c == Collective::scan || c == Collective::exscan;
}

/// A classic rules file as the library's reader takes it.
class OpenMpiRules {
 public:
  /// Throws InputError "ORIGIN:LINE: what was expected".
  OpenMpiRules(const std::string& text, const std::string& origin);
  /// The line that the library follows in this call; number 0 where it decides by itself.
  OpenMpiSetting look_up(const Case& c) const;

 private:
  struct Line {
    std::int64_t from_bytes = 0;
    OpenMpiSetting setting;
  };
  std::map<Collective, std::map<std::int64_t, std::vector<Line>>> lines_;  // by the least number of ranks
};

}  // namespace tutti
