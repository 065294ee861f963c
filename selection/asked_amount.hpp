#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace tutti {

/// Throws InputError where lists ask for so many runs that they, each of which is kept until all are done, may take
/// more memory than there is; before any of them is made. `options`: what asks for them, "--nodes, --bytes".
void expect_few_runs(const std::string& options, std::size_t layouts, std::size_t sizes, std::size_t choices);
/// The same of the cells of a sweep, whose every candidate has a time. `nodes`, `ppn`: how many numbers of them.
void expect_few_cells(const std::string& options, std::size_t nodes, std::size_t ppn, std::size_t sizes,
                      std::size_t collectives);

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
