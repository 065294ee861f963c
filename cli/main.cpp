#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "cli/demo.hpp"
#include "cli/doctor.hpp"
#include "cli/mpi_verbs.hpp"
#include "cli/plugins.hpp"
#include "cli/printable.hpp"
#include "cli/sweep_verbs.hpp"
#include "cli/usage.hpp"
#include "cli/verbs.hpp"
#include "cli/whatif.hpp"

namespace {

int say(int status, std::string message) {
  constexpr std::size_t kLongest = 2000;
  if (message.size() > kLongest) message.replace(kLongest / 2, message.size() - kLongest, " [...] ");
  fmt::print(stderr, "tutti: {}\n", tutti::cli::printable(std::move(message)));  // it may quote a file
  return status;
}

/// Of what stands before the verb, the first option that the program does not have; empty: none.
std::string unknown_before_verb(const CLI::App& app, int argc, char** argv) {
  for (int i = 1; i < argc && argv[i][0] == '-'; ++i) {
    const std::string given(argv[i]);
    std::string name = given.substr(0, given.find('='));
    const CLI::Option* option = app.get_option_no_throw(name);
    if (!option) return name;
    if (name == given) i += option->get_expected_min();  // its value
  }
  return "";
}

int run_program(int argc, char** argv) {
  using namespace tutti::cli;
  using tutti::did_you_mean;
  CLI::App app{
      "Tutti: write a collective once, prove it, simulate it, and pick the best algorithm for a machine.\n"
      "Exit status: 0 done, 1 a finding (an algorithm refuted, a validation failed), 2 wrong usage or bad input,\n"
      "3 a fault of the program itself, such as too little memory or an engine that died.\n"
      "Example: tutti verify --collective bcast --ranks 1-64"};
  app.set_version_flag("--version", "tutti " TUTTI_VERSION, "Say which version this is, and exit");
  app.require_subcommand(1);
  add_plugin_option(app);
  try {
    load_plugins(argc, argv);  // before anybody asks which algorithms there are
  } catch (const tutti::InputError& error) {
    return say(kUsage, error.what());
  }
  int status = kDone;
  add_list(app, status);
  add_verify(app, status);
  add_machines(app, status);
  add_machine(app, status);
  add_calibrate(app, status);
  add_simulate(app, status);
  add_whatif(app, status);
  add_tune(app, status);
  add_merge(app, status);
  add_status(app, status);
  add_export(app, status);
  add_audit(app, status);
  add_diff(app, status);
  add_explain(app, status);
  add_lint(app, status);
  add_report(app, status);
  add_study(app, status);
  add_demo(app, status);
  add_lab(app, status);
  add_bench(app, status);
  add_launch(app, status, argc, argv);
  add_validate(app, status);
  add_plan(app, status);
  add_follow(app, status);
  add_messages(app, status);
  add_doctor(app, status);
  add_manual(app, status);
  add_completion(app, status);
  std::string verbs;
  std::vector<std::string> names;
  bool known = argc > 1 && argv[1][0] == '-';
  for (const CLI::App* verb : app.get_subcommands({})) {
    verbs += (verbs.empty() ? "" : ", ") + verb->get_name();
    names.push_back(verb->get_name());
    known = known || (argc > 1 && verb->get_name() == argv[1]);
  }
  if (!known)
    return say(kUsage, argc < 2 ? "expected a verb: " + verbs
                                : "unknown verb '" + std::string(argv[1]) + "': expected one of " + verbs +
                                      did_you_mean(argv[1], names));
  if (const std::string unknown = unknown_before_verb(app, argc, argv); !unknown.empty())
    return say(kUsage, fmt::format("tutti has no option {}{} before a verb", unknown,
                                   did_you_mean(unknown, {"--help", "--version", "--plugin"})));
  try {
    app.parse(argc, argv);
    return status;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // help
    return say(kUsage, explain(app, error, argc, argv));
  } catch (const tutti::InputError& error) {
    return say(kUsage, error.what());
  } catch (const std::invalid_argument& error) {
    return say(kUsage, error.what());
  } catch (const std::system_error& error) {
    const bool for_want =
        error.code() == std::errc::resource_unavailable_try_again || error.code() == std::errc::not_enough_memory;
    if (for_want) return say(kFault, std::string("too little memory or too few threads: ") + error.what());
    // What fmt throws where stdout takes no more.
    return say(kUsage, error.what());
  } catch (const std::bad_alloc&) {
    return say(kFault, "out of memory");
  } catch (const std::exception& error) {
    const std::string_view why = error.what();
    if (why.starts_with("[json.exception.type_error.316]"))
      return say(kUsage, "a file's name or text is no UTF-8: expected UTF-8, which is all that JSON can say");
    return say(kFault, std::string(why));
  }
}

/// Where memory runs out in a place that may not throw.
[[noreturn]] void end_without_memory() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    constexpr std::string_view kWhat = "tutti: out of memory\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kWhat.data(), kWhat.size());
    _exit(tutti::cli::kFault);
  } catch (const std::exception& error) {
    fmt::print(stderr, "tutti: {}\n", error.what());
  }
  std::abort();
}

int run(int argc, char** argv) {
  const int status = run_program(argc, argv);
  errno = 0;
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;  // an earlier flush may have failed
  if (is_written || status >= tutti::cli::kUsage) return status;
  return say(tutti::cli::kUsage,
             std::string("stdout: cannot be written") + (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(end_without_memory);
  try {
    return run(argc, argv);
  } catch (const std::exception&) {  // stderr takes no more, either
    return tutti::cli::kUsage;
  }
}
