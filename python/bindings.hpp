#pragma once
// The parts of the module `tutti._core`, each added by its own file.

#include <nanobind/nanobind.h>

namespace tutti::python {

void add_machines(nanobind::module_& m);
void add_simulate(nanobind::module_& m);
void add_verify(nanobind::module_& m);
void add_tables(nanobind::module_& m);
void add_calls(nanobind::module_& m);
void add_algorithms(nanobind::module_& m);
void add_plugins(nanobind::module_& m);

}  // namespace tutti::python
