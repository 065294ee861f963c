#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::tcp {

/// Where a rank listens: all its addresses, in the order in which others should try them. Sent between processes as it
/// is.
struct Address {
  std::uint8_t length = 0;  // 4 or 16
  std::uint8_t bytes[16]{};
};

/// Those of the interfaces that are up: other than loopback first, IPv4 before IPv6, loopback last. Only those of one
/// interface if TUTTI_TCP_INTERFACE names it; throws InputError where there is no such interface or it has no address.
std::vector<Address> own_addresses();
sockaddr_storage socket_address(const Address& address, std::uint16_t port, socklen_t& length);
std::string text_of(const Address& address);

}  // namespace tutti::tcp
