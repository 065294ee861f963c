#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/sizes.hpp"
#include "cli/kept.hpp"
#include "cli/layout.hpp"
#include "cli/routes.hpp"
#include "cli/sane.hpp"
#include "cli/site.hpp"
#include "cli/usage.hpp"
#include "cli/verbs.hpp"
#include "models/contention.hpp"
#include "models/machine.hpp"
#include "models/trust.hpp"
#include "sim/point_to_point.hpp"

namespace tutti::cli {
namespace {

struct MachinesOptions {
  std::string machine, state;
  bool json = false, routes = false, sane = false, quick = false;
  SiteOptions site;
};

/// One column of the tables below: a distance, and for the network the number of cables.
struct Column {
  std::string name;
  std::pair<int, int> cores;
};

std::vector<Column> columns_of(const Network& network) {
  std::vector<Column> columns;
  for (const Distance d : {Distance::cache, Distance::numa, Distance::socket, Distance::node})
    if (const auto cores = pair_at(network, d)) columns.push_back({to_string(d), *cores});
  for (const int hops : hops_of(network))
    columns.push_back({fmt::format("{} hops", hops), *pair_at(network, Distance::network, hops)});
  return columns;
}

void print_table(const char* title, const std::vector<Column>& columns, const std::vector<std::int64_t>& sizes,
                 const std::function<double(std::pair<int, int>, std::int64_t)>& value) {
  fmt::print("\n{}\n{:>10}", title, "bytes");
  for (const Column& column : columns) fmt::print(" {:>10}", column.name);
  fmt::print("\n");
  for (const std::int64_t bytes : sizes) {
    fmt::print("{:>10}", format_size(bytes));
    for (const Column& column : columns) fmt::print(" {:>10.3f}", value(column.cores, bytes));
    fmt::print("\n");
  }
}

/// A lone message takes what the model's formula says, in every engine; two at once have to be simulated.
void print_point_to_point(const Machine& machine) {
  const auto engine = make_engine("fast");  // always built in
  const std::vector<Column> columns = columns_of(*machine.network);
  const auto one_way = [&](std::pair<int, int> cores, std::int64_t bytes) {
    return machine.message_seconds(cores.first, cores.second, bytes);
  };
  print_table("A lone message, us, by what its cores share or by the cables from node 0 to the first node so far away:",
              columns, parse_list("0,8,64,512,4K,16K,64K,256K,1M,4M"),
              [&](auto cores, auto bytes) { return one_way(cores, bytes) * 1e6; });
  print_table("Its bandwidth, GB/s:", columns, {4 << 10, 64 << 10, 1 << 20, 64 << 20},
              [&](auto cores, auto bytes) { return static_cast<double>(bytes) / one_way(cores, bytes) / 1e9; });
  print_table("Two at once, one each way, together, GB/s:", columns, {64 << 10, 1 << 20, 64 << 20},
              [&](auto cores, auto bytes) {
                return 2 * static_cast<double>(bytes) / exchange_seconds(*engine, machine, cores, bytes) / 1e9;
              });
  if (machine.published.empty()) return;
  fmt::print("\nBeside what is published:\n");
  for (const Published& figure : machine.published) {
    const bool latency = figure.what == Published::What::latency;
    const double unit = latency ? 1e-6 : 1e9;
    const std::optional<double> model = simulated(*engine, machine, figure);
    const std::string where = figure.hops ? fmt::format("{} hops", *figure.hops) : to_string(figure.distance);
    const char* what = latency                                     ? "latency"
                       : figure.what == Published::What::bandwidth ? "bandwidth"
                                                                   : "exchange bandwidth";
    const bool within = model && *model >= figure.least && *model <= figure.most;
    fmt::print("{} {} of {} at {}: {:.4g} to {:.4g} {}, model {}\n    {}{}\n", within ? " " : "!", what,
               format_size(figure.bytes), where, figure.least / unit, figure.most / unit, latency ? "us" : "GB/s",
               model ? fmt::format("{:.4g}", *model / unit) : "has no such cores", figure.source,
               figure.deviates.empty() ? "" : "\n    the model: " + figure.deviates);
  }
}

int run_machine(const MachinesOptions& options) {
  if (options.machine.empty() && options.site.from.empty())
    throw InputError("expected a machine's name or file, or --from KIND=FILE to make one");
  if (!options.machine.empty() && !options.site.from.empty())
    throw InputError("--from: expected no machine beside it; --base " + options.machine +
                     " takes figures from that one");
  if (!options.site.from.empty()) {
    if (options.routes || options.sane) throw InputError("--from: expected neither --routes nor --sane beside it");
    return make_machine(options.site, options.json);
  }
  if (!options.site.output.empty()) throw InputError("-o: expected --from KIND=FILE beside it");
  if (options.json + options.routes + options.sane > 1) throw InputError("expected one of --json, --routes and --sane");
  for (const auto& [name, given] : {std::pair{"--quick", options.quick}, {"--state", !options.state.empty()}})
    if (given && !options.sane) throw InputError(std::string(name) + ": expected --sane beside it");
  const ReadMachine read = load_machine_and_warn(options.machine);
  const Machine& machine = read.machine;
  const std::string& text = read.text;
  if (options.sane) return report_sanity(read, options.machine, options.quick, options.state);
  if (options.routes) {
    fmt::print("{}\n", routes_json(*machine.network).dump());
    return kDone;
  }
  if (options.json) {
    fmt::print("{}\n", nlohmann::ordered_json::parse(text).dump(1));
    return kDone;
  }
  const Network& network = *machine.network;
  fmt::print("{}: {}\n{} of {}, {}\n", machine.name, machine.description,
             counted(static_cast<std::uint64_t>(network.nodes()), "node"),
             counted(static_cast<std::uint64_t>(network.cores_per_node()), "core"),
             counted(network.links().size(), "link"));
  if (const std::string note = contention_note(fabric_levels(network)); !note.empty()) fmt::print("{}\n", note);
  const std::string fitted = fitted_text(provenance_of(text, options.machine));
  fmt::print("\nFitted to{}\n{}", fitted.empty() ? " nothing that was measured: all predictions are guesses" : ":",
             fitted);
  print_point_to_point(machine);
  fmt::print("\nFigures and their sources (? marks a guess):\n");
  for (const Figure& figure : machine_figures(text, options.machine))
    fmt::print("{} {} = {}\n    {}\n", figure.guess ? "?" : " ", figure.pointer, figure.value, figure.source);
  return kDone;
}

int run_machines(const MachinesOptions& options) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  if (!options.json) fmt::print("{:<20} {:>7} {:>6} {:>8}  {}\n", "machine", "nodes", "cores", "guesses", "what it is");
  for (const std::string& name : machine_names()) {
    const Machine machine = load_machine(name);
    const auto figures = machine_figures(machine_text(name), name);
    const auto guesses = std::count_if(figures.begin(), figures.end(), [](const Figure& f) { return f.guess; });
    if (options.json)
      all.push_back({{"name", name},
                     {"description", machine.description},
                     {"nodes", machine.network->nodes()},
                     {"cores_per_node", machine.network->cores_per_node()},
                     {"contention", contention_word(fabric_levels(*machine.network))},
                     {"figures", figures.size()},
                     {"guesses", guesses}});
    else
      fmt::print("{:<20} {:>7} {:>6} {:>3} of {:<3} {}\n", name, machine.network->nodes(),
                 machine.network->cores_per_node(), guesses, figures.size(), machine.description);
  }
  if (options.json) fmt::print("{}\n", all.dump(1));
  return kDone;
}

}  // namespace

void add_machines(CLI::App& app, int& status) {
  auto options = std::make_shared<MachinesOptions>();
  CLI::App* verb = app.add_subcommand("machines", "The machines Tutti knows");
  verb->footer("Example: tutti machines");
  verb->add_flag("--json", options->json, "an array for machines");
  verb->callback([options, &status] { status = run_machines(*options); });
}

void add_machine(CLI::App& app, int& status) {
  auto options = std::make_shared<MachinesOptions>();
  CLI::App* verb =
      app.add_subcommand("machine", "One machine with its sources; checks a file against the schema; makes one");
  verb->footer(
      "Exit status of --from is 1 where two files contradict each other; the machine is written all the same.\n"
      "Example: tutti machine leonardo-booster\n"
      "Example: tutti machine --from ibnetdiscover=fabric.txt --from slurm=topology.conf --from hwloc=topology.xml "
      "--from osu=latency.txt "
      "-o my.json");
  verb->add_option("machine", options->machine, "a machine's name or file");
  verb->add_flag("--json", options->json, "the machine's JSON; with --from: what it is made of");
  add_site_options(*verb, options->site);
  verb->add_flag("--routes", options->routes, "its links and the route between each two nodes, as JSON");
  verb->add_flag("--sane", options->sane,
                 "where predicted times jump, and by which figure; exit status 1 where one does that is a guess");
  verb->add_flag("--quick", options->quick, "--sane with a few algorithms that show each part of the model");
  verb->add_option("--state", options->state, std::string("of --sane: ") + kStateHelp);
  verb->callback([options, verb, &status] {
    if (options->site.from.empty())
      expect_beside(*verb, {"--base", "--name", "--nic-rate", "--nics", "--global-rate", "--switch-latency", "--cores"},
                    "--from KIND=FILE");
    status = run_machine(*options);
  });
}

}  // namespace tutti::cli
