#pragma once

#include <string>
#include <string_view>

namespace tutti {

/// Throws InputError "FILE:LINE: what was expected" unless the text is one XML element whose inside is closed as it was
/// opened: a file that is cut or damaged is refused where it is. What elements mean is not looked at, but that an
/// os_index is a number that hwloc can make a set of.
void check_xml_outline(std::string_view text, const std::string& file);

}  // namespace tutti
