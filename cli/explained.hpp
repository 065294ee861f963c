#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/link_load.hpp"
#include "models/trust.hpp"
#include "selection/explanation.hpp"
#include "selection/fastest.hpp"
#include "sim/critical_path.hpp"

namespace tutti::cli {

/// What a call's time was spent on.
struct BoundedRun {
  struct Share {
    std::string on, place;  // place: where most of it was spent
    double seconds = 0;
  };
  Choice choice;
  double seconds = 0;
  // Of several calls back to back the mean of one; where barriers come between, of the last one.
  std::vector<Share> shares;  // of the critical path, by what it was spent on, the most first
  std::optional<BusyLink> hottest;
};

/// What a library does in one call, why, and what that costs.
struct ExplainedCall {
  std::string system, library, file;  // library: "Open MPI 5.0"; file: empty where its built-in rules alone are asked
  Case c;
  RanksOnNodes on;
  std::int64_t bytes = 0;                           // as asked for
  std::string op, engine, mode, background, noise;  // background, noise: empty: none
  std::string no_congestion_trees;                  // why none grow beside the background; empty: they do
  nlohmann::ordered_json asked = nlohmann::ordered_json::object();  // as SimulatedHead::asked
  std::optional<std::uint64_t> seed;  // of the noise and of late arrivals; nothing: nothing is random
  std::string counts;                 // how unequal blocks are, as asked for; empty: not at all
  Explanation why;
  std::optional<Choice> choice;  // nothing: the library's own, which is not known here
  Choice runs;                   // after fall-backs
  std::string runs_text;         // with those of its parts
  std::string theirs, remark;    // theirs: what the library calls the choice, where it has a name for it
  std::optional<double> seconds;
  std::size_t candidates = 0;
  std::vector<TimedChoice> best;  // the best first
  Trust trust = Trust::guessed;
  std::vector<BoundedRun> bounds;  // of the best and of what the library runs
  std::string unbounded;           // not empty: why there are none
};

/// By what the critical path of a run that was recorded in that mode was spent on.
BoundedRun bounded_run(const Choice& choice, const Result& result, const Mode& mode, const Network& network,
                       const std::vector<int>& core_of_rank);

/// A screen for people.
std::string text_of(const ExplainedCall& call);
nlohmann::ordered_json json_of(const ExplainedCall& call);

}  // namespace tutti::cli
