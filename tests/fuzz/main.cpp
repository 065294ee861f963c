// fuzz_readers READER CORPUS [CASES [SEED [FIRST]]]: so many damaged copies of the corpus through the reader. It runs
// in a process of its own, so that the case that crashes it or never ends can be named and kept.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>

#include "tests/fuzz/mutate.hpp"
#include "tests/fuzz/reader.hpp"

namespace tutti::fuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// The longest that a case may take, beside other work and under sanitizers.
constexpr std::chrono::seconds limit{60};

struct Progress {
  std::atomic<long> current{0}, taken{0}, refused{0}, slowest_us{0}, slowest{0};
};

std::vector<std::string> corpus_of(const Reader& reader, const fs::path& corpus, const fs::path& scratch) {
  if (reader.make) return reader.make(scratch);
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(corpus / reader.name)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return texts;
}

std::string case_text(const std::vector<std::string>& corpus, std::uint64_t seed, long number) {
  return Mutator(seed * 1'000'003 + static_cast<std::uint64_t>(number)).next(corpus);
}

void run(const Reader& reader, const std::vector<std::string>& corpus, const fs::path& scratch, std::uint64_t seed,
         long first, long cases, Progress& progress) {
  for (progress.current = first; progress.current < first + cases; ++progress.current) {
    const std::string text = case_text(corpus, seed, progress.current);
    const auto begin = Clock::now();
    ++(is_taken(reader, scratch, text) ? progress.taken : progress.refused);
    const long us = static_cast<long>(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    if (us > progress.slowest_us) progress.slowest_us = us, progress.slowest = progress.current.load();
  }
}

/// How the child ended; kills it where one case takes too long.
std::string watch(pid_t child, const Progress& progress) {
  long seen = -1;
  auto since = Clock::now();
  for (int status = 0;;) {
    if (waitpid(child, &status, WNOHANG) == child) {
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
      return WIFSIGNALED(status) ? std::string("ended by signal ") + strsignal(WTERMSIG(status))
                                 : "ended with status " + std::to_string(WEXITSTATUS(status));
    }
    if (progress.current != seen) seen = progress.current, since = Clock::now();
    if (Clock::now() - since > limit) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return "never ends";
    }
    usleep(10'000);
  }
}

int fuzz(const Reader& reader, const fs::path& corpus_folder, long cases, std::uint64_t seed, long first) {
  std::string made = (fs::temp_directory_path() / "tutti-fuzz-XXXXXX").string();
  require(mkdtemp(made.data()) != nullptr, "no temporary folder");
  const fs::path scratch = made;
  const std::vector<std::string> corpus = corpus_of(reader, corpus_folder, scratch);
  require(!corpus.empty(), reader.name + ": expected a corpus in " + (corpus_folder / reader.name).string());
  for (std::size_t i = 0; i < corpus.size(); ++i)
    require(is_taken(reader, scratch, corpus[i]),
            reader.name + ": file " + std::to_string(i) + " of its corpus is refused");
  void* shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  require(shared != MAP_FAILED, "no shared memory");
  Progress& progress = *new (shared) Progress;
  const pid_t child = fork();
  require(child >= 0, "no process");
  if (child == 0) {
    run(reader, corpus, scratch, seed, first, cases, progress);
    _exit(0);
  }
  const std::string fault = watch(child, progress);
  fs::remove_all(scratch);
  if (!fault.empty()) {
    const fs::path kept = fs::temp_directory_path() / (reader.name + "-" + std::to_string(progress.current));
    std::ofstream(kept, std::ios::binary) << case_text(corpus, seed, progress.current);
    std::printf("%s: case %ld of seed %lu: %s; it is kept in %s\n", reader.name.c_str(), progress.current.load(), seed,
                fault.c_str(), kept.c_str());
    return 1;
  }
  std::printf("%s: %ld cases: %ld taken, %ld refused with file, line and expectation; the slowest, %ld, took %.3f s\n",
              reader.name.c_str(), cases, progress.taken.load(), progress.refused.load(), progress.slowest.load(),
              1e-6 * static_cast<double>(progress.slowest_us));
  require(cases < 100 || (progress.taken > 0 && progress.refused > 0), reader.name + ": expected cases of both kinds");
  return 0;
}

}  // namespace
}  // namespace tutti::fuzz

int main(int argc, char** argv) {
  using namespace tutti::fuzz;
  const auto number = [&](int i, long otherwise) { return argc > i ? std::atol(argv[i]) : otherwise; };
  for (const Reader& reader : readers())
    if (argc > 2 && reader.name == argv[1])
      return fuzz(reader, argv[2], number(3, 10'000), static_cast<std::uint64_t>(number(4, 1)), number(5, 0));
  std::fprintf(stderr, "usage: fuzz_readers READER CORPUS [CASES [SEED [FIRST]]]; readers:");
  for (const Reader& reader : readers()) std::fprintf(stderr, " %s", reader.name.c_str());
  std::fprintf(stderr, "\n");
  return 2;
}
