#include "sim/proof/verify.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>

#include "algos/in_parallel.hpp"

namespace tutti::proof {
namespace {

std::int64_t odd_value(const ParameterSpec& spec) {
  if (spec.name == "segment") return std::max<std::int64_t>(13, spec.minimum | 1);
  return spec.standard == 3 || spec.minimum > 3 ? std::max<std::int64_t>(5, spec.minimum | 1) : 3;
}

/// The default, the smallest and an odd value; of a parameter that chooses among a few things, all of them.
std::set<std::int64_t> values_of(const ParameterSpec& spec) {
  if (spec.maximum - spec.minimum > 4) return {spec.standard, spec.minimum, std::min(odd_value(spec), spec.maximum)};
  std::set<std::int64_t> all;
  for (std::int64_t value = spec.minimum; value <= spec.maximum; ++value) all.insert(value);
  return all;
}

std::optional<Fault> differs(const char* what, std::int64_t counted, const Quantity& declared, const Facts& facts) {
  const double formula = declared(facts);
  if (std::isfinite(formula) &&
      std::abs(formula - static_cast<double>(counted)) < 1e-6 * std::max(1.0, std::abs(formula)))
    return std::nullopt;
  return Fault{FaultKind::count_mismatch, std::string(what) + ": the execution has " + std::to_string(counted) +
                                              ", the metadata's \"" + declared.text() + "\" gives " +
                                              std::to_string(formula)};
}

std::vector<Count> counts_for(const Algorithm& algorithm, int ranks, const std::optional<Count>& only) {
  if (algorithm.collective() == Collective::barrier) return {0};
  if (only) return {*only};
  std::set<Count> counts{0, 1, ranks - 1, ranks, 3 * ranks + 1};
  return {counts.begin(), counts.end()};
}

std::vector<Rank> roots_for(const Algorithm& algorithm, int ranks, const std::optional<Rank>& only) {
  if (!is_rooted(algorithm.collective())) return {0};
  if (only) return *only < ranks ? std::vector<Rank>{*only} : std::vector<Rank>{};
  std::set<Rank> roots{0, std::min(1, ranks - 1), ranks - 1};
  return {roots.begin(), roots.end()};
}

std::vector<Operator> operators_for(const Algorithm& algorithm) {
  if (!is_reduction(algorithm.collective()) || algorithm.needs_commutative()) return {Operator::sum};
  return {Operator::sum, Operator::user};
}

bool may_be_in_place(Collective c) { return c != Collective::bcast && c != Collective::barrier; }

/// All cases of an algorithm at a number of ranks, smallest count first.
void prove_at(Executor& executor, const VerifyRequest& request, const Algorithm& algorithm, int ranks,
              AlgorithmVerdict& verdict) {
  const std::vector<Choice> variants = parameter_variants(algorithm);
  const std::vector<NodeOfRank> shapes = node_shapes(algorithm, ranks);
  for (const Count count : counts_for(algorithm, ranks, request.count))
    for (const Rank root : roots_for(algorithm, ranks, request.root))
      for (const Choice& choice : variants)
        for (const Operator op : operators_for(algorithm))
          for (const bool in_place : {false, true}) {
            if (in_place && !may_be_in_place(algorithm.collective())) continue;
            const Case c{algorithm.collective(),
                         ranks,
                         count,
                         default_element_bytes(algorithm.collective()),
                         root,
                         in_place,
                         op};
            if (!why_not(choice, c).empty()) {
              ++verdict.excluded;
              continue;
            }
            const bool falls_back = resolve(choice, c).algorithm != &algorithm;
            for (const NodeOfRank& nodes : shapes) {
              if (auto fault = prove(executor, choice, c, nodes)) {
                verdict.refutation = Refutation{choice, c, nodes, std::move(*fault)};
                return;
              }
              ++(falls_back ? verdict.fallen_back : verdict.proven);
            }
          }
}

}  // namespace

std::optional<Fault> prove(Executor& executor, const Choice& choice, const Case& c, const NodeOfRank& node_of_rank) {
  const Choice real = resolve(choice, c);
  const Facts facts(c, real.parameters, node_of_rank);
  const Algorithm& algorithm = *real.algorithm;
  const auto ports = static_cast<int>(algorithm.ports()(facts));
  const Execution execution = executor.run(algorithm.function(), c, real, std::max(1, ports), node_of_rank);
  if (execution.fault) return execution.fault;
  if (execution.asked_for_groups && !algorithm.is_by_node())
    return Fault{FaultKind::undeclared_groups, "the algorithm asks for groups; its metadata lacks by_node()"};
  if (auto fault = check_results(executor, c)) return fault;
  if (auto fault = differs("messages", execution.messages, algorithm.messages(), facts)) return fault;
  if (auto fault = differs("bytes", execution.elements_sent * c.element_bytes, algorithm.bytes(), facts)) return fault;
  return differs("rounds", execution.rounds, algorithm.rounds(), facts);
}

std::vector<Choice> parameter_variants(const Algorithm& algorithm) {
  const auto& specs = algorithm.parameters();
  std::vector<Choice> variants{default_choice(algorithm)};
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::size_t before = variants.size();
    for (std::size_t v = 0; v < before; ++v)
      for (const std::int64_t value : values_of(specs[i])) {
        Choice variant = variants[v];
        variant.parameters[i].second = value;
        if (std::find(variants.begin(), variants.end(), variant) == variants.end()) variants.push_back(variant);
      }
  }
  return variants;
}

std::vector<NodeOfRank> node_shapes(const Algorithm& algorithm, int ranks) {
  std::vector<NodeOfRank> shapes{{}};
  if (!algorithm.is_by_node() || ranks == 1) return shapes;
  const auto add = [&](auto node_of) {
    NodeOfRank nodes;
    for (Rank r = 0; r < ranks; ++r) nodes.push_back(node_of(r));
    if (std::find(shapes.begin(), shapes.end(), nodes) == shapes.end()) shapes.push_back(std::move(nodes));
  };
  add([](Rank) { return 0; });
  add([](Rank r) { return r / 3; });
  add([](Rank r) { return r / 4; });
  add([](Rank r) { return r % 2; });
  add([](Rank r) { return r % 5; });
  add([](Rank r) { return static_cast<int>(std::sqrt(2.0 * r + 0.25) - 0.5); });  // 1, 2, 3, … ranks
  return shapes;
}

std::string text_of(const Choice& choice, const Case& c) {
  std::string text = std::string(name_of(c.collective)) + "/" + choice.text() + " ranks=" + std::to_string(c.ranks) +
                     " count=" + std::to_string(c.count);
  if (is_rooted(c.collective)) text += " root=" + std::to_string(c.root);
  if (is_reduction(c.collective)) text += is_commutative(c.op) ? " commutative" : " non-commutative";
  if (c.in_place) text += " in-place";
  return text;
}

std::string Refutation::text() const {
  std::string nodes;
  for (const int node : node_of_rank) nodes += (nodes.empty() ? " nodes=" : ",") + std::to_string(node);
  return text_of(choice, failing) + nodes + ": " + name_of(fault.kind) + ": " + fault.text;
}

std::vector<AlgorithmVerdict> verify(const VerifyRequest& request) {
  struct Part {
    std::size_t algorithm;
    int ranks;
    AlgorithmVerdict verdict;
  };
  std::vector<const Algorithm*> algorithms = request.algorithms;
  if (algorithms.empty())
    for (const Algorithm& a : registry()) algorithms.push_back(&a);
  std::vector<int> ranks = request.ranks;
  std::sort(ranks.begin(), ranks.end());
  std::vector<Part> parts;
  for (const int p : ranks)  // ascending, so that the estimate of the time left errs on the short side only early
    for (std::size_t a = 0; a < algorithms.size(); ++a) parts.push_back({a, p, {}});

  std::size_t done = 0;
  std::mutex mutex;
  std::vector<Executor> executors(static_cast<std::size_t>(std::max(1, request.threads)));
  in_parallel(request.threads, parts.size(), [&](std::size_t i, std::size_t thread) {
    prove_at(executors[thread], request, *algorithms[parts[i].algorithm], parts[i].ranks, parts[i].verdict);
    const std::lock_guard lock(mutex);
    ++done;
    if (request.progress) request.progress(done, parts.size());
  });

  std::vector<AlgorithmVerdict> verdicts;
  for (const Algorithm* a : algorithms) verdicts.push_back({a, 0, 0, 0, std::nullopt});
  for (Part& part : parts) {
    AlgorithmVerdict& verdict = verdicts[part.algorithm];
    verdict.proven += part.verdict.proven;
    verdict.fallen_back += part.verdict.fallen_back;
    verdict.excluded += part.verdict.excluded;
    if (part.verdict.refutation && !verdict.refutation) verdict.refutation = std::move(part.verdict.refutation);
  }
  return verdicts;
}

}  // namespace tutti::proof
