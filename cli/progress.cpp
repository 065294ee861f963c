#include "cli/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

namespace tutti::cli {

Progress::Progress(std::string what, std::string unit)
    : what_(std::move(what)),
      unit_(std::move(unit)),
      terminal_(isatty(STDERR_FILENO) == 1),
      interval_(terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(10)),
      ticker_([this](const std::stop_token& ended) { tick(ended); }) {}

Progress::~Progress() {
  ticker_.request_stop();
  ticker_.join();
  if (drawn_ && terminal_) fmt::print(stderr, "\r\033[K");
}

void Progress::update(std::size_t done, std::size_t total, const std::function<double()>& part) {
  note(done, total, [&] { return std::clamp(part(), 0.0, 1.0); });
}

void Progress::count(std::size_t done, std::size_t total) {
  note(done, total, [] { return std::nullopt; });
}

void Progress::note(std::size_t done, std::size_t total, const std::function<std::optional<double>()>& part) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (total_ != 0 && now - printed_ < interval_ && now - known_ < interval_) return;
  done_ = done;
  total_ = total;
  part_ = part();
  known_ = now;
  if (now - printed_ >= interval_) print(now);
}

/// While a long step keeps everything else waiting.
void Progress::tick(const std::stop_token& ended) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto silent_until = printed_ + interval_ + interval_ / 2;
    if (ends_.wait_until(lock, ended, silent_until, [&] { return ended.stop_requested(); })) return;
    if (ended.stop_requested()) return;
    if (const auto now = Clock::now(); now >= printed_ + interval_ + interval_ / 2) print(now);
  }
}

std::string Progress::left(Clock::time_point now) const {
  const auto seconds = [](Clock::duration time) { return std::chrono::duration<double>(time).count(); };
  const double part = part_.value_or(0);
  constexpr double kTooLittle = 0.005;  // 0 %: it tells of the rest what it tells of its own few steps
  if (part < kTooLittle) return fmt::format("{:.0f} s so far", seconds(now - started_));
  const double left = seconds(known_ - started_) * (1 - part) / part - seconds(now - known_);
  return left >= 0 ? fmt::format("about {:.0f} s left", left) : fmt::format("{:.0f} s longer than foreseen", -left);
}

void Progress::print(Clock::time_point now) {
  printed_ = now;
  drawn_ = true;
  const std::string counted = total_ == 0 ? "" : fmt::format("{} of {} {}, ", done_, total_, unit_),
                    of_work = total_ == 0 || !part_ ? "" : fmt::format("{:.0f} % of the work, ", 100 * *part_),
                    text = counted + of_work + left(now);
  if (!terminal_) {
    fmt::print(stderr, "{}: {}\n", what_, text);
    return;
  }
  constexpr std::size_t kWidth = 30;
  const double part =
      part_.value_or(static_cast<double>(done_) / static_cast<double>(std::max<std::size_t>(total_, 1)));
  const auto filled = static_cast<std::size_t>(kWidth * part);
  fmt::print(stderr, "\r\033[K{} [{}{}] {}", what_, std::string(filled, '='), std::string(kWidth - filled, ' '), text);
}

}  // namespace tutti::cli
