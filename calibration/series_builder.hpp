#pragma once

#include "calibration/input_text.hpp"
#include "calibration/measurement.hpp"

namespace tutti {

/// Grows one Series and refuses sizes that repeat or go down: both mean that two curves were mixed or a row is damaged.
class SeriesBuilder {
 public:
  SeriesBuilder(const InputText& text, Benchmark benchmark, std::string label);

  /// Throws InputError unless `bytes` is above the size before it.
  void add(std::int64_t bytes, double seconds, int line);

  Series series;

 private:
  const InputText& text_;
};

}  // namespace tutti
