#include "topologies/fabric.hpp"

#include "base/error.hpp"

namespace tutti {

int Fabric::nodes_in(std::int64_t places, int wanted, const std::string& fabric) {
  check_count(places, 1, fabric + ": nodes");
  if (wanted < 0 || wanted > places)
    throw InputError(fabric + ": expected at most " + std::to_string(places) + " nodes, the places of its shape, got " +
                     std::to_string(wanted));
  return wanted == 0 ? static_cast<int>(places) : wanted;
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
std::int64_t Fabric::hashed(int from_node, std::int64_t destination) {
  auto bits =
      (static_cast<std::uint64_t>(from_node) << 40 ^ static_cast<std::uint64_t>(destination)) + 0x9E3779B97F4A7C15u;
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
  return static_cast<std::int64_t>((bits ^ bits >> 31) >> 1);
}

}  // namespace tutti
