#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "python/bindings.hpp"
#include "python/interruptible.hpp"
#include "python/plan.hpp"
#include "python/running_call.hpp"
#include "sim/interruption.hpp"
#include "sim/spread.hpp"

namespace nb = nanobind;

namespace tutti::python {
namespace {

/// Algorithms in Python run on the caller's thread, which has Python's lock; what one of them raised is raised again.
void simulate_here(Plan& plan, const nb::object& progress) {
  const std::vector<std::size_t> begins = plan.stretches();
  const Interruptible ends_where_one_raises(raised_something());
  for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
    try {
      plan.simulate(begins[s], begins[s + 1]);
    } catch (const std::exception&) {
      if (const nb::object raised = take_raised(); raised.is_valid()) {
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
        throw nb::python_error();
      }
      throw;
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress.is_none()) progress(begins[s + 1], plan.runs());
  }
}

void simulate_on_threads(const std::shared_ptr<Plan>& plan, const nb::object& progress) {
  const auto begins = std::make_shared<const std::vector<std::size_t>>(plan->stretches());
  nb::object counted = progress;
  if (!progress.is_none())
    counted = nb::cpp_function(
        [begins, progress](std::size_t done, std::size_t) { progress((*begins)[done], begins->back()); });
  run_interruptibly(
      plan->request().jobs, begins->size() - 1,
      [plan, begins](std::size_t s) { plan->simulate((*begins)[s], (*begins)[s + 1]); }, counted);
}

nb::tuple simulate(SimulateRequest request, const nb::object& progress) {
  const bool in_python = !request.own.empty();
  take_raised();
  std::shared_ptr<Plan> plan;
  {
    const nb::gil_scoped_release release;
    plan = std::make_shared<Plan>(std::move(request));
  }
  if (in_python)
    simulate_here(*plan, progress);
  else
    simulate_on_threads(plan, progress);
  std::set<std::string> said;
  nb::list calls, remarks;
  for (SimulatedCall& call : plan->take(said)) calls.append(nb::cast(std::move(call)));
  for (const std::string& remark : said) remarks.append(remark);
  return nb::make_tuple(calls, remarks);
}

nb::dict row_of(const SimulatedCall& call) {
  nb::dict row;
  row["system"] = call.machine->read.machine.name;
  row["collective"] = call.collective;
  row["algorithm"] = call.algorithm;
  row["ranks"] = call.ranks;
  row["nodes"] = call.nodes;
  row["ppn"] = call.ppn;
  row["bytes"] = call.bytes;
  row["bytes_simulated"] = call.bytes_simulated;
  row["time_us"] = call.result.makespan_seconds * 1e6;
  row["messages"] = call.result.messages;
  row["engine"] = call.engine;
  row["mode"] = call.mode;
  row["chosen"] = call.chosen;
  row["trust"] = call.trust;
  if (call.mode.starts_with("skew") && call.result.seconds_per_call.size() > 1) {
    const Spread spread = spread_of(call.result.seconds_per_call);
    row["p05_us"] = spread.p05 * 1e6;
    row["p95_us"] = spread.p95 * 1e6;
    row["mean_us"] = spread.mean * 1e6;
    row["calls"] = call.result.seconds_per_call.size();
  }
  return row;
}

const char* name_of_kind(TraceEvent::Kind kind) {
  if (kind == TraceEvent::Kind::message) return "message";
  return kind == TraceEvent::Kind::copy ? "copy" : "combine";
}

nb::dict event_row(const TraceEvent& event) {
  nb::dict row;
  row["kind"] = name_of_kind(event.kind);
  row["from"] = event.rank;
  row["to"] = event.peer;
  row["bytes"] = event.bytes;
  row["posted_us"] = event.posted_seconds * 1e6;
  row["started_us"] = event.started_seconds * 1e6;
  row["ended_us"] = event.ended_seconds * 1e6;
  return row;
}

nb::list events(const SimulatedCall& call) {
  nb::list rows;
  for (const TraceEvent& event : call.result.trace) rows.append(event_row(event));
  return rows;
}

nb::list critical_path(const SimulatedCall& call) {
  const Network& network = *call.machine->read.machine.network;
  nb::list rows;
  for (const PathPart& part : call.result.path_parts) {
    nb::dict row;
    row["from_us"] = part.begin_seconds * 1e6;
    row["to_us"] = part.spent.until_seconds * 1e6;
    row["on"] = kind_of(part.spent.on, part.spent.which, network);
    row["place"] = place_of(part.spent.on, part.spent.which, network);
    const TraceEvent& event = call.result.trace[part.event];
    row["kind"] = name_of_kind(event.kind);
    row["from"] = event.rank;
    row["to"] = event.peer;
    row["bytes"] = event.bytes;
    rows.append(row);
  }
  return rows;
}

nb::list bounds(const SimulatedCall& call) {
  const Network& network = *call.machine->read.machine.network;
  nb::list rows;
  for (const Bound& bound : bounds_of(call.result)) {
    nb::dict row;
    row["on"] = kind_of(bound.on, bound.which, network);
    row["place"] = place_of(bound.on, bound.which, network);
    row["us"] = bound.seconds * 1e6;
    rows.append(row);
  }
  return rows;
}

}  // namespace

void add_simulate(nb::module_& m) {
  nb::class_<SimulatedCall>(m, "_SimulatedCall")
      .def("row", &row_of)
      .def_prop_ro("time_us", [](const SimulatedCall& c) { return c.result.makespan_seconds * 1e6; })
      .def_prop_ro("seconds_per_rank", [](const SimulatedCall& c) { return c.result.seconds_per_rank; })
      .def_prop_ro("bytes_per_level", [](const SimulatedCall& c) { return c.result.bytes_per_level; })
      .def_prop_ro("fault", [](const SimulatedCall& c) { return c.result.fault; })
      .def("events", &events)
      .def("critical_path", &critical_path)
      .def("bounds", &bounds)
      .def("chrome_trace", [](const SimulatedCall& c) { return chrome_trace(c.result, c.node_of_rank); });
  m.def(
      "simulate",
      [](std::shared_ptr<LoadedMachine> machine, std::string collective, std::vector<std::string> algorithms,
         std::vector<UserChoice> own, std::string nodes, std::string ppn, std::string ranks, std::string placement,
         std::string bytes, std::string osu_sizes, std::string engine, std::string mode, std::string op, Rank root,
         std::optional<std::int32_t> element, bool in_place, bool record, bool check, std::uint64_t seed, int jobs,
         std::string counts, std::vector<Count> count_of_each, std::string neighbors,
         std::vector<Neighborhood::Edge> edges, const nb::object& progress) {
        return simulate({std::move(machine),
                         std::move(collective),
                         std::move(algorithms),
                         std::move(own),
                         std::move(nodes),
                         std::move(ppn),
                         std::move(ranks),
                         std::move(placement),
                         std::move(bytes),
                         std::move(osu_sizes),
                         std::move(engine),
                         std::move(mode),
                         std::move(op),
                         root,
                         element,
                         in_place,
                         record,
                         check,
                         seed,
                         jobs,
                         std::move(counts),
                         std::move(count_of_each),
                         std::move(neighbors),
                         std::move(edges)},
                        progress);
      },
      nb::kw_only(), nb::arg("machine"), nb::arg("collective"), nb::arg("algorithms"), nb::arg("own"), nb::arg("nodes"),
      nb::arg("ppn"), nb::arg("ranks"), nb::arg("placement"), nb::arg("bytes"), nb::arg("osu_sizes"), nb::arg("engine"),
      nb::arg("mode"), nb::arg("op"), nb::arg("root"), nb::arg("element").none(), nb::arg("in_place"),
      nb::arg("record"), nb::arg("check"), nb::arg("seed"), nb::arg("jobs"), nb::arg("counts"),
      nb::arg("count_of_each"), nb::arg("neighbors"), nb::arg("edges"), nb::arg("progress").none());
}

}  // namespace tutti::python
