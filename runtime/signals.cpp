#include "runtime/signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "runtime/error.hpp"

namespace tutti {

Signals::Signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set, signal);
  descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) throw TeamError(std::string("no signals can be read: ") + std::strerror(errno));
  sigprocmask(SIG_BLOCK, &set, &before_);
}

Signals::~Signals() {
  close(descriptor_);
  restore();
}

int Signals::next() const {
  signalfd_siginfo info;
  while (read(descriptor_, &info, sizeof info) == sizeof info)
    if (info.ssi_signo != SIGCHLD) return static_cast<int>(info.ssi_signo);
  return 0;
}

}  // namespace tutti
