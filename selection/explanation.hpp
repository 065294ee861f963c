#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algos/registry.hpp"
#include "base/ranks_on_nodes.hpp"

namespace tutti {

/// Why a library runs what it runs in a call, told by the code that decides while it decides: one sentence after the
/// other, without a full stop, as to somebody who knows MPI.
struct Explanation {
  struct Part;
  std::string component;             // who runs the call: "coll/han"; empty: the library does not say
  std::string rule;                  // by what: "rule 9 of 18 for allreduce, built in", "rules.txt:12"
  std::vector<std::string> because;  // what was asked and answered, in that order
  std::vector<Part> parts;           // what runs inside, where the choice is made of others
  bool told = false;                 // the choice was made: nothing is left to the library
};

struct Explanation::Part {
  std::string what;  // "bcast on each node, 4 ranks, 64K bytes"
  std::string runs;  // "binomial"
  Explanation why;
  bool is_exact = true;          // the model runs it so, without leaving out segments or a fan-out
  bool is_out_of_order = false;  // what runs needs another operator than the call's, one that commutes
};

/// For which calls a rule of a baseline with this condition (baseline.schema.json) is: "for operators that commute".
std::string for_which_calls(std::string_view condition, bool value);

/// What happens between the name of an algorithm and what is sent: fall-backs, and the metadata's condition of each.
/// Empty: it runs as it is.
std::vector<std::string> explain_fallbacks(const Choice& choice, const Case& c);

/// Whether the number of an algorithm inside another, which is its only parameter there, says it all.
bool is_plain_part(const Choice& choice);
/// "chain:fanout=4:segment=1024, priced without segments and with a fan-out of 1".
std::string part_text(const Choice& choice);

/// "4 nodes with 2 ranks each", "one node with 8 ranks", "9 ranks on 3 nodes, 1 to 5 on each".
std::string layout_text(const RanksOnNodes& on, int ranks);
/// "65536 bytes (64K)": a size for people that can be compared with what files say.
std::string bytes_text(std::int64_t bytes);

}  // namespace tutti
