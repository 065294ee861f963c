#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <random>

#include "algos/block_counts.hpp"
#include "base/error.hpp"

namespace tutti {
namespace {

using Weights = std::vector<double>;

[[noreturn]] void refuse(const std::string& text) {
  throw InputError("counts '" + text + "': expected equal, zipf:EXPONENT[:SEED], random[:SEED] or one[:RANK]");
}

template <class Number>
Number number(const std::string& text, std::string_view part) {
  Number value{};
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc() || end != part.data() + part.size()) refuse(text);
  return value;
}

/// Evenly distributed in 0..below-1, the same with every standard library.
std::uint64_t draw(std::mt19937_64& random, std::uint64_t below) { return random() % below; }

Weights zipf(int ranks, double exponent, std::mt19937_64& random) {
  Weights weights;
  for (int k = 1; k <= ranks; ++k) weights.push_back(std::pow(k, -exponent));
  for (std::size_t i = weights.size(); i > 1; --i) std::swap(weights[i - 1], weights[draw(random, i)]);
  return weights;
}

Weights uneven(int ranks, std::mt19937_64& random) {
  Weights weights;
  for (int i = 0; i < ranks; ++i) {
    const bool none = draw(random, 5) == 0;
    weights.push_back(none ? 0 : static_cast<double>(draw(random, 1 << 20)));
  }
  return weights;
}

/// Whole numbers in these proportions that add up: each rounded down, what is left to those that lost most by that.
std::vector<Count> divided(Count total, const Weights& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (sum == 0) return divided(total, Weights(weights.size(), 1.0));
  std::vector<Count> counts;
  Weights lost;
  Count left = total;
  for (const double weight : weights) {
    const double exact = static_cast<double>(total) * (weight / sum);
    counts.push_back(std::min(left, static_cast<Count>(exact)));
    left -= counts.back();
    lost.push_back(weight == 0 ? -1 : exact - std::floor(exact));
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lost[a] > lost[b]; });
  const auto some =
      static_cast<Count>(std::count_if(weights.begin(), weights.end(), [](double weight) { return weight > 0; }));
  for (std::size_t i = 0; i < static_cast<std::size_t>(some); ++i)
    counts[order[i]] += left / some + (static_cast<Count>(i) < left % some ? 1 : 0);
  return counts;
}

}  // namespace

std::shared_ptr<const BlockCounts> BlockCounts::from(const std::string& text, int ranks, Count total, bool of_pairs) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    parts.push_back(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  const std::string_view kind = parts[0];
  const std::size_t most = kind == "zipf" ? 3 : kind == "equal" ? 1 : 2;
  if (parts.size() > most || (kind == "zipf" && parts.size() < 2)) refuse(text);
  if (kind != "equal" && kind != "zipf" && kind != "random" && kind != "one") refuse(text);
  const double exponent = kind == "zipf" ? number<double>(text, parts[1]) : 0;
  if (!(exponent >= 0 && exponent <= 100)) refuse(text);
  const bool has_last = parts.size() == most && most > 1;
  const auto last = has_last ? number<std::uint64_t>(text, parts.back()) : kind == "one" ? 0 : 1;
  if (kind == "one" && last >= static_cast<std::uint64_t>(ranks))
    throw InputError("counts '" + text + "': expected a rank of " + std::to_string(ranks));

  std::mt19937_64 random(last);
  const auto weights = [&]() -> Weights {
    if (kind == "zipf") return zipf(ranks, exponent, random);
    if (kind == "random") return uneven(ranks, random);
    Weights all(static_cast<std::size_t>(ranks), kind == "one" ? 0.0 : 1.0);
    if (kind == "one") all[last] = 1;
    return all;
  };
  std::shared_ptr<BlockCounts> counts;
  if (!of_pairs) counts = std::make_shared<BlockCounts>(divided(total, weights()));
  std::vector<Count> from_to, row;
  for (Rank from = 0; of_pairs && from < ranks; ++from) {
    if (from == 0 || kind == "random") row = divided(total / ranks, weights());
    from_to.insert(from_to.end(), row.begin(), row.end());
  }
  if (of_pairs) counts = std::make_shared<BlockCounts>(ranks, from_to);
  counts->text_ = text;
  return counts;
}

}  // namespace tutti
