#include <fmt/core.h>

#include <exception>
#include <stdexcept>

#include "algos/error.hpp"
#include "cli/verbs.hpp"

int main(int argc, char** argv) {
  using namespace tutti::cli;
  CLI::App app{
      "Tutti: write a collective once, prove it, simulate it, and pick the best algorithm for a machine.\n"
      "Example: tutti verify --collective bcast --ranks 1-64"};
  app.require_subcommand(1);
  int status = kDone;
  add_list(app, status);
  add_verify(app, status);
  add_machines(app, status);
  add_machine(app, status);
  add_calibrate(app, status);
  add_simulate(app, status);
  add_tune(app, status);
  add_export(app, status);
  try {
    app.parse(argc, argv);
    return status;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kUsage;
  } catch (const tutti::InputError& error) {
    fmt::print(stderr, "tutti: {}\n", error.what());
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "tutti: {}\n", error.what());
  }
  return kUsage;
}
