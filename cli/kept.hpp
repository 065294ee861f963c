#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/interruption.hpp"
#include "selection/kept_results.hpp"
#include "selection/model_identity.hpp"

namespace tutti::cli {

inline constexpr const char* kStateHelp =
    "a directory that keeps what is simulated, so that the same command goes on where it was interrupted";

/// What --state of a verb other than tune asks for; nothing where it is not given.
class Kept {
 public:
  /// Where the directory is empty, nothing is kept. Ctrl-C says which from now on.
  explicit Kept(std::string directory) : directory_(std::move(directory)) { say_when_interrupted(!directory_.empty()); }
  /// Throws InputError where it has been used for something else (`identity`).
  void open(const std::string& identity);
  /// The same, for what is no result of a simulation.
  void open_texts(const std::string& identity);
  /// Says on stderr what was damaged. Throws InputError where results cannot be written.
  void close();
  std::string file() const { return directory_ + "/results.sqlite"; }
  /// Where results are put; null: nowhere.
  ResultStore* store() { return results_ ? &*results_ : nullptr; }
  TextStore* texts() { return texts_ ? &*texts_ : nullptr; }
  /// One that keeps the results of `engine`, which must outlive it, on the machine that the text says.
  std::unique_ptr<Engine> engine(const Engine& engine, const std::string& machine);

 private:
  const std::string directory_;
  std::optional<KeptResults> results_;
  std::optional<KeptTexts> texts_;
};

}  // namespace tutti::cli
