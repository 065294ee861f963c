// Proves algorithms in stages, few ranks first, and stops at the first refutation: what a mutant is linked with.
// prover COLLECTIVE/NAME… : exit status 0 proven, 1 refuted (and says why), 2 wrong usage.
#include <cstdio>
#include <numeric>
#include <string_view>

#include "sim/proof/verify.hpp"

int main(int count, char** arguments) {
  using namespace tutti;
  proof::VerifyRequest request;
  for (int i = 1; i < count; ++i)
    for (const Algorithm& a : registry())
      if (a.full_name() == arguments[i]) request.algorithms.push_back(&a);
  if (count < 2 || request.algorithms.size() != static_cast<std::size_t>(count - 1)) return 2;
  request.seconds_per_case = 3;
  for (int first = 1, last = 6; first <= 64; first = last + 1, last = first == 7 ? 17 : first == 18 ? 33 : 64) {
    request.ranks.resize(static_cast<std::size_t>(last - first + 1));
    std::iota(request.ranks.begin(), request.ranks.end(), first);
    for (const proof::Verdict& verdict : proof::verify(request))
      if (verdict.refutation) {
        std::printf("%s\n", verdict.refutation->text().c_str());
        return 1;
      }
  }
  return 0;
}
