#include "cli/doctor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/near_spelling.hpp"
#include "cli/doctor_checks.hpp"
#include "cli/verbs.hpp"

namespace tutti::cli {
namespace {

struct DoctorOptions {
  bool json = false;
  std::vector<std::string> strict;
  double limit_seconds = 10;
};

int run_doctor(const DoctorOptions& options) {
  const std::vector<std::string> known = part_names();
  std::string all;
  for (const std::string& part : known) all += (all.empty() ? "" : ", ") + part;
  for (const std::string& part : options.strict)
    if (std::find(known.begin(), known.end(), part) == known.end())
      throw InputError(fmt::format("--strict {}: expected one of {}{}", part, all, did_you_mean(part, known)));
  if (!(options.limit_seconds > 0 && options.limit_seconds <= 3600))
    throw InputError("--limit: expected more than 0 and at most 3600 seconds");
  const std::vector<Diagnosis> found = diagnose(options.limit_seconds);
  bool strict_fails = false;
  for (const Diagnosis& one : found)
    strict_fails = strict_fails || (!one.works && std::find(options.strict.begin(), options.strict.end(), one.part) !=
                                                      options.strict.end());
  if (options.json) {
    nlohmann::ordered_json parts = nlohmann::ordered_json::array();
    for (const Diagnosis& one : found)
      parts.push_back({{"part", one.part}, {"works", one.works}, {"what", one.what}, {"mend", one.mend}});
    fmt::print("{}\n", parts.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else {
    for (const Diagnosis& one : found) {
      fmt::print("{:<14} {:<9} {}\n", one.part, one.works ? "works" : "does not", one.what);
      if (!one.mend.empty()) fmt::print("{:<24} mend: {}\n", "", one.mend);
    }
  }
  return strict_fails ? kFinding : kDone;
}

}  // namespace

void add_doctor(CLI::App& app, int& status) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* verb =
      app.add_subcommand("doctor", "Which optional parts work here, why others do not, and what mends them");
  verb->footer(
      "Nothing of it is needed to prove, simulate and tune. Exit status 1 only where a part of --strict does not "
      "work.\n"
      "Example: tutti doctor\n"
      "Example: tutti doctor --strict mpi --strict slurm --json");
  verb->add_flag("--json", options->json, "an array for machines: part, works, what, mend");
  verb->add_option("--strict", options->strict, "exit status 1 where this part does not work")->allow_extra_args(false);
  verb->add_option("--limit", options->limit_seconds, "seconds that a program which is asked may take")
      ->capture_default_str();
  verb->callback([options, &status] { status = run_doctor(*options); });
}

}  // namespace tutti::cli
