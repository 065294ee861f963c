#pragma once

#include <string>
#include <vector>

namespace tutti::cli {

/// What came of a command that may be missing, fail or hang.
struct TriedCommand {
  enum class End { exited, not_found, timed_out, died };
  End end = End::not_found;
  int status = 0;      // of what exited; the signal of what died
  std::string output;  // stdout and stderr, at most 64 KiB
  double limit_seconds = 0;

  bool succeeded() const { return end == End::exited && status == 0; }
  std::string first_line() const;
  /// "is not on PATH", "did not answer within 5 s", "ended with status 1: LINE": why it did not succeed.
  std::string trouble() const;
};

/// Runs a program of PATH without standard input. At the limit it and what it has started are killed.
TriedCommand try_command(const std::vector<std::string>& words, double limit_seconds);

}  // namespace tutti::cli
