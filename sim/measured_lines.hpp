#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tutti {

/// A line of numbers.
class MeasuredLine {
 public:
  MeasuredLine(const std::string& file, int number, std::vector<double> values)
      : file_(file), number_(number), values_(std::move(values)) {}
  double operator[](std::size_t i) const { return values_[i]; }
  /// Throws InputError "FILE:LINE: expected …".
  [[noreturn]] void refuse(const std::string& expected) const;

 private:
  const std::string& file_;
  int number_;
  std::vector<double> values_;
};

/// Calls `read` with each line of a CSV of measured figures, in order: a head of these words, separated by commas, then
/// at least `least` lines of as many numbers. Throws InputError, with the file's line where one is wrong.
void read_measured(const std::string& file, const std::string& head, int least,
                   const std::function<void(const MeasuredLine& line)>& read);

}  // namespace tutti
