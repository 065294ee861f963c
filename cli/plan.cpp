#include "cli/mpi_verbs.hpp"
#include "cli/python.hpp"

namespace tutti::cli {

void add_plan(CLI::App& app, int&) {
  CLI::App* verb = app.add_subcommand(
      "plan",
      "Which measurements are worth node-hours, as scripts for sbatch; what is learnt from them, round by round");
  verb->set_help_flag();  // all that follows is the Python package's to understand
  verb->prefix_command();
  verb->callback([verb] { run_python("validation.plan", verb->remaining()); });
}

}  // namespace tutti::cli
