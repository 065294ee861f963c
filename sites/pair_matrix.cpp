#include "sites/pair_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "calibration/input_text.hpp"
#include "sites/host_list.hpp"

namespace tutti {
namespace {

constexpr std::size_t kMostMatrixHosts = 4096;

struct Unit {
  const char* word;
  PairMatrix::Quantity quantity;
  double scale, least, most;  ///< the last two as in machine files
};
constexpr Unit kUnits[] = {{"latency_us", PairMatrix::Quantity::latency, 1e-6, 1e-12, 1},
                           {"latency_ns", PairMatrix::Quantity::latency, 1e-9, 1e-12, 1},
                           {"bandwidth_MB/s", PairMatrix::Quantity::bandwidth, 1e6, 1e3, 1e15},
                           {"bandwidth_GB/s", PairMatrix::Quantity::bandwidth, 1e9, 1e3, 1e15},
                           {"bandwidth_Gb/s", PairMatrix::Quantity::bandwidth, 1e9 / 8, 1e3, 1e15}};

std::vector<std::string_view> words_of(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(" \t,", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t,", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

const Unit& unit_of(const InputText& text, int line, std::string_view word) {
  for (const Unit& unit : kUnits)
    if (word == unit.word) return unit;
  throw text.error(line, fmt::format("'{}', expected latency_us, latency_ns, bandwidth_MB/s, bandwidth_GB/s or "
                                     "bandwidth_Gb/s and the hosts",
                                     word.substr(0, 40)));
}

double value_of(const InputText& text, int line, std::string_view word, const Unit& unit) {
  if (word == "-" || (looks_numeric(word) && word.find_first_not_of("0.") == std::string_view::npos)) return 0;
  const double value = parse_positive(text, line, word, "a value") * unit.scale;
  if (value < unit.least || value > unit.most)
    throw text.error(line, fmt::format("{}, expected {} between {:.0e} and {:.0e}", word.substr(0, 40), unit.word,
                                       unit.least / unit.scale, unit.most / unit.scale));
  return value;
}

}  // namespace

PairMatrix read_pair_matrix(const std::filesystem::path& file) {
  const InputText text = InputText::load(file, "a matrix of pairs of hosts");
  PairMatrix matrix{PairMatrix::Quantity::latency, text.file(), {}, {}, {}};
  const Unit* unit = nullptr;
  for (int i = 1; i <= text.lines(); ++i) {
    const std::vector<std::string_view> words = words_of(text.line(i));
    if (words.empty()) continue;
    if (unit == nullptr) {
      unit = &unit_of(text, i, words.front());
      matrix.quantity = unit->quantity;
      for (std::size_t w = 1; w < words.size(); ++w) matrix.hosts.push_back(short_name(words[w]));
      const std::set<std::string> names(matrix.hosts.begin(), matrix.hosts.end());
      if (names.size() < 2 || names.size() != matrix.hosts.size() || names.size() > kMostMatrixHosts)
        throw text.error(i, "expected 2 to 4096 hosts, each once");
      continue;
    }
    const std::size_t row = matrix.values.size();
    if (row == matrix.hosts.size()) throw text.error(i, "expected no more rows than hosts in the first line");
    if (words.size() != matrix.hosts.size() + 1 || short_name(words.front()) != matrix.hosts[row])
      throw text.error(i, fmt::format("expected {} and {} values, one to each host of the first line",
                                      matrix.hosts[row], matrix.hosts.size()));
    std::vector<double>& values = matrix.values.emplace_back();
    for (std::size_t w = 1; w < words.size(); ++w) values.push_back(value_of(text, i, words[w], *unit));
    values[row] = 0;  // to itself
    matrix.lines.push_back(i);
  }
  if (unit == nullptr || matrix.values.size() != matrix.hosts.size())
    throw text.error(text.lines(), unit == nullptr ? std::string("expected a matrix")
                                                   : fmt::format("expected {} rows, found {}", matrix.hosts.size(),
                                                                 matrix.values.size()));
  const auto measured = [](const std::vector<double>& row) {
    return std::any_of(row.begin(), row.end(), [](double value) { return value > 0; });
  };
  if (std::none_of(matrix.values.begin(), matrix.values.end(), measured))
    throw text.error(1, "expected a value that is not 0");
  return matrix;
}

}  // namespace tutti
