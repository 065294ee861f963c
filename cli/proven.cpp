#include "cli/proven.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "algos/named_choice.hpp"
#include "base/error.hpp"
#include "selection/plugins.hpp"
#include "sim/proof/verify.hpp"

namespace tutti::cli {
namespace {

constexpr int kMostRanksToProve = 257;  // takes a second or two
constexpr int kMostRanksOfOneElement = 1024;

/// As a whole word, for it may be a part of another.
bool is_named(std::string_view algorithm, std::string_view choice) {
  const auto is_of_a_name = [&](std::size_t at) {
    return at < choice.size() && (std::isalnum(static_cast<unsigned char>(choice[at])) != 0 || choice[at] == '_');
  };
  for (std::size_t at = choice.find(algorithm); at != choice.npos; at = choice.find(algorithm, at + 1))
    if (!is_of_a_name(at - 1) && !is_of_a_name(at + algorithm.size())) return true;
  return false;
}

std::vector<const Algorithm*> of_plugins(const std::vector<std::string>& choices) {
  const std::vector<std::string>& loaded = plugin_algorithms();
  std::vector<const Algorithm*> found;
  for (const Algorithm& algorithm : registry()) {
    if (std::find(loaded.begin(), loaded.end(), algorithm.full_name()) == loaded.end()) continue;
    if (choices.empty() || std::any_of(choices.begin(), choices.end(), [&](const std::string& choice) {
          return choice == "all" || is_named(algorithm.name(), choice);
        }))
      found.push_back(&algorithm);
  }
  return found;
}

/// Where a tree or an exchange of that radix takes another round.
void add_ranks_around_rounds(const Choice& choice, std::set<int>& ranks) {
  const auto& specs = choice.algorithm->parameters();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::int64_t value = choice.parameters[i].second;
    if (is_choice(specs[i])) {
      if (!is_none(value)) add_ranks_around_rounds(choice_of_number(value), ranks);
    } else if (!specs[i].in_bytes && !specs[i].is_selector()) {
      for (const std::int64_t around : {value, 2 * value})
        for (std::int64_t p = around - 1; p <= around + 1; ++p)
          if (p >= 1 && p <= kMostRanksToProve) ranks.insert(static_cast<int>(p));
    }
  }
}

void prove(const proof::VerifyRequest& request) {
  for (const proof::Verdict& verdict : proof::verify(request)) {
    if (verdict.refutation) throw InputError("refuted, and so not to be chosen: " + verdict.refutation->text());
    if (!verdict.undecided.empty()) throw std::runtime_error(verdict.undecided);
  }
}

/// On the fewest and the most that take seconds still, with one element to a vector or block.
void prove_on_many(proof::VerifyRequest request, const std::set<int>& ranks) {
  const auto from = ranks.upper_bound(kMostRanksToProve), to = ranks.upper_bound(kMostRanksOfOneElement);
  if (from == to) return;
  request.ranks = {*from};
  if (std::next(from) != to) request.ranks.push_back(*std::prev(to));
  request.only.count = 1;
  prove(request);
}

}  // namespace

void expect_proven(const std::vector<std::string>& choices, const std::vector<Collective>& collectives,
                   const std::set<int>& ranks) {
  proof::VerifyRequest request;
  request.algorithms = of_plugins(choices);
  std::set<int> all{31, 32, 33, 63, 64, 65};
  for (int p = 1; p <= 17; ++p) all.insert(p);
  all.insert(ranks.begin(), ranks.upper_bound(kMostRanksToProve));
  for (const std::string& text : choices)
    for (const Collective collective : collectives) {
      const auto known = algorithms_of(collective);
      const std::string_view name = name_in_choice(text);
      if (std::none_of(known.begin(), known.end(), [&](const Algorithm* a) { return a->name() == name; })) continue;
      const Choice choice = parse_choice(collective, text);
      if (proof::covers(choice)) continue;
      request.choices.push_back(choice);
      add_ranks_around_rounds(choice, all);
    }
  if (request.choices.empty() && request.algorithms.empty()) return;
  request.ranks.assign(all.begin(), all.end());
  request.processes = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  prove(request);
  prove_on_many(request, ranks);
}

}  // namespace tutti::cli
