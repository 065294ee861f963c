#include "sites/link_rate.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "calibration/input_text.hpp"

namespace tutti {
namespace {

// Of one lane, in bits of data a second.
constexpr std::array<std::pair<std::string_view, double>, 9> kLanes{{{"sdr", 2e9},
                                                                     {"ddr", 4e9},
                                                                     {"qdr", 8e9},
                                                                     {"fdr10", 10e9},
                                                                     {"fdr", 14.0625e9 * 64 / 66},
                                                                     {"edr", 25e9},
                                                                     {"hdr", 50e9},
                                                                     {"ndr", 100e9},
                                                                     {"xdr", 200e9}}};

// As in machine files (models/machine.schema.json).
constexpr double kLeast = 1e3, kMost = 1e15;

}  // namespace

std::optional<double> link_rate(std::string_view text) {
  int lanes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), lanes);
  std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error != std::errc() || !rest.starts_with('x')) return std::nullopt;
  if (lanes != 1 && lanes != 2 && lanes != 4 && lanes != 8 && lanes != 12) return std::nullopt;
  const std::string speed = lower(trim(rest.substr(1)));
  for (const auto& [name, bits] : kLanes)
    if (speed == name) return lanes * bits / 8;
  return std::nullopt;
}

double parse_rate(const std::string& option, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const auto refuse = [&]() -> InputError {
    return InputError(
        fmt::format("{}{}{}: expected a rate such as 400Gb/s (bits) or 50GB/s (bytes), of 1e3 to 1e15 bytes a second",
                    option, option.empty() ? "" : " ", text));
  };
  if (error != std::errc() || unit.empty()) throw refuse();
  constexpr std::string_view kPowers = "kmgt";
  const std::size_t power = kPowers.find(lower(unit.substr(0, 1)));
  if (power == std::string_view::npos) throw refuse();
  unit.remove_prefix(1);
  if (unit.ends_with("/s")) unit.remove_suffix(2);
  if (unit.ends_with("ps")) unit.remove_suffix(2);
  const bool bits = unit.empty() || unit == "b" || lower(unit) == "bit";
  if (!bits && unit != "B") throw refuse();
  const double rate = value * std::pow(1000.0, static_cast<double>(power) + 1) / (bits ? 8 : 1);
  if (!(rate >= kLeast && rate <= kMost)) throw refuse();
  return rate;
}

std::string rate_text(double bytes_per_second) {
  for (const int lanes : {4, 1, 2, 8, 12})
    for (const auto& [name, bits] : kLanes)
      if (std::abs(lanes * bits / 8 / bytes_per_second - 1) < 1e-9) {
        std::string upper(name);
        for (char& c : upper)
          if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
        return fmt::format("{}x{}", lanes, upper);
      }
  return fmt::format("{:.4g} GB/s", bytes_per_second / 1e9);
}

}  // namespace tutti
