// What our algorithms send. Reads calls from standard input, one per line:
//   COLLECTIVE RANKS COUNT TYPE OPERATOR ROOT ALGORITHM
// (as tests/mpi/probe.c, with an algorithm, such as chain:segment=1K, in place of settings, or default:open-mpi-4.1,
// what our data say that this library picks on one node) and prints one line for each: the algorithm that really runs
// there after its fall-backs, or "-" and why none can, and FROM>TO:MESSAGES:BYTES for every pair; where TYPE is text,
// also RANK=ELEMENT*TIMES,… for every rank that has a result: the ranks, as letters, in the order in which their
// contributions were combined.
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "algos/groups.hpp"
#include "algos/registry.hpp"
#include "base/error.hpp"
#include "selection/baselines.hpp"
#include "sim/proof/executor.hpp"

namespace {

using namespace tutti;

/// Counts what a rank sends and finishes everything at once: control flow depends neither on data nor on time.
class Recorder final : public Backend {
 public:
  struct Traffic {
    std::int64_t messages = 0, elements = 0;
  };
  explicit Recorder(int ranks)
      : traffic(static_cast<std::size_t>(ranks)), groups_(ranks, [](Rank, Level) { return 0; }) {}

  std::vector<Traffic> traffic;  // to each rank

  Op send(CallScope&, Rank to, const View& what, int) override {
    Traffic& pair = traffic.at(static_cast<std::size_t>(to));
    ++pair.messages;
    pair.elements += what.elements();
    return {};
  }
  Op recv(CallScope&, Rank, const View&, int) override { return {}; }
  Op recv_combine(CallScope&, Rank, const View&, const View&, Incoming, int) override { return {}; }
  Op copy(CallScope&, const View&, const View&) override { return {}; }
  Op combine(CallScope&, const View&, const View&, const View&) override { return {}; }
  View scratch(CallScope&, Count elements) override { return View::contiguous(next_buffer_++, 0, elements); }
  bool complete(CallScope&, std::span<const Op>) override { return true; }
  void park(CallScope&, Waiter&, std::span<const Op>) override { std::abort(); }  // everything is complete
  void enter(CallScope&) override {}
  void leave(CallScope&) override {}
  const Group* group(Rank rank, Level level, bool leaders) override { return groups_.find(rank, level, leaders); }

 private:
  GroupTable groups_;
  std::int32_t next_buffer_ = View::kFirstScratch;
};

void print_messages(const Choice& choice, const Case& c) {
  std::cout << choice.text();
  for (Rank from = 0; from < c.ranks; ++from) {
    Recorder recorder(c.ranks);
    const Task task = choice.algorithm->function()(Comm(recorder, from, c.ranks), make_call(c, choice, from));
    task.rethrow();
    for (Rank to = 0; to < c.ranks; ++to)
      if (const auto& pair = recorder.traffic[static_cast<std::size_t>(to)]; pair.messages > 0)
        std::cout << ' ' << from << '>' << to << ':' << pair.messages << ':' << pair.elements * c.element_bytes;
  }
}

std::string letters(const std::vector<Rank>& ranks) {
  std::string text;
  for (const Rank rank : ranks) text += static_cast<char>('a' + rank);
  return text;
}

void print_orders(const Choice& choice, const Case& c) {
  proof::Executor executor;
  if (const auto execution = executor.run(choice.algorithm->function(), c, choice, 1); execution.fault)
    throw std::runtime_error(execution.fault->text);
  for (Rank rank = 0; rank < c.ranks; ++rank) {
    const Count elements = make_call(c, choice, rank).out.elements();
    if (elements == 0 || (c.collective == Collective::exscan && rank == 0)) continue;
    std::cout << ' ' << rank << '=';
    const std::vector<proof::Symbol>& out = executor.buffers(rank)[View::kOut];
    for (Count i = 0, same; i < elements; i += same) {
      const proof::Term term = out[static_cast<std::size_t>(i)].term;
      for (same = 1; i + same < elements && out[static_cast<std::size_t>(i + same)].term == term;) ++same;
      std::cout << (i > 0 ? "," : "") << letters(executor.terms().ranks(term)) << '*' << same;
    }
  }
}

void answer(const std::string& line) {
  std::istringstream words(line);
  std::string collective, type, op, algorithm;
  Case c;
  if (!(words >> collective >> c.ranks >> c.count >> type >> op >> c.root >> algorithm))
    throw InputError("not a call: " + line);
  c.collective = collective_named(collective);
  c.element_bytes = type == "text" ? 16 : type == "int" ? 4 : 1;
  c.op = op == "user" ? Operator::user : Operator::sum;
  static constexpr std::string_view kDefault = "default:";
  const Choice choice =
      resolve(algorithm.starts_with(kDefault) ? pick(find_baseline(algorithm.substr(kDefault.size())), c, 1).choice
                                              : parse_choice(c.collective, algorithm),
              c);
  const std::string reason = why_not(choice, c);
  if (!reason.empty()) {
    std::cout << "- " << reason << '\n';
    return;
  }
  print_messages(choice, c);
  if (type == "text") print_orders(choice, c);
  std::cout << '\n';
}

}  // namespace

int main() {
  try {
    for (std::string line; std::getline(std::cin, line);) answer(line);
  } catch (const std::exception& error) {
    std::cerr << "expected_messages: " << error.what() << '\n';
    return 2;
  }
}
