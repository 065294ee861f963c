#include "sim/goal.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "algos/call_numbers.hpp"
#include "sim/message_cost.hpp"
#include "sim/rank_groups.hpp"
#include "sim/working_memory.hpp"

namespace tutti {
namespace {

using Node = std::uint32_t;  // of a rank's schedule, from 1; GOAL's label is l and this number
constexpr Node kStart = 0;

/// Runs a rank after the other without time: every operation is over when it is posted. Algorithms wait for all of what
/// they name, so that what they post does not depend on when.
class GoalWriter final : public Backend {
 public:
  GoalWriter(const Case& c, const Machine& machine, const std::vector<int>& core_of_rank)
      : c_(c),
        machine_(machine),
        core_of_rank_(core_of_rank),
        groups_(groups_of(*machine.network, core_of_rank, c.ranks)) {
    text_ = "num_ranks " + std::to_string(c.ranks) + "\n";
  }

  void add_rank(const Choice& real, Rank rank) {
    strands_.clear();
    after_ = {kStart};
    memory_ = {};
    std::vector<LinkId> links;
    const int core = core_of_rank_[rank];
    machine_.network->route(core, core, links);
    for (const LinkId link : links) memory_.add(machine_.network->links()[link]);
    calls_ = {};
    next_buffer_ = View::kFirstScratch;
    text_ += "\nrank " + std::to_string(rank) + " {\n";
    const Task task = real.algorithm->function()(Comm(*this, rank, c_.ranks), make_call(c_, real, rank));
    task.rethrow();
    text_ += "}\n";
  }
  std::string take() { return std::move(text_); }

  Op send(CallScope& scope, Rank to, const View& what, int lane, SendMode) override {
    return message(scope, "send ", " to ", to, what, lane);
  }
  Op recv(CallScope& scope, Rank from, const View& into, int lane) override {
    return message(scope, "recv ", " from ", from, into, lane);
  }
  Op recv_combine(CallScope& scope, Rank from, const View& to, const View&, Incoming, int lane) override {
    const Op received = message(scope, "recv ", " from ", from, to, lane);
    strand(scope).posted.pop_back();
    return post(scope, work(to, machine_.compute.reduce), slot_of(received));
  }
  Op copy(CallScope& scope, const View& to, const View& from) override {
    return post(scope, to == from ? "calc 0" : work(to, machine_.compute.copy));
  }
  Op combine(CallScope& scope, const View& to, const View&, const View&) override {
    return post(scope, work(to, machine_.compute.reduce));
  }
  View scratch(CallScope&, Count elements) override {
    expect_scratch(elements);
    return View::contiguous(next_buffer_++, 0, elements);
  }
  bool complete(CallScope& scope, std::span<const Op> ops) override {
    std::vector<Node> nodes;
    for (const Op op : ops) nodes.push_back(slot_of(op));
    wait(strand(scope), std::move(nodes));
    return true;
  }
  void park(CallScope&, Waiter&, std::span<const Op>) override {
    throw std::logic_error("GoalWriter: a wait for operations that are over");
  }
  void on(CallEvent event, CallScope& scope) override {
    if (event == CallEvent::begun) begin(scope);
    if (event == CallEvent::joined) join(scope);
    if (event == CallEvent::left) calls_.forget(scope);
  }
  const Group* group(Rank rank, Level level, GroupKind kind, const Group* within) override {
    return groups_.find(rank, level, kind, within);
  }

 private:
  /// What a call's coroutine does in order.
  struct Strand {
    Node after;                // which must have ended before what is posted next
    std::vector<Node> posted;  // and not waited for
  };
  static Strand& strand(const CallScope& scope) { return *static_cast<Strand*>(scope.memory); }

  void begin(CallScope& scope) {
    scope.number = calls_.next(scope);
    strands_.push_back({scope.parent ? strand(*scope.parent).after : kStart, {}});
    scope.memory = &strands_.back();
  }
  /// The caller goes on after all that the call has posted.
  void join(const CallScope& scope) {
    if (!scope.parent) return;
    std::vector<Node> nodes = strand(scope).posted;
    nodes.push_back(strand(scope).after);
    wait(strand(*scope.parent), std::move(nodes));
  }

  Node add(const std::string& what, std::span<const Node> requires_all) {
    const Node node = static_cast<Node>(after_.size());
    const std::string label = "l" + std::to_string(node);
    text_ += label + ": " + what + "\n";
    for (const Node before : requires_all) text_ += label + " requires l" + std::to_string(before) + "\n";
    after_.push_back(requires_all.size() == 1 ? requires_all[0] : kStart);
    return node;
  }

  Op post(CallScope& scope, const std::string& what, std::optional<Node> before = {}) {
    Strand& here = strand(scope);
    const Node requirement = before.value_or(here.after);
    const Node node = add(what, {&requirement, requirement == kStart ? 0u : 1u});
    here.posted.push_back(node);
    return op_of(node, 0);
  }

  /// What is ended by what else is waited for need not be named.
  void wait(Strand& here, std::vector<Node> nodes) {
    nodes.push_back(here.after);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::erase_if(here.posted, [&](Node node) { return std::binary_search(nodes.begin(), nodes.end(), node); });
    std::set<Node> implied;
    for (const Node node : nodes) implied.insert(after_[node]);
    std::vector<Node> last;
    for (const Node node : nodes)
      if (node != kStart && !implied.contains(node)) last.push_back(node);
    if (!last.empty()) here.after = last.size() == 1 ? last[0] : add("calc 0", last);
  }

  Op message(CallScope& scope, const char* what, const char* way, Rank peer, const View& view, int lane) {
    if (peer < 0 || peer >= c_.ranks) throw std::out_of_range("names a rank that is not there");
    const auto tag = tags_.emplace(match_key(scope, lane), tags_.size()).first->second;
    const std::int64_t bytes = std::max<std::int64_t>(view.elements() * c_.element_bytes, 1);
    return post(scope, what + std::to_string(bytes) + "b" + way + std::to_string(peer) + " tag " + std::to_string(tag));
  }

  std::string work(const View& to, const Compute::Rate& rate) const {
    const std::int64_t bytes = to.elements() * c_.element_bytes;
    if (bytes == 0) return "calc 0";
    const double through_memory = rate.overhead_seconds + static_cast<double>(bytes) / memory_.narrowest;
    return "calc " + std::to_string(std::llround(1e9 * std::max(rate.seconds(bytes), through_memory)));
  }

  const Case& c_;
  const Machine& machine_;
  const std::vector<int>& core_of_rank_;
  GroupTable groups_;
  std::string text_;
  std::map<std::uint64_t, std::size_t> tags_;  // the same on every rank
  std::int32_t next_buffer_ = View::kFirstScratch;
  // Of the rank:
  Route memory_;  // that its local work goes through
  std::deque<Strand> strands_;
  std::vector<Node> after_;  // by node: the one that it requires; kStart where that are several or none
  CallNumbers calls_;
};

}  // namespace

std::string goal_text(const Case& c, const Choice& choice, const Machine& machine,
                      const std::vector<int>& core_of_rank) {
  GoalWriter writer(c, machine, core_of_rank);
  const Choice real = resolve(choice, c);
  for (Rank rank = 0; rank < c.ranks; ++rank) writer.add_rank(real, rank);
  return writer.take();
}

}  // namespace tutti
