// What our algorithms send: expected_messages [RANKS OF A NODE], without a number all on one node. Reads calls from
// standard input, one per line:
//   COLLECTIVE RANKS COUNT TYPE OPERATOR ROOT ALGORITHM
// (as tests/mpi/probe.c, with an algorithm, such as chain:segment=1K, in place of settings, default:open-mpi-4.1,
// what our data say that this library picks there, or file:TARGET:PATH, what it runs by a tuning file) and prints one
// line for each: the algorithm that really runs there after its fall-backs, or "-" and why none can, and
// FROM>TO:MESSAGES:BYTES for every pair; where TYPE is text, also RANK=ELEMENT*TIMES,… for every rank that has a
// result: the ranks, as letters, in the order in which their contributions were combined.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "algos/groups.hpp"
#include "algos/registry.hpp"
#include "base/error.hpp"
#include "selection/baselines.hpp"
#include "selection/export.hpp"
#include "sim/proof/executor.hpp"

namespace {

using namespace tutti;

/// Counts what a rank sends and finishes everything at once: control flow depends neither on data nor on time.
class Recorder final : public Backend {
 public:
  struct Traffic {
    std::int64_t messages = 0, elements = 0;
  };
  Recorder(int ranks, int ppn)
      : traffic(static_cast<std::size_t>(ranks)), groups_(ranks, [ppn](Rank rank, Level) { return rank / ppn; }) {}

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
  const Group* group(Rank rank, Level level, GroupKind kind) override { return groups_.find(rank, level, kind); }

 private:
  GroupTable groups_;
  std::int32_t next_buffer_ = View::kFirstScratch;
};

void print_messages(const Choice& choice, const Case& c, int ppn) {
  std::cout << choice.text();
  for (Rank from = 0; from < c.ranks; ++from) {
    Recorder recorder(c.ranks, ppn);
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

void print_orders(const Choice& choice, const Case& c, int ppn) {
  proof::Executor executor;
  NodeOfRank nodes;
  for (Rank rank = 0; rank < c.ranks; ++rank) nodes.push_back(rank / ppn);
  if (const auto execution = executor.run(choice.algorithm->function(), c, choice, 1, nodes); execution.fault)
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

/// Read once.
const TuningFile& tuning_file(const Exporter& exporter, const std::string& path) {
  static std::map<std::string, std::unique_ptr<TuningFile>> known;
  std::unique_ptr<TuningFile>& file = known[path];
  if (!file) {
    std::ifstream stream(path);
    std::ostringstream text;
    if (!(text << stream.rdbuf())) throw InputError(path + ": cannot be read");
    file = exporter.read(text.str(), path);
  }
  return *file;
}

Choice choice_for(const std::string& algorithm, const Case& c, int nodes) {
  constexpr std::string_view kDefault = "default:", kFile = "file:";
  if (algorithm.starts_with(kDefault)) return pick(find_baseline(algorithm.substr(kDefault.size())), c, nodes).choice;
  if (!algorithm.starts_with(kFile)) return parse_choice(c.collective, algorithm);
  const std::size_t colon = algorithm.find(':', kFile.size());
  const Exporter& exporter = find_exporter(algorithm.substr(kFile.size(), colon - kFile.size()));
  const auto said = tuning_file(exporter, algorithm.substr(colon + 1)).choice(c, nodes);
  return said ? *said : pick(find_baseline(exporter.library()), c, nodes).choice;
}

void answer(const std::string& line, int ranks_of_a_node) {
  std::istringstream words(line);
  std::string collective, type, op, algorithm;
  Case c;
  if (!(words >> collective >> c.ranks >> c.count >> type >> op >> c.root >> algorithm))
    throw InputError("not a call: " + line);
  c.collective = collective_named(collective);
  c.element_bytes = type == "text" ? 16 : type == "int" ? 4 : 1;
  c.op = op == "user" ? Operator::user : Operator::sum;
  const int ppn = ranks_of_a_node > 0 ? ranks_of_a_node : std::max(1, c.ranks);
  const Choice choice = resolve(choice_for(algorithm, c, (c.ranks + ppn - 1) / ppn), c);
  const std::string reason = why_not(choice, c);
  if (!reason.empty()) {
    std::cout << "- " << reason << '\n';
    return;
  }
  print_messages(choice, c, ppn);
  if (type == "text") print_orders(choice, c, ppn);
  std::cout << '\n';
}

}  // namespace

int main(int arguments, char** argument) {
  try {
    const int ppn = arguments > 1 ? std::stoi(argument[1]) : 0;
    for (std::string line; std::getline(std::cin, line);) answer(line, ppn);
  } catch (const std::exception& error) {
    std::cerr << "expected_messages: " << error.what() << '\n';
    return 2;
  }
}
