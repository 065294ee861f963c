#include "cli/python.hpp"

#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>

namespace tutti::cli {
namespace {

namespace fs = std::filesystem;

/// Debian's packages (pyroute2, matplotlib) belong to this one, whichever comes first in PATH.
constexpr const char* system_python = "/usr/bin/python3";

fs::path this_program() { return fs::read_symlink("/proc/self/exe"); }

/// The absolute folder in which `file` is, beside the installed program or in the source tree.
std::string folder_of(const std::string& file) {
  const fs::path installed = this_program().parent_path().parent_path() / "share" / "tutti";
  for (const fs::path& folder : {installed, fs::path(source_folder())})
    if (fs::exists(folder / file)) return fs::absolute(folder).string();
  throw std::runtime_error(fmt::format("expected {} in {} or {}", file, installed.string(), source_folder()));
}

/// Isolated (-I), Python seeks modules neither in the current folder nor where PYTHONPATH says: whatever lies there
/// would run as whoever calls this. The packages' own folder comes first, by its absolute path.
constexpr const char* run_module =
    "import runpy, sys; sys.path.insert(0, sys.argv[1]); module = sys.argv[2]; del sys.argv[1:3]; "
    "runpy.run_module(module, run_name='__main__', alter_sys=True)";

constexpr const char* run_file =
    "import os, runpy, sys; del sys.argv[0]; sys.path.insert(0, os.path.dirname(sys.argv[0])); "
    "runpy.run_path(sys.argv[0], run_name='__main__')";

/// As exec and its like want them; the words must outlive this.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

std::string python_program() { return fs::exists(system_python) ? system_python : "python3"; }

int run_script(const std::string& script, const std::vector<std::string>& arguments, const std::string& input) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);  // no pipe: it could break
  if (!file || std::fwrite(input.data(), 1, input.size(), file.get()) != input.size() || std::fflush(file.get()) != 0)
    throw std::runtime_error(fmt::format("a temporary file: cannot be written: {}", std::strerror(errno)));
  std::rewind(file.get());

  std::vector<std::string> words{python_program(), "-I", "-B", "-c", run_file, folder_of(script) + "/" + script};
  words.insert(words.end(), arguments.begin(), arguments.end());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(file.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, words[0].c_str(), &actions, nullptr, pointers_to(words).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error(fmt::format("{}: cannot be run: {}", words[0], std::strerror(failed)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      throw std::runtime_error(fmt::format("{}: cannot be waited for: {}", script, std::strerror(errno)));
  if (!WIFEXITED(status)) throw std::runtime_error(fmt::format("{}: ended by signal {}", script, WTERMSIG(status)));
  return WEXITSTATUS(status);
}

void run_python(const std::string& module, const std::vector<std::string>& arguments) {
  setenv("TUTTI_PROGRAM", this_program().c_str(), 1);
  std::string package = module;
  std::replace(package.begin(), package.end(), '.', '/');
  std::vector<std::string> words{
      python_program(), "-I", "-B", "-c", run_module, folder_of(package + "/__main__.py"), module};
  words.insert(words.end(), arguments.begin(), arguments.end());
  execvp(words[0].c_str(), pointers_to(words).data());
  throw std::runtime_error(fmt::format("{}: cannot be run: {}", words[0], std::strerror(errno)));
}

}  // namespace tutti::cli
