#include "runtime/descendants.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace tutti {
namespace {

struct ProcessEntry {
  pid_t number, parent;
};

/// All that the system shows.
std::vector<ProcessEntry> processes() {
  std::vector<ProcessEntry> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    ProcessEntry process{};
    const auto [end, trouble] = std::from_chars(name.data(), name.data() + name.size(), process.number);
    if (trouble != std::errc() || end != name.data() + name.size()) continue;
    std::ifstream file(entry.path() / "stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t behind = text.rfind(") ");  // its name may hold anything
    if (behind == std::string::npos || behind + 4 > text.size()) continue;
    const char* const parent = text.data() + behind + 4;  // after its state
    if (std::from_chars(parent, text.data() + text.size(), process.parent).ec == std::errc()) found.push_back(process);
  }
  return found;
}

std::vector<pid_t> descendants() {
  const std::vector<ProcessEntry> all = processes();
  std::vector<pid_t> below{getpid()};
  for (std::size_t i = 0; i < below.size(); ++i)
    for (const ProcessEntry& process : all)
      if (process.parent == below[i]) below.push_back(process.number);
  below.erase(below.begin());
  return below;
}

}  // namespace

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

bool end_descendants(std::chrono::milliseconds most) {
  const auto end = std::chrono::steady_clock::now() + most;
  for (;;) {
    pid_t reaped = 0;
    do reaped = waitpid(-1, nullptr, WNOHANG);
    while (reaped > 0);
    if (reaped < 0 && errno == ECHILD) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    for (const pid_t process : descendants()) kill(process, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace tutti
