#pragma once

#include <cstddef>
#include <string_view>

namespace tutti {

/// What separates words in Open MPI's rules files (isspace).
inline constexpr std::string_view kOpenMpiBlanks = " \t\r\n\v\f";

/// Takes blanks, and comments from # to the end of a line, off what `rest` begins with; `line` is that of its
/// beginning.
void skip_blanks_and_comments(std::string_view& rest, std::ptrdiff_t& line);

}  // namespace tutti
