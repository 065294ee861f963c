#include "selection/sweep_forecast.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "selection/sweep_plan.hpp"

namespace tutti {
namespace {

constexpr const char* kSearch = "search";

std::vector<std::string> kinds_of(const std::string& what, const Place& place) {
  const std::string collective = what + " " + std::string(name_of(place.collective));
  return {collective + " " + std::to_string(place.ppn), collective, what};
}

Forecast::Item item_of(std::vector<std::string> kinds, const Part& part, std::vector<std::string> like = {},
                       double ratio = 1) {
  const double sizes = static_cast<double>(std::max<std::size_t>(part.bytes.size(), 1)), ranks = part.place.ranks();
  return {std::move(kinds), ranks * ranks, sizes, std::move(like), ratio};
}

}  // namespace

Forecast::Item search_item(const Chain& piece, std::size_t i) {
  constexpr double kOfOthers = 0.4;  // 0.1 to 0.8 (Leonardo, 2 to 90 nodes)
  const Place& place = piece[i].place;
  if (!is_known_from_both_sides(piece, i)) return item_of(kinds_of(kSearch, place), piece[i]);
  return item_of(kinds_of("search between", place), piece[i], kinds_of(kSearch, place), kOfOthers);
}

Forecast::Item step_item(const std::string& what, const Part& part, double ratio) {
  return item_of(kinds_of(what, part.place), part, kinds_of(kSearch, part.place), ratio);
}

Forecast::Item confirm_item(const Part& part, double messages) {
  return {kinds_of("confirm messages", part.place), 1 + messages};
}

}  // namespace tutti
