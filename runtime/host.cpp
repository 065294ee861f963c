#include "runtime/host.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>

namespace tutti {
namespace {

std::string device_and_inode(const char* path) {
  struct stat seen {};
  if (stat(path, &seen) != 0) return "none";
  return std::to_string(seen.st_dev) + ":" + std::to_string(seen.st_ino);
}

}  // namespace

std::string host_identity() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return boot + " " + name.data();
}

std::string shared_memory_domain() {
  return host_identity() + " " + device_and_inode("/dev/shm") + " " + device_and_inode("/proc/self/ns/pid");
}

std::vector<std::string> host_addresses() {
  std::vector<std::string> found;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return found;
  for (const ifaddrs* one = all; one; one = one->ifa_next) {
    if (!one->ifa_addr) continue;
    std::array<char, INET6_ADDRSTRLEN> text{};
    const int family = one->ifa_addr->sa_family;
    const void* address = family == AF_INET
                              ? static_cast<const void*>(&reinterpret_cast<sockaddr_in*>(one->ifa_addr)->sin_addr)
                          : family == AF_INET6 ? &reinterpret_cast<sockaddr_in6*>(one->ifa_addr)->sin6_addr
                                               : nullptr;
    if (!address || !inet_ntop(family, address, text.data(), text.size())) continue;
    const std::string name = text.data();
    // Link-local addresses mean nothing without the interface they are on.
    if (name.starts_with("127.") || name == "::1" || name.starts_with("fe80:")) continue;
    found.push_back(name);
  }
  freeifaddrs(all);
  return found;
}

}  // namespace tutti
