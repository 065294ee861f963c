#include "selection/han_pick.hpp"

#include <algorithm>

#include "algos/patterns/tuned_numbers.hpp"

namespace tutti {
namespace {

constexpr std::int64_t kSegmentBytes = 65536;  // coll_han_bcast_segsize and its like

/// Picks for the parts of one call.
class Parts {
 public:
  Parts(const Case& whole, int nodes, const TunedPick& tuned)
      : nodes(nodes), ppn((whole.ranks + nodes - 1) / nodes), whole_(whole), tuned_(tuned) {}

  const int nodes, ppn;  // ppn: of the fullest nodes

  /// The number in coll/tuned of what runs on so many ranks; `count` as in Case.
  std::int64_t number(Collective collective, int ranks, Count count) const {
    const Case c{collective, ranks, count, whole_.element_bytes, 0, false, whole_.op};
    const Algorithm* algorithm = tuned_(c).algorithm;
    // On two ranks these exchange the same messages, and the latter runs on any number.
    if (algorithm->name() == "two_proc") algorithm = &find_algorithm(collective, "recursive_doubling");
    return number_in_tuned(*algorithm).value();
  }
  std::int64_t on_node(Collective collective, Count count) const { return number(collective, ppn, count); }
  std::int64_t across(Collective collective, Count count) const { return number(collective, nodes, count); }

  /// Elements of a segment, and of the last one, of a vector.
  Count segment() const { return std::min(whole_.count, std::max<Count>(1, kSegmentBytes / whole_.element_bytes)); }
  Count last_segment() const { return segment() == 0 ? 0 : (whole_.count - 1) % segment() + 1; }

 private:
  const Case& whole_;
  const TunedPick& tuned_;
};

Choice choice_of(Collective collective, ParameterValues settings) {
  Choice choice = default_choice(find_algorithm(collective, "han"));
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

bool is_served(const Case& c, bool equal) {
  switch (c.collective) {
    case Collective::barrier:
      return true;
    case Collective::allreduce:
      return is_commutative(c.op);
    case Collective::reduce:
      return is_commutative(c.op) && equal;
    case Collective::allgather:
    case Collective::bcast:
    case Collective::gather:
    case Collective::scatter:
      return equal;
    default:
      return false;
  }
}

bool is_segmented(Collective c) {
  return c == Collective::allreduce || c == Collective::bcast || c == Collective::reduce;
}

}  // namespace

std::optional<BaselinePick> pick_of_han(const Case& c, int nodes, const TunedPick& tuned) {
  if (nodes <= 1 || nodes >= c.ranks || !is_served(c, c.ranks % nodes == 0)) return std::nullopt;
  const Parts parts(c, nodes, tuned);
  const ParameterValues settings = settings_of(c, parts, parts.segment());
  std::string remark;
  if (is_segmented(c.collective)) {
    ParameterValues of_last = settings_of(c, parts, parts.last_segment());
    if (c.collective == Collective::bcast) of_last.back() = settings.back();  // only the first segment goes up by it
    if (of_last != settings)
      remark = "on nodes Open MPI serves the last segment, which is shorter, by another algorithm";
  }
  if (c.ranks % nodes != 0)
    remark += (remark.empty() ? "" : "; ") +
              std::string("on nodes with fewer ranks than others Open MPI chooses by their number");
  return BaselinePick{choice_of(c.collective, settings), remark};
}

}  // namespace tutti
