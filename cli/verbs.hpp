#pragma once

#include <CLI/CLI.hpp>

namespace tutti::cli {

/// Exit statuses of the program: done, a finding (a refuted algorithm, a failed validation), wrong usage or bad input,
/// and a fault of the program itself.
enum Status { kDone = 0, kFinding = 1, kUsage = 2, kFault = 3 };

/// Every verb adds its sub-command; its callback stores the exit status in `status`.
void add_list(CLI::App& app, int& status);
void add_verify(CLI::App& app, int& status);
void add_machines(CLI::App& app, int& status);
void add_machine(CLI::App& app, int& status);
void add_calibrate(CLI::App& app, int& status);
void add_simulate(CLI::App& app, int& status);
void add_tune(CLI::App& app, int& status);
void add_export(CLI::App& app, int& status);
void add_audit(CLI::App& app, int& status);
void add_diff(CLI::App& app, int& status);
void add_explain(CLI::App& app, int& status);
void add_lint(CLI::App& app, int& status);
void add_report(CLI::App& app, int& status);
void add_study(CLI::App& app, int& status);
void add_lab(CLI::App& app, int& status);
void add_bench(CLI::App& app, int& status);
/// Takes the program that is launched, and what follows it, out of the command line, for nobody else to understand.
void add_launch(CLI::App& app, int& status, int& argc, char** argv);
void add_validate(CLI::App& app, int& status);
/// Two verbs: manual and completion.
void add_completion(CLI::App& app, int& status);
void add_manual(CLI::App& app, int& status);

}  // namespace tutti::cli
