#include <string>

#include "base/error.hpp"
#include "python/bindings.hpp"
#include "python/interruptible.hpp"

namespace nb = nanobind;

namespace tutti::python {
namespace {

/// Options of the command line are named arguments here: "--osu-sizes 3x: …" becomes "osu_sizes 3x: …".
std::string as_arguments(const std::string& text) {
  std::string changed;
  for (std::size_t i = 0; i < text.size();) {
    const bool begins = text.compare(i, 2, "--") == 0 && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '(') &&
                        i + 2 < text.size() && text[i + 2] >= 'a' && text[i + 2] <= 'z';
    if (!begins) {
      changed += text[i++];
      continue;
    }
    for (i += 2; i < text.size() && ((text[i] >= 'a' && text[i] <= 'z') || text[i] == '-'); ++i)
      changed += text[i] == '-' ? '_' : text[i];
  }
  return changed;
}

}  // namespace
}  // namespace tutti::python

NB_MODULE(_core, m) {
  using namespace tutti::python;
  nb::set_leak_warnings(false);  // what a notebook's globals hold lives to the end
  static PyObject* error = PyErr_NewExceptionWithDoc(
      "tutti.InputError", "Bad input: one line that says file, line and what was expected. A ValueError.",
      PyExc_ValueError, nullptr);
  m.attr("__version__") = TUTTI_VERSION;
  m.attr("InputError") = nb::borrow(error);
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const tutti::InputError& bad) {
      PyErr_SetString(error, as_arguments(bad.what()).c_str());
    }
  });
  add_machines(m);
  add_calls(m);
  add_algorithms(m);
  add_simulate(m);
  add_verify(m);
  add_tables(m);
  add_plugins(m);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&join_abandoned));
}
