#include "cli/demo.hpp"

#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "base/error.hpp"
#include "cli/verbs.hpp"

namespace tutti::cli {
namespace {

struct Step {
  const char* what;
  std::vector<std::string> words;  // of the program
};

/// Needs neither files nor anything else that is not in the program and its package.
std::vector<Step> steps_in(const std::string& folder) {
  const auto in = [&](const char* name) { return folder + "/" + name; };
  return {{"Every broadcast is right on 1 to 12 ranks", {"verify", "--collective", "bcast", "--ranks", "1-12"}},
          {"What one rank more or less than 8 costs",
           {"simulate", "bcast", "--machine", "example-cluster", "--nodes", "7-9", "--ppn", "1", "--bytes", "64K",
            "--algorithm", "binomial,scatter_ring,scatter_recursive_doubling,default:open-mpi-4.1"}},
          {"The best choices that Open MPI can be told",
           {"tune", "--machine", "example-cluster", "--nodes", "2-5", "--ppn", "1,2", "--osu-sizes", "8:16K",
            "--collectives", "bcast,allreduce", "--for", "open-mpi-4.1", "--confirm", "none", "-o", in("table.json")}},
          {"Its tuning file, with what that gains",
           {"export", in("table.json"), "--to", "open-mpi-classic", "-o", in("open-mpi.rules")}},
          {"What is wrong with the file", {"lint", in("open-mpi.rules"), "--for", "open-mpi-4.1"}},
          {"All of it on one page, for a browser", {"report", in("table.json"), "-o", in("report.html")}}};
}

int run_this_program(std::vector<std::string> words) {
  words.insert(words.begin(), std::filesystem::read_symlink("/proc/self/exe").string());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  if (const int failed = posix_spawn(&child, words[0].c_str(), nullptr, nullptr, pointers.data(), environ); failed != 0)
    throw std::runtime_error(fmt::format("{}: cannot be run: {}", words[0], std::strerror(failed)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw std::runtime_error(fmt::format("cannot be waited for: {}", std::strerror(errno)));
  if (!WIFEXITED(status)) throw std::runtime_error(fmt::format("{}: ended by signal {}", words[1], WTERMSIG(status)));
  return WEXITSTATUS(status);
}

int run_demo(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed || !std::filesystem::is_directory(folder))
    throw InputError(fmt::format("-o {}: expected a folder, or a place for one", folder));
  for (const Step& step : steps_in(folder)) {
    std::string command = "tutti";
    for (const std::string& word : step.words) command += " " + word;
    fmt::print("\n== {}\n$ {}\n", step.what, command);
    std::fflush(stdout);
    if (const int status = run_this_program(step.words); status != kDone) return status;
  }
  fmt::print(
      "\nSee {0}/report.html; {0}/open-mpi.rules is for mpirun --mca coll_tuned_use_dynamic_rules 1 --mca "
      "coll_tuned_dynamic_rules_filename {1}/open-mpi.rules\n",
      folder, std::filesystem::absolute(folder).lexically_normal().string());
  return kDone;
}

}  // namespace

void add_demo(CLI::App& app, int& status) {
  auto folder = std::make_shared<std::string>("tutti-demo");
  CLI::App* verb = app.add_subcommand(
      "demo",
      "The main job in some seconds: a proof, times, a table, a tuning file and a page, each by a verb that is shown");
  verb->footer("Needs nothing but the program and, for the page, Python.\nExample: tutti demo -o tutti-demo");
  verb->add_option("-o,--output", *folder, "the folder to write to")->capture_default_str();
  verb->callback([folder, &status] { status = run_demo(*folder); });
}

}  // namespace tutti::cli
