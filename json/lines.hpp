#pragma once
// Which line each value of a JSON text is on. For Document alone.

#include <string>
#include <unordered_map>

namespace tutti {

/// By JSON pointer: the line of the key, or of the value's start in an array. Throws InputError with
/// "ORIGIN:LINE: ..." on what is not JSON, on a key given twice in one object, and beyond 64 levels of nesting.
std::unordered_map<std::string, int> json_lines(const std::string& text, const std::string& origin);

}  // namespace tutti
