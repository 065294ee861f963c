#pragma once
// Algorithms that are written in Python.

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algos/registry.hpp"

namespace tutti::python {

/// What is declared of one parameter; sizes (`segment`) in bytes.
struct UserParameter {
  std::string name;
  std::int64_t standard = 0, minimum = 1;
  std::optional<std::int64_t> maximum;
  std::vector<std::int64_t> tried;  // beside the default; empty: what its name says
};

/// What a user's algorithm declares of itself; texts that are empty declare nothing.
struct UserDeclaration {
  std::string collective, name, rounds, messages, bytes, ports, requirement, requirement_text;
  std::vector<UserParameter> parameters;
  bool commutative = false, by_node = false;
};

/// An algorithm whose body is a Python function of (comm, call). It is in no registry: whoever simulates or proves it
/// holds it. At most kMost live at a time, since an algorithm's function is a plain pointer.
class UserAlgorithm {
 public:
  static constexpr std::size_t kMost = 64;

  /// With Python's lock. Throws InputError on what cannot be declared, or where there are too many.
  UserAlgorithm(const UserDeclaration& declaration, nanobind::object function);
  ~UserAlgorithm();
  UserAlgorithm(const UserAlgorithm&) = delete;

  const Algorithm& algorithm() const { return *algorithm_; }
  PyObject* function() const;  // borrowed
  /// With these parameters, the others at their defaults. Throws InputError.
  Choice choice(const std::map<std::string, std::int64_t>& parameters) const;

 private:
  std::string name_;
  std::size_t slot_;
  std::unique_ptr<Algorithm> algorithm_;
};

/// A user's algorithm with values for some of its parameters.
struct UserChoice {
  std::shared_ptr<UserAlgorithm> algorithm;
  std::map<std::string, std::int64_t> parameters;
};

}  // namespace tutti::python
