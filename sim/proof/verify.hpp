#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algos/registry.hpp"
#include "base/text_store.hpp"
#include "sim/proof/cases.hpp"
#include "sim/proof/executor.hpp"

namespace tutti::proof {

/// Proves one case: executes it, checks every result, and that rounds, messages and bytes are what the metadata says.
std::optional<Fault> prove(Executor& executor, const Choice& choice, const Case& c, const Places& places = {});

/// Processor time that a case may take: hundreds of times what its elements and messages need.
double seconds_for(const Choice& choice, const Case& c);

/// Which cases to prove; empty lists stand for all.
struct VerifyRequest {
  std::vector<const Algorithm*> algorithms;  // with all their parameter_variants()
  std::vector<Choice> choices;               // beside those algorithms, which then may be none
  std::vector<int> ranks;
  Only only;
  int processes = 1;
  /// Of processor time; default: seconds_for() each case.
  std::optional<double> seconds_per_case;
  /// That all processes may take together, in bytes; default: half the machine's. What its share does not suffice for
  /// is proven once more, alone.
  std::optional<std::size_t> memory;
  /// Keeps what is proven, so that a later call need not prove it again; may be nullptr. It belongs to these algorithms
  /// and this proof. What crashed or took too long is tried again.
  TextStore* store = nullptr;
  /// Called with how many algorithms and numbers of ranks are done, of how many, and what tells, for the time of the
  /// call, which part of all work that is.
  std::function<void(std::size_t done, std::size_t total, const std::function<double()>& part)> progress;
  /// Called at least ten times a second while something is proven; what it throws ends the proof. May be nullptr.
  std::function<void()> look;
};

/// Throws InputError where `only` names a root, elements or a size of elements that none of the calls to prove has, or
/// more or larger elements than the proof takes. Returns the numbers of ranks that are left out, for want of that root.
/// `dashes`: what stands before options' names where they are asked for.
std::vector<int> expect_provable(const VerifyRequest& request, const std::string& dashes);

struct Refutation {
  Choice choice;
  Case failing;  // the smallest failing case: fewest ranks, then the smallest count
  Places places;
  Fault fault;
  std::string text() const;
};

constexpr int kMostMessagesOfLarge = 1 << 14;

struct Verdict {
  const Algorithm* algorithm = nullptr;
  std::optional<Choice> choice;  // where one was asked for
  std::int64_t proven = 0;       // cases in which the algorithm itself runs; of a refuted one, of no more ranks
  std::int64_t fallen_back = 0;  // cases proven in which it falls back to another algorithm
  std::int64_t excluded = 0;     // cases that the metadata's requirements rule out
  std::int64_t left_out = 0;     // of more elements than indices of 32 bits take, in more than kMostMessagesOfLarge
  std::optional<Refutation> refutation;
  /// Without a refutation: "not decided: not enough memory for bcast/binomial ranks=7 …", the first such case.
  std::string undecided;
};

/// One verdict for each algorithm, in the registry's order, then for each choice; the same for any number of processes.
/// Proves in processes of its own, since what is refuted may loop for ever, divide by zero or take all memory. Call it
/// where no other thread runs.
std::vector<Verdict> verify(const VerifyRequest& request);

/// "reduce/binomial:segment=13 ranks=5 count=4 root=1 operator=user in place".
std::string text_of(const Choice& choice, const Case& c);

}  // namespace tutti::proof
