#include "cli/measured_messages.hpp"

#include <fmt/core.h>

#include "base/error.hpp"
#include "cli/python.hpp"

namespace tutti::cli {
namespace {

constexpr const char* kGroup = "Measure messages under your MPI";

}  // namespace

void add_measured_messages(CLI::App& verb) {
  // What they mean is validation/measure's to say and to check.
  const auto option = [&](const char* name, const char* type, const char* help) {
    verb.add_option(name)->description(help)->group(kGroup)->type_name(type);
  };
  option(
      "--mpi", "FOLDER",
      "time messages between cores and nodes, by a script in this folder, and fit to them; what is finished there is "
      "not run again");
  option("--nodes", "N", "between how many nodes: two for what a message takes, more also for all pairs of them [2]");
  option("--sizes", "A:B", "of messages, doubling [1:4M]");
  option("--mpirun", "COMMAND", "the launcher [mpirun]");
  option("--bench", "FILE", "tutti-mpi-bench where the jobs run (default: the one beside tutti)");
  const auto flag = [&](const char* name, const char* help) { verb.add_flag(name)->description(help)->group(kGroup); };
  flag("--batch", "only write FOLDER/run.sh, with directives for sbatch");
  flag("--read", "only fit to the results of a script that has run");
  option("--account", "NAME", "--batch: the account that the job is for");
  option("--partition", "NAME", "--batch: where the job runs");
  option("--time", "TIME", "--batch: the most that the job may take, as sbatch has it (default: estimated)");
}

void run_measured_messages(const CLI::App& verb) {
  std::vector<std::string> words;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->empty()) continue;
    const std::string name = option->get_name();
    if (option->get_expected_max() == 0) {
      words.push_back(name);
      continue;
    }
    for (const std::string& value : option->results()) words.push_back(fmt::format("{}={}", name, value));
  }
  run_python("validation.measure", words);
}

void expect_no_measuring(const CLI::App& verb) {
  for (const CLI::Option* option : verb.get_options())
    if (option->get_group() == kGroup && !option->empty())
      throw InputError(option->get_name() + ": expected --mpi FOLDER beside it");
}

}  // namespace tutti::cli
