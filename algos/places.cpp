#include "algos/places.hpp"

#include "base/error.hpp"

namespace tutti {

const char* name_of(Level level) {
  constexpr const char* kNames[kLevels] = {"cache", "numa", "socket", "node", "leaf", "group"};
  return kNames[static_cast<int>(level)];
}

std::string names_of(const std::vector<Level>& levels) {
  std::string text;
  for (const Level level : levels)
    text += (level == levels.front() ? "" : level == levels.back() ? " or " : ", ") + std::string(name_of(level));
  return text;
}

Level level_of(std::string_view name) {
  std::vector<Level> all;
  for (int i = 0; i < kLevels; ++i) {
    all.push_back(static_cast<Level>(i));
    if (name == name_of(all.back())) return all.back();
  }
  throw InputError("unknown level '" + std::string(name) + "': expected " + names_of(all));
}

int Places::of(Rank rank, Level level) const {
  const auto r = static_cast<std::size_t>(rank);
  if (level == Level::node) return node.empty() ? rank : node[r];
  if (const auto found = others.find(level); found != others.end()) return found->second[r];
  std::vector<Level> known;
  for (int i = 0; i < kLevels; ++i)
    if (has(static_cast<Level>(i))) known.push_back(static_cast<Level>(i));
  throw InputError("there is no level '" + std::string(name_of(level)) + "' here: expected " + names_of(known));
}

}  // namespace tutti
