// Proves algorithms in stages, few ranks first, and stops at the first refutation: what a mutant is linked with.
// prover [--briefly] COLLECTIVE/NAME… : exit status 0 proven, 1 refuted (and says why), 2 wrong usage.
#include <cstdio>
#include <stdexcept>
#include <string_view>

#include "sim/proof/verify.hpp"

int main(int count, char** arguments) {
  using namespace tutti;
  proof::VerifyRequest request;
  const bool briefly = count > 1 && std::string_view(arguments[1]) == "--briefly";  // of what is known to pass
  const int first = briefly ? 2 : 1;
  for (int i = first; i < count; ++i)
    for (const Algorithm& a : registry())
      if (a.full_name() == arguments[i]) request.algorithms.push_back(&a);
  if (count <= first || request.algorithms.size() != static_cast<std::size_t>(count - first)) return 2;
  request.seconds_per_case = 3;
  // Few refute nearly all; of many, which take most of the time, those about powers of 2 and 3 and a few others.
  std::vector<std::vector<int>> stages{{1, 2, 3, 4}};
  if (!briefly)
    stages = {{1, 2, 3, 4, 5, 6},
              {7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17},
              {18, 19, 23, 24, 25, 26, 27, 28, 31, 32, 33},
              {48, 63, 64, 65}};
  for (const std::vector<int>& ranks : stages) {
    request.ranks = ranks;
    for (const proof::Verdict& verdict : proof::verify(request)) {
      if (!verdict.undecided.empty()) throw std::runtime_error(verdict.undecided);
      if (verdict.refutation) {
        std::printf("%s\n", verdict.refutation->text().c_str());
        return 1;
      }
    }
  }
  return 0;
}
