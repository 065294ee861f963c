#include "python/user_algorithm.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "algos/registering.hpp"
#include "base/error.hpp"
#include "python/running_call.hpp"

namespace nb = nanobind;

namespace tutti::python {
namespace {

/// The functions of the algorithms that live, by slot; guarded by Python's lock.
std::array<PyObject*, UserAlgorithm::kMost> functions{};

template <std::size_t Slot>
Task run_slot(Comm comm, Call call) {
  return run_body(comm, call, functions[Slot]);
}

template <std::size_t... Slots>
constexpr std::array<AlgorithmFunction, sizeof...(Slots)> table_of(std::index_sequence<Slots...>) {
  return {&run_slot<Slots>...};
}
constexpr auto runners = table_of(std::make_index_sequence<UserAlgorithm::kMost>{});

/// A wrong formula is the user's input.
Algorithm declared(const UserDeclaration& d, const char* name, AlgorithmFunction function) try {
  Algorithm algorithm(collective_named(d.collective), name, function, "a Python function");
  if (!d.rounds.empty()) algorithm.rounds(d.rounds.c_str());
  if (!d.messages.empty()) algorithm.messages(d.messages.c_str());
  if (!d.bytes.empty()) algorithm.bytes(d.bytes.c_str());
  if (!d.ports.empty()) algorithm.ports(d.ports.c_str());
  if (!d.requirement.empty()) algorithm.requires_that(d.requirement.c_str(), d.requirement_text.c_str());
  if (d.commutative) algorithm.commutative();
  if (d.by_node) algorithm.by_node();
  for (const UserParameter& p : d.parameters) {
    algorithm.parameter(p.name.c_str(), p.standard, p.minimum,
                        p.maximum.value_or(std::numeric_limits<std::int64_t>::max()));
    if (!p.tried.empty()) algorithm.tried(p.tried);
  }
  if (const std::string fault = fault_among(algorithm, {}); !fault.empty()) throw InputError(fault);
  return algorithm;
} catch (const InputError&) {
  throw;
} catch (const std::exception& error) {
  throw InputError(d.name + ": " + error.what());
}

}  // namespace

UserAlgorithm::UserAlgorithm(const UserDeclaration& declaration, nb::object function) : name_(declaration.name) {
  note_process();
  for (const Algorithm* const known : algorithms_of(collective_named(declaration.collective)))
    if (known->name() == name_)
      throw InputError("algorithm name '" + name_ + "': " + known->full_name() + " is there already: expected another");
  const auto free = std::find(functions.begin(), functions.end(), nullptr);
  if (free == functions.end())
    throw InputError("expected at most " + std::to_string(kMost) + " algorithms in Python at a time");
  slot_ = static_cast<std::size_t>(free - functions.begin());
  algorithm_ = std::make_unique<Algorithm>(declared(declaration, name_.c_str(), runners[slot_]));
  *free = function.release().ptr();
}

PyObject* UserAlgorithm::function() const { return functions[slot_]; }

UserAlgorithm::~UserAlgorithm() { Py_DECREF(std::exchange(functions[slot_], nullptr)); }

Choice UserAlgorithm::choice(const std::map<std::string, std::int64_t>& parameters) const {
  Choice choice = default_choice(*algorithm_);
  for (const auto& [name, value] : parameters) {
    const auto& specs = algorithm_->parameters();
    const auto spec = std::find_if(specs.begin(), specs.end(), [&](const ParameterSpec& s) { return s.name == name; });
    if (spec == specs.end()) throw InputError(name_ + " has no parameter '" + name + "'");
    if (value < spec->minimum || value > spec->maximum)
      throw InputError(name_ + ": " + name + "=" + std::to_string(value) + ": expected " +
                       std::to_string(spec->minimum) + " or more, and at most " + std::to_string(spec->maximum));
    for (auto& [its, now] : choice.parameters)
      if (its == name) now = value;
  }
  return choice;
}

}  // namespace tutti::python
