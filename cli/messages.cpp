#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "algos/groups.hpp"
#include "algos/registry.hpp"
#include "algos/what_runs.hpp"
#include "base/error.hpp"
#include "cli/collectives.hpp"
#include "cli/mpi_verbs.hpp"
#include "cli/tuning_file.hpp"
#include "cli/verbs.hpp"
#include "json/text_file.hpp"
#include "selection/baselines.hpp"
#include "selection/export.hpp"
#include "selection/offers.hpp"
#include "selection/own_choices.hpp"
#include "selection/own_parts.hpp"
#include "sim/proof/executor.hpp"

namespace tutti::cli {
namespace {

constexpr int kMostRanks = 4096;  // a rank's peers are counted one by one

/// Counts what a rank sends and finishes everything at once: control flow depends neither on data nor on time.
class Recorder final : public Backend {
 public:
  struct Traffic {
    std::int64_t messages = 0, elements = 0;
  };
  explicit Recorder(const NodeOfRank& node)
      : traffic(node.size()),
        groups_(static_cast<int>(node.size()), [&node](Rank rank, Level) { return node[rank]; }) {}

  std::vector<Traffic> traffic;  // to each rank

  Op send(CallScope&, Rank to, const View& what, int, SendMode) override {
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
  void on(CallEvent, CallScope&) override {}
  const Group* group(Rank rank, Level level, GroupKind kind, const Group* within) override {
    return groups_.find(rank, level, kind, within);
  }

 private:
  GroupTable groups_;
  std::int32_t next_buffer_ = View::kFirstScratch;
};

std::string messages(const Choice& choice, const Case& c, const NodeOfRank& node) {
  std::string text;
  for (Rank from = 0; from < c.ranks; ++from) {
    Recorder recorder(node);
    const Task task = choice.algorithm->function()(Comm(recorder, from, c.ranks), make_call(c, choice, from));
    task.rethrow();
    for (Rank to = 0; to < c.ranks; ++to)
      if (const auto& pair = recorder.traffic[to]; pair.messages > 0)
        text += fmt::format(" {}>{}:{}:{}", from, to, pair.messages, pair.elements * c.element_bytes);
  }
  return text;
}

std::string letters(const std::vector<Rank>& ranks) {
  std::string text;
  for (const Rank rank : ranks) text += static_cast<char>('a' + rank);
  return text;
}

std::string orders(const Choice& choice, const Case& c, const NodeOfRank& node) {
  std::string text;
  proof::Executor executor;
  if (const auto execution = executor.run(choice.algorithm->function(), c, choice, 1, node); execution.fault)
    throw std::runtime_error(execution.fault->text);
  for (Rank rank = 0; rank < c.ranks; ++rank) {
    const Count elements = make_call(c, choice, rank).out.elements();
    if (elements == 0 || (c.collective == Collective::exscan && rank == 0)) continue;
    text += fmt::format(" {}=", rank);
    const proof::PieceBuffer& out = executor.buffers(rank)[View::kOut];
    for (Count i = 0, same; i < elements; i += same) {
      const proof::Term term = out[i].term;
      for (same = 1; i + same < elements && out[i + same].term == term;) ++same;
      text += fmt::format("{}{}*{}", i > 0 ? "," : "", letters(executor.terms().ranks(term)), same);
    }
  }
  return text;
}

/// Read once. Another file beside it does not matter: what the library then sends is compared with what is said here.
const TuningFile& tuning_file(const Exporter& exporter, const std::string& path) {
  static std::map<std::string, std::unique_ptr<TuningFile>> known;
  std::unique_ptr<TuningFile>& file = known[exporter.name() + ":" + path];
  if (file) return *file;
  const std::string text = text_of_file(path, "file");
  file = exporter.read(text, path);
  if (const std::string other = other_file_beside(exporter, path, text); !other.empty())
    fmt::print(stderr, "warning: {} is another file: it is taken to be what tutti export writes beside {}\n", other,
               path);
  return *file;
}

Choice choice_for(const std::string& algorithm, const Case& c, const RanksOnNodes& on) {
  constexpr std::string_view kFile = "file:";
  if (!algorithm.starts_with(kFile)) return choice_asked_for(algorithm, c, on);
  const std::size_t colon = algorithm.find(':', kFile.size());
  if (colon == std::string::npos) throw InputError("expected file:FORM:FILE, found '" + algorithm + "'");
  const Exporter& exporter = find_exporter(algorithm.substr(kFile.size(), colon - kFile.size()));
  const auto runs = choice_under(tuning_file(exporter, algorithm.substr(colon + 1)), c, on, own_choices_of(exporter));
  return runs ? *runs : pick(find_baseline(exporter.library()), c, on).choice;
}

std::int32_t element_bytes_of(const std::string& type) {
  for (const auto& [name, bytes] : {std::pair{"byte", 1}, std::pair{"int", 4}, std::pair{"text", 16}})
    if (type == name) return bytes;
  throw InputError("expected byte, int or text, found '" + type + "'");
}

struct MessagesOptions {
  std::string calls;
  int ppn = 0;
  std::vector<int> on_nodes, node_of_rank;
};

void refuse_unless(int ranks, std::size_t told, const char* option) {
  if (told != static_cast<std::size_t>(ranks))
    throw InputError(fmt::format("expected a call of the {} ranks of {}, found one of {}", told, option, ranks));
}

NodeOfRank node_of_each(const MessagesOptions& options, int ranks) {
  if (!options.node_of_rank.empty()) {
    refuse_unless(ranks, options.node_of_rank.size(), "--node-of-rank");
    return options.node_of_rank;
  }
  NodeOfRank node;
  for (const int size : options.on_nodes)
    node.insert(node.end(), static_cast<std::size_t>(size), node.empty() ? 0 : node.back() + 1);
  if (!node.empty()) {
    refuse_unless(ranks, node.size(), "--on-nodes");
    return node;
  }
  const int ppn = options.ppn > 0 ? options.ppn : ranks;
  for (Rank rank = 0; rank < ranks; ++rank) node.push_back(rank / ppn);
  return node;
}

RanksOnNodes ranks_on(const NodeOfRank& node) {
  std::map<int, int> ranks;
  for (const int each : node) ++ranks[each];
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [fewest, most] = std::minmax_element(ranks.begin(), ranks.end(), fewer);
  return {static_cast<int>(ranks.size()), most->second, fewest->second};
}

std::string owner_answer(const std::string& line, const MessagesOptions& options) {
  std::istringstream words(line);
  std::string collective, type, op, algorithm, rest;
  Case c;
  if (!(words >> collective >> c.ranks >> c.count >> type >> op >> c.root >> algorithm) || words >> rest)
    throw InputError("expected COLLECTIVE RANKS COUNT TYPE OPERATOR ROOT ALGORITHM");
  c.collective = collective_of_all_ranks(collective);
  c.element_bytes = element_bytes_of(type);
  if (op != "sum" && op != "user") throw InputError("expected sum or user, found '" + op + "'");
  c.op = op == "user" ? Operator::user : Operator::sum;
  if (c.ranks < 1 || c.ranks > kMostRanks) throw InputError(fmt::format("expected 1 to {} ranks", kMostRanks));
  if (c.count < 0) throw InputError("expected a count from 0 on");
  if (c.root < 0 || c.root >= c.ranks) throw InputError("expected a root that is one of the ranks");
  const NodeOfRank node = node_of_each(options, c.ranks);
  const Choice choice = resolve(choice_for(algorithm, c, ranks_on(node)), c);
  const std::string reason = why_not(choice, c);
  if (!reason.empty()) return "- " + reason;
  return text_of_what_runs(choice, c, node) + messages(choice, c, node) +
         (type == "text" ? orders(choice, c, node) : "");
}

int run_messages(const MessagesOptions& options) {
  std::istringstream lines(text_of_file(options.calls == "-" ? "/dev/stdin" : options.calls, "file"));
  int number = 0;
  std::string answers;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    try {
      answers += owner_answer(line, options) + "\n";
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}:{}: {}", options.calls, number, error.what()));
    }
  }
  fmt::print("{}", answers);
  return kDone;
}

}  // namespace

void add_messages(CLI::App& app, int& status) {
  auto options = std::make_shared<MessagesOptions>();
  CLI::App* verb = app.add_subcommand("messages", "What is sent from rank to rank in calls");
  verb->footer(
      "A call is COLLECTIVE RANKS COUNT TYPE OPERATOR ROOT ALGORITHM, such as\n"
      "  bcast 4 1000 byte sum 0 binomial\n"
      "COUNT is that of the MPI call (reduce_scatter: the whole vector). TYPE: byte, int, or text, elements of 16\n"
      "characters. OPERATOR: sum, or user, which does not commute. ALGORITHM: also default:LIBRARY, or file:FORM:FILE\n"
      "for what a tuning file says. For each a line: the algorithm that runs there, or - and why none can, and\n"
      "FROM>TO:MESSAGES:BYTES for each pair; of texts RANK=RANKS*ELEMENTS, the order in which contributions were\n"
      "combined, ranks as letters.\n"
      "Example: tutti messages calls.txt --ppn 2");
  verb->add_option("calls", options->calls, "a file with a call per line, or - for stdin")->required();
  CLI::Option* ppn =
      verb->add_option("--ppn", options->ppn, "ranks on each node (default: all on one)")->check(CLI::PositiveNumber);
  CLI::Option* on_nodes =
      verb->add_option("--on-nodes", options->on_nodes, "ranks on each of the nodes, where these differ: 4,1,2")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->check(CLI::Range(1, kMostRanks))
          ->excludes(ppn);
  verb->add_option("--node-of-rank", options->node_of_rank,
                   "the node of each rank, where ranks of a node do not follow one another: 0,1,0,1")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(0, kMostRanks - 1))
      ->excludes(ppn)
      ->excludes(on_nodes);
  verb->callback([options, &status] { status = run_messages(*options); });
}

}  // namespace tutti::cli
