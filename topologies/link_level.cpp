#include "topologies/link_level.hpp"

namespace tutti {
namespace {

std::string switch_layer(int number) {
  if (number == 0) return "leaf";
  if (number == 1) return "spine";
  return "level" + std::to_string(number + 1);
}

}  // namespace

std::string LinkLevel::label() const {
  switch (kind_) {
    case Kind::core_out:
      return "core-out";
    case Kind::core_in:
      return "core-in";
    case Kind::cache:
      return "cache";
    case Kind::memory:
      return "memory";
    case Kind::domain_out:
      return "domain-out";
    case Kind::domain_in:
      return "domain-in";
    case Kind::socket:
      return "socket";
    case Kind::nic_out:
      return "nic-out";
    case Kind::nic_in:
      return "nic-in";
    case Kind::nic_both:
      return "nic-both";
    case Kind::injection:
      return "injection";
    case Kind::up:
      return switch_layer(number_) + "-up";
    case Kind::down:
      return switch_layer(number_) + "-down";
    case Kind::local:
      return "local";
    case Kind::chassis:
      return "chassis";
    case Kind::global:
      return "global";
    case Kind::torus:
      return "torus-" + std::to_string(number_);
    case Kind::cable:
      break;
  }
  return "cable";
}

std::string LinkLevel::cable_label() const {
  return kind_ == Kind::up || kind_ == Kind::down ? switch_layer(number_) : label();
}

}  // namespace tutti
