#include "cli/interruption.hpp"

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace tutti::cli {
namespace {

volatile std::sig_atomic_t is_work_kept = 0;

void end(int signal) {
  constexpr std::string_view kKept =
                                 "\ntutti: interrupted; what is done is kept: the same command goes on from there\n",
                             kLost =
                                 "\ntutti: interrupted; with --state DIRECTORY the same command goes on from there\n";
  const std::string_view said = is_work_kept != 0 ? kKept : kLost;
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, said.data(), said.size());
  std::signal(signal, SIG_DFL);  // the shell is to see what ended it
  std::raise(signal);
}

}  // namespace

void say_when_interrupted(bool is_kept) {
  is_work_kept = is_kept ? 1 : 0;
  struct sigaction action {};
  sigaction(SIGINT, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;  // of a job in the background
  action.sa_handler = end;
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace tutti::cli
