#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/option_lists.hpp"
#include "base/sizes.hpp"
#include "cli/tuning_file.hpp"
#include "cli/verbs.hpp"
#include "selection/candidates.hpp"

namespace tutti::cli {
namespace {

struct DiffOptions {
  std::string first, second, target, nodes = "2-16", ppn = "1", bytes = "1:64M";
  bool json = false;
};

/// A stretch of the sizes in which both files say one thing each.
struct Difference {
  Place place;
  std::int64_t from_bytes = 0, to_bytes = 0;
  std::optional<std::string> first, second;  // nothing: the library's own choice
};

std::vector<int> counts_given(const char* option, const std::string& text) {
  std::vector<int> values;
  for (const std::int64_t value : parse_list_of(option, text)) {
    if (value < 1 || value > (1 << 20)) throw InputError(fmt::format("{} {}: expected 1 to {}", option, text, 1 << 20));
    values.push_back(static_cast<int>(value));
  }
  return values;
}

std::optional<std::string> said_by_file(const TuningFile& file, const Case& c, const Place& place) {
  const std::optional<Choice> choice = file.choice(c, place.on_nodes());
  return choice ? std::optional(choice->text()) : std::nullopt;
}

void add_differences(const Place& place, const std::vector<std::int64_t>& sizes, const TuningFile& first,
                     const TuningFile& second, std::vector<Difference>& differences) {
  bool goes_on = false;
  for (const std::int64_t bytes : sizes) {
    const std::int64_t element = default_element_bytes(place.collective);
    const Case c =
        case_for(place, place.collective == Collective::barrier ? 0 : (bytes + element - 1) / element * element);
    Difference here{place, bytes, bytes, said_by_file(first, c, place), said_by_file(second, c, place)};
    if (here.first == here.second) {
      goes_on = false;
    } else if (goes_on && differences.back().first == here.first && differences.back().second == here.second) {
      differences.back().to_bytes = bytes;
    } else {
      differences.push_back(std::move(here));
      goes_on = true;
    }
  }
}

std::string difference_text(const Difference& one) {
  constexpr const char* kOwn = "its own choice";
  return fmt::format("{} {} x {}, {} to {}: {} | {}\n", name_of(one.place.collective), one.place.nodes, one.place.ppn,
                     format_size(one.from_bytes), format_size(one.to_bytes), one.first.value_or(kOwn),
                     one.second.value_or(kOwn));
}

nlohmann::ordered_json difference_json(const Difference& one) {
  using Json = nlohmann::ordered_json;
  return {{"collective", name_of(one.place.collective)},
          {"nodes", one.place.nodes},
          {"ppn", one.place.ppn},
          {"from_bytes", one.from_bytes},
          {"to_bytes", one.to_bytes},
          {"first", one.first ? Json(*one.first) : Json()},
          {"second", one.second ? Json(*one.second) : Json()}};
}

int run_diff(const DiffOptions& options) {
  const Exporter& exporter = exporter_named(options.target);
  const auto first = read_tuning_file(exporter, options.first), second = read_tuning_file(exporter, options.second);
  const std::vector<int> all_nodes = counts_given("--nodes", options.nodes),
                         all_ppn = counts_given("--ppn", options.ppn);
  const std::vector<std::int64_t> sizes = parse_list_of("--bytes", options.bytes);
  std::vector<Difference> found;
  for (const Collective collective : collectives_of(exporter))
    for (const int ppn : all_ppn)
      for (const int nodes : all_nodes) add_differences({collective, nodes, ppn}, sizes, *first, *second, found);
  if (options.json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Difference& one : found) all.push_back(difference_json(one));
    fmt::print("{}\n", all.dump(1));
    return kDone;
  }
  for (const Difference& one : found) fmt::print("{}", difference_text(one));
  if (found.empty())
    fmt::print(stderr, "at none of these numbers of nodes and ranks, and none of these sizes, they differ\n");
  return kDone;
}

}  // namespace

void add_diff(CLI::App& app, int& status) {
  auto options = std::make_shared<DiffOptions>();
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
  verb->add_flag("--json", options->json, "an array for machines");
  verb->callback([options, &status] { status = run_diff(*options); });
}

}  // namespace tutti::cli
