#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "models/contention.hpp"
#include "models/trust.hpp"
#include "sim/engine.hpp"

namespace tutti::cli {

/// What all rows of a result share.
struct SimulatedHead {
  std::string system, collective, engine, mode;
  FabricLevels fabric = {};
  std::string background = {};           // another job beside; empty: none
  std::string no_congestion_trees = {};  // why none grow beside it; empty: they do
  std::string noise = {};                // on the processors; empty: none
  double noise_share = 0;                // of their time
  std::string losses = {};               // of messages that times may have in them; empty: of none
  std::string counts = {};               // how unequal blocks are; empty: nobody said
  std::string neighbors = {};            // of a collective among neighbours
  /// What was asked for otherwise than by default, by the name of its option: "placement", "root", "in_place" …
  nlohmann::ordered_json asked = nlohmann::ordered_json::object();
  std::optional<std::uint64_t> seed = {};  // of the noise and of late arrivals; nothing: nothing is random
  bool several_arrivals = false;           // has_several_arrivals() of the mode

  /// Times are then medians of calls, of which it is said how far they spread.
  bool has_spread() const { return !background.empty() || !noise.empty() || several_arrivals; }
};

/// One simulated call.
struct SimulatedRow {
  std::string algorithm;  // as asked for: "binomial", "default:mpich"
  std::string chosen;     // what ran: what a default picks, and what an algorithm falls back to
  int ranks = 0, nodes = 0, ppn = 0;
  std::int64_t bytes = 0, bytes_simulated = 0;
  Result result;
  Trust trust = Trust::guessed;
};

/// SimulatedHead::asked, of the options' values.
nlohmann::ordered_json asked_otherwise(const std::string& placement, Rank root, std::optional<std::int32_t> element,
                                       const std::string& op, bool in_place);
/// Of SimulatedHead::asked, for people: ", placement cyclic, root 5, in place".
std::string asked_text(const nlohmann::ordered_json& asked);
std::string csv_of(const SimulatedHead& head, std::span<const SimulatedRow> rows);
nlohmann::ordered_json json_of(const SimulatedHead& head, std::span<const SimulatedRow> rows, const Network& network,
                               bool checked);
/// A table for people, with one heading for the rows of each layout. `rows` is not empty.
std::string table_of(const SimulatedHead& head, std::span<const SimulatedRow> rows);

}  // namespace tutti::cli
