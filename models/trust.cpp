#include "models/trust.hpp"

#include <algorithm>

#include "json/document.hpp"
#include "models/transport_class.hpp"

namespace tutti {
namespace {

using nlohmann::json;

constexpr int kNearNodes = 2, kNearBytes = 4;  // factors beyond what was fitted

bool is_reduction(const std::string& collective) {
  return collective == "scan" || collective == "exscan" || collective == "allreduce" ||
         collective.starts_with("reduce");
}

bool is_near(const FittedRange& range, bool guesses_reductions, const std::string& collective, int nodes, int ppn,
             std::int64_t bytes) {
  const bool is_pair = range.what == FittedRange::kPointToPoint && !(guesses_reductions && is_reduction(collective));
  return (is_pair || range.what == collective) && nodes >= range.least_nodes / kNearNodes &&
         nodes / kNearNodes <= range.most_nodes && ppn >= range.least_ppn && ppn <= range.most_ppn &&
         (bytes == 0 || bytes >= range.least_bytes / kNearBytes) && bytes / kNearBytes <= range.most_bytes;
}

/// Messages of the ranks of one node go by figures of which none was measured on this machine.
bool is_guessed_inside(const Network& network, const Provenance::Distances& guessed, int ppn) {
  const int cores = std::min(ppn, network.cores_per_node());
  for (int core = 1; core < cores; ++core)
    if (guessed[static_cast<std::size_t>(network.distance(0, core))]) return true;
  return false;
}

std::string range_text(int least, int most) {
  return least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
}

/// A limit that a library documents tells no time: a transport all of whose costs are guesses is one.
bool is_guessed(const json& costs) {
  const json& guess = costs["guess"];
  return std::all_of(costs.items().begin(), costs.items().end(), [&](const auto& figure) {
    const std::string& key = figure.key();
    return key == "source" || key == "guess" || key.ends_with("_bytes") ||
           std::find(guess.begin(), guess.end(), key) != guess.end();
  });
}

Provenance::Distances guessed_in(const json& machine, bool larger_job) {
  Provenance::Distances guessed{};
  for (int i = 1; i < distance_count; ++i) {
    const json transport = transport_class(machine, static_cast<Distance>(i), larger_job);
    guessed[i] = !transport.is_null() && is_guessed(transport);
  }
  return guessed;
}

}  // namespace

Provenance provenance_of(const std::string& text, const std::string& origin) {
  const Document document(text, origin);
  const json& root = document.root();
  Provenance provenance;
  for (const json& given : root.value("fitted", json::array())) {
    const std::string pointer = "/fitted/" + std::to_string(provenance.fitted.size());
    for (const auto& [least, most] :
         {std::pair{"least_bytes", "most_bytes"}, {"least_nodes", "most_nodes"}, {"least_ppn", "most_ppn"}})
      if (given[most] < given[least]) document.fail(pointer + '/' + most, "expected no less than the least");
    provenance.fitted.push_back({given["what"], given["least_bytes"], given["most_bytes"], given["least_nodes"],
                                 given["most_nodes"], given["least_ppn"], given["most_ppn"]});
  }
  const json& reduce = root["compute"]["reduce"];
  const json guess = reduce.value("guess", json(false));
  provenance.guesses_reductions = guess.is_array() ? is_guessed(reduce) : guess.get<bool>();
  provenance.guessed = guessed_in(root, false);
  provenance.guessed_in_larger_jobs = guessed_in(root, true);
  return provenance;
}

const char* to_string(Trust trust) {
  switch (trust) {
    case Trust::guessed:
      return "guessed";
    case Trust::fitted_far:
      return "fitted far";
    case Trust::fitted_near:
      break;
  }
  return "fitted near";
}

Trust trust_in(const Machine& machine, const Provenance& provenance, const std::string& collective, int nodes, int ppn,
               std::int64_t bytes) {
  const Provenance::Distances& guessed =
      machine.is_larger_job(nodes * ppn) ? provenance.guessed_in_larger_jobs : provenance.guessed;
  const bool is_guessed = (nodes > 1 && guessed[static_cast<std::size_t>(Distance::network)]) ||
                          (ppn > 1 && is_guessed_inside(*machine.network, guessed, ppn));
  if (provenance.fitted.empty() || is_guessed) return Trust::guessed;
  const bool near = std::any_of(provenance.fitted.begin(), provenance.fitted.end(), [&](const FittedRange& range) {
    return is_near(range, provenance.guesses_reductions, collective, nodes, ppn, bytes);
  });
  return near ? Trust::fitted_near : Trust::fitted_far;
}

std::string fitted_text(const Provenance& provenance) {
  std::string text;
  for (const FittedRange& range : provenance.fitted)
    text += range.what + " on " + range_text(range.least_nodes, range.most_nodes) + " nodes, " +
            range_text(range.least_ppn, range.most_ppn) + " per node, " + std::to_string(range.least_bytes) + " to " +
            std::to_string(range.most_bytes) + " bytes\n";
  return text;
}

}  // namespace tutti
