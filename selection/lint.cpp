#include "selection/lint.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "selection/export.hpp"
#include "selection/library.hpp"

namespace tutti {
namespace {

/// Of "ORIGIN:LINE: what was expected", as readers refuse.
LintFinding unreadable(std::string message, const std::string& origin, bool reads_as_library) {
  LintFinding finding{1, "unreadable", {}, {}, {}};
  finding.matters = reads_as_library ? "the library stops, or ignores the whole file without a word"
                                     : "what the library makes of it is not known: Tutti reads what it writes itself";
  if (message.starts_with(origin + ":")) {
    message.erase(0, origin.size() + 1);
    const char* const end = message.data() + message.size();
    const auto [after, error] = std::from_chars(message.data(), end, finding.line);
    if (error == std::errc{} && after != end && *after == ':')
      message.erase(0, static_cast<std::size_t>(after - message.data()) + 2);
  }
  finding.what = "what stands here cannot be read: " + message;
  finding.fix = reads_as_library ? "write what is expected, or export the file anew" : "write it as tutti export does";
  return finding;
}

/// The forms of the same library, or else of others, whose readers take the file: " or "-separated; empty: none.
std::string forms_that_read(const std::string& text, const std::string& origin, const Exporter& asked) {
  std::string of_library, of_others;
  const std::string product = find_library(asked.library()).product;
  for (const Exporter* exporter : exporters()) {
    if (exporter == &asked) continue;
    try {
      exporter->read(text, origin);
    } catch (const InputError&) {
      continue;  // the answer: it is not of this form
    }
    std::string& names = find_library(exporter->library()).product == product ? of_library : of_others;
    names += (names.empty() ? "" : " or ") + exporter->name();
  }
  return of_library.empty() ? of_others : of_library;
}

}  // namespace

std::vector<LintFinding> lint(const Exporter& exporter, const std::string& text, const std::string& origin) {
  Doubts findings;
  try {
    exporter.lint(text, origin, findings);
  } catch (const InputError& error) {
    findings.push_back(unreadable(error.what(), origin, exporter.reads_as_library()));
  }
  if (!findings.empty()) try {
      exporter.read(text, origin);
    } catch (const InputError& error) {
      if (const std::string forms = forms_that_read(text, origin, exporter); !forms.empty()) {
        findings = {unreadable(error.what(), origin, exporter.reads_as_library())};
        findings[0].matters = "the library stops, ignores the file, or takes it for something else";
        findings[0].fix = "it looks like a file of the form " + forms + ", which --for takes; else " + findings[0].fix;
      }
    }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const LintFinding& a, const LintFinding& b) { return a.line < b.line; });
  return findings;
}

}  // namespace tutti
