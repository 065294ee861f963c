#include "sim/proof/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "algos/named_choice.hpp"
#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/in_parallel.hpp"
#include "base/near_spelling.hpp"
#include "base/option_lists.hpp"
#include "cli/kept.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"

namespace tutti::cli {
namespace {

struct VerifyOptions {
  std::string collective, ranks = "1-64", state;
  std::vector<std::string> algorithms;
  std::optional<Rank> root;
  std::optional<Count> count;
  std::optional<std::int32_t> element;
  std::optional<double> limit;
  int jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  bool json = false;
};

/// The choice of a collective that does not know all that the text names: nothing.
std::optional<Choice> choice_or_none(Collective collective, const std::string& text) try {
  return parse_choice(collective, text);
} catch (const InputError&) {
  return std::nullopt;
}

template <class T>
void add_once(std::vector<T>& all, const T& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

/// Adds the algorithm, with all its variants, or the one choice that "recexch:radix=8" names; of all collectives that
/// have it where none is given.
void add(proof::VerifyRequest& request, const std::vector<Collective>& collectives, const std::string& text) {
  if (text == "all") {
    for (const Collective collective : collectives)
      for (const Algorithm* algorithm : algorithms_of(collective)) add_once(request.algorithms, algorithm);
    return;
  }
  const bool is_choice = text.find_first_of(":(") != std::string::npos;
  bool found = false;
  for (const Collective collective : collectives) {
    const auto choice =
        collectives.size() == 1 ? std::optional(parse_choice(collective, text)) : choice_or_none(collective, text);
    if (!choice) continue;
    found = true;
    if (is_choice)
      add_once(request.choices, *choice);
    else
      add_once(request.algorithms, choice->algorithm);
  }
  if (found) return;
  for (const Collective collective : collectives) {  // for what is wrong with it where it is known
    const auto all = algorithms_of(collective);
    const std::string_view name = name_in_choice(text);
    if (std::any_of(all.begin(), all.end(), [&](const Algorithm* a) { return a->name() == name; }))
      static_cast<void>(parse_choice(collective, text));
  }
  std::vector<std::string> names;
  for (const Collective collective : collectives)
    for (const Algorithm* algorithm : algorithms_of(collective)) names.push_back(algorithm->name());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  throw InputError("unknown algorithm '" + text + "': see tutti list" + did_you_mean(name_in_choice(text), names));
}

/// "allreduce/ring", as tutti list and proofs have it, is of that collective alone.
void add_named(proof::VerifyRequest& request, const std::vector<Collective>& collectives, const std::string& text) {
  const std::size_t slash = std::string_view(text).substr(0, text.find_first_of(":(")).find('/');
  if (slash == std::string::npos) return add(request, collectives, text);
  const Collective collective = any_collective_named(text.substr(0, slash));
  if (std::find(collectives.begin(), collectives.end(), collective) == collectives.end())
    throw InputError("--algorithm " + text + ": expected one of --collective " +
                     std::string(name_of(collectives.front())));
  add(request, {collective}, text.substr(slash + 1));
}

void select(proof::VerifyRequest& request, const VerifyOptions& options) {
  std::vector<Collective> collectives;
  collectives.reserve(kAllCollectives);
  for (int c = 0; c < kAllCollectives; ++c) collectives.push_back(static_cast<Collective>(c));
  if (!options.collective.empty()) collectives = {any_collective_named(options.collective)};
  for (const std::string& texts : options.algorithms)
    for (const std::string& text : split_choices(texts)) add_named(request, collectives, text);
  if (options.algorithms.empty() && collectives.size() == 1) request.algorithms = algorithms_of(collectives.front());
}

std::string name_of_subject(const proof::Verdict& verdict) {
  return verdict.choice ? verdict.choice->text() : verdict.algorithm->name();
}

void print_verdicts(const std::vector<proof::Verdict>& verdicts) {
  std::int64_t proven = 0, fallen_back = 0, excluded = 0;
  int refuted = 0;
  for (const auto& verdict : verdicts) {
    fmt::print("{:<44} {:>8} cases proven{}{}{}\n",
               std::string(name_of(verdict.algorithm->collective())) + "/" + name_of_subject(verdict), verdict.proven,
               verdict.fallen_back ? fmt::format(", {} where another runs instead", verdict.fallen_back) : "",
               verdict.excluded ? fmt::format(", {} excluded by its constraints", verdict.excluded) : "",
               verdict.left_out ? fmt::format(", {} left out: beyond 2^32 elements, in more than {} messages",
                                              verdict.left_out, proof::kMostMessagesOfLarge)
                                : "");
    if (verdict.refutation) fmt::print("  REFUTED {}\n", verdict.refutation->text());
    if (!verdict.undecided.empty()) fmt::print("  {}\n", verdict.undecided);
    proven += verdict.proven;
    fallen_back += verdict.fallen_back;
    excluded += verdict.excluded;
    refuted += verdict.refutation.has_value();
  }
  fmt::print("{}: {} proven, {} refuted, {} where another runs instead, {} excluded by constraints\n",
             counted(verdicts.size(), "algorithm"), counted(proven, "case"), counted(refuted, "algorithm"),
             counted(fallen_back, "case"), counted(excluded, "case"));
}

void print_verdicts_json(const std::vector<proof::Verdict>& verdicts) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const auto& verdict : verdicts) {
    nlohmann::ordered_json row{{"collective", name_of(verdict.algorithm->collective())},
                               {"name", name_of_subject(verdict)},
                               {"proven", verdict.proven},
                               {"fallen_back", verdict.fallen_back},
                               {"excluded", verdict.excluded},
                               {"left_out", verdict.left_out},
                               {"refuted", nullptr},
                               {"undecided", nullptr}};
    if (!verdict.undecided.empty()) row["undecided"] = verdict.undecided;
    if (verdict.refutation)
      row["refuted"] = {{"case", proof::text_of(verdict.refutation->choice, verdict.refutation->failing)},
                        {"kind", proof::name_of(verdict.refutation->fault.kind)},
                        {"message", verdict.refutation->fault.text}};
    all.push_back(row);
  }
  fmt::print("{}\n", all.dump(1));
}

/// "all" or "allreduce/all" is among what is asked for.
bool names_all(const std::vector<std::string>& algorithms) {
  for (const std::string& texts : algorithms)
    for (const std::string& text : split_choices(texts))
      if (text.substr(text.find('/') + 1) == "all") return true;
  return false;
}

/// A finding; or else says why not all is proven that was asked for. `named`: each algorithm by its name.
int status_of(const std::vector<proof::Verdict>& verdicts, bool named) {
  const auto any = [&](auto&& is) { return std::any_of(verdicts.begin(), verdicts.end(), is); };
  if (any([](const proof::Verdict& v) { return v.refutation.has_value(); })) return kFinding;
  for (const proof::Verdict& verdict : verdicts)
    if (!verdict.undecided.empty()) throw std::runtime_error(verdict.undecided);
  for (const proof::Verdict& verdict : verdicts)
    if (named && verdict.proven + verdict.fallen_back == 0)
      throw InputError(fmt::format(
          "{}/{}: not one case proven, {} excluded by its constraints: expected cases for which it is (tutti list {})",
          name_of(verdict.algorithm->collective()), name_of_subject(verdict), verdict.excluded,
          name_of(verdict.algorithm->collective())));
  return kDone;
}

int run_verify(const VerifyOptions& options) {
  proof::VerifyRequest request;
  select(request, options);
  for (const std::int64_t p : parse_list_of("--ranks", options.ranks, 100'000)) {
    if (p < 1 || p > 100'000)
      throw InputError("--ranks " + options.ranks + ": expected numbers of ranks from 1 to 100000");
    request.ranks.push_back(static_cast<int>(p));
  }
  request.only = {options.root, options.count, options.element};
  if (const std::vector<int> too_few = proof::expect_provable(request, "--"); !too_few.empty())
    fmt::print(stderr, "left out: {} ranks, which have no rank {}\n", fmt::join(too_few, ", "), *options.root);
  if (options.limit && !(*options.limit > 0 && *options.limit <= 1e9))
    throw InputError(fmt::format("--limit {}: expected seconds, above 0", *options.limit));
  request.seconds_per_case = options.limit;
  expect_thread_count(options.jobs, "--jobs");
  request.processes = options.jobs;
  Kept kept(options.state);
  kept.open_texts("proofs\n" + proof_identity());
  request.store = kept.texts();
  Progress progress("proving", "algorithms and numbers of ranks");
  request.progress = [&](std::size_t done, std::size_t total, const std::function<double()>& part) {
    progress.update(done, total, part);
  };
  const auto verdicts = proof::verify(request);
  kept.close();
  options.json ? print_verdicts_json(verdicts) : print_verdicts(verdicts);
  return status_of(verdicts, !options.algorithms.empty() && !names_all(options.algorithms));
}

}  // namespace

void add_verify(CLI::App& app, int& status) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* verb = app.add_subcommand("verify", "Prove algorithms correct: results, deadlock, races, counts");
  verb->footer(
      "Every parameter is proven at all values that tuning tries, and at those that --algorithm names.\n"
      "Example: tutti verify --collective allreduce --algorithm ring,recexch:radix=8 --ranks 1-64");
  verb->add_option("--collective", options->collective, "only this collective");
  verb->add_option("--algorithm", options->algorithms,
                   "only these algorithms, or choices: ring  allreduce/ring  recexch:radix=8  all (default)");
  verb->add_option("--ranks", options->ranks, "numbers of ranks: 5  2,4,8  1-64  4:1K")->capture_default_str();
  verb->add_option("--root", options->root, "only this root (default: 0, 1 and the last)");
  verb->add_option(
      "--count", options->count,
      "only this MPI count (default: 0, 1, P-1, P, 3P+1, up to four segments, and beyond 2^32 on up to 5 ranks)");
  verb->add_option(
      "--element", options->element,
      "only elements of so many bytes (default: 4 in reductions, else 1, some of twice as many and of 16)");
  verb->add_option("--jobs", options->jobs, "processes")->capture_default_str();
  verb->add_option("--limit", options->limit,
                   "seconds of processor time for a case, then it is endless (default: 20, more where it is large)");
  verb->add_option("--state", options->state,
                   "a directory that keeps what is proven, so that the same command goes on where it was interrupted");
  verb->add_flag("--json", options->json, "an array for machines");
  verb->callback([options, &status] { status = run_verify(*options); });
}

}  // namespace tutti::cli
