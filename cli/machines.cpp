#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "algos/error.hpp"
#include "algos/sizes.hpp"
#include "cli/routes.hpp"
#include "cli/verbs.hpp"
#include "models/machine.hpp"

namespace tutti::cli {
namespace {

struct Options {
  std::string machine;
  bool json = false, routes = false;
};

/// A core at this distance from core 0, or -1.
int core_at(const Network& network, Distance distance) {
  for (int core = 0; core < network.cores(); core += core < network.cores_per_node() ? 1 : network.cores_per_node())
    if (core != 0 && network.distance(0, core) == distance) return core;
  return -1;
}

void print_point_to_point(const Machine& machine) {
  std::vector<Distance> distances;
  std::string head = fmt::format("{:>10}", "bytes");
  for (const Distance d : {Distance::cache, Distance::numa, Distance::socket, Distance::node, Distance::network})
    if (core_at(*machine.network, d) >= 0) {
      distances.push_back(d);
      head += fmt::format(" {:>12}", to_string(d));
    }
  fmt::print("\nOne message on the idle machine, core 0 to the nearest core at each distance, us:\n{}\n", head);
  for (const std::int64_t bytes : parse_list("0,8,64,512,4K,16K,64K,256K,1M,4M")) {
    fmt::print("{:>10}", format_size(bytes));
    for (const Distance d : distances)
      fmt::print(" {:>12.3f}", machine.message_seconds(0, core_at(*machine.network, d), bytes) * 1e6);
    fmt::print("\n");
  }
}

int run_machine(const Options& options) {
  if (options.json && options.routes) throw InputError("--json and --routes: expected one of them");
  const Machine machine = load_machine(options.machine);
  const std::string text = machine_source(options.machine);
  if (options.routes) {
    fmt::print("{}\n", routes_json(*machine.network).dump());
    return kDone;
  }
  if (options.json) {
    fmt::print("{}\n", nlohmann::ordered_json::parse(text).dump(1));
    return kDone;
  }
  const Network& network = *machine.network;
  fmt::print("{}: {}\n{} nodes of {} cores, {} links\n", machine.name, machine.description, network.nodes(),
             network.cores_per_node(), network.links().size());
  print_point_to_point(machine);
  fmt::print("\nFigures and their sources (? marks a guess):\n");
  for (const Figure& figure : machine_figures(text, options.machine))
    fmt::print("{} {} = {}\n    {}\n", figure.guess ? "?" : " ", figure.pointer, figure.value, figure.source);
  return kDone;
}

int run_machines(const Options& options) {
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
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("machines", "The machines Tutti knows");
  verb->footer("Example: tutti machines");
  verb->add_flag("--json", options->json, "an array for machines");
  verb->callback([options, &status] { status = run_machines(*options); });
}

void add_machine(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("machine", "One machine with its sources; checks a file against the schema");
  verb->footer("Example: tutti machine leonardo-booster");
  verb->add_option("machine", options->machine, "a machine's name or file")->required();
  verb->add_flag("--json", options->json, "the machine's JSON");
  verb->add_flag("--routes", options->routes, "its links and the route between each two nodes, as JSON");
  verb->callback([options, &status] { status = run_machine(*options); });
}

}  // namespace tutti::cli
