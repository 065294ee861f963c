#include "calibration/distance_labels.hpp"

#include <cctype>
#include <string>

namespace tutti {
namespace {

struct Ending {
  std::string_view text;
  Distance distance;
};

constexpr Ending endings[] = {
    {"sameccx", Distance::cache},     {"intraccx", Distance::cache},        {"samel3", Distance::cache},
    {"intral3", Distance::cache},     {"samecache", Distance::cache},       {"samenuma", Distance::numa},
    {"intranuma", Distance::numa},    {"samesocket", Distance::socket},     {"intrasocket", Distance::socket},
    {"othersocket", Distance::node},  {"differentsocket", Distance::node},  {"intersocket", Distance::node},
    {"crosssocket", Distance::node},  {"samenode", Distance::node},         {"intranode", Distance::node},
    {"othernode", Distance::network}, {"differentnode", Distance::network}, {"internode", Distance::network},
};

constexpr Ending names[] = {
    {"cache", Distance::cache}, {"numa", Distance::numa},       {"socket", Distance::socket},
    {"node", Distance::node},   {"network", Distance::network},
};

}  // namespace

std::optional<Distance> distance_of_label(std::string_view label) {
  std::string words;
  int depth = 0;
  for (const char c : label) {
    if (c == '(') ++depth;
    if (depth == 0 && std::isalnum(static_cast<unsigned char>(c)) != 0)
      words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (c == ')') --depth;
  }
  for (const Ending& ending : endings)
    if (words.ends_with(ending.text)) return ending.distance;
  for (const Ending& name : names)
    if (words == name.text) return name.distance;
  return std::nullopt;
}

}  // namespace tutti
