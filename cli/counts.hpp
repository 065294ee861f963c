#pragma once

#include <string>

#include "algos/case.hpp"

namespace tutti::cli {

/// What --counts names: counts to be divided from a size (BlockCounts::from), or a file of them.
class CountsOption {
 public:
  /// Empty: none. Throws InputError where the collective is regular.
  CountsOption(std::string text, Collective collective);
  bool given() const { return !text_.empty(); }
  /// The file says how many, so that nobody else may.
  bool is_file() const { return is_file_; }
  const std::string& text() const { return text_; }
  /// The case with its counts; of a file, `bytes` (the total size) is not looked at. Throws InputError.
  Case applied(const Case& c, std::int64_t bytes) const;

 private:
  std::string text_;
  bool is_file_ = false;
};

/// Whether --counts names a file. Throws InputError where there is none of the name and it is a misspelt way to
/// divide.
bool is_counts_file(const std::string& text);
/// What the file says as BlockCounts::from reads it: "as:5:0:1000".
std::string spread_of_file(const std::string& path, int ranks, bool of_pairs);
/// The total size of a call with the file's counts, its elements being as large as where nobody says how large.
std::int64_t bytes_of_file(const std::string& path, int ranks, Collective collective);

/// Counts from a file, in elements: one for each rank or, of pairs, a line for each sender with one for each receiver;
/// blanks, commas and ends of lines between them, # begins a comment; the last line must end. Throws InputError.
std::shared_ptr<const BlockCounts> read_counts(const std::string& path, int ranks, bool of_pairs);
/// The same among neighbours: one for each rank or, of blocks, a line for each rank that sends to somebody, with one
/// for each of its blocks, 0 for nobody.
std::shared_ptr<const BlockCounts> read_counts_among(const std::string& path, const Neighborhood& neighborhood,
                                                     bool of_blocks);

}  // namespace tutti::cli
