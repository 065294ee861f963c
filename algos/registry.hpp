#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "algos/case.hpp"
#include "algos/comm.hpp"
#include "algos/expression.hpp"
#include "algos/parameter.hpp"
#include "algos/places.hpp"
#include "algos/task.hpp"

namespace tutti {

using AlgorithmFunction = Task (*)(Comm, Call);

/// In place of a parameter, where one choice (number_of_choice()) runs on all ranks instead of all parts.
inline constexpr std::string_view kAllParts;

/// What a formula of the metadata may use: p ranks, n total bytes, e bytes of an element, c the count argument, the
/// root, commutative and in_place (0 or 1), every parameter by name, k (the radix) and segments (of the vector, by
/// `segment`); of a reduce_scatter uneven, by how many elements blocks differ, and last, those of the last one; among
/// neighbours grid (0 or 1) and edges, the blocks that go to another rank. Functions of the metadata also see where the
/// ranks are, and the counts of each.
class Facts {
 public:
  Facts(const Case& c, const ParameterValues& parameters, Places places = {});
  std::span<const Fact> all() const { return facts_; }
  /// Of a collective among neighbours.
  const Neighborhood& neighborhood() const { return *neighborhood_; }
  /// Elements of the block that the rank has for its neighbour there.
  Count count_of_block(Rank rank, int slot) const;
  const Places& places() const { return places_; }
  /// How the vector or the blocked buffer is divided among ranks, as blocks_of says it: where counts are of ranks.
  const Blocks& blocks() const { return blocks_; }
  /// Of an irregular case: elements of a rank's block, and from a rank to another in an alltoallv.
  Count count_of(Rank rank) const { return blocks_.count(rank); }
  Count count_from_to(Rank from, Rank to) const { return counts_ ? counts_->from_to(from, to) : count_; }
  /// Throws std::invalid_argument on an unknown name.
  double operator[](std::string_view name) const;

  /// Counting what is put together from others counts its parts: what runs on so many ranks, as a value of the
  /// parameter that says it (see what_runs()).
  using SeePart = std::function<void(std::string_view parameter, int ranks, std::int64_t runs)>;
  void watch_parts(SeePart see) { see_part_ = std::move(see); }
  void see_part(std::string_view parameter, int ranks, std::int64_t runs) const {
    if (see_part_) see_part_(parameter, ranks, runs);
  }

 private:
  std::vector<Fact> facts_;
  SeePart see_part_;
  Places places_;
  std::shared_ptr<const BlockCounts> counts_;
  std::shared_ptr<const Neighborhood> neighborhood_;
  Count count_;
  Blocks blocks_;
};

/// An exact count: a formula, or a small function where there is no closed form (`text` then says so for people).
class Quantity {
 public:
  using Function = double (*)(const Facts&);
  Quantity() = default;
  explicit Quantity(const char* formula) : expression_(Expression(formula)), text_(formula) {}
  Quantity(Function function, const char* text) : function_(function), text_(text) {}
  double operator()(const Facts& facts) const;
  const std::string& text() const { return text_; }
  bool is_formula() const { return expression_.has_value(); }

 private:
  std::optional<Expression> expression_;
  Function function_ = nullptr;
  std::string text_;
};

struct Requirement {
  Expression condition;
  std::string text;  // "an even number of ranks"
};

struct Fallback {
  Expression condition;
  std::string to;  // another algorithm of the same collective; parameters of the same name carry over
};

/// An algorithm and all that is known of it. Everything is declared in the algorithm's own file; lists, documentation,
/// proofs, sweeps and exporters iterate the registry; what libraries call it is known of them (selection/library.hpp).
/// Immutable once registered.
class Algorithm {
 public:
  /// `file` is __FILE__: what is before its last "algos/" is left out, for it depends on where and how one builds.
  Algorithm(Collective collective, const char* name, AlgorithmFunction function, std::string_view file)
      : collective_(collective),
        name_(name),
        function_(function),
        file_(file.substr(file.rfind("algos/") == std::string_view::npos ? 0 : file.rfind("algos/"))) {}

  // --- declaration; each returns the algorithm, so that they chain ---
  /// Messages on the longest chain in the one-port model: a rank starts one message a round, in posting order, and
  /// takes in one a round; messages to one peer that no wait separates travel as one. See sim/proof/ports.hpp.
  Algorithm& rounds(const char* formula) { return set_formula(rounds_, "rounds", formula); }
  Algorithm& rounds(Quantity::Function f, const char* text) { return set(rounds_, Quantity(f, text)); }
  /// Where parts run side by side, so that nothing shorter than running it says how many: at least `least`, at most
  /// `most`.
  Algorithm& rounds_between(Quantity::Function least, Quantity::Function most, const char* text) {
    most_rounds_ = Quantity(most, text);
    return set(rounds_, Quantity(least, text));
  }
  /// Messages and payload bytes, summed over all ranks.
  Algorithm& messages(const char* formula) { return set_formula(messages_, "messages", formula); }
  Algorithm& messages(Quantity::Function f, const char* text) { return set(messages_, Quantity(f, text)); }
  Algorithm& bytes(const char* formula) { return set_formula(bytes_, "bytes", formula); }
  Algorithm& bytes(Quantity::Function f, const char* text) { return set(bytes_, Quantity(f, text)); }
  /// The k-ported model: a rank starts and takes in this many messages a round.
  Algorithm& ports(const char* formula) { return set_formula(ports_, "ports", formula); }
  /// A parameter with its default, its smallest and, where there is one, its largest value. Sizes (`segment`) are in
  /// bytes. What is tried of it beside the default goes by its name (algos/parameter.hpp).
  Algorithm& parameter(const char* name, std::int64_t standard, std::int64_t minimum,
                       std::int64_t maximum = std::numeric_limits<std::int64_t>::max());
  /// Of the parameter before: it is a size in bytes; what is tried of it beside its default.
  Algorithm& in_bytes();
  Algorithm& tried(std::vector<std::int64_t> values);
  /// A parameter whose values, 0, 1, …, go by these names; the first is the default.
  Algorithm& parameter(const char* name, std::vector<std::string> values);
  /// Of the parameter before: it may be a list of ranks, too (algos/rank_order.hpp); none of them is tried.
  Algorithm& or_list_of_ranks();
  /// The algorithm cannot run unless the formula holds.
  Algorithm& requires_that(const char* condition, const char* text);
  /// Needs a commutative operator: operands may be combined in any order.
  Algorithm& commutative() { return set(needs_commutative_, true); }
  /// It asks for groups (Comm::group): what it sends depends on which ranks share a node. The proof covers several
  /// shapes of such an algorithm, and refutes one that asks without saying so here.
  Algorithm& by_node() { return set(by_node_, true); }
  /// Where the formula holds another algorithm runs instead, as in the library it comes from.
  Algorithm& fallback(const char* condition, const char* to);
  /// Where the algorithm is described, and where ours deviates from the library's.
  Algorithm& cite(const char* text) { return set(cite_, std::string(text)); }
  Algorithm& deviates(const char* text) { return set(deviates_, std::string(text)); }

  // --- use ---
  Collective collective() const { return collective_; }
  const std::string& name() const { return name_; }
  std::string full_name() const { return std::string(name_of(collective_)) + "/" + name_; }
  AlgorithmFunction function() const { return function_; }
  const std::string& file() const { return file_; }
  const Quantity& rounds() const { return rounds_; }  // at least, where most_rounds() says something
  const Quantity& most_rounds() const { return most_rounds_; }
  const Quantity& messages() const { return messages_; }
  const Quantity& bytes() const { return bytes_; }
  const Quantity& ports() const { return ports_; }
  const std::vector<ParameterSpec>& parameters() const { return parameters_; }
  const std::vector<Requirement>& requirements() const { return requirements_; }
  const std::vector<Fallback>& fallbacks() const { return fallbacks_; }
  bool needs_commutative() const { return needs_commutative_; }
  bool is_by_node() const { return by_node_; }
  const std::string& cite() const { return cite_; }
  const std::string& deviates() const { return deviates_; }

  ParameterValues default_parameters() const;
  /// "bcast/mine: rounds: …": which formula cannot be read; empty: none. Who registers does not throw, since nobody
  /// could catch that: whoever looks at the algorithm first asks (fault_in).
  const std::string& fault() const { return fault_; }

 private:
  Algorithm& set_formula(Quantity& member, const char* what, const char* formula);
  void note_fault(const std::string& what);
  template <class T>
  Algorithm& set(T& member, T value) {
    member = std::move(value);
    return *this;
  }

  Collective collective_;
  std::string name_;
  AlgorithmFunction function_;
  std::string file_;
  Quantity rounds_, most_rounds_, messages_, bytes_, ports_{"1"};
  std::vector<ParameterSpec> parameters_;
  std::vector<Requirement> requirements_;
  std::vector<Fallback> fallbacks_;
  bool needs_commutative_ = false, by_node_ = false;
  std::string cite_, deviates_, fault_;
};

/// All algorithms, sorted by (collective, name). Thread-safe after main() has begun.
const std::vector<Algorithm>& registry();
std::vector<const Algorithm*> algorithms_of(Collective collective);
/// Throws InputError on an unknown name, listing the collective's algorithms.
const Algorithm& find_algorithm(Collective collective, std::string_view name);

/// An algorithm with its parameter values (all declared ones, in the declared order).
struct Choice {
  const Algorithm* algorithm = nullptr;
  ParameterValues parameters;

  /// "binomial", "knomial:radix=8", "chain:fanout=4:segment=65536"; parameters at their defaults are left out.
  std::string text() const;
  friend bool operator==(const Choice&, const Choice&) = default;
};

/// From text as above; suffixes K, M, G are powers of 1024. Throws InputError on an unknown algorithm or parameter or a
/// value outside its range.
Choice parse_choice(Collective collective, std::string_view text);
Choice default_choice(const Algorithm& algorithm);
/// The value of its parameter that has this role, nullptr where it has none.
const std::int64_t* value_of(const Choice& choice, ParameterRole role);
std::int64_t* value_of(Choice& choice, ParameterRole role);

/// Why the choice cannot run the case ("needs an even number of ranks"), or empty.
std::string why_not(const Choice& choice, const Case& c);
/// The choice that really runs: fall-backs of the metadata followed to the end.
Choice resolve(const Choice& choice, const Case& c);
/// The call of one rank with the choice's parameters. The choice must outlive the call.
Call make_call(const Case& c, const Choice& choice, Rank rank);
Call make_call(const Case& c, const Choice&& choice, Rank rank) = delete;

/// Registers at static initialisation: `Registrar{} << Algorithm(…)…;` Throws std::logic_error, which ends the program,
/// where a parameter is not declared as why_refused() asks.
struct Registrar {
  int operator<<(Algorithm algorithm) const;
};

#define TUTTI_JOIN_(a, b) a##b
#define TUTTI_JOIN(a, b) TUTTI_JOIN_(a, b)
#define TUTTI_ALGORITHM(collective, name, function)                              \
  [[maybe_unused]] static const int TUTTI_JOIN(tutti_registered_, __COUNTER__) = \
      ::tutti::Registrar{} << ::tutti::Algorithm(::tutti::Collective::collective, name, function, __FILE__)

}  // namespace tutti
