#include "cli/mpi_verbs.hpp"
#include "cli/python.hpp"

namespace tutti::cli {

void add_follow(CLI::App& app, int&) {
  CLI::App* verb = app.add_subcommand(
      "follow", "What a real library did under a tuning file: component and algorithm of each call, by what was sent");
  verb->set_help_flag();  // all that follows is the Python package's to understand
  verb->prefix_command();
  verb->callback([verb] { run_python("validation.follow", verb->remaining()); });
}

}  // namespace tutti::cli
