#include "cli/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

namespace tutti::cli {

Progress::Progress(std::string what, std::string unit)
    : what_(std::move(what)), unit_(std::move(unit)), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (drawn_ && terminal_) fmt::print(stderr, "\r\033[K");
}

void Progress::update(std::size_t done, std::size_t total, double part) {
  const auto now = Clock::now();
  const double interval = terminal_ ? 0.1 : 10;
  if (std::chrono::duration<double>(now - printed_).count() < interval || part <= 0) return;
  printed_ = now;
  drawn_ = true;
  const double elapsed = std::chrono::duration<double>(now - started_).count();
  const std::string text = fmt::format("{} of {} {}, {:.0f} % of the work, about {:.0f} s left", done, total, unit_,
                                       100 * part, elapsed * (1 - part) / part);
  if (!terminal_) {
    fmt::print(stderr, "{}: {}\n", what_, text);
    return;
  }
  constexpr std::size_t kWidth = 30;
  const auto filled = static_cast<std::size_t>(kWidth * std::min(part, 1.0));
  fmt::print(stderr, "\r\033[K{} [{}{}] {}", what_, std::string(filled, '='), std::string(kWidth - filled, ' '), text);
}

}  // namespace tutti::cli
