// One case: what every driver calls, ours (main.cpp) and libFuzzer.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/error.hpp"
#include "tests/fuzz/reader.hpp"

namespace tutti::fuzz {
namespace {

/// Whether the message is one line that says where and what was expected.
bool says_all(const std::string& message, const std::string& file, const Reader& reader, const std::string& text) {
  if (!message.starts_with(file + ":") || message.find('\n') != std::string::npos) return false;
  if (message.find("expected") == std::string::npos) return false;
  if (!reader.has_lines) return true;
  long line = 0;
  const char* begin = message.data() + file.size() + 1;
  const auto [end, error] = std::from_chars(begin, message.data() + message.size(), line);
  const long lines = 1 + std::count(text.begin(), text.end(), '\n');
  return error == std::errc() && *end == ':' && line >= 1 && line <= lines;
}

}  // namespace

void require(bool holds, const std::string& message) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", message.substr(0, 2000).c_str());
  std::abort();
}

bool is_taken(const Reader& reader, const std::filesystem::path& folder, const std::string& text) {
  const std::filesystem::path file = folder / reader.file_name;
  std::ofstream(file, std::ios::binary) << text;
  std::string message;
  try {
    reader.read(file);
    return true;
  } catch (const InputError& error) {
    message = error.what();
  } catch (const std::exception& error) {
    require(false, reader.name + ": neither taken nor refused: " + error.what());
  }
  require(says_all(message, file.string(), reader, text),
          reader.name + ": expected a refusal with file, line and expectation, got: " + message);
  return false;
}

}  // namespace tutti::fuzz

/// libFuzzer's: the reader is the one that TUTTI_FUZZ_READER names.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tutti::fuzz;
  static const std::filesystem::path folder = [] {
    std::string made = (std::filesystem::temp_directory_path() / "tutti-fuzz-XXXXXX").string();
    require(mkdtemp(made.data()) != nullptr, "no temporary folder");
    return made;
  }();
  static const Reader& reader = []() -> const Reader& {
    const char* name = std::getenv("TUTTI_FUZZ_READER");
    for (const Reader& one : readers())
      if (name && one.name == name) return one;
    require(false, "TUTTI_FUZZ_READER: expected the name of a reader");
    std::abort();
  }();
  is_taken(reader, folder, std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
