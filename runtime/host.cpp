#include "runtime/host.hpp"

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

std::string network_domain() { return host_identity() + " " + device_and_inode("/proc/self/ns/net"); }

}  // namespace tutti
