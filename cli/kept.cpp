#include "cli/kept.hpp"

#include <fmt/core.h>

#include "sim/kept_engine.hpp"

namespace tutti::cli {
namespace {

/// An engine that somebody else owns.
class Borrowed final : public Engine {
 public:
  explicit Borrowed(const Engine& engine) : engine_(engine) {}
  std::string name() const override { return engine_.name(); }
  std::vector<Result> run(const Machine& machine, std::span<const Experiment> experiments) const override {
    return engine_.run(machine, experiments);
  }

 private:
  const Engine& engine_;
};

}  // namespace

void Kept::open(const std::string& identity) {
  if (!directory_.empty()) results_.emplace(directory_, identity);
}

void Kept::open_texts(const std::string& identity) {
  if (!directory_.empty()) texts_.emplace(directory_, identity);
}

void Kept::close() {
  KeptTexts* const texts = results_ ? &results_->texts() : texts_ ? &*texts_ : nullptr;
  if (!texts) return;
  texts->flush();
  if (const std::size_t damaged = texts->damaged())
    fmt::print(stderr, "{}: {} damaged results were made anew\n", file(), damaged);
}

std::unique_ptr<Engine> Kept::engine(const Engine& engine, const std::string& machine) {
  if (!results_) return std::make_unique<Borrowed>(engine);
  return std::make_unique<KeptEngine>(engine, *results_, machine);
}

}  // namespace tutti::cli
