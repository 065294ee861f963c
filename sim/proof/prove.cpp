#include <algorithm>
#include <cmath>
#include <limits>

#include "algos/operator.hpp"
#include "algos/patterns/parts.hpp"
#include "sim/proof/verify.hpp"

namespace tutti::proof {
namespace {

/// What a registered algorithm declares, which a test asks of all of them; one that somebody tries out may leave it
/// open.
bool is_declared(const Quantity& quantity) { return !quantity.text().empty(); }

std::optional<Fault> differs(const char* what, std::int64_t counted, const Quantity& declared, double formula) {
  if (std::isfinite(formula) && std::abs(formula - static_cast<double>(counted)) < 1e-6 + 1e-12 * std::abs(formula))
    return std::nullopt;
  return Fault{FaultKind::count_mismatch, std::string(what) + ": the execution has " + std::to_string(counted) +
                                              ", the metadata's \"" + declared.text() + "\" gives " +
                                              std::to_string(formula)};
}

std::optional<Fault> differs(const char* what, std::int64_t counted, const Quantity& declared, const Facts& facts) {
  if (!is_declared(declared)) return std::nullopt;
  return differs(what, counted, declared, declared(facts));
}

std::optional<Fault> outside(const char* what, std::int64_t counted, const Quantity& least, const Quantity& most,
                             const Facts& facts) {
  const double from = least(facts), to = most(facts);
  if (from <= static_cast<double>(counted) && static_cast<double>(counted) <= to) return std::nullopt;
  return Fault{FaultKind::count_mismatch, std::string(what) + ": the execution has " + std::to_string(counted) +
                                              ", the metadata's \"" + least.text() + "\" gives " +
                                              std::to_string(from) + " to " + std::to_string(to)};
}

/// What the metadata declares, or nothing where that is no number of anything.
double at_least_zero(double declared) { return std::isfinite(declared) ? std::max(0.0, declared) : 0; }

/// Elements that anybody may look at one by one.
constexpr double kMostApart = 1 << 26;

/// What a rank may post: far more than all ranks' messages, and than a piece of work on each of so many elements.
std::int64_t most_operations(std::optional<double> messages, const Facts& facts) {
  constexpr std::int64_t kUndeclared = 1 << 20;
  if (!messages) return kUndeclared;
  const double bytes = std::min(facts["n"], kMostApart * facts["e"]);
  return static_cast<std::int64_t>(1000 + 4 * std::min(1e12, at_least_zero(*messages) + bytes));
}

}  // namespace

std::optional<Fault> prove(Executor& executor, const Choice& choice, const Case& c, const Places& places) {
  const Choice real = resolve(choice, c);
  const Facts facts(c, real.parameters, places);
  const CountedOnce once(facts);
  const Algorithm& algorithm = *real.algorithm;
  const double ports = algorithm.ports()(facts);
  if (!(ports >= 1 && std::isfinite(ports)))
    return Fault{FaultKind::count_mismatch, "ports: the metadata's \"" + algorithm.ports().text() + "\" gives " +
                                                std::to_string(ports) + ", expected at least 1"};
  std::optional<double> messages;  // a function that counts them may take as long as the rest of the proof
  if (is_declared(algorithm.messages())) messages = algorithm.messages()(facts);
  constexpr double kMostPorts = std::numeric_limits<int>::max();
  const Execution execution = executor.run(algorithm.function(), c, real, static_cast<int>(std::min(ports, kMostPorts)),
                                           places, most_operations(messages, facts));
  if (execution.fault) return execution.fault;
  if (execution.asked_for_groups && !algorithm.is_by_node())
    return Fault{FaultKind::undeclared_groups, "the algorithm asks for groups; its metadata lacks by_node()"};
  if (auto fault = check_results(executor, c)) return fault;
  if (messages)
    if (auto fault = differs("messages", execution.messages, algorithm.messages(), *messages)) return fault;
  if (auto fault = differs("bytes", execution.elements_sent * c.element_bytes, algorithm.bytes(), facts)) return fault;
  if (!algorithm.most_rounds().text().empty())
    return outside("rounds", execution.rounds, algorithm.rounds(), algorithm.most_rounds(), facts);
  return differs("rounds", execution.rounds, algorithm.rounds(), facts);
}

double seconds_for(const Choice& choice, const Case& c) {
  const Choice real = resolve(choice, c);
  const Facts facts(c, real.parameters);
  const double elements = std::min(facts["n"] / facts["e"], kMostApart) * facts["p"];
  // What nothing orders is compared with all else of a rank that nothing orders. A function that counts messages may
  // take as long as the proof: where there is one, as many as there are segments.
  const Quantity& messages = real.algorithm->messages();
  double of_a_rank = 0;
  if (is_declared(messages) && messages.is_formula())
    of_a_rank = at_least_zero(messages(facts)) / facts["p"];
  else if (const auto* segment = Parameters(real.parameters).find("segment"); segment && *segment > 0)
    of_a_rank = 2 * facts["n"] / static_cast<double>(*segment);
  return 20 + 1e-5 * elements + 1e-7 * facts["p"] * of_a_rank * of_a_rank;
}

std::string text_of(const Choice& choice, const Case& c) {
  std::string text = std::string(name_of(c.collective)) + "/" + choice.text() + " ranks=" + std::to_string(c.ranks) +
                     " count=" + std::to_string(c.count);
  if (c.neighborhood) text += " neighbors=" + c.neighborhood->text();
  if (c.counts) text += " counts=" + c.counts->text();
  if (c.element_bytes != default_element_bytes(c.collective)) text += " element=" + std::to_string(c.element_bytes);
  if (is_rooted(c.collective)) text += " root=" + std::to_string(c.root);
  if (is_reduction(c.collective)) text += is_commutative(c.op) ? " commutative" : " non-commutative";
  if (c.op != Operator::sum && c.op != Operator::user) text += " operator=" + std::string(name_of(c.op));
  if (c.in_place) text += " in-place";
  return text;
}

}  // namespace tutti::proof
