#include "runtime/tcp/addresses.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/error.hpp"

namespace tutti::tcp {

std::vector<Address> own_addresses() {
  const char* wished = std::getenv("TUTTI_TCP_INTERFACE");
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, freeifaddrs);
  struct Found {
    int order;
    Address address;
  };
  std::vector<Found> found;
  std::string known;
  for (const ifaddrs* each = list; each; each = each->ifa_next) {
    if (!each->ifa_addr || !(each->ifa_flags & IFF_UP)) continue;
    const std::string name = each->ifa_name;
    if (known.find(" " + name + " ") == std::string::npos) known += (known.empty() ? " " : "") + name + " ";
    if (wished && name != wished) continue;
    const bool loopback = each->ifa_flags & IFF_LOOPBACK;
    Address address;
    if (each->ifa_addr->sa_family == AF_INET) {
      address.length = 4;
      std::memcpy(address.bytes, &reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr, 4);
    } else if (each->ifa_addr->sa_family == AF_INET6) {
      const auto* inet6 = reinterpret_cast<const sockaddr_in6*>(each->ifa_addr);
      // A link-local address means nothing without the interface, whose number differs from host to host.
      if (IN6_IS_ADDR_LINKLOCAL(&inet6->sin6_addr)) continue;
      address.length = 16;
      std::memcpy(address.bytes, &inet6->sin6_addr, 16);
    } else {
      continue;
    }
    found.push_back({2 * loopback + (address.length == 16), address});
  }
  if (wished && found.empty())
    throw InputError("TUTTI_TCP_INTERFACE: no interface '" + std::string(wished) +
                     "' with an address; there are:" + known);
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.order < b.order; });
  std::vector<Address> addresses;
  for (const Found& each : found) addresses.push_back(each.address);
  return addresses;
}

sockaddr_storage socket_address(const Address& address, std::uint16_t port, socklen_t& length) {
  sockaddr_storage storage{};
  if (address.length == 4) {
    auto& inet = reinterpret_cast<sockaddr_in&>(storage);
    inet.sin_family = AF_INET;
    inet.sin_port = htons(port);
    std::memcpy(&inet.sin_addr, address.bytes, 4);
    length = sizeof inet;
  } else {
    auto& inet6 = reinterpret_cast<sockaddr_in6&>(storage);
    inet6.sin6_family = AF_INET6;
    inet6.sin6_port = htons(port);
    std::memcpy(&inet6.sin6_addr, address.bytes, 16);
    length = sizeof inet6;
  }
  return storage;
}

std::string text_of(const Address& address) {
  char text[INET6_ADDRSTRLEN];
  return inet_ntop(address.length == 4 ? AF_INET : AF_INET6, address.bytes, text, sizeof text);
}

}  // namespace tutti::tcp
