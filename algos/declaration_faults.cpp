// What of an algorithm's declaration cannot be.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "algos/registering.hpp"
#include "algos/registry.hpp"

namespace tutti {
namespace {

bool is_word(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

/// Words that mean something else where algorithms are named: of simulate and tune, and of bench.
constexpr std::array<std::string_view, 2> kTaken{"all", "table"};

/// Facts of a call (Facts): a parameter of such a name could not be told from it in a formula.
constexpr std::array<std::string_view, 11> kFacts{"p",        "n",    "e",     "c", "root",    "commutative",
                                                  "in_place", "grid", "edges", "k", "segments"};

std::string fault_in_parameters(const std::vector<ParameterSpec>& parameters) {
  std::set<std::string_view> known;
  for (const ParameterSpec& spec : parameters) {
    if (std::string why = why_refused(spec); !why.empty()) return why;
    const std::string quoted = "parameter '" + spec.name + "': ";
    if (!is_word(spec.name)) return quoted + "expected a name of letters, digits and _";
    if (std::find(kFacts.begin(), kFacts.end(), spec.name) != kFacts.end())
      return quoted + "expected a name that no fact of the call has in formulas";
    if (!known.insert(spec.name).second) return quoted + "expected to be declared once";
  }
  return "";
}

/// "l1 → l2 → l1", where the fall-backs of `from` lead back to one that was passed; or an unknown name.
std::string fault_in_fallbacks(const Algorithm& from, const std::vector<Algorithm>& all,
                               std::vector<const Algorithm*>& path) {
  path.push_back(&from);
  for (const Fallback& fallback : from.fallbacks()) {
    const auto to = std::find_if(all.begin(), all.end(), [&](const Algorithm& one) {
      return one.collective() == from.collective() && one.name() == fallback.to;
    });
    if (to == all.end())
      return "fallback: expected another algorithm of " + std::string(name_of(from.collective())) + ", not '" +
             fallback.to + "'";
    const auto passed = std::find(path.begin(), path.end(), &*to);
    if (passed != path.end()) {
      std::string circle;
      for (auto one = passed; one != path.end(); ++one) circle += (*one)->name() + ", ";
      return "fallback: expected an end: " + circle + to->name() + " go round in a circle";
    }
    if (std::string fault = fault_in_fallbacks(*to, all, path); !fault.empty()) return fault;
  }
  path.pop_back();
  return "";
}

/// What formulas give for a call of four ranks: a name that there is not, a sum without end, no port.
std::string fault_in_formulas(const Algorithm& algorithm) {
  if (!is_regular(algorithm.collective())) return "";
  const Facts facts({algorithm.collective(), 4, 8, 4}, algorithm.default_parameters());
  const auto fault = [](const char* what, auto&& evaluate) -> std::string {
    try {
      static_cast<void>(evaluate());
      return "";
    } catch (const std::invalid_argument& error) {
      return std::string(what) + ": " + error.what();
    }
  };
  for (const auto& each : {std::pair("rounds", &algorithm.rounds()),
                           {"messages", &algorithm.messages()},
                           {"bytes", &algorithm.bytes()},
                           {"ports", &algorithm.ports()}})
    if (each.second->is_formula()) {
      double value = 0;
      if (std::string found = fault(each.first, [&] { return value = (*each.second)(facts); }); !found.empty())
        return found;
      if (!std::isfinite(value) && each.second != &algorithm.ports())
        return std::string(each.first) + ": '" + each.second->text() + "' gives " + std::to_string(value) +
               " of 4 ranks, expected a number";
    }
  for (const Requirement& one : algorithm.requirements())
    if (std::string found = fault("requires_that", [&] { return one.condition.evaluate(facts.all()); }); !found.empty())
      return found;
  for (const Fallback& one : algorithm.fallbacks())
    if (std::string found = fault("fallback", [&] { return one.condition.evaluate(facts.all()); }); !found.empty())
      return found;
  const double ports = algorithm.ports()(facts);
  if (ports >= 1 && std::isfinite(ports)) return "";
  return "ports: '" + algorithm.ports().text() + "' gives " + std::to_string(ports) +
         " of 4 ranks, expected at least 1";
}

}  // namespace

std::string fault_in(const Algorithm& algorithm) {
  if (!algorithm.fault().empty()) return algorithm.fault();
  const std::string& name = algorithm.name();
  std::string fault = fault_in_parameters(algorithm.parameters());
  if (!is_word(name)) fault = "expected a name of letters, digits and _";
  if (std::find(kTaken.begin(), kTaken.end(), name) != kTaken.end())
    fault = "expected a name that means nothing else where algorithms are named";
  return fault.empty() ? "" : algorithm.full_name() + ": " + fault;
}

std::string fault_among(const Algorithm& algorithm, const std::vector<Algorithm>& all) {
  if (std::string fault = fault_in(algorithm); !fault.empty()) return fault;
  std::vector<const Algorithm*> path;
  std::string fault = fault_in_fallbacks(algorithm, all, path);
  if (fault.empty()) fault = fault_in_formulas(algorithm);
  return fault.empty() ? "" : algorithm.full_name() + ": " + fault;
}

}  // namespace tutti
