#pragma once

#include <optional>
#include <string>

#include "sim/engine.hpp"

namespace tutti {

/// What keeps the results of simulations beyond the process that makes them. Called by any thread.
class ResultStore {
 public:
  virtual ~ResultStore() = default;
  virtual std::optional<Result> find(const std::string& key) = 0;
  virtual void keep(const std::string& key, const Result& result) = 0;
};

}  // namespace tutti
