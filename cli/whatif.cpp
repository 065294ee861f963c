#include "cli/whatif.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

#include "algos/named_choice.hpp"
#include "algos/what_runs.hpp"
#include "base/error.hpp"
#include "base/in_parallel.hpp"
#include "base/option_lists.hpp"
#include "base/scattered.hpp"
#include "cli/collectives.hpp"
#include "cli/kept.hpp"
#include "cli/large_pages.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/proven.hpp"
#include "cli/python.hpp"
#include "cli/verbs.hpp"
#include "cli/whatif_output.hpp"
#include "models/contention.hpp"
#include "models/failure.hpp"
#include "models/machine_files.hpp"
#include "models/machine_part.hpp"
#include "selection/asked_amount.hpp"
#include "selection/baselines.hpp"
#include "selection/candidates.hpp"
#include "selection/fastest.hpp"
#include "selection/known_algorithms.hpp"
#include "selection/sweep_progress.hpp"
#include "sim/kept_engine.hpp"
#include "sim/rank_groups.hpp"

namespace tutti::cli {
namespace {

struct WhatifOptions {
  std::vector<std::string> collectives, algorithms;
  std::string machine, bytes, osu_sizes, engine = "fast", mode = "isolated", csv, plot, state;
  LayoutLists layouts;
  ChangeOptions change;
  int jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  bool json = false;
};

std::vector<std::string> split_all(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  for (const std::string& text : texts)
    for (std::string& part : split_choices(text)) parts.push_back(std::move(part));
  return parts;
}

class WhatIf {
 public:
  explicit WhatIf(WhatifOptions options)
      : options_(std::move(options)),
        read_(load_machine_and_warn(options_.machine)),
        machine_(read_.machine),
        engine_(make_engine(options_.engine)),
        kept_(options_.state),
        mode_(parse_mode(options_.mode)) {
    collectives_ = collectives_named(split_all(options_.collectives));
    options_.algorithms = split_all(options_.algorithms);
  }

  int run() {
    check_options();
    changes_ = changes_of(options_.change, machine_, read_.text, options_.machine, options_.layouts.placement);
    set_usual_nodes();
    sizes_ = options_.osu_sizes.empty() ? parse_list_of("--bytes", options_.bytes)
                                        : parse_list_of("--osu-sizes", options_.osu_sizes);
    const std::vector<LayoutOptions> layouts = each_layout(options_.layouts);
    expect_few_runs("--nodes, --ppn, --ranks, --bytes and changes of collectives", layouts.size(), sizes_.size(),
                    collectives_.size() * (1 + changes_.size()));
    warn_of_layout_jump(machine_, layouts);
    for (const LayoutOptions& layout : layouts) plan(layout);
    if (cells_.empty()) throw InputError("none of the algorithms can run here");
    std::set<int> ranks;
    for (const std::unique_ptr<Place>& place : places_) ranks.insert(place->before.ranks);
    expect_proven(options_.algorithms, collectives_, ranks);
    kept_.open(model_identity(read_));
    simulate();
    kept_.close();
    for (const std::string& remark : remarks_) fmt::print(stderr, "left out: {}\n", remark);
    warn();
    return write();
  }

 private:
  /// Where the ranks are, on the machine as it is and after each change.
  struct Place {
    Layout before;
    std::vector<Layout> after;
  };

  void check_options() {
    if (!options_.bytes.empty() && !options_.osu_sizes.empty())
      throw InputError("expected one of --bytes and --osu-sizes");
    if (options_.bytes.empty() && options_.osu_sizes.empty()) options_.bytes = "8:1M";
    if (options_.json && options_.csv == "-") throw InputError("--json and --csv -: expected one result on stdout");
    expect_thread_count(options_.jobs, "--jobs");
    if (!options_.plot.empty() && !options_.plot.ends_with(".png") && !options_.plot.ends_with(".svg"))
      throw InputError("--plot " + options_.plot + ": expected a name that ends in .png or .svg");
    std::vector<std::string> inputs = machine_files(options_.machine);
    for (const std::string& placement : {options_.layouts.placement, options_.change.placement})
      if (!placement.empty() && is_placement_file(placement)) inputs.push_back(placement);
    if (!options_.state.empty()) inputs.push_back(kept_.file());
    if (mode_.measured_seconds) inputs.push_back(mode_.file);
    expect_apart({options_.csv, options_.plot}, inputs);
    for (const std::string& path : {options_.csv, options_.plot})
      if (!path.empty()) expect_writable(path);
    expect_known(options_.algorithms, collectives_);
  }

  /// Of a change whose placement is a file.
  static int ranks_placed(const Change& change) try {
    LayoutOptions where;
    where.placement = change.placement;
    where.out_of_order = change.out_of_order;
    return make_layout(change.machine, where).ranks;
  } catch (const InputError& error) {
    throw InputError(change.name + ": " + error.what());
  }

  /// Where nothing is said: what the file of a placement says, else as many nodes as are in order before and after each
  /// change, up to a usual number.
  void set_usual_nodes() {
    LayoutLists& layouts = options_.layouts;
    if (!layouts.nodes.empty() || !layouts.ranks.empty() || is_placement_file(layouts.placement)) return;
    for (const Change& change : changes_)
      if (is_placement_file(change.placement)) {
        layouts.ranks = std::to_string(ranks_placed(change));
        return;
      }
    constexpr int kUsualNodes = 64;
    int nodes = std::min(kUsualNodes, machine_.network->nodes());
    for (const Change& change : changes_) {
      const std::set<int> missing(change.out_of_order.begin(), change.out_of_order.end());
      nodes = std::min(nodes, std::max(1, change.machine.network->nodes() - static_cast<int>(missing.size())));
    }
    layouts.nodes = std::to_string(nodes);
  }

  void plan(LayoutOptions where) {
    auto place = std::make_unique<Place>();
    place->before = make_layout(machine_, where);
    kept_ranks_.add(place->before.core_of_rank.size() * (1 + changes_.size()));
    for (const Change& change : changes_) {
      where.placement = change.placement;
      where.out_of_order = change.out_of_order;
      try {
        place->after.push_back(make_layout(change.machine, where));
        if (change.cables_failed) check_ways(*change.machine.network, place->after.back().core_of_rank);
      } catch (const InputError& error) {
        throw InputError(change.name + ": " + error.what());
      }
      if (place->after.back().ranks != place->before.ranks)
        throw InputError(fmt::format("{}: {} ranks in place of {}: expected --ppn or --ranks", change.name,
                                     place->after.back().ranks, place->before.ranks));
    }
    const Places places = places_of(*machine_.network, place->before.core_of_rank);
    for (const Collective collective : collectives_) {
      for (const auto& [bytes, c] : cases(collective, place->before.ranks)) {
        const std::vector<Choice> choices = choices_for(c, machine_);
        if (choices.empty()) {
          remarks_.insert(fmt::format("{}: none of the algorithms can run on {} ranks", name_of(collective), c.ranks));
          continue;
        }
        cells_.push_back({std::string(name_of(collective)), c.ranks, place->before.nodes, place->before.ppn, bytes,
                          total_bytes(c), "", "", 0, std::vector<WhatIfCell::After>(changes_.size())});
        cases_.push_back(c);
        works_.push_back(work_of(choices, c, places));
        place_of_cell_.push_back(place.get());
      }
    }
    places_.push_back(std::move(place));
  }

  /// By size, with what was asked for.
  std::vector<std::pair<std::int64_t, Case>> cases(Collective collective, int ranks) const {
    const bool osu = !options_.osu_sizes.empty();
    std::vector<std::int64_t> sizes{0};
    if (collective != Collective::barrier) sizes = sizes_;
    std::vector<std::pair<std::int64_t, Case>> all;
    for (const std::int64_t size : sizes) {
      const std::int64_t bytes = osu ? total_from_osu_bytes(collective, ranks, size) : size;
      Case c{collective, ranks, 0, default_element_bytes(collective), 0, false, Operator::sum};
      c.count = count_for_total_bytes(collective, ranks, c.element_bytes, bytes);
      all.emplace_back(bytes, c);
    }
    return all;
  }

  std::vector<Choice> choices_for(const Case& c, const Machine& machine) const {
    std::vector<Choice> all = candidate_choices(c.collective, options_.algorithms, *machine.network);
    if (options_.algorithms.empty()) add_named_choices(all, baseline_names(), c.collective);
    return only_distinct(all, c);
  }

  /// What simulating all of them takes, in messages.
  static double work_of(const std::vector<Choice>& choices, const Case& c, const Places& places) {
    double work = 0;
    for (const Choice& choice : choices) {
      const std::optional<Counts> counts = declared(choice, c, places);
      work += c.ranks + (counts ? counts->messages : 0);
    }
    return work;
  }

  static Machine part_of(const Machine& machine, const Layout& layout) {
    const int last =
        machine.network->node_of(*std::max_element(layout.core_of_rank.begin(), layout.core_of_rank.end()));
    return first_nodes(machine, last + 1);
  }

  void simulate() {
    const std::unique_ptr<Engine> before = kept_.engine(*engine_, model_identity(read_));
    std::vector<std::unique_ptr<Engine>> after;
    for (const Change& change : changes_)
      after.push_back(kept_.engine(
          *engine_,
          model_identity(machine_identity(change.text, machine_files(options_.machine, change.text)) + change.failed)));
    Progress shown("simulating", "cells");
    constexpr std::size_t kFew = 20;  // among which one may be most of the work
    SweepProgress progress([&](std::size_t done, std::size_t total, const auto& part) {
      if (done < kFew)
        shown.count(done, total);
      else
        shown.update(done, total, part);
    });
    const std::size_t machines = 1 + changes_.size();
    for (const double work : works_)
      for (std::size_t i = 0; i < machines; ++i) progress.expect({{}, 1, work});
    std::mutex mutex;
    const std::vector<std::size_t> order = scattered(cells_.size());
    in_parallel(options_.jobs, cells_.size(), [&](std::size_t k, std::size_t) {
      const std::size_t i = order[k];
      const Place& place = *place_of_cell_[i];
      const Case& c = cases_[i];
      WhatIfCell& cell = cells_[i];
      std::set<std::string> refused;
      const auto on = [&](std::size_t number, const Engine& engine, const Machine& whole, const Layout& layout,
                          auto&& use) {
        progress.step(i * machines + number, [&] {
          const std::size_t before_it = KeptEngine::simulated_by_this_thread();
          const Machine machine = part_of(whole, layout);
          Fastest fastest(engine, machine, mode_, layout.core_of_rank, layout.ppn);
          use(fastest, places_of(*machine.network, layout.core_of_rank));
          refused.insert(fastest.refused().begin(), fastest.refused().end());
          return !kept_.store() || KeptEngine::simulated_by_this_thread() > before_it;
        });
      };
      Choice old;
      on(0, *before, machine_, place.before, [&](Fastest& fastest, const Places& places) {
        const TimedChoice found = fastest.of(c, choices_for(c, machine_), {});
        old = found.choice;
        cell.before = found.choice.text();
        cell.before_runs = text_of_what_runs(found.choice, c, places);
        cell.before_seconds = found.seconds;
      });
      for (std::size_t change = 0; change < changes_.size(); ++change) {
        const Machine& changed = changes_[change].machine;
        on(1 + change, *after[change], changed, place.after[change], [&](Fastest& fastest, const Places& places) {
          const TimedChoice found = fastest.of(c, choices_for(c, changed), {old});
          double old_seconds = found.seconds;
          if (!has_levels(old, *changed.network))
            old_seconds = std::numeric_limits<double>::infinity();
          else if (!(found.choice == old))
            old_seconds = fastest.seconds(c, old);
          cell.after[change] = {found.choice.text(), text_of_what_runs(found.choice, c, places), found.seconds,
                                old_seconds};
        });
      }
      const std::lock_guard lock(mutex);
      remarks_.insert(refused.begin(), refused.end());
    });
  }

  void warn() const {
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      for (const std::string& line : changes_[i].warnings) fmt::print(stderr, "warning: {}\n", line);
      const auto is_same = [&](const WhatIfCell& cell) { return cell.after[i].best_seconds == cell.before_seconds; };
      if (std::all_of(cells_.begin(), cells_.end(), is_same))
        fmt::print(stderr, "warning: {}: changes none of these predicted times\n", changes_[i].name);
    }
  }

  int write() const {
    const WhatIfCell &first = cells_.front(), &last = cells_.back();
    const WhatIfHead head{machine_.name, options_.engine, mode_.text(),
                          first.ranks == last.ranks ? fmt::format("{} ranks on {} nodes", first.ranks, first.nodes)
                                                    : fmt::format("{} to {} ranks", first.ranks, last.ranks),
                          options_.layouts.placement};
    const std::string csv = csv_of(head, changes_, cells_);
    if (!options_.csv.empty()) write_output(options_.csv, csv);
    if (options_.json)
      fmt::print("{}\n", json_of(head, changes_, cells_).dump(1));
    else if (options_.csv != "-")
      fmt::print("{}", table_of(head, changes_, cells_));
    if (options_.plot.empty()) return kDone;
    std::fflush(stdout);
    return run_script("plots/whatif.py", {"-", "-o", options_.plot}, csv);
  }

  WhatifOptions options_;
  const ReadMachine read_;
  const Machine& machine_;
  const std::unique_ptr<Engine> engine_;
  Kept kept_;
  const Mode mode_;
  std::vector<Collective> collectives_;
  std::vector<std::int64_t> sizes_;
  KeptRanks kept_ranks_{"--nodes, --ppn and --ranks"};
  std::vector<Change> changes_;
  std::vector<std::unique_ptr<Place>> places_;
  std::vector<WhatIfCell> cells_;
  std::vector<Case> cases_;    // of the cells, as the next two
  std::vector<double> works_;  // on one machine each
  std::vector<const Place*> place_of_cell_;
  std::set<std::string> remarks_;
};

}  // namespace

void add_whatif(CLI::App& app, int& status) {
  auto options = std::make_shared<WhatifOptions>();
  CLI::App* verb =
      app.add_subcommand("whatif", "What a change of the machine or the placement costs, and which choices change");
  verb->footer(
      "Alternatives, separated by commas, are compared side by side; several options are one change.\n"
      "Levels are those of the machine's fabric (leaf, spine, local, chassis, global, cable) and node (nic, memory, "
      "core,\n"
      "domain_link, socket_link), and of messages by what their cores share (cache, numa, socket, node, network;\n"
      "where a machine has none for node: all inside one).\n"
      "Example: tutti whatif allreduce alltoall --machine example-cluster --nodes 16 --ppn 1 --taper leaf=4:1\n"
      "Example: tutti whatif bcast --machine example-cluster --ranks 13 --bytes 8:1M --latency leaf=-20%,+50% --csv -");
  verb->add_option("collective", options->collectives, "bcast allreduce (default: all)");
  verb->add_option("--machine", options->machine, "a machine's name (tutti machines) or file")->required();
  verb->add_option(
      "--nodes", options->layouts.nodes,
      "numbers of nodes: 12  2,3,5  2-300 (default 64, or all; of a placement's file as many ranks as it has)");
  verb->add_option("--ppn", options->layouts.ppn, "numbers of ranks on each node");
  verb->add_option("--ranks", options->layouts.ranks,
                   "numbers of ranks; without --ppn one a node where there are so many, else nodes are full");
  verb->add_option("--bytes", options->bytes, "sizes in the total convention: 1K  8,64K (default 8:1M, doubling)");
  verb->add_option("--osu-sizes", options->osu_sizes, "sizes as OSU's benchmarks print them");
  verb->add_option("--algorithms", options->algorithms,
                   "only these: ring,knomial:radix=8 (default: all that tune tries)")
      ->allow_extra_args(false);
  const auto change = [&](const char* name, std::vector<std::string>& into, const char* description) {
    verb->add_option(name, into, description)->allow_extra_args(false)->take_all();
  };
  change("--taper", options->change.taper,
         "LEVEL=3:1: bandwidth down from a switch (a group) over that up, by the number of cables");
  change("--bandwidth", options->change.bandwidth, "LEVEL=+50%  LEVEL=400g: of each cable, channel or message");
  change("--latency", options->change.latency, "LEVEL=-20%  LEVEL=150ns");
  change("--nic", options->change.nic, "COUNTxRATE: a node's adapters: 2x400g");
  change("--routing", options->change.routing,
         "how one of several equally short ways is chosen: d-mod-k (of a dragonfly minimal), ecmp, adaptive");
  change("--fail", options->change.fail, "cable:LEVEL[:N], switch:N, node:N: out of order");
  change("--set", options->change.set,
         "PATH=VALUE: any figure of the machine's file: network.fat_tree.layers.0.cables=2, "
         "…segments.*.latency_seconds=+10%");
  verb->add_option("--placement", options->change.placement,
                   "block, cyclic, scattered:SEED (nodes at random), or a CSV file, after the change");
  verb->add_option("--placement-before", options->layouts.placement, "the same, before it")->capture_default_str();
  verb->add_option("--engine", options->engine, "the simulator")->capture_default_str();
  verb->add_option("--mode", options->mode,
                   "isolated, barrier, loop:CALLS, back-to-back:CALLS, skew:SECONDS[:CALLS], skew:file=FILE[:CALLS]")
      ->capture_default_str();
  verb->add_option("--jobs", options->jobs, "simulations at a time")->capture_default_str();
  verb->add_option("--state", options->state, kStateHelp);
  verb->add_option("--csv", options->csv, "write CSV to a file, or - for stdout");
  verb->add_option("--plot", options->plot, "draw time after over time before, as .png or .svg");
  verb->add_flag("--json", options->json, "one object for machines: the changed figures, all cells, and means");
  verb->callback([options, &status] {
    prefer_large_pages();
    status = WhatIf(*options).run();
  });
}

}  // namespace tutti::cli
