#include "cli/python.hpp"
#include "cli/verbs.hpp"

namespace tutti::cli {

void add_lab(CLI::App& app, int&) {
  CLI::App* verb = app.add_subcommand("lab", "An emulated cluster of network namespaces with the links of a machine");
  verb->set_help_flag();  // all that follows is the Python package's to understand
  verb->prefix_command();
  verb->callback([verb] { run_python("lab", verb->remaining()); });
}

}  // namespace tutti::cli
