#include "sites/slurm_lines.hpp"

#include <fmt/format.h>

namespace tutti {

std::string slurm_line(const InputText& text, int& line) {
  std::string joined;
  for (;; ++line) {
    std::string_view here = text.line(line);
    here = here.substr(0, here.find('#'));
    const std::string_view shown = here.substr(0, here.find_last_not_of(" \t") + 1);
    const std::size_t backslashes = shown.size() - (shown.find_last_not_of('\\') + 1);
    if (backslashes % 2 == 0) return joined.append(here);
    joined.append(shown.substr(0, shown.size() - 1));
    if (line == text.lines()) return joined;
  }
}

std::vector<std::pair<std::string, std::string>> slurm_words(const InputText& text, int line, std::string_view said) {
  std::vector<std::pair<std::string, std::string>> words;
  for (const std::string_view word : split_words(said)) {
    const std::size_t equals = word.find('=');
    if (equals != std::string_view::npos && equals > 0)
      words.emplace_back(lower(word.substr(0, equals)), word.substr(equals + 1));
    else if (words.empty())
      throw text.error(line, fmt::format("'{}', expected KEY=VALUE", word.substr(0, 60)));
    else
      words.back().second += fmt::format(" {}", word);
  }
  return words;
}

}  // namespace tutti
