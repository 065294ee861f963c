#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace tutti {

/// The class of a link, under which reports sum bytes.
class LinkLevel {
 public:
  enum class Kind : std::uint8_t {
    core_out,
    core_in,
    cache,
    memory,
    domain_out,
    domain_in,
    socket,
    nic_both,   ///< what an adapter carries in both directions together
    injection,  ///< what one core's messages to and from other nodes may take together
    nic_out,    ///< an adapter's cable, and those of the fabric
    nic_in,
    up,  ///< from a leaf switch (number 0), a spine switch (1), one of level 3 (2), … to the next higher
    down,
    local,    ///< of a dragonfly: in a chassis
    chassis,  ///< of a dragonfly: between the chassis of a group
    global,   ///< between groups
    torus,    ///< along the dimension of that number
    cable     ///< of a list of cables
  };

  constexpr LinkLevel(Kind kind, int number = 0) : kind_(kind), number_(number) {}

  constexpr bool is_inside_node() const { return kind_ <= Kind::injection; }
  constexpr auto operator<=>(const LinkLevel&) const = default;
  /// "core-out", "nic-in", "leaf-up", "spine-down", "level3-up", "torus-1", …
  std::string label() const;
  /// The same for both directions of a cable: "leaf" of "leaf-up" and "leaf-down".
  std::string cable_label() const;

 private:
  Kind kind_;
  int number_;
};

}  // namespace tutti
