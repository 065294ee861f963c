#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/text_store.hpp"

namespace tutti {

class Database;

/// Texts, or bytes, in DIRECTORY/results.sqlite. What is kept is written a fifth of a second later at most where more
/// follows: so much work is lost where the process is killed.
class KeptTexts final : public TextStore {
 public:
  /// `identity` is everything beside the keys that decides what is found; a directory of another one is refused with an
  /// InputError.
  KeptTexts(const std::string& directory, const std::string& identity);
  ~KeptTexts() override;
  KeptTexts(const KeptTexts&) = delete;

  std::optional<std::string> find(const std::string& key) override;
  void keep(const std::string& key, const std::string& text) override;
  /// Writes what is not written yet. Throws InputError where the file cannot be.
  void flush();
  /// How many were found changed by the file's damage, and were made anew.
  std::size_t damaged() const;
  /// One that was found is none, though its checksum says so.
  void count_damaged();

 private:
  void write();

  mutable std::mutex mutex_;
  std::unique_ptr<Database> database_;
  std::map<std::string, std::string> waiting_;  // texts by key
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
  std::size_t damaged_ = 0;
};

}  // namespace tutti
