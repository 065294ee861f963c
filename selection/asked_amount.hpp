#pragma once

#include <cstddef>
#include <string>

namespace tutti {

/// Throws InputError where lists ask for so many runs that they, each of which is kept until all are done, may take
/// more memory than there is; before any of them is made. `options`: what asks for them, "--nodes, --bytes".
void expect_few_runs(const std::string& options, std::size_t layouts, std::size_t sizes, std::size_t choices);

/// Ranks of which something is kept until all runs are done.
class KeptRanks {
 public:
  explicit KeptRanks(std::string options) : options_(std::move(options)) {}
  /// Throws InputError where they are too many in all.
  void add(std::size_t ranks);

 private:
  const std::string options_;
  std::size_t ranks_ = 0;
};

}  // namespace tutti
