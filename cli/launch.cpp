#include "runtime/launch.hpp"

#include "base/error.hpp"
#include "cli/verbs.hpp"

namespace tutti::cli {

void add_launch(CLI::App& app, int& status) {
  struct Options {
    int ranks = 0;
    double grace = 5;
    std::vector<std::string> command;
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
  verb->add_option("program", options->command, "the program and its arguments")->required();
  verb->callback([options, &status] {
    if (options->ranks < 1 || options->ranks > 4096) throw InputError("-n: expected 1 to 4096 ranks");
    if (!(options->grace >= 0 && options->grace <= 1e6)) throw InputError("--grace: expected 0 to 1000000 seconds");
    status = launch(options->ranks, options->command, std::chrono::duration<double>(options->grace));
  });
}

}  // namespace tutti::cli
