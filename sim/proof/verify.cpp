#include "sim/proof/verify.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>

#include "algos/what_runs.hpp"
#include "base/forecast.hpp"
#include "sim/proof/workers.hpp"

namespace tutti::proof {
namespace {

/// What a worker finds out about a part, and the line that it sends.
struct Found {
  std::int64_t proven = 0, fallen_back = 0, excluded = 0, left_out = 0;
  std::int64_t refuted = -1;   // the number of the proposition
  std::string undecided = {};  // which for want of memory; not sent
  Fault fault{};

  std::string line() const {
    std::ostringstream out;
    out << proven << ' ' << fallen_back << ' ' << excluded << ' ' << left_out << ' ' << refuted << ' '
        << static_cast<int>(fault.kind) << ' ' << fault.text;
    return out.str();
  }
  static Found of(const std::string& line) {
    Found found;
    std::istringstream in(line);
    int kind = 0;
    in >> found.proven >> found.fallen_back >> found.excluded >> found.left_out >> found.refuted >> kind;
    found.fault.kind = static_cast<FaultKind>(kind);
    in.get();
    std::getline(in, found.fault.text, '\0');
    return found;
  }
};

/// What is proven as one: an algorithm with its variants, or one choice.
struct Subject {
  std::vector<Choice> variants;
  std::optional<Choice> choice;
  const Algorithm& algorithm() const { return *variants.front().algorithm; }
};

std::vector<Subject> subjects_of(const VerifyRequest& request) {
  std::vector<Subject> subjects;
  for (const Algorithm* a : request.algorithms) subjects.push_back({parameter_variants(*a), {}});
  if (request.algorithms.empty() && request.choices.empty())
    for (const Algorithm& a : registry()) subjects.push_back({parameter_variants(a), {}});
  for (const Choice& choice : request.choices) subjects.push_back({{choice}, choice});
  return subjects;
}

constexpr int kFewRanks = 3;    // on so many, cases of many elements are proven, too
constexpr int kQuickRanks = 8;  // so many take little time

/// A subject at one number of ranks.
struct Part {
  const Subject* subject;
  std::size_t number;  // the subject's
  int ranks;
  /// All that its proof depends on, beside the program.
  std::string key(const VerifyRequest& request) const {
    std::ostringstream out;
    out << subject->algorithm().full_name() << ' ' << (subject->choice ? subject->choice->text() : "")
        << " ranks=" << ranks;
    if (request.only.root) out << " root=" << *request.only.root;
    if (request.only.count) out << " count=" << *request.only.count;
    if (request.only.element) out << " element=" << *request.only.element;
    return out.str();
  }
  /// Which others take about as long: those of the same algorithm, those of the same collective.
  std::vector<std::string> kinds() const {
    const Algorithm& algorithm = subject->algorithm();
    const std::string few = ranks <= kFewRanks ? " on few ranks" : "";
    return {algorithm.full_name() + (subject->choice ? subject->choice->text() : "") + few,
            std::string(name_of(algorithm.collective())) + few};
  }
  std::vector<Places> shapes() const { return node_shapes(subject->algorithm(), ranks); }
  std::vector<Proposition> propositions(const VerifyRequest& request) const {
    return proof::propositions(subject->variants, shapes(), ranks, request.only);
  }
  std::string text_of_step(const VerifyRequest& request, std::size_t step) const {
    const Proposition one = propositions(request).at(step);
    return text_of(subject->variants[one.variant], one.c);
  }
};

std::vector<Part> parts_of(const VerifyRequest& request, const std::vector<Subject>& subjects) {
  std::vector<int> ranks = request.ranks;
  std::sort(ranks.begin(), ranks.end());
  std::vector<Part> parts;
  for (const int p : ranks)  // ascending: of refutations the first is the smallest
    for (std::size_t s = 0; s < subjects.size(); ++s) parts.push_back({&subjects[s], s, p});
  return parts;
}

/// How long it takes beside others of its kinds, of which the forecast finds the power: messages times contributions,
/// up to p^2, or p^3 where each rank has blocks of its own for each, beside what every part takes.
double work_of(const Part& part) {
  const double p = part.ranks;
  const Collective collective = part.subject->algorithm().collective();
  const bool of_pairs = collective == Collective::alltoall || (is_irregular(collective) && !is_reduction(collective));
  return 60 + p * p * (1 + p / (of_pairs ? 16 : 40)) + (p <= kFewRanks ? 30 * p * p * p : 0);
}

/// Quick ones first, as a refutation spares those of more ranks; then the most ranks, so that what is foreseen of all
/// between lies between what is known, and the last parts are short ones.
void put_in_order(std::vector<std::size_t>& left, const std::vector<Part>& parts) {
  int most = 0;
  for (const std::size_t i : left) most = std::max(most, parts[i].ranks);
  const auto place = [&](std::size_t i) {
    const int p = parts[i].ranks;
    if (p <= kFewRanks) return std::pair(2, p);
    if (p <= kQuickRanks) return std::pair(0, p);
    return std::pair(p == most ? 1 : 3, -p);
  };
  std::stable_sort(left.begin(), left.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
}

/// A fault of what the algorithm declares, too. Throws PartCannotRun.
std::optional<Fault> fault_in(Executor& executor, const Choice& choice, const Case& c, const Places& nodes) try {
  return prove(executor, choice, c, nodes);
} catch (const PartCannotRun&) {
  throw;
} catch (const std::bad_alloc&) {
  throw;
} catch (const std::exception& error) {
  return Fault{FaultKind::exception, std::string("what the metadata declares threw: ") + error.what()};
}

/// Short segments, which parts may have of their own, are more than a proof can take.
bool is_too_much(const Choice& choice, const Case& c, const Places& places) try {
  const Choice real = resolve(choice, c);
  const Quantity& messages = real.algorithm->messages();
  return !messages.text().empty() && messages(Facts(c, real.parameters, places)) > kMostMessagesOfLarge;
} catch (const std::exception&) {
  return false;  // the proof says so
}

Found prove_part(Executor& executor, const VerifyRequest& request, const Part& part, Watch& watch) {
  Found found;
  const std::vector<Places> shapes = part.shapes();
  const std::vector<Proposition> propositions = part.propositions(request);
  for (std::size_t i = 0; i < propositions.size(); ++i) {
    const Proposition& one = propositions[i];
    const Choice& choice = part.subject->variants[one.variant];
    watch.step(i, request.seconds_per_case.value_or(seconds_for(choice, one.c)));
    if (!why_not(choice, one.c).empty()) {
      found.excluded += i == 0 || propositions[i - 1].shape >= one.shape;  // once for all shapes
      continue;
    }
    if (one.c.count > kBeyondIndicesOf32Bits && is_too_much(choice, one.c, shapes[one.shape])) {
      ++found.left_out;
      continue;
    }
    try {
      if (auto fault = fault_in(executor, choice, one.c, shapes[one.shape])) {
        found.refuted = static_cast<std::int64_t>(i);
        found.fault = std::move(*fault);
        return found;
      }
      const bool as_itself = what_runs(choice, one.c, shapes[one.shape]) == std::vector{choice};
      ++(as_itself ? found.proven : found.fallen_back);
    } catch (const PartCannotRun&) {
      ++found.excluded;
    }
  }
  return found;
}

void add_to(Verdict& verdict, const VerifyRequest& request, const Part& part, Found found) {
  if (verdict.refutation) return;  // of fewer ranks
  verdict.proven += found.proven;
  verdict.fallen_back += found.fallen_back;
  verdict.excluded += found.excluded;
  verdict.left_out += found.left_out;
  if (verdict.undecided.empty()) verdict.undecided = std::move(found.undecided);
  if (found.refuted < 0) return;
  const Proposition failing = part.propositions(request)[found.refuted];
  verdict.refutation = Refutation{part.subject->variants[failing.variant], failing.c, part.shapes()[failing.shape],
                                  std::move(found.fault)};
  verdict.undecided.clear();
}

}  // namespace

std::vector<Verdict> verify(const VerifyRequest& request) {
  const std::vector<Subject> subjects = subjects_of(request);
  const std::vector<Part> parts = parts_of(request, subjects);
  std::vector<Found> found(parts.size());
  const SharedArray<std::atomic<int>> refuted(subjects.size());  // 0, or of how many ranks: no need to prove of more
  Forecast forecast;
  for (const Part& part : parts) forecast.add({part.kinds(), work_of(part)});
  /// `seconds`: none where nothing was proven.
  const auto keep = [&](std::size_t i, Found of_part, std::optional<double> seconds) {
    std::atomic<int>& known = refuted[parts[i].number];
    if (of_part.refuted >= 0 && (known == 0 || known > parts[i].ranks)) known = parts[i].ranks;
    found[i] = std::move(of_part);
    forecast.done(i, seconds.value_or(0), seconds.has_value());
    if (request.progress) request.progress(forecast.items_done(), parts.size(), [&] { return forecast.part_done(); });
  };

  std::vector<std::size_t> left;  // parts that were not proven before
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto known = request.store ? request.store->find(parts[i].key(request)) : std::nullopt;
    if (known)
      keep(i, Found::of(*known), {});
    else
      left.push_back(i);
  }
  put_in_order(left, parts);

  std::optional<Executor> executor;
  const std::size_t memory = request.memory.value_or(half_of_memory());
  bool alone = false;
  PartedWork work;
  work.parts = left.size();
  work.memory = memory;
  work.look = request.look;
  work.work = [&](std::size_t k, Watch& watch) {
    const Part& part = parts[left[k]];
    if (!executor) {
      executor.emplace();
      if (alone) executor->set_memory_limit(memory);
    }
    const int known = refuted[part.number];
    const bool vain = known != 0 && known < part.ranks;
    if (vain) return std::string();
    const auto begun = std::chrono::steady_clock::now();
    std::string line;
    try {
      line = prove_part(*executor, request, part, watch).line();
    } catch (const std::bad_alloc&) {
      executor.reset();
      throw;
    }
    return std::to_string(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count()) + ' ' + line;
  };
  work.done = [&](std::size_t k, const std::string& result) {
    const std::size_t i = left[k];
    if (result.empty()) return keep(i, {}, {});
    std::size_t after_seconds = 0;
    const double seconds = std::stod(result, &after_seconds);
    const std::string line = result.substr(after_seconds + 1);
    if (request.store) request.store->keep(parts[i].key(request), line);
    keep(i, Found::of(line), seconds);
  };
  std::vector<std::size_t> starved;  // that had too little memory beside others
  work.lost = [&](const Lost& lost) {
    const std::size_t i = left[lost.part];
    if (lost.by != Loss::memory)
      keep(i,
           {.refuted = static_cast<std::int64_t>(lost.step),
            .fault = {lost.by == Loss::time ? FaultKind::endless : FaultKind::crash, lost.why}},
           {});
    else if (!alone)
      starved.push_back(i);
    else
      keep(i, {.undecided = "not decided: not enough memory for " + parts[i].text_of_step(request, lost.step)}, {});
  };
  in_workers(request.processes, work);
  alone = true;
  std::sort(starved.begin(), starved.end());
  for (const std::size_t i : starved) {
    left = {i};
    work.parts = 1;
    in_workers(1, work);
  }

  std::vector<Verdict> verdicts;
  verdicts.reserve(subjects.size());
  for (const Subject& subject : subjects)
    verdicts.push_back({&subject.algorithm(), subject.choice, 0, 0, 0, 0, {}, {}});
  for (std::size_t i = 0; i < parts.size(); ++i)
    add_to(verdicts[parts[i].number], request, parts[i], std::move(found[i]));
  return verdicts;
}

std::string Refutation::text() const {
  std::string text = text_of(choice, failing);
  const auto add = [&](const std::string& level, const std::vector<int>& of_rank) {
    for (std::size_t r = 0; r < of_rank.size(); ++r)
      text += (r == 0 ? " " + level + "=" : ",") + std::to_string(of_rank[r]);
  };
  add("nodes", places.node);
  for (const auto& [level, of_rank] : places.others) add(name_of(level), of_rank);
  return text + ": " + name_of(fault.kind) + ": " + fault.text;
}

}  // namespace tutti::proof
