#include "models/variation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "base/sizes.hpp"
#include "models/machine_paths.hpp"

namespace tutti {
namespace {

using nlohmann::json;

std::optional<double> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Without the digits that are a product's rounding.
std::string figure_text(const json& value) {
  return value.is_number_float() ? fmt::format("{:.15g}", value.get<double>()) : value.dump();
}

/// +50%, -20%: what to multiply by.
std::optional<double> part_of(const std::string& value) {
  if (!value.ends_with('%')) return std::nullopt;
  const std::optional<double> percent = number_in(std::string_view(value).substr(0, value.size() - 1));
  if (!percent || (value[0] != '+' && value[0] != '-'))
    throw InputError("'" + value + "': expected such as +50% or -20%");
  if (*percent < -100) throw InputError("'" + value + "': expected no less than -100%");
  return 1 + *percent / 100;
}

json whole_number_at(const MachinePath& path, double value) {
  if (value != std::floor(value) || std::abs(value) > 1e18)
    throw InputError(dotted(path.pointer) + ": expected a whole number, got " + json(value).dump());
  return static_cast<std::int64_t>(value);
}

json value_from(const MachinePath& path, const std::string& text, const json& before) {
  const std::string name = dotted(path.pointer);
  if (path.type == "boolean") {
    if (text != "true" && text != "false") throw InputError(name + ": expected true or false, got '" + text + "'");
    return text == "true";
  }
  if (path.type == "string") {
    std::string known;
    for (const std::string& word : path.words) known += (known.empty() ? "" : ", ") + word;
    if (!path.words.empty() && std::find(path.words.begin(), path.words.end(), text) == path.words.end())
      throw InputError(name + ": expected one of " + known + ", got '" + text + "'");
    return text;
  }
  if (const std::optional<double> part = part_of(text)) {
    if (before.is_null()) throw InputError(name + ": expected a value, as the file has none to take a part of");
    const double scaled = before.get<double>() * *part;
    return path.type == "integer" ? whole_number_at(path, scaled) : json(scaled);
  }
  if (path.type == "integer" && name.ends_with("_bytes")) return parse_size(text);
  const std::optional<double> value = number_in(text);
  if (!value) throw InputError(name + ": expected a number, or such as +50% or -20%, got '" + text + "'");
  return path.type == "integer" ? whole_number_at(path, *value) : json(*value);
}

}  // namespace

Variation::Variation(const std::string& machine_text) : root_(json::parse(machine_text)) {}

void Variation::set_at(const std::string& pointer, const json& value) {
  const json::json_pointer at(pointer);
  const json before = root_.contains(at) ? root_[at] : json();
  if (before == value) return;
  root_[at] = value;
  edits_.push_back({dotted(pointer), before.is_null() ? "" : figure_text(before), figure_text(value)});
}

void Variation::set(const std::string& path, const std::string& value) { set_figures({path}, value); }

void Variation::set_figures(const std::vector<std::string>& paths, const std::string& value) {
  for (const std::string& path : paths)
    for (const MachinePath& found : find_paths(root_, path)) {
      const json::json_pointer at(found.pointer);
      set_at(found.pointer, value_from(found, value, root_.contains(at) ? root_[at] : json()));
    }
}

std::vector<std::string> Variation::paths() const {
  std::vector<std::string> all;
  for (const MachinePath& one : machine_paths(root_)) all.push_back(dotted(one.pointer));
  return all;
}

}  // namespace tutti
