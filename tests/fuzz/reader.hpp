#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tutti::fuzz {

/// What reads files of one kind. A new one is one function and one line in readers().
struct Reader {
  std::string name;       ///< and its folder in corpus/
  std::string file_name;  ///< under which a case is written
  bool has_lines = true;  ///< false: not a text, so that errors name the file alone
  /// Reads a file whole, and ends the program where what it then has is not sound. Throws what the reader throws.
  std::function<void(const std::filesystem::path& file)> read;
  /// Makes the corpus where it is not in files.
  std::function<std::vector<std::string>(const std::filesystem::path& folder)> make = {};
};

const std::vector<Reader>& readers();

/// Ends the program with the message unless `holds`.
void require(bool holds, const std::string& message);

/// Reads the text as a file in a folder of its own: true if it was taken, false if it was refused by an InputError in
/// one line "FILE:LINE: … expected …". Ends the program on anything else.
bool is_taken(const Reader& reader, const std::filesystem::path& folder, const std::string& text);

}  // namespace tutti::fuzz
