#include "sim/proof/verify.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "algos/error.hpp"
#include "algos/sizes.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"

namespace tutti::cli {
namespace {

struct Options {
  std::string collective, algorithm, ranks = "1-64";
  std::optional<Rank> root;
  std::optional<Count> count;
  int jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  bool json = false;
};

std::vector<const Algorithm*> selected(const Options& options) {
  std::vector<const Algorithm*> algorithms;
  if (!options.collective.empty()) {
    const Collective collective = collective_named(options.collective);
    if (!options.algorithm.empty()) return {&find_algorithm(collective, options.algorithm)};
    return algorithms_of(collective);
  }
  for (const Algorithm& a : registry())
    if (options.algorithm.empty() || a.name() == options.algorithm) algorithms.push_back(&a);
  if (algorithms.empty()) throw InputError("unknown algorithm '" + options.algorithm + "': see tutti list");
  return algorithms;
}

void print_text(const std::vector<proof::AlgorithmVerdict>& verdicts) {
  std::int64_t proven = 0, fallen_back = 0, excluded = 0;
  int refuted = 0;
  for (const auto& verdict : verdicts) {
    fmt::print("{:<44} {:>8} cases proven{}{}\n", verdict.algorithm->full_name(), verdict.proven,
               verdict.fallen_back ? fmt::format(", {} where another runs instead", verdict.fallen_back) : "",
               verdict.excluded ? fmt::format(", {} excluded by its constraints", verdict.excluded) : "");
    if (verdict.refutation) fmt::print("  REFUTED {}\n", verdict.refutation->text());
    proven += verdict.proven;
    fallen_back += verdict.fallen_back;
    excluded += verdict.excluded;
    refuted += verdict.refutation.has_value();
  }
  fmt::print(
      "{} algorithms: {} cases proven, {} algorithms refuted, {} cases where another runs instead, {} cases excluded "
      "by "
      "constraints\n",
      verdicts.size(), proven, refuted, fallen_back, excluded);
}

void print_json(const std::vector<proof::AlgorithmVerdict>& verdicts) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const auto& verdict : verdicts) {
    nlohmann::ordered_json row{{"collective", name_of(verdict.algorithm->collective())},
                               {"name", verdict.algorithm->name()},
                               {"proven", verdict.proven},
                               {"fallen_back", verdict.fallen_back},
                               {"excluded", verdict.excluded},
                               {"refuted", nullptr}};
    if (verdict.refutation)
      row["refuted"] = {{"case", proof::text_of(verdict.refutation->choice, verdict.refutation->failing)},
                        {"kind", proof::name_of(verdict.refutation->fault.kind)},
                        {"message", verdict.refutation->fault.text}};
    all.push_back(row);
  }
  fmt::print("{}\n", all.dump(1));
}

int run(const Options& options) {
  proof::VerifyRequest request;
  request.algorithms = selected(options);
  for (const std::int64_t p : parse_list(options.ranks, 100'000)) {
    if (p < 1 || p > 100'000)
      throw InputError("--ranks " + options.ranks + ": expected numbers of ranks from 1 to 100000");
    request.ranks.push_back(static_cast<int>(p));
  }
  const int most = *std::max_element(request.ranks.begin(), request.ranks.end());
  if (options.root && (*options.root < 0 || *options.root >= most))
    throw InputError(fmt::format("--root {}: expected a rank, from 0 to {}", *options.root, most - 1));
  constexpr Count kMostElements = 1 << 24;  // the proof keeps every element of every rank
  if (options.count && (*options.count < 0 || *options.count > kMostElements))
    throw InputError(fmt::format("--count {}: expected 0 to {} elements", *options.count, kMostElements));
  request.root = options.root;
  request.count = options.count;
  request.threads = std::clamp(options.jobs, 1, 1024);
  Progress progress("proving", "algorithms and numbers of ranks");
  request.progress = [&](std::size_t done, std::size_t total) { progress.update(done, total); };
  const auto verdicts = proof::verify(request);
  options.json ? print_json(verdicts) : print_text(verdicts);
  const bool refuted =
      std::any_of(verdicts.begin(), verdicts.end(), [](const auto& v) { return v.refutation.has_value(); });
  return refuted ? kFinding : kDone;
}

}  // namespace

void add_verify(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("verify", "Prove algorithms correct: results, deadlock, races, counts");
  verb->footer("Example: tutti verify --collective allreduce --algorithm ring --ranks 1-64");
  verb->add_option("--collective", options->collective, "only this collective");
  verb->add_option("--algorithm", options->algorithm, "only this algorithm");
  verb->add_option("--ranks", options->ranks, "numbers of ranks: 5  2,4,8  1-64  4:1K")->capture_default_str();
  verb->add_option("--root", options->root, "only this root (default: 0, 1 and the last)");
  verb->add_option("--count", options->count, "only this MPI count (default: 0, 1, P-1, P, 3P+1)");
  verb->add_option("--jobs", options->jobs, "threads")->capture_default_str();
  verb->add_flag("--json", options->json, "an array for machines");
  verb->callback([options, &status] { status = run(*options); });
}

}  // namespace tutti::cli
