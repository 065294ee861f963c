#include "cli/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

namespace tutti::cli {

Progress::Progress(std::string what) : what_(std::move(what)), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (drawn_ && terminal_) fmt::print(stderr, "\r\033[K");
}

void Progress::update(std::size_t done, std::size_t total) {
  const auto now = Clock::now();
  const double interval = terminal_ ? 0.1 : 10;
  if (std::chrono::duration<double>(now - printed_).count() < interval || done == 0) return;
  printed_ = now;
  drawn_ = true;
  const double elapsed = std::chrono::duration<double>(now - started_).count();
  const double left = elapsed * static_cast<double>(total - done) / static_cast<double>(done);
  if (!terminal_) {
    fmt::print(stderr, "{}: {} of {}, about {:.0f} s left\n", what_, done, total, left);
    return;
  }
  constexpr std::size_t kWidth = 30;
  const std::size_t filled = kWidth * done / total;
  fmt::print(stderr, "\r\033[K{} [{}{}] {}/{}, about {:.0f} s left", what_, std::string(filled, '='),
             std::string(kWidth - filled, ' '), done, total, left);
}

}  // namespace tutti::cli
