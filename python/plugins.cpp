#include "selection/plugins.hpp"

#include <dlfcn.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

#include "python/bindings.hpp"

namespace nb = nanobind;

namespace tutti::python {
namespace {

/// Python loads a module for itself alone. Plug-ins leave open what the program that loads them has, and the dynamic
/// linker looks for that in what is there for all.
void show_this_module_to_all() {
  Dl_info here;
  if (dladdr(reinterpret_cast<const void*>(&show_this_module_to_all), &here) == 0 ||
      !dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL))
    throw std::runtime_error("the module cannot be shown to plug-ins");
}

}  // namespace

void add_plugins(nb::module_& m) {
  using namespace nb::literals;
  m.def(
      "load_plugin",
      [](const std::string& path) {
        show_this_module_to_all();
        load_plugin(path);
      },
      "path"_a);
  m.def("plugins", [] { return plugins(); });
}

}  // namespace tutti::python
