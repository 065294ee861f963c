#include "runtime/plan.hpp"

#include <algorithm>
#include <stdexcept>

#include "algos/named_choice.hpp"
#include "algos/what_runs.hpp"
#include "base/error.hpp"

namespace tutti {
namespace {

/// Of an all-to-all among neighbours, whose blocks are of one size; nothing on a rank that has none.
Count each_of(const CollectiveCall& call, Rank rank) {
  if (!call.neighborhood || call.neighborhood->ranks() <= rank) return 0;  // which is refused later
  const auto sent = static_cast<Count>(call.neighborhood->targets(rank).size()),
             received = static_cast<Count>(call.neighborhood->sources(rank).size());
  const Count elements = sent > 0 ? call.in_elements : call.out_elements, blocks = sent > 0 ? sent : received;
  if (blocks == 0) return 0;
  if (elements % blocks != 0)
    throw std::invalid_argument(std::string(name_of(call.collective)) + ": a buffer of " + std::to_string(elements) +
                                " elements for " + std::to_string(blocks) + " neighbours: expected a multiple");
  return elements / blocks;
}

/// The count argument that the buffers' sizes mean.
Count count_of(const CollectiveCall& call, Rank rank, int ranks) {
  if (call.counts && call.collective != Collective::reduce_scatter)
    return call.counts->total() / static_cast<Count>(std::max<std::size_t>(1, call.counts->size()));
  const auto part = [&](Count elements) {
    if (elements % ranks != 0)
      throw std::invalid_argument(std::string(name_of(call.collective)) + ": a buffer of " + std::to_string(elements) +
                                  " elements for " + std::to_string(ranks) + " ranks: expected a multiple");
    return elements / ranks;
  };
  const bool whole = call.in_place && (!is_rooted(call.collective) || rank == call.root);
  switch (call.collective) {
    case Collective::barrier:
      return 0;
    case Collective::bcast:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
      return call.out_elements;
    case Collective::reduce:
    case Collective::reduce_scatter:
      return call.in_elements;
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::gather:
    case Collective::gatherv:
      return whole ? part(call.out_elements) : call.in_elements;
    case Collective::scatter:
    case Collective::scatterv:
    case Collective::reduce_scatter_block:
      return whole ? part(call.in_elements) : call.out_elements;
    case Collective::alltoall:
    case Collective::alltoallv:
      return part(call.out_elements);
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
      return call.in_elements;
    case Collective::neighbor_alltoall:
    case Collective::neighbor_alltoallv:
      return each_of(call, rank);
  }
  throw std::logic_error("count_of: unknown collective");
}

/// Whether all that a plan depends on is the same, but for the algorithm.
bool repeats(const CollectiveCall& a, const CollectiveCall& b) {
  return a.collective == b.collective && a.in == b.in && a.out == b.out && a.in_elements == b.in_elements &&
         a.out_elements == b.out_elements && a.element_bytes == b.element_bytes && a.root == b.root &&
         a.in_place == b.in_place && a.reduction.kind == b.reduction.kind && a.counts == b.counts &&
         a.neighborhood == b.neighborhood;
}

void check_buffers(const CollectiveCall& call, const Case& c, Rank rank) {
  const auto check = [&](const char* buffer, Count given, Count needed) {
    if (needed > 0 && given != needed)
      throw std::invalid_argument(std::string(name_of(c.collective)) + ": " + buffer + " has " + std::to_string(given) +
                                  " elements: expected " + std::to_string(needed));
  };
  const BufferSizes sizes = buffer_sizes(c, rank);
  check("in", call.in_elements, sizes.in);
  check("out", call.out_elements, sizes.out);
  if (c.in_place || c.collective == Collective::bcast || sizes.in == 0 || sizes.out == 0) return;
  const auto *in = static_cast<const std::byte*>(call.in), *out = static_cast<const std::byte*>(call.out);
  if (std::less<>{}(in, out + sizes.out * c.element_bytes) && std::less<>{}(out, in + sizes.in * c.element_bytes))
    throw std::invalid_argument(std::string(name_of(c.collective)) +
                                ": in and out overlap: for a call in place give one buffer");
}

}  // namespace

bool leaves_size_unknown(const CollectiveCall& call) {
  if (call.collective != Collective::neighbor_alltoall || !call.neighborhood || call.counts) return false;
  for (Rank rank = 0; rank < call.neighborhood->ranks(); ++rank)
    if (call.neighborhood->targets(rank).empty() && call.neighborhood->sources(rank).empty()) return true;
  return false;
}

Planner::Planner(const TeamLayout& layout, Table table)
    : rank_(layout.rank),
      ranks_(layout.size()),
      nodes_(layout.nodes()),
      even_([&] {
        std::vector<int> on(static_cast<std::size_t>(layout.nodes()));
        for (const int node : layout.node) ++on[node];
        return std::all_of(on.begin(), on.end(), [&](int n) { return n == on.front(); });
      }()),
      crowded_(layout.ranks_here() > layout.usable_cores),
      places_(layout.places()),
      table_(std::move(table)) {}

const Rule* Planner::rule_for(const Case& c) const {
  if (!even_) return nullptr;
  // Tables know how counts are spread by the text that they were made from.
  const std::string counts = c.counts ? c.counts->text() : "";
  const Rule* rule = look_up(table_, {c.collective, nodes_, ranks_ / nodes_, counts}, total_bytes(c));
  if (!rule) return nullptr;
  // Tables are made for commutative operators, and for machines of which all levels are known.
  const Choice choice = resolve(parse_choice(c.collective, rule->algorithm), c);
  return !absent_level(choice, TeamLayout::levels()) && why_not(choice, c, places_).empty() ? rule : nullptr;
}

std::string Planner::chosen_for(const Case& c) const {
  const Rule* const rule = rule_for(c);
  return rule ? rule->algorithm : default_algorithm(c, nodes_ == 1, crowded_);
}

/// Of the call's case, which the rank's buffers do not tell.
Plan Planner::make(const CollectiveCall& call) const {
  Plan plan;
  const std::string collective(name_of(call.collective));
  plan.c = {call.collective,    ranks_, count_of(call, rank_, ranks_), call.element_bytes, call.root, call.in_place,
            call.reduction.kind};
  if (call.root < 0 || call.root >= ranks_)
    throw std::invalid_argument(collective + ": root " + std::to_string(call.root) + " of " + std::to_string(ranks_) +
                                " ranks");
  if (is_of_neighbors(call.collective) != (call.neighborhood != nullptr))
    throw std::invalid_argument(collective + ": expected " + (call.neighborhood ? "no" : "a") + " neighbourhood");
  if (call.neighborhood) try {
      plan.c = with_neighborhood(plan.c, call.neighborhood);
    } catch (const InputError& error) {
      throw std::invalid_argument(error.what());
    }
  if (call.counts) try {
      plan.c = with_counts(plan.c, call.counts);
    } catch (const InputError& error) {
      throw std::invalid_argument(error.what());
    }
  const std::string text = call.algorithm.empty() ? chosen_for(plan.c) : std::string(call.algorithm);
  plan.choice = resolve(parse_choice(call.collective, text), plan.c);
  if (leaves_size_unknown(call)) plan.choice = parse_choice(call.collective, "linear");  // nobody passes blocks on
  if (const std::optional<Level> absent = absent_level(plan.choice, TeamLayout::levels()))
    throw std::invalid_argument(collective + "/" + plan.choice.text() + ": no level '" + name_of(*absent) +
                                "' is known here: expected " + names_of(TeamLayout::levels()));
  if (const std::string why = why_not(plan.choice, plan.c, places_); !why.empty())
    throw std::invalid_argument(plan.choice.algorithm->full_name() + " " + why);
  plan.name = collective + "/" + plan.choice.text() + " of " + std::to_string(total_bytes(plan.c)) + " bytes" +
              (call.counts ? " with counts " + call.counts->text() : "");
  return plan;
}

/// Plans of counts or neighbours that nobody else has: who calls with others each time would have more and more.
void Planner::forget_unused() {
  std::map<const Neighborhood*, long> others;  // who else has them
  for (const auto& [key, by_algorithm] : passing_)
    for (const auto& [name, plan] : by_algorithm)
      if (const auto& among = plan.c.neighborhood) --others.try_emplace(among.get(), among.use_count()).first->second;
  std::erase_if(passing_, [&](const auto& known) {
    const auto& [key, by_algorithm] = known;
    if (by_algorithm.empty()) return false;
    const Case& c = by_algorithm.begin()->second.c;
    return (c.counts && c.counts.use_count() == static_cast<long>(by_algorithm.size())) ||
           (c.neighborhood && others[c.neighborhood.get()] == 0);
  });
}

void Planner::forget() {
  for (Last& last : last_)
    if (!last.call.counts && !last.call.neighborhood) last = {};
  plans_.clear();
  kept_ = 0;
}

const Plan& Planner::plan(const CollectiveCall& call) {
  Last& last = last_[static_cast<std::size_t>(call.collective)];
  if (last.plan && repeats(call, last.call) && call.algorithm == last.algorithm) return *last.plan;
  const Key key{call.collective, count_of(call, rank_, ranks_), call.element_bytes, call.root,
                call.in_place,   call.reduction.kind,           call.counts.get(),  call.neighborhood.get()};
  const bool may_pass = call.counts || call.neighborhood;
  if (may_pass) forget_unused();
  auto& of_key = (may_pass ? passing_ : plans_)[key];
  auto known = of_key.find(call.algorithm);
  if (known == of_key.end()) {
    known = of_key.emplace(call.algorithm, make(call)).first;
    kept_ += !may_pass;
    known->second.call = make_call(known->second.c, known->second.choice, rank_);
  }
  check_buffers(call, known->second.c, rank_);
  last = {call, std::string(call.algorithm), &known->second};
  return *last.plan;
}

}  // namespace tutti
