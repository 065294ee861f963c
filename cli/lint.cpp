#include "selection/lint.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "cli/printable.hpp"
#include "cli/tuning_file.hpp"
#include "cli/verbs.hpp"
#include "json/text_file.hpp"

namespace tutti::cli {
namespace {

struct LintOptions {
  std::string file, target;
  bool notes = false, json = false;
};

nlohmann::ordered_json lint_json(const LintOptions& options, const Exporter& exporter,
                                 const std::vector<LintFinding>& findings) {
  nlohmann::ordered_json json{{"file", options.file},
                              {"form", exporter.name()},
                              {"library", exporter.library()},
                              {"findings", nlohmann::json::array()}};
  for (const LintFinding& each : findings)
    json["findings"].push_back({{"file", options.file},
                                {"line", each.line},
                                {"kind", each.kind},
                                {"note", each.note},
                                {"what", each.what},
                                {"why", each.matters},
                                {"fix", each.fix}});
  return json;
}

void add_other_file_beside(const LintOptions& options, const Exporter& exporter, const std::string& text,
                           std::vector<LintFinding>& findings) {
  const std::string other = other_file_beside(exporter, options.file, text);
  if (!other.empty())
    findings.insert(
        findings.begin(),
        {1, "ignored", fmt::format("{} is another file than tutti export writes beside this one", other),
         fmt::format("the library reads {}, of which nothing is said here", other),
         "export both anew, or, where it has a form of its own (tutti export --help), lint it with --for that"});
}

int run_lint(const LintOptions& options) {
  const Exporter& exporter = exporter_named(options.target);
  const std::string text = text_of_file(options.file, "file");
  std::vector<LintFinding> findings = lint(exporter, text, options.file);
  const bool is_readable =
      std::none_of(findings.begin(), findings.end(), [](const LintFinding& each) { return each.kind == "unreadable"; });
  if (is_readable) add_other_file_beside(options, exporter, text, findings);
  const auto notes = static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [](const LintFinding& each) { return each.note; }));
  // What a mutilated file says may be no UTF-8: it is shown as far as it is.
  if (options.json)
    fmt::print(
        "{}\n",
        lint_json(options, exporter, findings).dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  else
    for (const LintFinding& each : findings)
      if (!each.note || options.notes)
        fmt::print("{}:{}: {}{}: {}\n  why: {}\n  do:  {}\n", options.file, each.line, each.note ? "note: " : "",
                   each.kind, printable(each.what), printable(each.matters), printable(each.fix));
  if (!options.json)
    fmt::print(stderr, "{}: {}, {}{}\n", exporter.name(), counted(findings.size() - notes, "finding"),
               counted(notes, "note"),

               notes > 0 && !options.notes ? " (--notes shows them)" : "");
  return notes < findings.size() ? kFinding : kDone;
}

}  // namespace

void add_lint(CLI::App& app, int& status) {
  auto options = std::make_shared<LintOptions>();
  CLI::App* verb = app.add_subcommand("lint", "What is wrong with a library's tuning file, whoever wrote it");
  verb->footer(
      "Exit status 1 where anything is; notes may well be meant and do not count.\n"
      "Kinds: unreadable, unknown, ignored, dead, fall-back, overlap, gap, unit, number, parameter, cannot-run, "
      "operator.\n"
      "Example: tutti lint rules.txt --for open-mpi-classic");
  verb->add_option("file", options->file, "the tuning file")->required();
  verb->add_option("--for", options->target, "the library (open-mpi-5.0) or the form of its file (tutti export --help)")
      ->required();
  verb->add_flag("--notes", options->notes, "also what may well be meant");
  verb->add_flag("--json", options->json, "all of it, notes too, for machines");
  verb->callback([options, &status] { status = run_lint(*options); });
}

}  // namespace tutti::cli
