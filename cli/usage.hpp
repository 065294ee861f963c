#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <string>

namespace tutti::cli {

/// What is wrong with a command line that CLI11 refused, with what may have been meant.
std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv);

/// From argv[i] on, the first word that is no option of `app` and no value of one; "--" is none, either. At most argc.
int after_options(const CLI::App& app, int i, int argc, char** argv);

/// Has the option refuse what is no whole number of 64 bits from 0 on: CLI11 takes the largest for -1 and for 2^64.
void expect_unsigned(CLI::Option& option);

/// Throws InputError where one of the options of the verb is given without that `beside` which it is about.
void expect_beside(const CLI::App& verb, std::initializer_list<const char*> options, const std::string& beside);

}  // namespace tutti::cli
