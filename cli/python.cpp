#include "cli/python.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace tutti::cli {
namespace {

namespace fs = std::filesystem;

/// Debian's packages (pyroute2, matplotlib) belong to this one, whichever comes first in PATH.
constexpr const char* system_python = "/usr/bin/python3";

fs::path package_folder(const fs::path& program, const std::string& module) {
  std::string package = module;
  std::replace(package.begin(), package.end(), '.', '/');
  const fs::path installed = program.parent_path().parent_path() / "share" / "tutti";
  for (const fs::path& folder : {installed, fs::path(TUTTI_SOURCE_DIR)})
    if (fs::exists(folder / package / "__main__.py")) return folder;
  throw std::runtime_error(
      fmt::format("expected the Python package {} in {} or {}", module, installed.string(), TUTTI_SOURCE_DIR));
}

/// Isolated (-I), Python seeks modules neither in the current folder nor where PYTHONPATH says: whatever lies there
/// would run as whoever calls this. The packages' own folder comes first, by its absolute path.
constexpr const char* run_module =
    "import runpy, sys; sys.path.insert(0, sys.argv[1]); module = sys.argv[2]; del sys.argv[1:3]; "
    "runpy.run_module(module, run_name='__main__', alter_sys=True)";

}  // namespace

void run_python(const std::string& module, const std::vector<std::string>& arguments) {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  setenv("TUTTI_PROGRAM", program.c_str(), 1);

  const std::string python = fs::exists(system_python) ? system_python : "python3";
  const std::string packages = fs::absolute(package_folder(program, module)).string();
  std::vector<std::string> words{python, "-I", "-B", "-c", run_module, packages, module};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(python.c_str(), pointers.data());
  throw std::runtime_error(fmt::format("{}: cannot be run: {}", python, std::strerror(errno)));
}

}  // namespace tutti::cli
