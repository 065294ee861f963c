#pragma once

#include <vector>

namespace tutti::mpi {

double mean(const std::vector<double>& values);
/// The value below which so many hundredths of the values lie, between neighbours by proportion: percentile(v, 50) is
/// the median. Values in any order, at least one.
double percentile(std::vector<double> values, double hundredths);

}  // namespace tutti::mpi
