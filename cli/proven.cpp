#include "cli/proven.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "algos/named_choice.hpp"
#include "base/error.hpp"
#include "sim/proof/verify.hpp"

namespace tutti::cli {

void expect_proven(const std::vector<std::string>& choices, const std::vector<Collective>& collectives) {
  proof::VerifyRequest request;
  for (const std::string& text : choices)
    for (const Collective collective : collectives) {
      const auto all = algorithms_of(collective);
      const std::string_view name = name_in_choice(text);
      if (std::none_of(all.begin(), all.end(), [&](const Algorithm* a) { return a->name() == name; })) continue;
      const Choice choice = parse_choice(collective, text);
      if (!proof::covers(choice)) request.choices.push_back(choice);
    }
  if (request.choices.empty()) return;
  for (int ranks = 1; ranks <= 17; ++ranks) request.ranks.push_back(ranks);
  for (const int ranks : {31, 32, 33, 63, 64}) request.ranks.push_back(ranks);
  request.processes = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (const proof::Verdict& verdict : proof::verify(request)) {
    if (verdict.refutation) throw InputError("refuted, and so not to be chosen: " + verdict.refutation->text());
    if (!verdict.undecided.empty()) throw std::runtime_error(verdict.undecided);
  }
}

}  // namespace tutti::cli
