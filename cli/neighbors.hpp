#pragma once

#include <memory>
#include <string>

#include "algos/case.hpp"

namespace tutti::cli {

/// What --neighbors names: a grid or a drawn graph (Neighborhood::from), or a file of edges.
class NeighborsOption {
 public:
  /// Throws InputError where the collective is none among neighbours but is given some, or is one and is given none.
  NeighborsOption(std::string text, Collective collective);
  bool is_file() const { return is_file_; }
  const std::string& text() const { return text_; }
  /// Of so many ranks; nullptr: none were given. Throws InputError.
  std::shared_ptr<const Neighborhood> of(int ranks) const;
  /// The case among them. Throws InputError.
  Case applied(const Case& c) const;

 private:
  std::string text_;
  bool is_file_ = false;
};

/// Edges from a file, "FROM TO" a line, in the order of the ranks' blocks; # begins a comment, the last line ends, too.
/// Throws InputError with the line.
std::shared_ptr<const Neighborhood> read_neighbors(const std::string& path, int ranks);

}  // namespace tutti::cli
