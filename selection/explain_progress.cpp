#include "selection/explain_progress.hpp"

#include <cmath>
#include <utility>

#include "selection/candidates.hpp"

namespace tutti {
namespace {

constexpr const char *kSearched = "searched", *kWhole = "whole", *kRecorded = "recorded";
/// Runs of many messages are given up the sooner, compared with their lengths, and their messages are the smaller.
constexpr double kPower = 0.9;
constexpr double kOfSearched = 2.5;  // times as long where messages are kept: 1.4 to 2.8 (ARCHER2, 40 nodes)
constexpr double kNothing = 1;       // message: as good as no work

double messages_of(const Choice& choice, const Case& c, const Places& places) {
  const std::optional<Counts> counts = declared(choice, c, places);
  return counts ? counts->messages : 0;
}

}  // namespace

ExplainProgress::ExplainProgress(const Case& c, Stages stages, const Places& places, SweepProgress::Callback progress)
    : case_(c), stages_(std::move(stages)), left_(stages_.choices.size(), true), progress_(std::move(progress)) {
  for (const Choice& choice : stages_.choices) {
    messages_.push_back(messages_of(choice, c, places));
    searched_.push_back(progress_.expect({{kSearched}, 1, work_of(messages_.back())}));
  }
  if (stages_.picked) {
    picked_messages_ = messages_of(*stages_.picked, c, places);
    run_picked_ = progress_.expect({{kWhole}, 1, work_of(picked_messages_), {kSearched}});
  }
  if (stages_.most_recorded <= 0) return;
  recorded_[static_cast<std::size_t>(Recorded::best)] = progress_.expect(recorded(0));
  foresee_best();
  if (stages_.picked)
    recorded_[static_cast<std::size_t>(Recorded::picked)] = progress_.expect(recorded(picked_messages_));
}

double ExplainProgress::work_of(double messages) const { return std::pow(case_.ranks + messages, kPower); }

Forecast::Item ExplainProgress::recorded(double messages) const {
  const double work = messages > stages_.most_recorded ? kNothing : work_of(messages);
  return {{kRecorded}, 1, work, {kWhole, kSearched}, kOfSearched};
}

void ExplainProgress::foresee_best() {
  const auto& number = recorded_[static_cast<std::size_t>(Recorded::best)];
  if (!number) return;
  double work = 0, left = 0;
  for (std::size_t i = 0; i < messages_.size(); ++i)
    if (left_[i]) work += recorded(messages_[i]).times, ++left;
  Forecast::Item item = recorded(best_ ? messages_[*best_] : 0);
  if (left > 0) item.times = best_ ? (item.times + work / left) / 2 : work / left;
  progress_.change(*number, item);
}

Fastest::Watch ExplainProgress::watch() {
  const auto step = [this](std::size_t i, const std::function<bool()>& work) {
    progress_.step(searched_[i], [&] {
      const bool tells = work();
      left_[i] = false;
      foresee_best();
      return tells;
    });
  };
  return {step, [this](std::size_t i) { best_ = i; }};
}

void ExplainProgress::run_picked(const std::function<void()>& work) {
  progress_.step(run_picked_.value(), [&] {
    work();
    return true;
  });
}

void ExplainProgress::record(Recorded which, const std::function<bool()>& work) {
  progress_.step(recorded_[static_cast<std::size_t>(which)].value(), work);
}

}  // namespace tutti
