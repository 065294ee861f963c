#pragma once

#include <string>
#include <vector>

namespace tutti {

class Exporter;

/// What is wrong with a tuning file, or may be.
struct LintFinding {
  int line = 0;
  std::string kind;  // "dead", "overlap", "gap", "unit", "unknown", "fall-back", "ignored", "parameter", "cannot-run",
                     // "number", "unreadable"
  std::string what;  // what is there
  std::string matters;  // what comes of it in the library
  std::string fix;      // what to do
  bool note = false;    // it may well be meant
};

/// What a reader tells who asks it to read on, where it would refuse the file otherwise.
using Doubts = std::vector<LintFinding>;

/// All that is wrong with the file, by line: what its reader, as the library's, does not take ("unreadable") is a
/// finding, too.
std::vector<LintFinding> lint(const Exporter& exporter, const std::string& text, const std::string& origin);

}  // namespace tutti
