#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <random>
#include <string>
#include <vector>

namespace tutti::fuzz {

/// Damages texts as files are damaged: bits, bytes, lines and numbers that change, go, come twice or are mixed up, ends
/// that are cut, runs of one character. The same seed makes the same text everywhere.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}
  /// One of the texts, changed in one to six places; every other one that is JSON in its values instead, so that it is
  /// JSON still. `texts` is not empty.
  std::string next(const std::vector<std::string>& texts);

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random_() % n); }
  std::size_t place(const std::string& text) { return below(text.size() + 1); }
  void change(std::string& text, const std::vector<std::string>& texts);
  void change_bytes(std::string& text);
  void change_lines(std::string& text);
  void change_number(std::string& text);
  void change_word(std::string& text, const std::vector<std::string>& texts);
  void grow(std::string& text);
  void change_value(nlohmann::ordered_json& document);

  std::mt19937_64 random_;
};

}  // namespace tutti::fuzz
