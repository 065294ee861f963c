#include "cli/drawn_call.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "algos/what_runs.hpp"
#include "base/error.hpp"
#include "base/sizes.hpp"
#include "cli/link_load.hpp"
#include "models/machine_part.hpp"
#include "selection/baselines.hpp"
#include "selection/candidates.hpp"
#include "sim/rank_groups.hpp"

namespace tutti::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFewUsualRanks = 6, kMostUsualRanks = 32;  // of the call that nobody asked for
constexpr double kMostUsualMessages = 200;
constexpr std::size_t kMostBusyLinks = 20;

const Cell* cell_of(const Table& table, const Place& place, std::int64_t bytes) {
  const auto found = std::find_if(table.cells.begin(), table.cells.end(),
                                  [&](const Cell& cell) { return cell.place == place && cell.bytes == bytes; });
  return found == table.cells.end() ? nullptr : &*found;
}

/// The library that loses most, and how many times as long it takes as `algorithm`; nothing where none is known.
std::pair<std::string, double> slowest_default(const Cell& cell, const std::string& algorithm) {
  std::pair<std::string, double> most;
  const auto own = cell.seconds.find(algorithm);
  if (own == cell.seconds.end() || own->second <= 0) return most;
  for (const auto& [library, seconds] : cell.default_seconds)
    if (seconds / own->second > most.second) most = {library, seconds / own->second};
  return most;
}

double runner_up_ratio(const Cell& cell, const Rule& rule) {
  const auto own = cell.seconds.find(rule.algorithm);
  if (own == cell.seconds.end() || own->second <= 0 || !cell.seconds.contains(rule.runner_up)) return 0;
  return least_seconds(cell, rule.runner_up) / own->second;
}

constexpr double kOtherTime = 0.01;  // of times that a table's file rounds

/// Where the table's time for a choice, as its machine was when the table was tuned, is not what it takes now; empty:
/// it is, or the two are not of one thing.
std::string differs(const Table& table, const Cell* cell, const Choice& choice, const Result& result) {
  if (cell == nullptr || cell->confirmed.contains(choice.text()) || !table.loads.empty() || table.mode != Mode{}.text())
    return "";
  // Where times follow measurements, what was predicted stands beside.
  const auto& seconds = cell->simulated_seconds.contains(choice.text()) ? cell->simulated_seconds : cell->seconds;
  const auto found = seconds.find(choice.text());
  if (found == seconds.end() || cell->inferred.contains(choice.text())) return "";
  const double now = result.makespan_seconds, then = found->second;
  if (std::abs(now - then) <= kOtherTime * std::max(now, then)) return "";
  return fmt::format(
      "{} takes {:.3f} us, but {:.3f} us by the table: the machine (its file, or its list of cables) is "
      "not as it was when the table was tuned: tutti tune makes a table anew",
      choice.text(), now * 1e6, then * 1e6);
}

double messages_of(const Layout& layout, const Choice& choice, const Case& c, const Machine& machine) {
  const std::optional<Counts> counts = declared(choice, c, places_of(*machine.network, layout.core_of_rank));
  return counts ? counts->messages : 0;
}

Layout layout_of(const Table& table, const Place& place, const Machine& machine) {
  LayoutOptions where;
  where.nodes = place.nodes, where.ppn = place.ppn, where.placement = table.placement;
  return make_layout(machine, where);
}

/// A call that nobody asked for.
struct TellingCall {
  const TableOfFile* of = nullptr;
  AskedCall call;
  std::tuple<bool, bool, double> loses{false, false, 0};  // ranks enough; a library's default; how much it loses
};

/// Makes `best` the table's cell in which something else than the choice loses most, if it loses more; one of few
/// ranks, or in which no library's default is known, only where there is no other. Ties: the first.
void find_telling_call(TellingCall& best, const TableOfFile& of, const Machine& machine) {
  const Table& table = of.table;
  for (const Cell& cell : table.cells) {
    const Place& place = cell.place;
    if (place.ranks() < 2 || place.ranks() > kMostUsualRanks) continue;
    const Rule* rule = look_up(table, place, cell.bytes);
    if (rule == nullptr) continue;
    const double by_default = slowest_default(cell, rule->algorithm).second;
    const std::tuple<bool, bool, double> loses{place.ranks() >= kFewUsualRanks, by_default > 0,
                                               by_default > 0 ? by_default : runner_up_ratio(cell, *rule)};
    if (loses <= best.loses) continue;
    const Choice choice = parse_choice(place.collective, rule->algorithm);
    const double messages = messages_of(layout_of(table, place, machine), choice, case_for(place, cell.bytes), machine);
    if (messages < 1 || messages > kMostUsualMessages) continue;
    best = {&of, AskedCall{place, cell.bytes, ""}, loses};
  }
}

Json drawn(const std::string& title, const Case& c, const Choice& choice, const Layout& layout, const Table& table,
           const Cell* cell, const Machine& machine) {
  if (const std::string reason = why_not(choice, c); !reason.empty())
    throw InputError(fmt::format("--call: {} cannot run there: it {}", choice.text(), reason));
  if (const double messages = messages_of(layout, choice, c, machine); messages > kMostDrawnEvents)
    throw InputError(fmt::format("--call: expected a call of at most {} messages; {} has {:.0f} there",
                                 kMostDrawnEvents, choice.text(), messages));
  const int last = *std::max_element(layout.core_of_rank.begin(), layout.core_of_rank.end());
  const Machine part = first_nodes(machine, machine.network->node_of(last) + 1);
  Experiment one{c, choice, layout.core_of_rank, Mode{}};
  one.record = true;
  const Result result = make_engine(table.engine)->run(part, {&one, 1}).front();
  if (!result.refused.empty()) throw InputError("--call: " + result.refused);
  Json call = space_time_json(title, one, layout, result, *part.network);
  call["differs"] = differs(table, cell, choice, result);
  return call;
}

/// What is asked for is of the table's counts.
AskedCall with_counts_of(const Table& table, AskedCall call) {
  for (const Cell& cell : table.cells)
    if (Place there = cell.place; is_irregular(there.collective) && call.place.counts.empty()) {
      there.counts.clear();
      if (there == call.place) call.place.counts = cell.place.counts;
    }
  return call;
}

/// Which table a call is of that was asked for. Throws InputError where none has a rule and no algorithm is named.
const TableOfFile& drawn_table(const AskedCall& call, const std::string& asked,
                               const std::vector<TableOfFile>& tables) {
  const TableOfFile* with_rule = nullptr;
  for (const TableOfFile& of : tables) {
    const AskedCall there = with_counts_of(of.table, call);
    if (look_up(of.table, there.place, there.bytes) == nullptr) continue;
    if (cell_of(of.table, there.place, there.bytes) != nullptr) return of;
    if (with_rule == nullptr) with_rule = &of;
  }
  if (with_rule == nullptr && call.algorithm.empty())
    throw InputError(fmt::format("--call {}: {} no rule for {} nodes with {} ranks each: expected algorithm= beside",
                                 asked, tables.size() == 1 ? "the table has" : "the tables have", call.place.nodes,
                                 call.place.ppn));
  return with_rule == nullptr ? tables.front() : *with_rule;
}

Json calls_of(const AskedCall& asked, const TableOfFile& of, bool is_only_table, const Machine& machine) {
  const Table& table = of.table;
  const AskedCall call = with_counts_of(table, asked);
  const Case c = case_for(call.place, call.bytes);
  const std::string algorithm =
      call.algorithm.empty() ? look_up(table, call.place, call.bytes)->algorithm : call.algorithm;
  const std::string chosen = is_only_table ? "the table's choice" : "the choice of " + of.file;
  const Layout layout = layout_of(table, call.place, machine);
  const Choice choice = parse_choice(call.place.collective, algorithm);
  const Cell* cell = cell_of(table, call.place, call.bytes);
  Json calls =
      Json::array({drawn(call.algorithm.empty() ? chosen : "as asked for", c, choice, layout, table, cell, machine)});
  const std::string library = cell == nullptr ? "" : slowest_default(*cell, algorithm).first;
  const std::vector<std::string> known = baseline_names();
  if (std::find(known.begin(), known.end(), library) != known.end()) {
    const Choice other = pick(find_baseline(library), c, layout.on_nodes()).choice;
    if (normalized(other, c) != normalized(choice, c) && messages_of(layout, other, c, machine) <= kMostDrawnEvents / 8)
      calls.push_back(drawn("the default of " + library, c, other, layout, table, cell, machine));
  }
  for (Json& one : calls) one["table"] = of.file;
  return calls;
}

}  // namespace

Json space_time_json(const std::string& title, const Experiment& run, const Layout& layout, const Result& result,
                     const Network& network) {
  const Case& c = run.c;
  const Choice& choice = run.choice;
  if (static_cast<double>(result.trace.size()) > kMostDrawnEvents)
    throw InputError(fmt::format("expected a call of at most {} messages, copies and combinations to draw; {} has {}",
                                 kMostDrawnEvents, choice.text(), result.trace.size()));
  std::vector<bool> critical(result.trace.size(), false);
  for (const std::size_t event : result.critical_path) critical[event] = true;
  double until = result.makespan_seconds;  // of a call among others the time, not when the run ends
  for (const TraceEvent& event : result.trace) until = std::max(until, event.ended_seconds);
  Json json{{"title", title},
            {"collective", name_of(c.collective)},
            {"algorithm", choice.text()},
            {"runs", text_of_what_runs(choice, c, places_of(network, layout.core_of_rank))},
            {"nodes", layout.nodes},
            {"ppn", layout.ppn},
            {"bytes", total_bytes(c)},
            {"mode", run.mode.text()},
            {"time_us", result.makespan_seconds * 1e6},
            {"until_us", until * 1e6},
            {"node_of_rank", nodes_of(network, layout.core_of_rank)},
            {"events", Json::array()},
            {"links", Json::array()}};
  for (std::size_t i = 0; i < result.trace.size(); ++i) {
    const TraceEvent& e = result.trace[i];
    const char* kind = e.kind == TraceEvent::Kind::message ? "message"
                       : e.kind == TraceEvent::Kind::copy  ? "copy"
                                                           : "combine";
    json["events"].push_back({kind, e.rank, e.peer, e.bytes, e.posted_seconds * 1e6, e.started_seconds * 1e6,
                              e.ended_seconds * 1e6, static_cast<bool>(critical[i])});
  }
  std::vector<BusyLink> busy = busy_links(result, network, layout.core_of_rank);
  json["links_used"] = busy.size();
  if (busy.size() > kMostBusyLinks) busy.resize(kMostBusyLinks);
  for (const BusyLink& link : busy)
    json["links"].push_back(
        {{"level", link.level}, {"name", link.name}, {"bytes", link.bytes}, {"busy_us", link.busy_seconds * 1e6}});
  return json;
}

AskedCall parse_asked_call(const std::string& text) {
  const auto expected = [&](const std::string& what) { return InputError("--call " + text + ": expected " + what); };
  const char* const form = "COLLECTIVE:nodes=N,ppn=K,bytes=B[,algorithm=A]";
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw expected(form);
  AskedCall asked;
  asked.place.collective = any_collective_named(text.substr(0, colon));
  if (is_of_neighbors(asked.place.collective)) throw expected("a collective that tables are of");
  std::set<std::string> given;
  for (std::size_t begin = colon + 1; begin < text.size();) {
    const std::size_t equals = std::min(text.find('=', begin), text.size());
    const std::string key = text.substr(begin, equals - begin);
    const std::size_t end = key == "algorithm" ? text.size() : std::min(text.find(',', equals), text.size());
    const std::string value = equals < end ? text.substr(equals + 1, end - equals - 1) : "";
    if (value.empty()) throw expected(form);
    if (!given.insert(key).second) throw expected(key + " once");
    constexpr std::int64_t kMostRanks = 1 << 20;
    if (key == "algorithm") {
      asked.algorithm = value;
    } else if (key == "bytes") {
      asked.bytes = parse_size(value);
    } else if (key == "nodes" || key == "ppn") {
      const std::int64_t number = parse_size(value);
      if (number < 1 || number > kMostRanks) throw expected(key + " from 1 to 2^20");
      (key == "nodes" ? asked.place.nodes : asked.place.ppn) = static_cast<int>(number);
    } else {
      throw expected(form);
    }
    begin = end + 1;
  }
  const bool has_bytes = given.contains("bytes") || asked.place.collective == Collective::barrier;
  if (!given.contains("nodes") || !has_bytes) throw expected(form);
  return asked;
}

Json drawn_calls(const std::string& asked, const std::vector<TableOfFile>& tables, const Machine& machine) {
  if (!asked.empty()) {
    const AskedCall call = parse_asked_call(asked);
    return {{"calls", calls_of(call, drawn_table(call, asked, tables), tables.size() == 1, machine)}, {"why", ""}};
  }
  std::string why = "no call of the table is of two ranks or more and small enough to be looked at";
  TellingCall telling;
  for (const TableOfFile& of : tables) try {
      find_telling_call(telling, of, machine);
    } catch (const InputError& error) {  // of a placement file that is gone, say: the rest of the page stands without
      why = error.what();
    }
  if (telling.of != nullptr) try {
      return {{"calls", calls_of(telling.call, *telling.of, tables.size() == 1, machine)}, {"why", ""}};
    } catch (const InputError& error) {
      why = error.what();
    }
  return {{"calls", Json::array()}, {"why", why}};
}

}  // namespace tutti::cli
