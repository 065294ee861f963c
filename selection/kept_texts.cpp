#include "selection/kept_texts.hpp"

#include "base/error.hpp"
#include "selection/database.hpp"
#include "selection/part_file.hpp"

namespace tutti {
namespace {

constexpr auto kPatience = std::chrono::milliseconds(200);

}  // namespace

KeptTexts::KeptTexts(const std::string& directory, const std::string& identity)
    : database_(std::make_unique<Database>(directory, "results.sqlite")) {
  Transaction transaction(*database_);
  database_->expect_identity("format 1\n" + identity,
                             "holds results of other inputs, or of another version of the program");
  database_->execute(
      "CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, result BLOB NOT NULL, checksum TEXT NOT NULL)");
  transaction.commit();
}

KeptTexts::~KeptTexts() {
  try {
    flush();
  } catch (const InputError&) {
    // Who wants to know calls flush(): here something else is on its way out, and what is lost is made anew.
  }
}

std::optional<std::string> KeptTexts::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  if (const auto found = waiting_.find(key); found != waiting_.end()) return found->second;
  Statement rows(*database_, "SELECT result, checksum FROM results WHERE key = ?");
  rows.bind(0, key);
  if (!rows.step()) return std::nullopt;
  const std::string text = rows.bytes(0);
  if (rows.text(1) == checksum_of(key + text)) return text;
  ++damaged_;
  return std::nullopt;
}

void KeptTexts::keep(const std::string& key, const std::string& text) {
  const std::lock_guard lock(mutex_);
  waiting_[key] = text;
  if (std::chrono::steady_clock::now() - written_ >= kPatience) write();
}

void KeptTexts::flush() {
  const std::lock_guard lock(mutex_);
  write();
}

std::size_t KeptTexts::damaged() const {
  const std::lock_guard lock(mutex_);
  return damaged_;
}

void KeptTexts::count_damaged() {
  const std::lock_guard lock(mutex_);
  ++damaged_;
}

void KeptTexts::write() {
  if (waiting_.empty()) return;
  Transaction transaction(*database_);
  {
    Statement insert(*database_, "INSERT OR REPLACE INTO results VALUES (?, ?, ?)");
    for (const auto& [key, text] : waiting_) {
      insert.bind(0, key).bind_bytes(1, text).bind(2, checksum_of(key + text)).step();
      insert.reset();
    }
  }
  transaction.commit();
  waiting_.clear();
  written_ = std::chrono::steady_clock::now();
}

}  // namespace tutti
