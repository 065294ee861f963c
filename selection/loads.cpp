#include "selection/loads.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "models/layout.hpp"
#include "sim/background_placement.hpp"
#include "sim/spread.hpp"

namespace tutti {
namespace {

constexpr const char *kNone = "none", *kNoise = "noise:", *kWith = " + ";
constexpr std::string_view kSeed = "seed=";

/// The noise's keys are parse_noise's, but for the seed, which may stand anywhere among them.
void read_noise(const std::string& text, Load& load) {
  std::string keys;
  std::optional<std::uint64_t> seed;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (!part.starts_with(kSeed)) {
      keys.append(part).append(",");
      continue;
    }
    if (seed) throw InputError("noise '" + text + "': expected seed once");
    seed = number_from<std::uint64_t>(part.substr(kSeed.size()));
    if (!seed) throw InputError("noise '" + text + "': expected a whole number after seed=");
  }
  load.seed = seed.value_or(load.seed);
  load.noise = parse_noise(keys.substr(0, keys.empty() ? 0 : keys.size() - 1));
}

Load parse_load(const std::string& text) {
  Load load;
  if (text == kNone) return load;
  if (const std::size_t with = text.find(kWith); with != std::string::npos) {
    load = parse_load(text.substr(with + std::string_view(kWith).size()));
    if (!load.noise || load.background) throw InputError("load '" + text + "': expected noise:… after" + kWith);
    load.background = parse_background(text.substr(0, with));
  } else if (text.starts_with(kNoise)) {
    read_noise(text.substr(std::string_view(kNoise).size()), load);
  } else {
    load.background = parse_background(text);
  }
  return load;
}

}  // namespace

std::string Load::text() const {
  std::string text = background ? text_of(*background) : noise ? "" : kNone;
  if (noise) text += (background ? kWith : "") + (kNoise + noise->text());
  return seed == 1 ? text : text.append(",").append(kSeed).append(std::to_string(seed));
}

std::string Loads::statistic_text() const {
  return statistic == Statistic::median ? "median" : statistic == Statistic::mean ? "mean" : "p95";
}

double Loads::seconds(const Result& beside_one) const {
  if (statistic == Statistic::median || beside_one.seconds_per_call.empty()) return beside_one.makespan_seconds;
  const Spread spread = spread_of(beside_one.seconds_per_call);
  return statistic == Statistic::mean ? spread.mean : spread.p95;
}

double Loads::seconds(std::span<const double> beside_each) const {
  if (robust == Robust::worst) return *std::max_element(beside_each.begin(), beside_each.end());
  return std::accumulate(beside_each.begin(), beside_each.end(), 0.0) / static_cast<double>(beside_each.size());
}

std::vector<std::string> Loads::texts() const {
  std::vector<std::string> texts;
  for (const Load& load : each) texts.push_back(load.text());
  return texts;
}

std::vector<std::string> files_of(const std::string& placement, const Mode& mode, const Loads& loads) {
  std::vector<std::string> files;
  if (mode.measured_seconds) files.push_back(mode.file);
  if (is_placement_file(placement)) files.push_back(placement);
  for (const Load& load : loads.each) {
    if (const auto& other = load.background)
      if (other->placement != BackgroundOptions().placement && is_placement_file(other->placement))
        files.push_back(other->placement);
    if (load.noise && load.noise->measured) files.push_back(load.noise->file);
  }
  return files;
}

std::vector<std::string> loads_of(const std::vector<std::string>& jobs, const std::vector<std::string>& noises) {
  if (noises.empty()) return jobs;
  std::vector<std::string> all;
  for (const std::string& job : jobs.empty() ? std::vector<std::string>{kNone} : jobs)
    for (const std::string& noise : noises) {
      std::string& text = all.emplace_back(noise == kNone ? job : "");
      if (noise == kNone) continue;
      if (job != kNone) text.append(job).append(kWith);
      text.append(kNoise).append(noise);
    }
  return all;
}

std::string statistic_text(const Table& table) {
  return table.statistic == "median" ? "medians" : table.statistic == "mean" ? "means" : "95th percentiles";
}

std::string loads_text(const Table& table) {
  std::string text;
  for (std::size_t l = 0; l < table.loads.size(); ++l)
    text += (l == 0 ? "beside " : l + 1 < table.loads.size() ? ", " : " and ") + table.loads[l];
  return text + (table.loads.size() > 1 ? ", the " + table.robust + " of the times" : "");
}

Loads parse_loads(const std::vector<std::string>& each, const std::string& robust, const std::string& statistic) {
  Loads loads;
  if (robust != "worst" && robust != "mean") throw InputError("--robust " + robust + ": expected worst or mean");
  loads.robust = robust == "worst" ? Loads::Robust::worst : Loads::Robust::mean;
  if (statistic != "median" && statistic != "mean" && statistic != "p95")
    throw InputError("--statistic " + statistic + ": expected median, mean or p95");
  loads.statistic = statistic == "median" ? Loads::Statistic::median
                    : statistic == "mean" ? Loads::Statistic::mean
                                          : Loads::Statistic::p95;
  if (each.empty()) return loads;
  loads.each.clear();
  for (const std::string& text : each) loads.each.push_back(parse_load(text));
  const std::vector<std::string> texts = loads.texts();
  for (auto text = texts.begin(); text != texts.end(); ++text)
    if (std::find(texts.begin(), text, *text) != text) throw InputError("load " + *text + ": expected each load once");
  return loads;
}

}  // namespace tutti
