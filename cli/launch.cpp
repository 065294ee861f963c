#include "runtime/launch.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "cli/usage.hpp"
#include "cli/verbs.hpp"

namespace tutti::cli {
namespace {

/// The program and its arguments are taken from the command line: CLI11 would understand options among them, take lists
/// in brackets apart and lose empty words. It is left the first of them, for which it knows that there is a program.
std::vector<std::string> take_program(const CLI::App& app, const CLI::App& verb, int& argc, char** argv) {
  int program = after_options(app, 1, argc, argv);
  if (program >= argc || argv[program] != verb.get_name()) return {};
  program = after_options(verb, program + 1, argc, argv);
  if (program < argc && std::string(argv[program]) == "--") ++program;
  std::vector<std::string> words(argv + program, argv + argc);
  argc = std::min(program + 1, argc);
  return words;
}

}  // namespace

void add_launch(CLI::App& app, int& status, int& argc, char** argv) {
  struct Options {
    int ranks = 0;
    double grace = 5;
    std::vector<std::string> shown, command;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("launch", "Start local ranks of a program that uses the runtime");
  verb->footer(
      "Example: tutti launch -n 4 -- ./my_program its arguments\n"
      "The status is that of the rank that was not well first (128 + the signal's number), which is named, else 0. "
      "Nothing\n"
      "that ranks have started is left behind.");
  verb->add_option("-n,--ranks", options->ranks, "how many")->required();
  verb->add_option("--grace", options->grace,
                   "seconds in which the others may end by themselves, where one has ended badly")
      ->capture_default_str();
  verb->add_option("program", options->shown, "the program and its arguments")->required();
  options->command = take_program(app, *verb, argc, argv);
  verb->callback([options, &status] {
    if (options->ranks < 1 || options->ranks > 4096) throw InputError("-n: expected 1 to 4096 ranks");
    if (!(options->grace >= 0 && options->grace <= 1e6)) throw InputError("--grace: expected 0 to 1000000 seconds");
    status = launch(options->ranks, options->command, std::chrono::duration<double>(options->grace));
  });
}

}  // namespace tutti::cli
