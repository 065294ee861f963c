#include <fmt/core.h>

#include "base/error.hpp"
#include "base/sizes.hpp"
#include "cli/tuning_file.hpp"
#include "cli/verbs.hpp"
#include "selection/candidates.hpp"

namespace tutti::cli {
namespace {

struct Options {
  std::string first, second, target, nodes = "2-16", ppn = "1", bytes = "1:64M";
};

std::vector<int> counts(const char* option, const std::string& text) {
  std::vector<int> values;
  for (const std::int64_t value : parse_list(text)) {
    if (value < 1 || value > (1 << 20)) throw InputError(fmt::format("{} {}: expected 1 to {}", option, text, 1 << 20));
    values.push_back(static_cast<int>(value));
  }
  return values;
}

std::string said(const TuningFile& file, const Case& c, int nodes) {
  const std::optional<Choice> choice = file.choice(c, nodes);
  return choice ? choice->text() : "its own choice";
}

/// A line for each stretch of the sizes in which both say one thing each.
std::size_t print_differences(const Place& place, const std::vector<std::int64_t>& sizes, const TuningFile& first,
                              const TuningFile& second) {
  std::string from, to, before;
  std::size_t found = 0;
  const auto finish = [&] {
    if (before.empty()) return;
    fmt::print("{} {} x {}, {} to {}: {}\n", name_of(place.collective), place.nodes, place.ppn, from, to, before);
    ++found;
  };
  for (const std::int64_t bytes : sizes) {
    const std::int64_t element = default_element_bytes(place.collective);
    const Case c =
        case_for(place, place.collective == Collective::barrier ? 0 : (bytes + element - 1) / element * element);
    const std::string a = said(first, c, place.nodes), b = said(second, c, place.nodes);
    const std::string here = a == b ? "" : a + " | " + b;
    if (here != before) {
      finish();
      from = format_size(bytes);
    }
    before = here;
    to = format_size(bytes);
  }
  finish();
  return found;
}

int run(const Options& options) {
  const Exporter& exporter = exporter_named(options.target);
  const auto first = read_tuning_file(exporter, options.first), second = read_tuning_file(exporter, options.second);
  const std::vector<int> all_nodes = counts("--nodes", options.nodes), all_ppn = counts("--ppn", options.ppn);
  const std::vector<std::int64_t> sizes = parse_list(options.bytes);
  std::size_t found = 0;
  for (int i = 0; i < kCollectives; ++i)
    for (const int ppn : all_ppn)
      for (const int nodes : all_nodes)
        found += print_differences({static_cast<Collective>(i), nodes, ppn}, sizes, *first, *second);
  if (found == 0)
    fmt::print(stderr, "at none of these numbers of nodes and ranks, and none of these sizes, they differ\n");
  return kDone;
}

}  // namespace

void add_diff(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "diff", "Where two tuning files of one library say different things: what the one says | the other");
  verb->footer("Example: tutti diff rules.txt rules.txt --for open-mpi-classic --nodes 2-8 --bytes 1:1M");
  verb->add_option("first", options->first, "a tuning file")->required();
  verb->add_option("second", options->second, "another of the same form")->required();
  verb->add_option("--for", options->target, "the library (open-mpi-4.1) or the form of its file (tutti export --help)")
      ->required();
  verb->add_option("--nodes", options->nodes, "numbers of nodes that are asked for")->capture_default_str();
  verb->add_option("--ppn", options->ppn, "numbers of ranks per node")->capture_default_str();
  verb->add_option("--bytes", options->bytes, "sizes in the total convention")->capture_default_str();
  verb->callback([options, &status] { status = run(*options); });
}

}  // namespace tutti::cli
