#include "selection/han_pick.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "algos/patterns/tuned_numbers.hpp"

namespace tutti {
namespace {

constexpr std::int64_t kSegmentBytes = 65536;  // coll_han_bcast_segsize and its like

/// Picks for the parts of one call.
class Parts {
 public:
  Parts(const Case& whole, const RanksOnNodes& on, const TunedPick& tuned, Explanation* why)
      : nodes(on.nodes), ppn(on.most), whole_(whole), tuned_(tuned), why_(why), is_equal_(on.equal()) {}

  const int nodes, ppn;  // ppn: of the fullest nodes

  /// The number in coll/tuned of what runs on so many ranks; `count` as in Case.
  std::int64_t number(Collective collective, int ranks, Count count, const char* where) const {
    const Case c{collective, ranks, count, whole_.element_bytes, 0, false, whole_.op};
    Explanation why;
    const Choice choice = tuned_(c, why_ ? &why : nullptr);
    if (why_)
      why_->parts.push_back({fmt::format("{} {}: {} rank{}, {}", name_of(collective), where, ranks,
                                         ranks == 1 ? "" : "s", bytes_text(total_bytes(c))),
                             part_text(choice), std::move(why), is_plain_part(choice)});
    const Algorithm* algorithm = choice.algorithm;
    // On two ranks these exchange the same messages, and the latter runs on any number.
    if (algorithm->name() == "two_proc") algorithm = &find_algorithm(collective, "recursive_doubling");
    return number_in_tuned(*algorithm).value();
  }
  std::int64_t on_node(Collective collective, Count count) const {
    return number(collective, ppn, count, is_equal_ ? "on each node" : "on the fullest node");
  }
  std::int64_t across(Collective collective, Count count) const {
    return number(collective, nodes, count, "between nodes");
  }

  /// Elements of a segment, and of the last one, of a vector.
  Count segment() const { return std::min(whole_.count, std::max<Count>(1, kSegmentBytes / whole_.element_bytes)); }
  Count last_segment() const { return segment() == 0 ? 0 : (whole_.count - 1) % segment() + 1; }

 private:
  const Case& whole_;
  const TunedPick& tuned_;
  Explanation* const why_;
  const bool is_equal_;
};

Choice choice_of(Collective collective, const char* algorithm, const ParameterValues& settings) {
  Choice choice = default_choice(find_algorithm(collective, algorithm));
  for (auto& [name, value] : choice.parameters)
    for (const auto& [set, to] : settings)
      if (name == set) value = to;
  return choice;
}

ParameterValues settings_of(const Case& c, const Parts& parts, Count segment) {
  const Count count = c.count;
  switch (c.collective) {
    case Collective::bcast:
      return {{"low", parts.on_node(Collective::bcast, segment)}, {"up", parts.across(Collective::bcast, segment)}};
    case Collective::reduce:
      return {{"low", parts.on_node(Collective::reduce, segment)}};
    case Collective::allreduce:
      return {{"reduce", parts.on_node(Collective::reduce, segment)},
              {"bcast", parts.on_node(Collective::bcast, segment)}};
    case Collective::allgather:
      return {{"gather", parts.on_node(Collective::gather, count)},
              {"up", parts.across(Collective::allgather, parts.ppn * count)},
              {"bcast", parts.on_node(Collective::bcast, c.ranks * count)}};
    default:  // gather, scatter, barrier
      return {{"low", parts.on_node(c.collective, count)}, {"up", parts.across(c.collective, parts.ppn * count)}};
  }
}

ParameterValues simple_settings(const Case& c, const Parts& parts) {
  if (c.collective == Collective::allreduce)
    return {{"reduce", parts.on_node(Collective::reduce, c.count)},
            {"bcast", parts.on_node(Collective::bcast, c.count)},
            {"up", parts.across(Collective::allreduce, c.count)}};
  return {{"low", parts.on_node(c.collective, c.count)}, {"up", parts.across(c.collective, c.count)}};
}

/// What coll/han needs of a call.
struct Needs {
  bool is_there = false;  // it has the collective
  bool commutes = false, equal_nodes = false;
};

Needs needs_of(Collective collective) {
  switch (collective) {
    case Collective::barrier:
      return {true};
    case Collective::allreduce:
      return {true, true};
    case Collective::reduce:
      return {true, true, true};
    case Collective::allgather:
    case Collective::bcast:
    case Collective::gather:
    case Collective::scatter:
      return {true, false, true};
    default:
      return {};
  }
}

/// Why coll/han leaves a call to coll/tuned; nullptr where it does not. Where the ranks find it out together it takes
/// itself out of the communicator then, so that later calls begin with coll/tuned.
const char* why_left(const Case& c, const RanksOnNodes& on) {
  if (on.nodes <= 1) return "all ranks are on one node";
  const Needs needs = needs_of(c.collective);
  if (!needs.is_there) return "it does not have this collective";
  if (needs.commutes && !is_commutative(c.op)) return "the operator does not commute";
  if (on.nodes >= c.ranks)
    return "each rank has a node of its own; the ranks find that out together in the first such call on a "
           "communicator, which is not counted here";
  if (needs.equal_nodes && !on.equal())
    return "not all nodes have as many ranks; the ranks find that out together in the first such call on a "
           "communicator, which is not counted here";
  return nullptr;
}

bool is_segmented(Collective c) {
  return c == Collective::allreduce || c == Collective::bcast || c == Collective::reduce;
}

void explain_parts(const Case& c, const RanksOnNodes& on, const Parts& parts, bool simple, Explanation& why) {
  const Needs needs = needs_of(c.collective);
  std::string text =
      "coll/han (priority 35) comes before coll/tuned (30) where several nodes have several ranks each: "
      "here " +
      layout_text(on, c.ranks);
  if (needs.equal_nodes) text += ", as many on each, as it needs";
  if (needs.commutes) text += "; the operator commutes, as it needs";
  why.because.push_back(std::move(text));
  if (!simple && is_segmented(c.collective) && parts.segment() < c.count)
    why.because.push_back(
        fmt::format("it cuts the vector into segments of {}, which follow each other through its levels",
                    bytes_text(parts.segment() * c.element_bytes)));
  why.because.emplace_back("what runs on nodes and between them coll/tuned picks, each for a communicator of its own");
  why.component = "coll/han";
  why.rule = fmt::format("its {} composition for {}, built in", simple ? "simple" : "own", name_of(c.collective));
  why.told = true;
}

}  // namespace

bool has_simple_variant(Collective c) { return is_segmented(c); }

std::optional<BaselinePick> pick_of_han(const Case& c, const RanksOnNodes& on, const TunedPick& tuned, Explanation* why,
                                        HanVariant variant) {
  if (const char* left = why_left(c, on)) {
    if (why) why->because.push_back(fmt::format("coll/han, which is asked first, leaves it to coll/tuned: {}", left));
    return std::nullopt;
  }
  const Parts parts(c, on, tuned, why);
  const bool simple = variant == HanVariant::simple && has_simple_variant(c.collective);
  if (why) explain_parts(c, on, parts, simple, *why);
  const ParameterValues settings = simple ? simple_settings(c, parts) : settings_of(c, parts, parts.segment());
  std::string remark;
  if (!simple && is_segmented(c.collective)) {
    ParameterValues of_last = settings_of(c, Parts(c, on, tuned, nullptr), parts.last_segment());
    if (c.collective == Collective::bcast) of_last.back() = settings.back();  // only the first segment goes up by it
    if (of_last != settings)
      remark = "on nodes Open MPI serves the last segment, which is shorter, by another algorithm";
  }
  if (!on.equal())
    remark +=
        (remark.empty() ? "" : "; ") +
        fmt::format("on nodes with fewer ranks than the fullest, of {}, Open MPI chooses by their number", on.most);
  return BaselinePick{choice_of(c.collective, simple ? "han_simple" : "han", settings), remark, {}};
}

}  // namespace tutti
