#include "sim/proof/cases.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "algos/named_choice.hpp"
#include "algos/valid_case.hpp"
#include "base/error.hpp"

namespace tutti::proof {
namespace {

// Vectors of several segments of many KiB are proven on few ranks: on many, short segments stand for them.
constexpr Count kFew = 1 << 13, kMany = 1 << 20;  // elements of all ranks together
constexpr std::int64_t kShortSegment = 64;        // bytes
constexpr int kRanksOfLongSegments = 3;
constexpr int kRanksOfLargeGrids = 27;             // on which all of many neighbours are others
constexpr std::int64_t kSegmentOfLarge = 1 << 30;  // bytes
constexpr int kRanksOfLarge = 5;

/// "4x3x2": the extents' product is the number of ranks, and they differ as little as may be found by trying.
std::string grid_text(int ranks, int dimensions) {
  std::string text;
  for (; dimensions > 1; --dimensions) {
    int extent = static_cast<int>(std::pow(ranks, 1.0 / dimensions) + 1e-9);
    while (ranks % extent != 0) --extent;
    text += std::to_string(extent) + "x";
    ranks /= extent;
  }
  return text + std::to_string(ranks);
}

std::set<std::int64_t> values_of(const ParameterSpec& spec, Collective collective) {
  std::set<std::int64_t> values{spec.tried.begin(), spec.tried.end()};
  values.insert(spec.standard);
  if (spec.is_selector() || is_choice(spec)) return values;
  values.insert(spec.minimum);
  if (spec.in_bytes)
    values.insert({default_element_bytes(collective), 13});
  else
    values.insert(spec.standard == 3 ? 5 : 3);
  std::erase_if(values, [&](std::int64_t v) { return v < spec.minimum || v > spec.maximum; });
  return values;
}

/// A level of the machine that is not there unless it is named.
bool is_left_out(const ParameterSpec& spec) { return is_choice(spec) && is_none(spec.standard); }
bool has_levels(const Algorithm& algorithm) {
  const auto& specs = algorithm.parameters();
  return std::any_of(specs.begin(), specs.end(), is_left_out);
}

/// Taken with the defaults of the others, and with all levels: each of those with each of the others would be far too
/// many.
bool is_taken_alone(const Algorithm& algorithm, const ParameterSpec& spec) {
  return is_left_out(spec) || (has_levels(algorithm) && spec.in_bytes);
}

bool differs_in_one_at_most(const Choice& choice) {
  const auto& specs = choice.algorithm->parameters();
  int different = 0;
  for (std::size_t i = 0; i < specs.size(); ++i) different += choice.parameters[i].second != specs[i].standard;
  return different <= 1;
}

/// Where calls are large some variants stand for all: those in long segments, if any.
bool may_be_large(const Choice& choice) {
  if (!differs_in_one_at_most(choice)) return false;
  const auto& specs = choice.algorithm->parameters();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::int64_t bytes = choice.parameters[i].second;
    if (specs[i].in_bytes && bytes < kSegmentOfLarge && (bytes > 0 || specs[i].standard > 0)) return false;
  }
  return true;
}

/// Such that there are one, two, and three segments and a shorter one; and as many times around a ring, with half a
/// round left, more and less.
void add_segments(std::set<Count>& counts, const Choice& choice, std::int64_t bytes, int ranks, Count most) {
  const Collective collective = choice.algorithm->collective();
  const Count segment = std::max<Count>(1, bytes / default_element_bytes(collective));
  if (segment > most) return;
  const Count around = segment * ranks;
  const auto add = [&](Count count) {
    if (count * ranks <= most) counts.insert(count);
  };
  for (const Count count : {segment, 2 * segment, 3 * segment + 1}) add(count);
  if (collective != Collective::allreduce) return;
  for (const Count count : {around + around / 2, 2 * around + 2 * around / 3 + ranks, 3 * around + 1}) add(count);
}

/// `alone`: no other choice of the algorithm is proven, so that it may take its time.
std::set<Count> counts_for(const Choice& choice, int ranks, const std::optional<Count>& only, bool alone) {
  if (choice.algorithm->collective() == Collective::barrier) return {0};
  if (only) return {*only};
  std::set<Count> counts{0, 1, ranks - 1, ranks, 3 * ranks + 1};
  const auto& specs = choice.algorithm->parameters();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::int64_t bytes = choice.parameters[i].second;
    if (!specs[i].in_bytes || bytes == 0) continue;
    const bool is_long = bytes > kShortSegment;
    if (is_long && bytes != specs[i].standard && !alone) counts = {1};  // the default stands for all that are so long
    if (!is_long || alone)
      add_segments(counts, choice, bytes, ranks, alone ? kMany : kFew);
    else if (ranks <= kRanksOfLongSegments && bytes <= kMany && differs_in_one_at_most(choice)) {
      const Count segment = bytes / default_element_bytes(choice.algorithm->collective());
      counts.insert({2 * segment, 3 * segment + 1});
    }
  }
  if (ranks <= kRanksOfLarge && may_be_large(choice)) counts.insert(kBeyondIndicesOf32Bits + Count{2} * ranks + 1);
  return counts;
}

std::set<Rank> roots_for(Collective collective, int ranks, const std::optional<Rank>& only) {
  if (!is_rooted(collective)) return {0};
  if (only) return *only < ranks ? std::set<Rank>{*only} : std::set<Rank>{};
  return {0, std::min(1, ranks - 1), ranks - 1};
}

std::vector<Operator> operators_for(const Algorithm& algorithm) {
  if (!is_reduction(algorithm.collective()) || algorithm.needs_commutative()) return {Operator::sum};
  return {Operator::sum, Operator::user};
}

/// The case with what a call tells beside all that others are proven with: for those who go by it.
std::vector<Case> with_other_facts(const Case& c, const Only& only) {
  std::vector<Case> all;
  if (is_reduction(c.collective))
    for (const Operator op : {Operator::product, Operator::minimum, Operator::maximum, Operator::user_commutative}) {
      all.push_back(c);
      all.back().op = op;
    }
  if (only.element || c.collective == Collective::barrier) return all;
  all.push_back(c);
  all.back().element_bytes = 16;
  return all;
}

/// Of a collective among neighbours: grids of one to three dimensions, as cubic as may be, those that wrap around and
/// those with borders; and graphs, one of whose ranks are their own neighbours, and some more than once.
std::vector<Case> with_neighbors(const Case& c) {
  if (!is_of_neighbors(c.collective)) return {c};
  std::vector<Case> all;
  const std::string ring = std::to_string(c.ranks), flat = grid_text(c.ranks, 2), cube = grid_text(c.ranks, 3);
  std::vector<std::string> texts{ring, ring + ":box=2", flat, flat + ":open", flat + ":box", cube + ":open:box"};
  if (c.ranks <= kRanksOfLargeGrids) texts.insert(texts.end(), {cube + ":box", flat + ":box=2:open"});
  texts.push_back("random:" + std::to_string(std::min(3, c.ranks - 1)) + ":" + ring);
  all.reserve(texts.size() + 1);
  for (const std::string& text : texts) all.push_back(with_neighborhood(c, Neighborhood::from(text, c.ranks)));
  std::vector<Neighborhood::Edge> edges;
  for (Rank r = 0; r < c.ranks; ++r)
    for (const Rank to : {r, (r + 1) % c.ranks, r / 2, (r + 1) % c.ranks}) edges.emplace_back(r, to);
  all.push_back(with_neighborhood(c, std::make_shared<Neighborhood>(c.ranks, edges)));
  return all;
}

/// The case as it is, and, where blocks may differ, with as many elements in skewed blocks, empty ones among them.
std::vector<Case> with_skews(const Case& c) {
  std::vector<Case> all{c};
  if (!is_irregular(c.collective) || c.count == 0) return all;
  const bool of_pairs = c.collective == Collective::alltoallv;
  const bool of_blocks = !is_of_neighbors(c.collective) && c.collective != Collective::reduce_scatter;
  const Count total = c.count * (of_blocks ? Count{c.ranks} * (of_pairs ? c.ranks : 1) : 1);
  for (const std::string& text : {"random:" + std::to_string(c.ranks), "one:" + std::to_string(c.ranks / 2),
                                  "zipf:1.5:" + std::to_string(c.count)})
    all.push_back(with_counts(c, text, total));
  return all;
}

}  // namespace

std::vector<Choice> parameter_variants(const Algorithm& algorithm) {
  const auto& specs = algorithm.parameters();
  std::vector<Choice> variants{default_choice(algorithm)};
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (is_taken_alone(algorithm, specs[i])) continue;
    const std::size_t before = variants.size();
    for (std::size_t v = 0; v < before; ++v)
      for (const std::int64_t value : values_of(specs[i], algorithm.collective())) {
        Choice variant = variants[v];
        variant.parameters[i].second = value;
        if (std::find(variants.begin(), variants.end(), variant) == variants.end()) variants.push_back(variant);
      }
  }
  Choice in_long_segments = variants.front(), with_all = variants.front();
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (specs[i].in_bytes) in_long_segments.parameters[i].second = std::min(kSegmentOfLarge, specs[i].maximum);
  if (std::find(variants.begin(), variants.end(), in_long_segments) == variants.end())
    variants.push_back(in_long_segments);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!is_taken_alone(algorithm, specs[i])) continue;
    if (is_left_out(specs[i])) with_all.parameters[i].second = specs[i].tried.front();
    for (const std::int64_t value : values_of(specs[i], algorithm.collective())) {
      if (value == specs[i].standard) continue;
      variants.push_back(variants.front());
      variants.back().parameters[i].second = value;
    }
  }
  if (with_all == variants.front()) return variants;
  variants.push_back(with_all);
  for (std::size_t i = 0; i < specs.size(); ++i) {  // segments pass through all of them
    if (!specs[i].in_bytes) continue;
    variants.push_back(with_all);
    variants.back().parameters[i].second = default_element_bytes(algorithm.collective());
  }
  return variants;
}

bool covers(const Choice& choice) {
  const auto& specs = choice.algorithm->parameters();
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (is_taken_alone(*choice.algorithm, specs[i]) && choice.parameters[i].second != specs[i].standard) {
      const std::vector<Choice> variants = parameter_variants(*choice.algorithm);
      return std::find(variants.begin(), variants.end(), choice) != variants.end();
    }
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (!specs[i].in_bytes &&
        !values_of(specs[i], choice.algorithm->collective()).contains(choice.parameters[i].second))
      return false;
  return true;
}

namespace {

/// Levels but nodes, from caches to groups: of so many ranks in a row, or, below zero, in turn over so many.
Places with_levels(NodeOfRank nodes, const std::vector<int>& sizes, int ranks) {
  Places places(std::move(nodes));
  auto size = sizes.begin();
  for (int i = 0; i < kLevels; ++i) {
    const auto level = static_cast<Level>(i);
    if (level == Level::node) continue;
    for (Rank r = 0; r < ranks; ++r) places.others[level].push_back(*size > 0 ? r / *size : r % -*size);
    ++size;
  }
  return places;
}

}  // namespace

std::vector<Places> node_shapes(const Algorithm& algorithm, int ranks) {
  std::vector<Places> shapes{{}};
  const bool by_levels = has_levels(algorithm);
  if (by_levels) shapes = {with_levels({}, {1, 1, 1, 2, 3}, ranks)};
  if (!algorithm.is_by_node() || ranks == 1) return shapes;
  const auto add = [&](auto node_of, const std::vector<int>& levels) {
    NodeOfRank nodes;
    for (Rank r = 0; r < ranks; ++r) nodes.push_back(node_of(r));
    const Places places = by_levels ? with_levels(std::move(nodes), levels, ranks) : Places(std::move(nodes));
    if (std::find(shapes.begin(), shapes.end(), places) == shapes.end()) shapes.push_back(places);
  };
  add([](Rank) { return 0; }, {2, 4, 8, 64, 64});
  add([](Rank r) { return r / 2; }, {1, -2, 2, 4, 8});
  add([](Rank r) { return r / 3; }, {-2, -3, 2, 6, 7});
  add([](Rank r) { return r / 4; }, {1, 2, 2, 8, 16});
  add([](Rank r) { return r % 2; }, {3, -4, 5, 3, 2});
  add([](Rank r) { return r % 5; }, {-3, 4, -2, -2, -3});
  add([](Rank r) { return r / 4 * 2 + (r % 4 == 1 || r % 4 == 2); },  // first ranks and second ranks in other orders
      {1, 2, 4, 8, 12});
  add([](Rank r) { return static_cast<int>(std::sqrt(2.0 * r + 0.25) - 0.5); },  // 1, 2, 3, … ranks
      {2, 3, 4, 5, 9});
  return shapes;
}

std::vector<Proposition> propositions(const std::vector<Choice>& variants, const std::vector<Places>& shapes, int ranks,
                                      const Only& only) {
  const Algorithm& algorithm = *variants.front().algorithm;
  const Collective collective = algorithm.collective();
  std::vector<std::set<Count>> counts;
  std::set<Count> all;
  for (const Choice& variant : variants) {
    counts.push_back(counts_for(variant, ranks, only.count, variants.size() == 1));
    all.insert(counts.back().begin(), counts.back().end());
  }
  const std::set<Rank> roots = roots_for(collective, ranks, only.root);
  const std::size_t third = std::min<std::size_t>(2, shapes.size() - 1);
  const auto stands_for_all = [&](std::size_t shape) { return shape == third || shape + 1 == shapes.size(); };
  std::vector<Proposition> found;
  for (const Count count : all)
    for (const Rank root : roots)
      for (std::size_t v = 0; v < variants.size(); ++v) {
        if (!counts[v].contains(count)) continue;
        const bool doubled = count == ranks && !only.count;
        const std::int32_t usual = default_element_bytes(collective) * (doubled ? 2 : 1);
        const std::int32_t element = collective == Collective::barrier ? 1 : only.element.value_or(usual);
        for (const Operator op : operators_for(algorithm))
          for (const bool in_place : {false, true}) {
            for (const Case& among : with_neighbors({collective, ranks, count, element, root, false, op}))
              for (Case& c : with_skews(among)) {
                c.in_place = in_place;
                if (in_place && !may_be_in_place(c)) continue;
                for (std::size_t shape = 0; shape < shapes.size(); ++shape)
                  if (count <= kBeyondIndicesOf32Bits || only.count || stands_for_all(shape))
                    found.push_back({v, shape, c});
              }
          }
        if (v != 0 || root != *roots.begin() || count != only.count.value_or(ranks)) continue;
        for (const Case& c : with_other_facts({collective, ranks, count, element, root, false, Operator::sum}, only))
          found.push_back({v, third, with_neighbors(c).front()});
      }
  return found;
}

}  // namespace tutti::proof
