#include "cli/python.hpp"
#include "cli/verbs.hpp"

namespace tutti::cli {

void add_validate(CLI::App& app, int&) {
  CLI::App* verb =
      app.add_subcommand("validate", "Run a table's choices and their rivals for real (--mpi: under an MPI)");
  verb->set_help_flag();  // all that follows is the Python package's to understand
  verb->prefix_command();
  verb->callback([verb] { run_python("validation.mpi", verb->remaining()); });
}

}  // namespace tutti::cli
