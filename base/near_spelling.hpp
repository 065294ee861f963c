#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {
namespace spelling {

inline std::string plain(std::string_view word) {
  std::string text;
  for (const char c : word)
    text += c == '-' || c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Letters left out, put in, replaced, or swapped with the next.
inline std::size_t mistakes(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before = last;
    last = now;
  }
  return last[b.size()];
}

}  // namespace spelling

/// " (did you mean lumi-g?)" for "lumi": the known names that are spelt most alike, or begin or end so, or hold it;
/// nothing where none is near, or too many are.
inline std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kMost = 4, kLongest = 64;
  const std::string typed = spelling::plain(word);
  if (typed.size() > kLongest) return "";
  std::size_t best = typed.size() < 2 ? 0 : 2 * (typed.size() / 3) + 1;  // in halves of a mistake
  std::vector<std::string> near;
  for (const std::string& name : known) {
    const std::string whole = spelling::plain(name);
    std::size_t far = 2 * spelling::mistakes(typed, whole);
    if (whole.size() > typed.size())
      far = std::min(far, 2 * spelling::mistakes(typed, whole.substr(0, typed.size())) + 1);
    if (typed.size() > 3 && whole.find(typed) != std::string::npos) far = std::min<std::size_t>(far, 1);
    if (far > best) continue;
    if (far < best) near.clear();
    best = far;
    near.push_back(name);
  }
  if (near.empty() || near.size() > kMost) return "";
  std::string text;
  for (std::size_t i = 0; i < near.size(); ++i) text += (i == 0 ? "" : i + 1 < near.size() ? ", " : " or ") + near[i];
  return " (did you mean " + text + "?)";
}

}  // namespace tutti
