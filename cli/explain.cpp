#include <fmt/format.h>

#include <algorithm>

#include "algos/operator.hpp"
#include "algos/valid_case.hpp"
#include "algos/what_runs.hpp"
#include "base/error.hpp"
#include "base/option_lists.hpp"
#include "cli/collectives.hpp"
#include "cli/counts.hpp"
#include "cli/explained.hpp"
#include "cli/large_pages.hpp"
#include "cli/layout.hpp"
#include "cli/progress.hpp"
#include "cli/proven.hpp"
#include "cli/simulated.hpp"
#include "cli/tuning_file.hpp"
#include "cli/usage.hpp"
#include "cli/verbs.hpp"
#include "models/machine_part.hpp"
#include "selection/baselines.hpp"
#include "selection/candidates.hpp"
#include "selection/library.hpp"
#include "selection/loads.hpp"
#include "selection/offers.hpp"
#include "selection/operand_order.hpp"
#include "selection/own_choices.hpp"
#include "selection/own_parts.hpp"
#include "sim/arrivals.hpp"
#include "sim/background_placement.hpp"
#include "sim/call_trust.hpp"
#include "sim/rank_groups.hpp"

namespace tutti::cli {
namespace {

constexpr std::size_t kBest = 5;
constexpr double kMostMessages = 1 << 22;  // of a run that is recorded

struct ExplainOptions {
  std::string collective, machine, library, version, file, bytes, osu_size, counts, op = "sum", engine = "fast", mode,
                                                                                    background, noise;
  LayoutLists layouts;
  std::optional<std::uint64_t> seed;
  std::optional<std::int32_t> element;
  Rank root = 0;
  bool in_place = false, json = false;
};

LayoutOptions one_layout(const LayoutLists& lists) {
  const std::vector<LayoutOptions> layouts = each_layout(lists);
  if (layouts.size() != 1) throw InputError("expected one number of nodes, of ranks and of ranks per node");
  return layouts.front();
}

class Explain {
 public:
  explicit Explain(const ExplainOptions& options)
      : options_(options),
        collective_(collective_of_all_ranks(options.collective)),
        counts_(options.counts, collective_),
        library_(options.library + (options.version.empty() ? "" : "-" + options.version)),
        exporter_(options.file.empty() ? nullptr : &exporter_named(library_)),
        read_(load_machine_and_warn(options.machine)),
        layout_(make_layout(read_.machine, one_layout(options.layouts))),
        background_(options.background.empty() ? std::nullopt : std::optional(parse_background(options.background))),
        noise_(options.noise.empty() ? std::nullopt : std::optional(parse_noise(options.noise))),
        mode_(parse_mode(!options.mode.empty()   ? options.mode
                         : background_ || noise_ ? kManyCalls
                                                 : "isolated")),
        engine_(make_engine(options.engine)) {
    if (background_)
      beside_ = place_background(*read_.machine.network, layout_.core_of_rank, options.layouts.placement, *background_);
  }

  int run() {
    describe();
    decide();
    price_and_bound();
    if (options_.json)
      fmt::print("{}\n", json_of(call_).dump(1));
    else
      fmt::print("{}", text_of(call_));
    return kDone;
  }

 private:
  void describe() {
    if (collective_ == Collective::barrier && !(options_.bytes.empty() && options_.osu_size.empty()))
      throw InputError("barrier: expected no --bytes or --osu-size, for it moves no data");
    const int sizes = (options_.bytes.empty() ? 0 : 1) + (options_.osu_size.empty() ? 0 : 1);
    if (counts_.is_file() && sizes > 0)
      throw InputError("--counts " + counts_.text() + ": expected no --bytes or --osu-size, for the file says them");
    if (collective_ != Collective::barrier && !counts_.is_file() && sizes != 1)
      throw InputError("expected one of --bytes and --osu-size");
    if (options_.element.value_or(1) < 1) throw InputError("--element: expected 1 byte or more");
    Case& c = call_.c;
    c.collective = collective_, c.ranks = layout_.ranks, c.root = options_.root, c.in_place = options_.in_place;
    c.element_bytes = options_.element.value_or(default_element_bytes(collective_));
    c.op = operator_named(options_.op);
    if (collective_ != Collective::barrier && !counts_.is_file())
      call_.bytes = options_.bytes.empty()
                        ? total_from_osu_bytes(collective_, c.ranks, parse_size_of("--osu-size", options_.osu_size))
                        : parse_size_of("--bytes", options_.bytes);
    c.count = count_for_total_bytes(collective_, c.ranks, c.element_bytes, call_.bytes);
    c = counts_.applied(c, call_.bytes);
    expect_valid(c);
    if (counts_.is_file()) call_.bytes = total_bytes(c);
    call_.counts = counts_.text();
    call_.system = read_.machine.name;
    call_.on = layout_.on_nodes();
    call_.op = options_.op, call_.engine = options_.engine, call_.mode = mode_.text();
    call_.file = options_.file;
    call_.asked =
        asked_otherwise(options_.layouts.placement, options_.root, options_.element, options_.op, options_.in_place);
    if (background_) {
      call_.background = text_of(*background_);
      call_.no_congestion_trees = no_congestion_trees(read_.machine, background_->background);
    }
    if (noise_) call_.noise = noise_->text();
    if (noise_ || mode_.is_skewed())
      call_.seed = options_.seed.value_or(1);
    else if (options_.seed)
      throw InputError(
          "--seed: expected --noise, --mode skew:SECONDS or --mode loop:CALLS beside it, for nothing is random");
    call_.trust = trust_of_call(read_.machine, provenance_of(read_.text, options_.machine), c, layout_.nodes,
                                layout_.ppn, call_.bytes, background_ || noise_ || mode_.kind == Mode::Kind::skew);
  }

  /// By the file first, then by the library's own rules, as far as they are known.
  void decide() {
    const Library& library = find_library(exporter_ ? exporter_->library() : library_);
    call_.library = library.product.empty() ? library.name : library.product;
    if (!library.version.empty()) call_.library += " " + library.version;
    if (!library.without.empty()) call_.library += " without " + library.without;
    const std::string stands_in = call_.library;
    if (exporter_ && !exporter_->reader().empty()) call_.library = exporter_->reader();
    const std::unique_ptr<TuningFile> file =
        exporter_ ? read_tuning_file(*exporter_, options_.file) : std::unique_ptr<TuningFile>();
    if (file) call_.choice = file->decide(call_.c, layout_.on_nodes(), &call_.why);
    const std::vector<std::string> known = baseline_names();
    const std::string& version = exporter_of_version(library_) ? library_ : library.name;
    if (!call_.choice && std::find(known.begin(), known.end(), version) != known.end()) {
      const BaselinePick own =
          pick(find_baseline(version), call_.c, layout_.on_nodes(), call_.why.told ? nullptr : &call_.why);
      call_.choice = own.choice, call_.remark = own.remark;
      if (call_.library != stands_in)
        call_.remark += (own.remark.empty() ? "" : "; ") +
                        fmt::format("{}'s own choices are taken for those of {}", call_.library, stands_in);
      if (file && has_parts(own.choice)) {
        call_.why.parts.clear();
        call_.choice = file->under_file(own.choice, call_.c, layout_.on_nodes(), &call_.why);
      }
    } else if (call_.choice && exporter_ && own_choices_of(*exporter_)) {
      call_.remark = remark_of_parts(*own_choices_of(*exporter_), *call_.choice, call_.c, layout_.on_nodes());
    }
    if (!call_.choice) {
      const std::string names = known_as(library);
      if (!exporter_) refuse_unknown(library, names);
      if (!names.empty())
        call_.remark = fmt::format("what {} picks is known here: expected --library {}", names, names);
      return;
    }
    if (file) expect_in_order();
    if (const std::string reason = why_not(*call_.choice, call_.c); !reason.empty())
      throw InputError(fmt::format("{}: it names {}, which cannot run here: it {}",
                                   call_.why.rule.empty() ? call_.library : call_.why.rule, call_.choice->text(),
                                   reason));
    call_.runs = resolve(*call_.choice, call_.c);
    const Places places = places_of(*read_.machine.network, layout_.core_of_rank);
    call_.runs_text = text_of_what_runs(*call_.choice, call_.c, places);
    for (std::string& step : explain_fallbacks(*call_.choice, call_.c)) call_.why.because.push_back(std::move(step));
    const bool has_a_name = call_.why.parts.empty() || has_parts(*call_.choice);  // coll/han's have none
    if (const Library::Name* name = name_of(library, without_parts(*call_.choice)); name && has_a_name)
      call_.theirs = library.product == "Open MPI" ? "algorithm " + name->theirs : name->theirs;
  }

  /// The names of the library's versions of which is known what they pick.
  static std::string known_as(const Library& library) {
    const Exporter* const exporter = exporter_for(library.name);
    return exporter ? fmt::format("{}", fmt::join(known_versions_of(*exporter), " or ")) : "";
  }

  [[noreturn]] void refuse_unknown(const Library& library, const std::string& names) const {
    if (names.empty())
      throw InputError(
          fmt::format("what {} picks by itself is not known here: expected --file with rules of it", call_.library));
    throw InputError(
        fmt::format("what {} picks by itself is known here of {} alone: expected --library {}, or --file "
                    "with rules of it",
                    library.product, names, names));
  }

  /// That no rule of the file makes the results wrong. Libraries do so that follow it whatever the operator.
  void expect_in_order() const {
    if (exporter_->minds_operators(*call_.choice) || is_commutative(call_.c.op)) return;
    const auto expect = [&](bool is_wrong, const std::string& rule, const std::string& runs) {
      if (is_wrong && rule.starts_with(options_.file + ":"))
        throw InputError(
            fmt::format("{}: it names {}, which needs an operator that commutes; {} runs it for every operator, and "
                        "the results are wrong (tutti export --any-operator names what keeps the order)",
                        rule, runs, call_.library));
    };
    expect(breaks_order(*call_.choice, call_.c), call_.why.rule, call_.choice->text());
    for (const Explanation::Part& part : call_.why.parts)
      expect(part.is_out_of_order, part.why.rule, fmt::format("{} for {}", part.runs, part.what));
  }

  void price_and_bound() {
    expect_proven({}, {collective_}, {layout_.ranks});
    std::vector<Choice> all = candidate_choices(collective_, {}, *read_.machine.network);
    add_named_choices(all, baseline_names(), collective_);
    if (call_.choice && std::find(all.begin(), all.end(), *call_.choice) == all.end()) all.push_back(*call_.choice);
    const std::vector<Choice> distinct = only_distinct(all, call_.c);
    call_.candidates = distinct.size();
    const Places places = places_of(*read_.machine.network, layout_.core_of_rank);
    const Machine machine = part();
    Fastest fastest(*engine_, machine, mode_, layout_.core_of_rank, layout_.ppn);
    if (background_) fastest.put_beside(background_->background, beside_);
    fastest.put_under(noise_, call_.seed.value_or(1));
    {
      // How soon runs are given up only they tell, so that they are counted. Gone before anything else is printed.
      Progress shown("simulating", "runs");
      const auto counted = [&, done = std::size_t{0}]() mutable {
        shown.count(++done, distinct.size() + (call_.choice ? 1 : 0));
      };
      fastest.watch(counted);
      call_.best = fastest.best(call_.c, distinct, {}, kBest);
      if (call_.choice) call_.seconds = fastest.seconds(call_.c, *call_.choice);
    }
    bound(machine, places);
    for (const std::string& refused : fastest.refused()) fmt::print(stderr, "left out: {}\n", refused);
  }

  void bound(const Machine& machine, const Places& places) {
    if (background_) {
      call_.unbounded = "what bounds these is not shown: beside another job no message is kept";
      return;
    }
    if (noise_ || has_several_arrivals(mode_)) {
      call_.unbounded = std::string("what bounds these is not shown: ") + (noise_ ? "under noise " : "") +
                        "times are medians of calls, each bound in its own way";
      return;
    }
    const Choice& best = call_.best.front().choice;
    const Progress shown("recording what bounds the fastest", "runs");
    bound(best, machine, places);
    if (call_.choice && normalized(*call_.choice, call_.c) != normalized(best, call_.c))
      bound(*call_.choice, machine, places);
  }

  void bound(const Choice& choice, const Machine& machine, const Places& places) {
    const std::optional<Counts> counts = declared(choice, call_.c, places);
    if (counts && counts->messages > kMostMessages) {
      call_.unbounded = fmt::format("what bounds {} is not shown: of its {:.0f} messages each would be kept",
                                    choice.text(), counts->messages);
      return;
    }
    Experiment one{call_.c, choice, layout_.core_of_rank, mode_, call_.seed.value_or(1)};
    one.record = true;
    const Result result = engine_->run(machine, {&one, 1}).front();
    if (!result.refused.empty()) throw InputError(result.refused);
    call_.bounds.push_back(bounded_run(choice, result, mode_, *machine.network, layout_.core_of_rank));
  }

  Machine part() const {
    int last = *std::max_element(layout_.core_of_rank.begin(), layout_.core_of_rank.end());
    for (const int core : beside_) last = std::max(last, core);
    return first_nodes(read_.machine, read_.machine.network->node_of(last) + 1);
  }

  const ExplainOptions& options_;
  const Collective collective_;
  const CountsOption counts_;
  const std::string library_;
  const Exporter* const exporter_;
  const ReadMachine read_;
  const Layout layout_;
  std::optional<BackgroundOptions> background_;
  const std::optional<Noise> noise_;
  const Mode mode_;
  const std::unique_ptr<Engine> engine_;
  std::vector<int> beside_;  // the background's cores
  ExplainedCall call_;
};

}  // namespace

void add_explain(CLI::App& app, int& status) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* verb = app.add_subcommand(
      "explain", "Which rule, component and algorithm of a library serve a call, why, and what that costs");
  verb->footer(
      "Example: tutti explain allreduce --machine example-cluster --nodes 4 --ppn 2 --bytes 64K --library "
      "open-mpi-5.0\n"
      "Example: tutti explain bcast --machine example-cluster --ranks 13 --bytes 1M --library open-mpi-4.1 --file "
      "rules.txt");
  verb->add_option("collective", options->collective, "the collective")->required();
  verb->add_option("--machine", options->machine, "a machine's name (tutti machines) or file")->required();
  verb->add_option("--library", options->library,
                   "open-mpi-4.1, open-mpi-5.0, mpich, …; with --file also the form of a file (tutti export --help)")
      ->required();
  verb->add_option("--version", options->version, "the library's version: --library open-mpi --version 5.0");
  verb->add_option("--file", options->file, "a tuning file of the library, whoever wrote it (default: none)");
  verb->add_option("--nodes", options->layouts.nodes, "nodes");
  verb->add_option("--ppn", options->layouts.ppn, "ranks on each node");
  verb->add_option("--ranks", options->layouts.ranks,
                   "ranks; without --ppn one a node where there are so many, else nodes are full");
  verb->add_option("--placement", options->layouts.placement, "block, cyclic, scattered:SEED, or a CSV of rank,node")
      ->capture_default_str();
  verb->add_option("--bytes", options->bytes, "the size in the total convention: 64K");
  verb->add_option("--osu-size", options->osu_size, "the size as OSU's benchmarks print it");
  verb->add_option(
      "--counts", options->counts,
      "of reduce_scatter and collectives that end in v: how unequal blocks are, as in tutti simulate (default equal)");
  verb->add_option("--op", options->op, "sum, product, min, max, user-commutative, user (not commutative)")
      ->capture_default_str();
  verb->add_option("--element", options->element, "bytes of an element (default 4 in reductions, else 1)");
  verb->add_option("--root", options->root, "the root of rooted collectives")->capture_default_str();
  verb->add_flag("--in-place", options->in_place, "input and output in one buffer");
  verb->add_option("--engine", options->engine, "the simulator")->capture_default_str();
  verb->add_option("--mode", options->mode,
                   "isolated, barrier, back-to-back:CALLS, skew:SECONDS[:CALLS], skew:file=FILE[:CALLS], loop:CALLS "
                   "(default isolated; "
                   "loop:32 beside "
                   "--background and with --noise)");
  verb->add_option("--background", options->background,
                   "what it costs beside another job: incast:nodes=16,bytes=2M or alltoall:…, as in tutti simulate");
  verb->add_option("--noise", options->noise,
                   "what it costs where processors are interrupted: every=1e-3,for=25e-6 or file=FILE, as in tutti "
                   "simulate");
  expect_unsigned(*verb->add_option("--seed", options->seed, "of late arrivals and of the noise (default 1)"));
  verb->add_flag("--json", options->json, "one object for machines");
  verb->callback([options, &status] {
    prefer_large_pages();
    status = Explain(*options).run();
  });
}

}  // namespace tutti::cli
