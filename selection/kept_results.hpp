#pragma once

#include <string>

#include "selection/kept_texts.hpp"
#include "sim/result_store.hpp"

namespace tutti {

/// Results of simulations in a --state directory.
class KeptResults final : public ResultStore {
 public:
  /// Throws InputError as `texts` does.
  KeptResults(const std::string& directory, const std::string& identity) : texts_(directory, identity) {}

  std::optional<Result> find(const std::string& key) override;
  void keep(const std::string& key, const Result& result) override;
  KeptTexts& texts() { return texts_; }

 private:
  KeptTexts texts_;
};

/// A result as bytes, exactly, and back. Throws InputError on bytes that are none.
std::string bytes_of(const Result& result);
Result result_of(const std::string& bytes);

}  // namespace tutti
