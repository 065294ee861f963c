#include "python/machines.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "models/contention.hpp"
#include "python/bindings.hpp"
#include "selection/model_identity.hpp"

namespace nb = nanobind;

namespace tutti::python {
namespace {

/// The same in whichever file the text lies.
std::string identity_of(const std::string& text, std::vector<std::string> files, const std::string& own) {
  std::erase(files, own);
  return machine_identity(text, files);
}

std::shared_ptr<LoadedMachine> load(const std::string& name_or_path) {
  const nb::gil_scoped_release release;
  ReadMachine read = read_machine(name_or_path);
  Provenance provenance = provenance_of(read.text, name_or_path);
  std::string identity = identity_of(read.text, read.files, name_or_path);
  return std::make_shared<LoadedMachine>(LoadedMachine{std::move(read), std::move(provenance), std::move(identity)});
}

/// Of a text that was made here; files that it names are sought in the current folder.
std::shared_ptr<LoadedMachine> parse(const std::string& text, const std::string& origin) {
  const nb::gil_scoped_release release;
  ReadMachine read{origin, text, {}, parse_machine(text, origin)};
  Provenance provenance = provenance_of(text, origin);
  std::string identity = identity_of(text, machine_files(origin, text), origin);
  return std::make_shared<LoadedMachine>(
      LoadedMachine{std::move(read), std::move(provenance), std::move(identity), true});
}

nb::list figures(const LoadedMachine& machine) {
  nb::list all;
  for (const Figure& figure : machine_figures(machine.read.text, machine.read.origin)) {
    nb::dict row;
    row["pointer"] = figure.pointer;
    row["value"] = figure.value;
    row["source"] = figure.source;
    row["guess"] = figure.guess;
    all.append(row);
  }
  return all;
}

}  // namespace

void add_machines(nb::module_& m) {
  nb::class_<LoadedMachine>(m, "Machine", "A machine that is loaded: tutti.machine(NAME or FILE).")
      .def("__init__", [](LoadedMachine*, const nb::args&) { throw nb::type_error("use tutti.machine(NAME or FILE)"); })
      .def("__repr__",
           [](const LoadedMachine& m_) {
             const Network& network = *m_.read.machine.network;
             return "<tutti.Machine " + m_.read.machine.name + ": " + std::to_string(network.nodes()) + " nodes of " +
                    std::to_string(network.cores_per_node()) + " cores>";
           })
      .def_prop_ro(
          "name", [](const LoadedMachine& m_) { return m_.read.machine.name; }, "The machine's name.")
      .def_prop_ro(
          "description", [](const LoadedMachine& m_) { return m_.read.machine.description; }, "One line on what it is.")
      .def_prop_ro(
          "origin", [](const LoadedMachine& m_) { return m_.read.origin; }, "The name or file that was asked for.")
      .def_prop_ro("_identity", [](const LoadedMachine& m_) { return m_.identity; })
      .def_prop_ro("_is_made", [](const LoadedMachine& m_) { return m_.is_made; })
      .def_prop_ro(
          "text", [](const LoadedMachine& m_) { return m_.read.text; }, "Its JSON.")
      .def_prop_ro(
          "nodes", [](const LoadedMachine& m_) { return m_.read.machine.network->nodes(); }, "How many nodes it has.")
      .def_prop_ro(
          "cores_per_node", [](const LoadedMachine& m_) { return m_.read.machine.network->cores_per_node(); },
          "How many cores a node has.")
      .def_prop_ro(
          "links", [](const LoadedMachine& m_) { return m_.read.machine.network->links().size(); },
          "How many directed links its network has.")
      .def_prop_ro(
          "contention",
          [](const LoadedMachine& m_) { return contention_word(fabric_levels(*m_.read.machine.network)); },
          "'shared' or 'none': whether the fabric's links divide their bandwidth among flows.")
      .def_prop_ro(
          "fitted", [](const LoadedMachine& m_) { return fitted_text(m_.provenance); },
          "What its figures were fitted to, a line each; empty: nothing that was measured.")
      .def_prop_ro(
          "warnings", [](const LoadedMachine& m_) { return idle_changes(m_.read.text, m_.read.origin); },
          "Figures of the file that change no predicted time.")
      .def("_figures", &figures)
      .def(
          "message_seconds",
          [](const LoadedMachine& m_, int from_core, int to_core, std::int64_t bytes) {
            const int cores = m_.read.machine.network->nodes() * m_.read.machine.network->cores_per_node();
            if (from_core < 0 || to_core < 0 || from_core >= cores || to_core >= cores || from_core == to_core ||
                bytes < 0)
              throw InputError("expected two different cores of the machine, and 0 bytes or more");
            return m_.read.machine.message_seconds(from_core, to_core, bytes);
          },
          nb::arg("from_core"), nb::arg("to_core"), nb::arg("bytes"),
          "Seconds that one message takes on the idle machine, its receiver waiting.");
  m.def("load_machine", &load, nb::arg("name_or_path"));
  m.def("parse_machine", &parse, nb::arg("text"), nb::arg("origin"));
  m.def("machine_names", &machine_names);
}

}  // namespace tutti::python
