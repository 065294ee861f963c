#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tutti::cli {

/// What one way to call a verb prints with --help.
struct ForeignHelp {
  std::string command;  // "tutti validate --mpi"
  std::string text;     // of at most the columns that were asked for; empty where it says nothing
  std::string trouble;  // why it does not: "is not on PATH, or cannot be run"
};

/// Of a verb that is written in Python, whose options the command line does not know: each way to call it, by calling
/// it. Empty for all other verbs.
std::vector<ForeignHelp> foreign_help(const CLI::App& verb, int columns);

/// An option with a long name, for shells.
struct DescribedOption {
  std::vector<std::string> long_names;  // --output, not -o
  bool takes_value = false;
  std::string description;  // one line
};

/// Those that a help of Python's argparse lists.
std::vector<DescribedOption> options_in(const std::string& help);

}  // namespace tutti::cli
