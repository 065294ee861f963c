#include "exporters/open_mpi_text.hpp"

#include <algorithm>

namespace tutti {

void skip_blanks_and_comments(std::string_view& rest, std::ptrdiff_t& line) {
  for (;;) {
    const std::size_t skipped = std::min(rest.find_first_not_of(kOpenMpiBlanks), rest.size());
    line += std::count(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(skipped), '\n');
    rest.remove_prefix(skipped);
    if (!rest.starts_with('#')) return;
    rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
  }
}

}  // namespace tutti
