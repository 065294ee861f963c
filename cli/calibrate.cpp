#include "calibration/calibrate.hpp"

#include <fmt/core.h>

#include "algos/error.hpp"
#include "cli/output.hpp"
#include "cli/verbs.hpp"

namespace tutti::cli {
namespace {

struct Options {
  std::vector<std::string> osu, imb, csv;
  std::string base, node, name, output;
  bool json = false;
};

int run(const Options& options) {
  CalibrationRequest request;
  request.base = options.base;
  request.name = options.name;
  for (const auto& [format, files] : {std::pair{"osu", &options.osu}, {"imb", &options.imb}, {"csv", &options.csv}})
    for (const std::string& file : *files) request.inputs.push_back({format, file});
  if (!options.node.empty()) request.node_xml = options.node;
  if (request.inputs.empty() && !request.node_xml)
    throw InputError("expected at least one of --osu, --imb, --csv and --node");
  const CalibrationResult result = calibrate(request);
  write_output(options.output, result.machine_json);
  const std::string report =
      options.json ? residuals_json(result.report).dump(1) + "\n" : format_residuals(result.report);
  fmt::print(options.output == "-" ? stderr : stdout, "{}", report);
  return kDone;
}

}  // namespace

void add_calibrate(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("calibrate", "Fit a machine to measurements and say where the fit is wrong");
  verb->footer(
      "A file may be given as DISTANCE=FILE (cache, numa, socket, node, network; default network).\n"
      "Example: tutti calibrate --imb node=pingpong.txt --osu latency.txt --base example-cluster -o mine.json");
  verb->add_option("--osu", options->osu, "output of OSU's point-to-point benchmarks");
  verb->add_option("--imb", options->imb, "output of IMB-MPI1 PingPong");
  verb->add_option("--csv", options->csv, "measurements as CSV");
  verb->add_option("--node", options->node, "a node's topology, as lstopo writes it in XML");
  verb->add_option("--base", options->base, "the machine to start from: whatever is not measured stays")->required();
  verb->add_option("--name", options->name, "the new machine's name");
  verb->add_option("-o,--output", options->output, "the machine file to write; -: stdout, and the report to stderr")
      ->required();
  verb->add_flag("--json", options->json, "the residual report for machines");
  verb->callback([options, &status] { status = run(*options); });
}

}  // namespace tutti::cli
