#include "cli/site.hpp"

#include <fmt/core.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "calibration/calibrate.hpp"
#include "cli/output.hpp"
#include "cli/verbs.hpp"
#include "models/machine_files.hpp"
#include "sites/link_rate.hpp"
#include "sites/site_machine.hpp"

namespace tutti::cli {
namespace {

double seconds_of(const std::string& option, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  const double scale = unit == "ns" ? 1e-9 : unit == "us" ? 1e-6 : 0;
  if (error != std::errc() || scale == 0 || !(value >= 0 && value * scale <= 1))
    throw InputError(fmt::format("{} {}: expected a time such as 130ns or 0.2us, of at most a second", option, text));
  return value * scale;
}

/// The output's name without what follows the first dot, as far as a machine may be called so.
std::string name_of(const std::string& output) {
  std::string name;
  const std::string stem = std::filesystem::path(output).filename().string();
  for (const char c : stem.substr(0, stem.find('.')))
    name += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ? c : '-';
  if (name.empty() || !std::isalnum(static_cast<unsigned char>(name.front()))) return "cluster";
  return name;
}

std::string file_in(const std::pair<std::string, std::string>& source) {
  if (source.first == "osu" || source.first == "imb" || source.first == "csv")
    return file_of({source.first, source.second});
  return source.second;
}

nlohmann::ordered_json site_json(const SiteOptions& options, const SiteMachine& made) {
  return {{"machine", options.output},
          {"cables", made.cables_file.string()},
          {"nodes", made.nodes},
          {"switches", made.switches},
          {"cables_between_switches", made.cables},
          {"notes", made.notes},
          {"contradictions", made.contradictions},
          {"guesses", made.guesses},
          {"residuals", made.residuals_json.empty() ? nullptr : nlohmann::ordered_json::parse(made.residuals_json)}};
}

void print_titled_lines(const char* title, const std::vector<std::string>& lines) {
  if (!lines.empty()) fmt::print("\n{}\n", title);
  for (const std::string& line : lines) fmt::print("  {}\n", line);
}

}  // namespace

void add_site_options(CLI::App& verb, SiteOptions& options) {
  std::string kinds;
  for (const SourceKind& kind : source_kinds())
    kinds += fmt::format("{}{} ({})", kinds.empty() ? "" : ", ", kind.name, kind.what);
  verb.add_option("--from", options.from, "make a machine file from KIND=FILE: " + kinds);
  verb.add_option("-o,--output", options.output, "the machine file to write; its cable list goes beside it");
  verb.add_option("--base", options.base, "a machine whose figures stand for what no file says, as guesses");
  verb.add_option("--name", options.name, "the machine's name (default: the output's)");
  verb.add_option("--nic-rate", options.nic_rate,
                  "of each of a node's ports, where no file says it: 100Gb/s, 12.5GB/s");
  verb.add_option("--nics", options.nics, "ports of a node, beside --nic-rate")->check(CLI::Range(1, 1024));
  verb.add_option("--global-rate", options.global_rate,
                  "of all cables from a switch to those above, where no file says it; a list: lowest level first");
  verb.add_option("--switch-latency", options.switch_latency, "of a switch and its cable: 130ns");
  verb.add_option("--cores", options.cores, "of a node, where no file says it")->check(CLI::Range(1, 262144));
}

int make_machine(const SiteOptions& options, bool json) {
  if (options.output.empty() || options.output == "-")
    throw InputError("--from: expected -o FILE, for the machine and its cable list");
  SiteRequest request;
  std::vector<std::string> inputs;
  for (const std::string& source : options.from)
    inputs.push_back(file_in(request.from.emplace_back(parse_source(source))));
  request.base = options.base;
  if (!options.base.empty())
    for (std::string& file : machine_files(options.base)) inputs.push_back(std::move(file));
  request.output = options.output;
  request.name = options.name.empty() ? name_of(options.output) : options.name;
  if (!options.nic_rate.empty()) request.nic_rate = parse_rate("--nic-rate", options.nic_rate);
  if (options.nics > 0) {
    if (!request.nic_rate) throw InputError("--nics: expected --nic-rate beside it");
    request.nics = options.nics;
  }
  if (options.cores > 0) request.cores = options.cores;
  for (std::size_t begin = 0; begin < options.global_rate.size();) {
    const std::size_t comma = std::min(options.global_rate.find(',', begin), options.global_rate.size());
    request.global_rates.push_back(parse_rate("--global-rate", options.global_rate.substr(begin, comma - begin)));
    begin = comma + 1;
  }
  if (!options.switch_latency.empty())
    request.switch_latency_seconds = seconds_of("--switch-latency", options.switch_latency);
  const SiteMachine made = make_site_machine(request);
  const std::string cables = made.cables_file.string();
  expect_apart({options.output, cables}, inputs);
  expect_writable(options.output);
  write_output(cables, made.cable_list);
  write_output(options.output, made.machine_json);
  if (json) {
    fmt::print("{}\n", site_json(options, made).dump(1));
  } else {
    fmt::print("{}: {}\n", options.output, nlohmann::json::parse(made.machine_json)["description"].get<std::string>());
    print_titled_lines("What was left out, taken for another, or looks odd:", made.notes);
    print_titled_lines("Contradictions:", made.contradictions);
    print_titled_lines("Guessed, as no file says it (and what would):", made.guesses);
    if (!made.residuals.empty()) fmt::print("\n{}", made.residuals);
  }
  return made.contradictions.empty() ? kDone : kFinding;
}

}  // namespace tutti::cli
