#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algos/registry.hpp"
#include "base/ranks_on_nodes.hpp"
#include "selection/explanation.hpp"

namespace tutti {

/// What a library picks where nobody tuned it: its built-in rules, as data (selection/baselines/*.json, which also say
/// what it calls our algorithms: library.hpp). Immutable.
struct Baseline {
  /// A call gets the first rule whose conditions all hold and whose steps reach its size.
  struct Rule {
    struct Step {
      std::int64_t below_bytes = std::numeric_limits<std::int64_t>::max();  // exclusive; the last may have no limit
      Choice choice;
      std::string not_ours;  // not empty: what the library runs, where none of our algorithms is that
      std::string as;        // not empty: the library to which the call is left
    };
    int ranks = 0;  // exactly so many; 0: any
    int ranks_below = std::numeric_limits<int>::max();
    std::int64_t total_bytes_below = std::numeric_limits<std::int64_t>::max();  // whatever the steps go by
    int ranks_per_node_below = std::numeric_limits<int>::max();                 // on the node with the most
    std::map<std::string, bool> conditions;                                     // those of baseline.schema.json
    std::vector<Step> steps;                                                    // ascending, not empty
    std::string remark;  // not empty: what the library does that the choice only stands for
  };
  struct Rules {
    bool by_block = false;  // sizes are those of one rank's block, else of the `total` convention
    std::string component;  // of the library, whose rules these are: "coll/tuned"
    std::vector<Rule> rules;
  };

  std::string name, description, source;
  std::string hierarchical_remark;  // the same for every call on several nodes with several ranks on some
  bool has_han = false;             // Open MPI's component for such calls comes first (selection/han_pick.hpp)
  std::map<Collective, Rules> collectives;
};

struct BaselinePick {
  Choice choice;
  std::string remark;    // not empty: what the library does in this call that the choice only stands for
  std::string not_ours;  // not empty: what the library runs, and there is no choice
};

/// "mpich", "open-mpi-4.1", …: those of which that is known, sorted.
std::vector<std::string> baseline_names();
/// Throws InputError on an unknown name, listing the known ones. Thread-safe; lives as long as the program.
const Baseline& find_baseline(const std::string& name);

/// The library's choice for a case whose ranks are on nodes like this. `why` (may be nullptr) is told how it
/// came about. Throws InputError, which says what the library runs, where that is none of our algorithms.
BaselinePick pick(const Baseline& baseline, const Case& c, const RanksOnNodes& on, Explanation* why = nullptr);
/// The same, or nothing where it is none of our algorithms.
std::optional<BaselinePick> pick_if_ours(const Baseline& baseline, const Case& c, const RanksOnNodes& on);

/// "default:LIBRARY": the library's choice (pick); else an algorithm with its parameters. Throws InputError.
Choice choice_asked_for(const std::string& text, const Case& c, const RanksOnNodes& on);

/// Whether what the library picks for a collective is put together call by call, of what it would pick for others, or
/// another library's: then its rules do not name all of it.
bool puts_together(const Baseline& baseline, Collective collective);
/// All that the library's rules name for the collective, each once.
std::vector<Choice> named_choices(const Baseline& baseline, Collective collective);
/// Adds all that the rules of these libraries name and that is not there.
void add_named_choices(std::vector<Choice>& choices, const std::vector<std::string>& libraries, Collective collective);

/// Reads the form of selection/baselines/*.json but for `same_as`. Throws InputError
/// "ORIGIN:LINE: /json/pointer: what was expected".
Baseline parse_baseline(const std::string& text, const std::string& origin);

}  // namespace tutti
