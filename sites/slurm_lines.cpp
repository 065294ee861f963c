#include "sites/slurm_lines.hpp"

#include <fmt/format.h>

namespace tutti {

std::vector<std::pair<std::string, std::string>> slurm_words(const InputText& text, int line) {
  std::string_view here = text.line(line);
  here = here.substr(0, here.find('#'));
  std::vector<std::pair<std::string, std::string>> words;
  for (const std::string_view word : split_words(here)) {
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
