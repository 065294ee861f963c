#include <algorithm>

#include "cli/python.hpp"
#include "cli/verbs.hpp"

namespace tutti::cli {

void add_validate(CLI::App& app, int&) {
  CLI::App* verb = app.add_subcommand(
      "validate", "Run a table's choices and their rivals for real, in the runtime or (--mpi) an MPI");
  verb->set_help_flag();  // all that follows is the Python package's to understand
  verb->prefix_command();
  verb->callback([verb] {
    const std::vector<std::string> words = verb->remaining();
    const bool mpi = std::find(words.begin(), words.end(), "--mpi") != words.end();
    run_python(mpi ? "validation.mpi" : "validation.runtime", words);
  });
}

}  // namespace tutti::cli
