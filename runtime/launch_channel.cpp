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

std::optional<Loss> look(int channel) {
  const auto said = receive<Obituary>(channel, MSG_PEEK);
  if (!said) return std::nullopt;
  const int status = said->wait_status, signal = WTERMSIG(status);
  return Loss{said->rank,
              WIFSIGNALED(status)
                  ? "its process was ended by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")"
                  : "its process has ended with status " + std::to_string(WEXITSTATUS(status))};
}

void say(int channel, const Parting& parting) { send_all(channel, parting); }
void say(int channel, const Obituary& obituary) { send_all(channel, obituary); }
std::optional<Parting> hear(int channel) { return receive<Parting>(channel, 0); }

}  // namespace tutti::launch_channel
