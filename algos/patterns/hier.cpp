#include "algos/patterns/hier.hpp"

#include <algorithm>

#include "algos/patterns/level_parts.hpp"
#include "algos/what_runs.hpp"

namespace tutti {

Rank number_among(Rank rank, const std::vector<Rank>& mates) {
  const auto size = static_cast<Rank>(mates.size());
  const bool in_a_row = size > 0 && mates.back() - mates.front() == size - 1;
  if (in_a_row) return std::clamp(rank - mates.front(), 0, size);
  return static_cast<Rank>(std::lower_bound(mates.begin(), mates.end(), rank) - mates.begin());
}

namespace {

/// From the farthest to the nearest.
template <class ValueOf>
std::vector<Level> levels_named(ValueOf value_of) {
  std::vector<Level> levels;
  for (int i = kLevels; i-- > 0;)
    if (const auto level = static_cast<Level>(i); !is_none(value_of(name_of(level)))) levels.push_back(level);
  return levels;
}

Count elements_of_stage(Collective collective, const Call& call) {
  const bool per_rank = collective == Collective::alltoall || collective == Collective::reduce_scatter_block;
  if (collective == Collective::bcast || collective == Collective::scatter) return call.out.elements();
  return call.in.elements() / (per_rank ? call.blocks.parts : 1);
}

}  // namespace

const Choice& choice_that_runs(std::int64_t number, Case c) {
  const Choice& choice = choice_of_number(number);
  c.collective = choice.algorithm->collective();
  if (choice.algorithm->fallbacks().empty() && choice.algorithm->requirements().empty()) return choice;
  expect_part_runs(choice, c);
  const Choice real = resolve(choice, c);
  return real == choice ? choice : choice_of_number(number_of_choice(c.collective, real.text()));
}

std::vector<Level> levels_in(const Call& call) {
  return levels_named([&](const char* name) { return call.parameter(name); });
}

std::vector<Level> levels_in(const Facts& facts) {
  return levels_named([&](const char* name) { return static_cast<std::int64_t>(facts[name]); });
}

std::vector<Stage> stages(const Comm& comm, const Call& call) {
  std::vector<Stage> all;
  Comm whole = comm;
  Rank root = call.root;
  const char* parameter = "global";
  for (const Level level : levels_in(call)) {
    const std::vector<Rank>& mates = whole.mates_of(root, level);
    const Rank whole_root = whole.world_rank(root);
    const bool equal = whole.is_equal(level);
    const Rank leader = equal ? number_among(whole_root, mates) : 0, stand_in = equal ? whole_root : mates.front();
    const Comm part = whole.group(level), across = equal ? whole.peers(level) : whole.leaders(level);
    const bool leads = part.rank() == leader;
    all.push_back({across, parameter, leads, leads ? across.rank_of(stand_in) : 0, whole_root, stand_in, whole, level});
    whole = part;
    root = leader;
    parameter = name_of(level);
  }
  const Rank whole_root = whole.world_rank(root);
  all.push_back({whole, parameter, true, root, whole_root, whole_root, whole, std::nullopt});
  return all;
}

std::vector<Pipeline::Turn> Pipeline::turns(Count step) const {
  std::vector<Turn> all;
  for (std::size_t part = 0; part < parts; ++part)
    if (const Count segment = step - static_cast<Count>(part); segment >= 0 && segment < segments)
      all.push_back({part, segment});
  return all;
}

Task run_numbered(Comm comm, std::int64_t number, const Call& part) {
  const Collective collective = choice_of_number(number).algorithm->collective();
  Case c{collective,    comm.size(), elements_of_stage(collective, part), part.element_bytes, part.root,
         part.in_place, part.op};
  if (collective == Collective::reduce_scatter && part.blocks.firsts) {  // it may ask how uneven they are
    std::vector<Count> counts;
    counts.reserve(static_cast<std::size_t>(part.blocks.parts));
    for (int i = 0; i < part.blocks.parts; ++i) counts.push_back(part.blocks.count(i));
    c.counts = std::make_shared<BlockCounts>(counts);
  }
  const Choice& choice = choice_that_runs(number, c);
  Call call = part;
  call.parameters = Parameters(choice.parameters);
  return choice.algorithm->function()(comm, call);
}

Task run_choice(Comm comm, const char* parameter, const Call& whole, const Call& part) {
  return run_numbered(comm, whole.parameter(parameter), part);
}

namespace {

PartCounts count_running(const Choice& choice, Case c) {
  const Algorithm& algorithm = *choice.algorithm;
  c.collective = algorithm.collective();
  const Facts facts(c, choice.parameters);
  const CountedOnce once(facts);
  const Quantity& rounds = algorithm.most_rounds().text().empty() ? algorithm.rounds() : algorithm.most_rounds();
  return {rounds(facts) * algorithm.ports()(facts), algorithm.messages()(facts), algorithm.bytes()(facts)};
}

}  // namespace

PartCounts count_numbered(const Facts& whole, std::int64_t number, Case c) {
  c.element_bytes = static_cast<std::int32_t>(whole["e"]);
  return count_running(choice_that_runs(number, c), c);
}

PartCounts count_choice(const Facts& whole, const char* parameter, Case c) {
  const auto number = static_cast<std::int64_t>(whole[parameter]);
  c.collective = choice_of_number(number).algorithm->collective();
  c.element_bytes = static_cast<std::int32_t>(whole["e"]);
  const Choice& choice = choice_that_runs(number, c);
  whole.see_part(parameter, c.ranks, number_of_choice(c.collective, choice.text()));
  return count_running(choice, c);
}

PartCounts count_choice(const Facts& whole, const char* parameter, int ranks, Count count, Rank root) {
  return count_choice(whole, parameter, Case{.ranks = ranks, .count = count, .root = root});
}

PartCounts count_on_nodes(const Facts& whole, const char* parameter, Count count, Rank leader) {
  return on_nodes(node_sizes(whole), [&](int size) { return count_choice(whole, parameter, size, count, leader); });
}

namespace {

/// What is to be divided.
struct Whole {
  std::vector<Rank> ranks;
  Rank root;  // in these
};

/// The parts of it, and the stage among who leads them.
std::vector<Whole> divided(const Whole& whole, const PlaceOf& place, Level level, StageShape& stage) {
  const std::vector<std::vector<Rank>> of_places = divide(whole.ranks, level, place);
  const bool equal = are_equal(of_places);
  const auto size = static_cast<int>(whole.ranks.size());
  const Rank root = whole.ranks[whole.root];
  const auto with_root = std::find_if(of_places.begin(), of_places.end(), [&](const std::vector<Rank>& part) {
    return std::binary_search(part.begin(), part.end(), root);
  });
  const Rank number = number_among(root, *with_root);
  const auto is_before_root = [&](const std::vector<Rank>& part) { return part[number] < root; };
  const auto of_root =
      equal ? std::count_if(of_places.begin(), of_places.end(), is_before_root) : with_root - of_places.begin();
  std::vector<int> sizes;
  for (const std::vector<Rank>& part : of_places)
    if (!equal) sizes.push_back(static_cast<int>(part.size()));
  ++stage.groups[{static_cast<int>(of_places.size()), static_cast<Rank>(of_root), size, sizes}];
  stage.handed_over += !equal && number != 0;
  std::vector<Whole> parts;
  parts.reserve(of_places.size());
  for (const std::vector<Rank>& part : of_places) parts.push_back({part, equal ? number : 0});
  return parts;
}

}  // namespace

std::vector<StageShape> stage_shapes(const Facts& facts) {
  std::vector<StageShape> all{{"global", {}}};
  std::vector<Whole> wholes{{all_ranks(static_cast<int>(facts["p"])), static_cast<Rank>(facts["root"])}};
  for (const Level level : levels_in(facts)) {
    std::vector<Whole> parts;
    for (const Whole& whole : wholes)
      for (Whole& part : divided(whole, place_of(facts), level, all.back())) parts.push_back(std::move(part));
    wholes = std::move(parts);
    all.push_back({name_of(level), {}});
  }
  for (const Whole& whole : wholes) {
    const auto size = static_cast<int>(whole.ranks.size());
    ++all.back().groups[{size, whole.root, size}];
  }
  return all;
}

PartCounts count_stage(const Facts& whole, const StageShape& stage, const char* parameter, Count count) {
  return over_groups(
      stage, [&](const StageGroup& group) { return count_choice(whole, parameter, group.ranks, count, group.root); });
}

PartCounts count_rooted_stages(const Facts& facts) {
  const std::vector<StageShape> all = stage_shapes(facts);
  return over_segments(SegmentCounts(facts, static_cast<Count>(facts["c"])), [&](Count elements) {
    PartCounts sum;
    for (const StageShape& stage : all) {
      const PartCounts one{1, 1, static_cast<double>(elements) * facts["e"]};
      sum = sum + count_stage(facts, stage, stage.parameter, elements);
      if (stage.handed_over > 0) sum = sum + on_each(stage.handed_over, one);
    }
    return sum;
  });
}

PartCounts count_stages_up_and_down(const Facts& facts, Count count) {
  const std::vector<StageShape> all = stage_shapes(facts);
  PartCounts sum;
  for (const StageShape& stage : all) {
    sum = sum + count_stage(facts, stage, stage.parameter, count);
    if (&stage != &all.front()) sum = sum + count_stage(facts, stage, "down", count);
  }
  return sum;
}

PartCounts count_segments_up_and_down(const Facts& facts) {
  return over_segments(SegmentCounts(facts, static_cast<Count>(facts["c"])),
                       [&](Count elements) { return count_stages_up_and_down(facts, elements); });
}

}  // namespace tutti
