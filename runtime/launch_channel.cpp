#include "runtime/launch_channel.hpp"

#include <sys/socket.h>
#include <sys/wait.h>

#include <cstring>

namespace tutti::launch_channel {
namespace {

/// One who has gone hears nothing, and need not.
template <class What>
void send_all(int channel, const What& what) {
  [[maybe_unused]] const auto sent = send(channel, &what, sizeof what, MSG_NOSIGNAL);
}

template <class What>
std::optional<What> receive(int channel, int flags) {
  What what;
  if (recv(channel, &what, sizeof what, flags | MSG_DONTWAIT) != sizeof what) return std::nullopt;
  return what;
}

}  // namespace

std::string Obituary::reason() const {
  const int signal = WTERMSIG(wait_status);
  return WIFSIGNALED(wait_status)
             ? "its process was ended by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")"
             : "its process has ended with status " + std::to_string(WEXITSTATUS(wait_status));
}

std::optional<Obituary> look(int channel) { return receive<Obituary>(channel, MSG_PEEK); }
void say(int channel, const Membership& membership) { send_all(channel, membership); }
void say(int channel, const Obituary& obituary) { send_all(channel, obituary); }
std::optional<Membership> hear(int channel) { return receive<Membership>(channel, 0); }

}  // namespace tutti::launch_channel
