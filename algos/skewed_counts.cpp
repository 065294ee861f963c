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
  throw InputError("counts '" + text.substr(0, 40) +
                   "': expected equal, zipf:EXPONENT[:SEED], random[:SEED], one[:RANK] or as:COUNT:COUNT…");
}

template <class Number>
Number number_of_part(const std::string& text, std::string_view part) {
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

/// What people write, ready to give the weights of so many parts again and again.
struct Skew {
  explicit Skew(const std::string& text);
  /// In the same way each time but for random.
  Weights weights(std::size_t parts);
  /// Throws InputError where nobody has anything of what is to be divided.
  void expect_parts_of(Count total) const;

  std::string kind;
  Weights given;  // as:…
  double exponent = 0;
  std::uint64_t last = 1;  // the seed, or who has all
  std::mt19937_64 random;
};

Skew::Skew(const std::string& text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    parts.push_back(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  kind = parts[0];
  if (kind == "as") {
    for (std::size_t i = 1; i < parts.size(); ++i)
      given.push_back(static_cast<double>(number_of_part<std::uint64_t>(text, parts[i])));
    return;
  }
  const std::size_t most = kind == "zipf" ? 3 : kind == "equal" ? 1 : 2;
  if (parts.size() > most || (kind == "zipf" && parts.size() < 2)) refuse(text);
  if (kind != "equal" && kind != "zipf" && kind != "random" && kind != "one") refuse(text);
  if (kind == "zipf") exponent = number_of_part<double>(text, parts[1]);
  if (!(exponent >= 0 && exponent <= 100)) refuse(text);
  const bool has_last = parts.size() == most && most > 1;
  last = has_last ? number_of_part<std::uint64_t>(text, parts.back()) : kind == "one" ? 0 : 1;
  random.seed(last);
}

Weights Skew::weights(std::size_t parts) {
  if (kind == "as" && given.size() != parts)
    throw InputError("counts 'as:…': expected " + std::to_string(parts) + " of them, not " +
                     std::to_string(given.size()));
  if (kind == "as") return given;
  const auto count = static_cast<int>(parts);
  if (kind == "zipf") {
    random.seed(last);
    return zipf(count, exponent, random);
  }
  if (kind == "random") return uneven(count, random);
  Weights all(parts, kind == "one" ? 0.0 : 1.0);
  if (kind == "one") all[last] = 1;
  return all;
}

void Skew::expect_parts_of(Count total) const {
  if (kind == "as" && total > 0 && std::all_of(given.begin(), given.end(), [](double count) { return count == 0; }))
    throw InputError("counts 'as:0…': expected one above 0, to divide " + std::to_string(total) + " elements by");
}

/// From each rank to each as given, at a size that is told by what a rank sends in the mean, rounded down
/// (elements_in_all): where these counts are of that size, themselves.
std::vector<Count> as_given(const Weights& given, int ranks, Count total) {
  const double sum = std::accumulate(given.begin(), given.end(), 0.0);
  const bool is_own_size = sum < 0x1p56 && static_cast<Count>(sum) / ranks == total / ranks;
  return divided(is_own_size ? static_cast<Count>(sum) : total, given);
}

}  // namespace

std::shared_ptr<const BlockCounts> BlockCounts::from(const std::string& text, int ranks, Count total, bool of_pairs) {
  Skew skew(text);
  skew.expect_parts_of(total);
  if (skew.kind == "one" && skew.last >= static_cast<std::uint64_t>(ranks))
    throw InputError("counts '" + text + "': expected a rank of " + std::to_string(ranks));
  const auto p = static_cast<std::size_t>(ranks);
  std::shared_ptr<BlockCounts> counts;
  if (!of_pairs) counts = std::make_shared<BlockCounts>(divided(total, skew.weights(p)));
  std::vector<Count> from_to, row;
  if (of_pairs && skew.kind == "as") from_to = as_given(skew.weights(p * p), ranks, total);
  for (Rank from = 0; of_pairs && from_to.size() < p * p; ++from) {
    if (from == 0 || skew.kind == "random") row = divided(total / ranks, skew.weights(p));
    from_to.insert(from_to.end(), row.begin(), row.end());
  }
  if (of_pairs) counts = std::make_shared<BlockCounts>(ranks, from_to);
  counts->text_ = text;
  return counts;
}

std::shared_ptr<const BlockCounts> BlockCounts::among(const Neighborhood& neighborhood, const std::string& text,
                                                      Count each, bool of_blocks) {
  const int ranks = neighborhood.ranks();
  std::vector<Count> all;
  if (of_blocks) {
    Skew skew(text);
    skew.expect_parts_of(each);
    const std::uint64_t asked = skew.last;
    for (Rank rank = 0; rank < ranks; ++rank) {
      const auto targets = neighborhood.targets(rank);
      const auto real = static_cast<std::size_t>(
          std::count_if(targets.begin(), targets.end(), [](const Neighbor& to) { return to.rank != kNobody; }));
      if (skew.kind == "one" && real > 0) skew.last = std::min<std::uint64_t>(asked, real - 1);
      const std::vector<Count> counts =
          real == 0 ? std::vector<Count>{} : divided(each * static_cast<Count>(real), skew.weights(real));
      std::size_t next = 0;
      for (const Neighbor& to : targets) all.push_back(to.rank == kNobody ? 0 : counts[next++]);
    }
  } else {
    const auto of_ranks = from(text, ranks, each * ranks, false);
    for (Rank rank = 0; rank < ranks; ++rank) all.push_back(of_ranks->blocks().count(rank));
  }
  auto counts = std::make_shared<BlockCounts>(neighborhood, all, of_blocks);
  counts->text_ = text;
  return counts;
}

}  // namespace tutti
