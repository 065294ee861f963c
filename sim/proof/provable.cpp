#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "sim/proof/verify.hpp"

namespace tutti::proof {
namespace {

constexpr Count kMostElements = Count{1} << 40;
constexpr std::int32_t kMostBytes = 1 << 16, kLargestUsual = 16;

/// Of the algorithms to prove.
std::vector<Collective> collectives_of(const VerifyRequest& request) {
  std::vector<Collective> collectives;
  for (const Algorithm* algorithm : request.algorithms) collectives.push_back(algorithm->collective());
  for (const Choice& choice : request.choices) collectives.push_back(choice.algorithm->collective());
  if (collectives.empty())
    for (int c = 0; c < kAllCollectives; ++c) collectives.push_back(static_cast<Collective>(c));
  return collectives;
}

}  // namespace

std::vector<int> expect_provable(const VerifyRequest& request, const std::string& dashes) {
  const std::vector<Collective> collectives = collectives_of(request);
  const auto is_for = [&](auto&& has) { return std::any_of(collectives.begin(), collectives.end(), has); };
  const auto has_elements = [](Collective c) { return c != Collective::barrier; };
  const auto refuse = [&](const char* option, auto value, const std::string& why) {
    throw InputError(dashes + option + " " + std::to_string(value) + ": " + why);
  };
  const std::optional<Rank>& root = request.only.root;
  const std::optional<Count>& count = request.only.count;
  const std::optional<std::int32_t>& element = request.only.element;
  if (count && (*count < 0 || *count > kMostElements))
    refuse("count", *count, "expected 0 to " + std::to_string(kMostElements) + " elements");
  if (element && (*element < 1 || *element > kMostBytes))
    refuse("element", *element, "expected 1 to " + std::to_string(kMostBytes) + " bytes");
  const double most_ranks = *std::max_element(request.ranks.begin(), request.ranks.end());
  const double bytes =
      static_cast<double>(count.value_or(0)) * element.value_or(kLargestUsual) * most_ranks * most_ranks;
  if (bytes > static_cast<double>(kLargestTotalBytes))
    refuse("count", *count, "expected at most 2^56 bytes from all ranks to all");
  if (count && !is_for(has_elements)) refuse("count", *count, "a barrier has no elements");
  if (element && !is_for(has_elements)) refuse("element", *element, "a barrier has no elements");
  if (!root) return {};
  const int most = *std::max_element(request.ranks.begin(), request.ranks.end());
  if (*root < 0 || *root >= most) refuse("root", *root, "expected a rank, from 0 to " + std::to_string(most - 1));
  if (!is_for(is_rooted)) refuse("root", *root, "none of these has a root");
  std::vector<int> too_few;
  std::copy_if(request.ranks.begin(), request.ranks.end(), std::back_inserter(too_few),
               [&](int ranks) { return *root >= ranks; });
  return too_few;
}

}  // namespace tutti::proof
