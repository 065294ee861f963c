#include "calibration/jump_text.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace tutti {

using PlainJson = nlohmann::json;

std::string text_of(const std::vector<Jump>& jumps) {
  PlainJson all = PlainJson::array();
  for (const Jump& jump : jumps)
    all.push_back({static_cast<int>(jump.collective), jump.algorithm, jump.nodes, jump.ppn,
                   static_cast<int>(jump.distance), jump.from_bytes, jump.to_bytes, jump.from_ranks, jump.to_ranks,
                   jump.from_seconds, jump.to_seconds, jump.figure, jump.source, jump.guessed, jump.boundary});
  return all.dump();
}

std::vector<Jump> jumps_of(const std::string& text) {
  try {
    std::vector<Jump> jumps;
    for (const PlainJson& one : PlainJson::parse(text)) {
      const int collective = one.at(0), distance = one.at(4);
      if (collective < 0 || collective >= kAllCollectives || distance < 0 ||
          distance > static_cast<int>(Distance::network))
        throw InputError("expected a collective and a distance");
      jumps.push_back({static_cast<Collective>(collective), one.at(1), one.at(2), one.at(3),
                       static_cast<Distance>(distance), one.at(5), one.at(6), one.at(7), one.at(8), one.at(9),
                       one.at(10), one.at(11), one.at(12), one.at(13), one.at(14)});
    }
    return jumps;
  } catch (const PlainJson::exception& error) {
    throw InputError(std::string("expected jumps: ") + error.what());
  }
}

}  // namespace tutti
