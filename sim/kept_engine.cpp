#include "sim/kept_engine.hpp"

#include "algos/call_checksum.hpp"
#include "algos/registry.hpp"

namespace tutti {
namespace {

/// Everything that a result follows from, beside the machine and the program.
std::string key_of(const Experiment& one) {
  const Case& c = one.c;
  Checksum rest;
  for (const int core : one.core_of_rank) rest.add(core);
  rest.add(c.count).add(c.element_bytes).add(c.root).add(c.in_place).add(static_cast<int>(c.op));
  if (c.neighborhood) add(rest, *c.neighborhood);
  if (c.counts) add(rest, *c.counts);
  rest.add(static_cast<int>(one.mode.kind)).add(one.mode.calls).add(one.mode.sigma_seconds);
  if (one.mode.measured_seconds)
    for (const double seconds : *one.mode.measured_seconds) rest.add(seconds);
  rest.add(one.mode.barrier_algorithm).add(one.seed).add(one.record).add(one.payload != nullptr).add(one.each_call);
  rest.add(one.most_seconds);
  if (const auto& other = one.background)
    rest.add(static_cast<int>(other->kind))
        .add(other->ranks)
        .add(other->bytes)
        .add(other->burst_seconds)
        .add(other->pause_seconds)
        .add(other->gap_seconds);
  if (const auto& noise = one.noise) {
    rest.add(noise->every_seconds).add(noise->for_seconds).add(noise->by_node);
    if (noise->measured)
      for (const Noise::Detour& detour : *noise->measured) rest.add(detour.begin_seconds).add(detour.duration_seconds);
  }
  return std::string(name_of(c.collective)) + " " + std::to_string(c.ranks) + " " + one.choice.text() + " " +
         rest.text();
}

/// Leaves out the recorded events that are not of the critical path.
void keep_critical_path(Result& result) {
  std::map<std::size_t, std::size_t> place;  // of those that stay, by where they were
  std::vector<TraceEvent> trace;
  for (const std::size_t event : result.critical_path) place.emplace(event, 0);
  for (const PathPart& part : result.path_parts) place.emplace(part.event, 0);
  for (auto& [from, to] : place) {
    to = trace.size();
    trace.push_back(std::move(result.trace[from]));
  }
  const auto moved = [&](std::int64_t event) {
    const auto found = place.find(static_cast<std::size_t>(event));
    return found == place.end() ? TraceEvent::kNone : static_cast<std::int64_t>(found->second);
  };
  for (TraceEvent& event : trace) {
    event.after = moved(event.after);
    event.sent_after = moved(event.sent_after);
  }
  for (std::size_t& event : result.critical_path) event = place.at(event);
  for (PathPart& part : result.path_parts) part.event = place.at(part.event);
  result.trace = std::move(trace);
}

thread_local std::size_t made_here = 0;

}  // namespace

std::size_t KeptEngine::simulated_by_this_thread() { return made_here; }

KeptEngine::KeptEngine(const Engine& engine, ResultStore& store, const std::string& machine)
    : engine_(engine), store_(store), machine_(Checksum().add(machine).text()) {}

std::vector<Result> KeptEngine::run(const Machine& machine, std::span<const Experiment> experiments) const {
  std::vector<Result> results(experiments.size());
  std::vector<std::string> keys;
  std::vector<std::size_t> missing;
  std::vector<Experiment> asked;
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    std::string key = name() + " " + machine_ + " " + key_of(experiments[i]);
    if (std::optional<Result> known = store_.find(key)) {
      results[i] = std::move(*known);
      continue;
    }
    keys.push_back(std::move(key));
    missing.push_back(i);
    asked.push_back(experiments[i]);
  }
  if (asked.empty()) return results;
  std::vector<Result> made = engine_.run(machine, asked);
  made_here += made.size();
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (asked[i].record) keep_critical_path(made[i]);
    store_.keep(keys[i], made[i]);
    results[missing[i]] = std::move(made[i]);
  }
  return results;
}

}  // namespace tutti
