#include "selection/loads.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "models/layout.hpp"
#include "sim/background_placement.hpp"

namespace tutti {
namespace {

constexpr const char* kNone = "none";

Load parse_load(const std::string& text) {
  if (text == kNone) return std::nullopt;
  return parse_background(text);
}

}  // namespace

double Loads::seconds(std::span<const double> beside_each) const {
  if (robust == Robust::worst) return *std::max_element(beside_each.begin(), beside_each.end());
  return std::accumulate(beside_each.begin(), beside_each.end(), 0.0) / static_cast<double>(beside_each.size());
}

std::string text_of(const Load& load) { return load ? text_of(*load) : kNone; }

std::vector<std::string> Loads::texts() const {
  std::vector<std::string> texts;
  for (const Load& load : each) texts.push_back(text_of(load));
  return texts;
}

std::vector<std::string> placement_files(const std::string& placement, const Loads& loads) {
  std::vector<std::string> files;
  if (is_placement_file(placement)) files.push_back(placement);
  for (const Load& load : loads.each)
    if (load && load->placement != BackgroundOptions().placement && is_placement_file(load->placement))
      files.push_back(load->placement);
  return files;
}

std::string loads_text(const Table& table) {
  std::string text;
  for (std::size_t l = 0; l < table.loads.size(); ++l)
    text += (l == 0 ? "beside " : l + 1 < table.loads.size() ? ", " : " and ") + table.loads[l];
  return text + (table.loads.size() > 1 ? ", the " + table.robust + " of the times" : "");
}

Loads parse_loads(const std::vector<std::string>& each, const std::string& robust) {
  Loads loads;
  if (robust != "worst" && robust != "mean") throw InputError("--robust " + robust + ": expected worst or mean");
  loads.robust = robust == "worst" ? Loads::Robust::worst : Loads::Robust::mean;
  if (each.empty()) return loads;
  loads.each.clear();
  for (const std::string& text : each) loads.each.push_back(parse_load(text));
  const std::vector<std::string> texts = loads.texts();
  for (auto text = texts.begin(); text != texts.end(); ++text)
    if (std::find(texts.begin(), text, *text) != text)
      throw InputError("--background " + *text + ": expected each load once");
  return loads;
}

}  // namespace tutti
