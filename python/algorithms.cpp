// The algorithms that there are, and those that a user writes.

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "algos/named_choice.hpp"
#include "python/bindings.hpp"
#include "python/user_algorithm.hpp"
#include "selection/baselines.hpp"
#include "sim/engine.hpp"

namespace nb = nanobind;

namespace tutti::python {
namespace {

nb::dict row_of(const Algorithm& a) {
  nb::dict row;
  nb::list parameters, constraints;
  for (const ParameterSpec& spec : a.parameters()) parameters.append(spec.name);
  for (const Requirement& requirement : a.requirements()) constraints.append(requirement.text);
  if (a.needs_commutative()) constraints.append("a commutative operator");
  row["collective"] = std::string(name_of(a.collective()));
  row["name"] = a.name();
  row["rounds"] = a.rounds().text();
  row["messages"] = a.messages().text();
  row["bytes"] = a.bytes().text();
  row["parameters"] = parameters;
  row["constraints"] = constraints;
  row["cite"] = a.cite();
  return row;
}

nb::list algorithms(const std::string& collective) {
  nb::list rows;
  if (collective.empty())
    for (const Algorithm& a : registry()) rows.append(row_of(a));
  else
    for (const Algorithm* a : algorithms_of(any_collective_named(collective))) rows.append(row_of(*a));
  return rows;
}

std::vector<std::string> collectives() {
  std::vector<std::string> names;
  for (int c = 0; c < kCollectives; ++c) names.emplace_back(name_of(static_cast<Collective>(c)));
  return names;
}

/// A function may refer to its algorithm by what it sees around it: Python's collector has to know.
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  Py_VISIT(nb::inst_ptr<UserAlgorithm>(self)->function());
  return 0;
}

PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(&traverse)}, {0, nullptr}};

}  // namespace

void add_algorithms(nb::module_& m) {
  m.def("algorithms", &algorithms, nb::arg("collective") = "");
  m.def("collectives", &collectives);
  m.def(
      "split_choices", [](const std::string& text) { return split_choices(text); }, nb::arg("text"));
  m.def("baseline_names", &baseline_names);
  m.def("engine_names", &engine_names);

  nb::class_<UserParameter>(m, "_Parameter")
      .def(
          "__init__",
          [](UserParameter* self, std::string name, std::int64_t standard, std::int64_t minimum,
             std::optional<std::int64_t> maximum, std::vector<std::int64_t> tried) {
            new (self) UserParameter{std::move(name), standard, minimum, maximum, std::move(tried)};
          },
          nb::arg("name"), nb::arg("default"), nb::arg("minimum") = 1, nb::arg("maximum") = nb::none(),
          nb::arg("tried") = std::vector<std::int64_t>{});
  nb::class_<UserAlgorithm>(m, "_UserAlgorithm", nb::type_slots(slots))
      .def(
          "__init__",
          [](UserAlgorithm* self, nb::object function, std::string collective, std::string name, std::string rounds,
             std::string messages, std::string bytes, std::string ports, std::string requirement,
             std::string requirement_text, std::vector<UserParameter> parameters, bool commutative, bool by_node) {
            const UserDeclaration declaration{std::move(collective),
                                              std::move(name),
                                              std::move(rounds),
                                              std::move(messages),
                                              std::move(bytes),
                                              std::move(ports),
                                              std::move(requirement),
                                              std::move(requirement_text),
                                              std::move(parameters),
                                              commutative,
                                              by_node};
            new (self) UserAlgorithm(declaration, std::move(function));
          },
          nb::arg("function"), nb::arg("collective"), nb::arg("name"), nb::arg("rounds"), nb::arg("messages"),
          nb::arg("bytes"), nb::arg("ports"), nb::arg("requirement"), nb::arg("requirement_text"),
          nb::arg("parameters"), nb::arg("commutative"), nb::arg("by_node"))
      .def_prop_ro("name", [](const UserAlgorithm& a) { return a.algorithm().name(); })
      .def_prop_ro("collective",
                   [](const UserAlgorithm& a) { return std::string(name_of(a.algorithm().collective())); });
  nb::class_<UserChoice>(m, "_UserChoice")
      .def(
          "__init__",
          [](UserChoice* self, std::shared_ptr<UserAlgorithm> algorithm,
             std::map<std::string, std::int64_t> parameters) {
            static_cast<void>(algorithm->choice(parameters));  // what cannot be is refused here
            new (self) UserChoice{std::move(algorithm), std::move(parameters)};
          },
          nb::arg("algorithm"), nb::arg("parameters"))
      .def_prop_ro("text", [](const UserChoice& c) { return c.algorithm->choice(c.parameters).text(); });
}

}  // namespace tutti::python
