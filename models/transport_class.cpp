#include "models/transport_class.hpp"

#include <algorithm>

namespace tutti {
namespace {

using nlohmann::json;

/// Of the class for a distance; "": none.
std::string class_at(const json& machine, Distance distance) {
  for (int i = static_cast<int>(distance); i < distance_count; ++i) {
    const std::string place = std::string("/transport/") + to_string(static_cast<Distance>(i));
    if (machine.contains(json::json_pointer(place))) return place;
  }
  return "";
}

std::string difference_at(Distance distance) { return std::string("/larger_jobs/transport/") + to_string(distance); }

bool is_guess(const json& object, const std::string& key) {
  const json guess = object.value("guess", json(false));
  if (!guess.is_array()) return guess == true;
  return std::find(guess.begin(), guess.end(), key) != guess.end();
}

}  // namespace

json transport_class(const json& machine, Distance distance, bool larger_job) {
  const std::string place = class_at(machine, distance);
  if (place.empty()) return nullptr;
  const json& own = machine[json::json_pointer(place)];
  const json::json_pointer difference(difference_at(distance));
  const json other = larger_job && machine.contains(difference) ? machine[difference] : json::object();
  json merged = own;
  json guesses = json::array();
  for (const auto& [key, figure] : other.items()) merged[key] = figure;
  for (const auto& [key, figure] : merged.items())
    if (is_guess(other.contains(key) ? other : own, key)) guesses.push_back(key);
  merged["guess"] = guesses;
  return merged;
}

std::string place_in_class(const json& machine, Distance distance, bool larger_job, const std::string& key) {
  const std::string different = difference_at(distance) + key;
  if (larger_job && machine.contains(json::json_pointer(different))) return different;
  const std::string place = class_at(machine, distance);
  return place.empty() ? "" : place + key;
}

}  // namespace tutti
