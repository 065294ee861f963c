"""CONTRIBUTING's recipes for an algorithm and for an exporter, followed in a copy of the sources: what they name is all it takes."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = os.environ.get("TUTTI_BUILD", os.path.join(ROOT, "build"))

NEW_ALGORITHM = """#include "algos/registry.hpp"

namespace tutti {

/// The root sends to one rank after the other, the last first.
Task bcast_backwards(Comm comm, Call call) {
  if (comm.rank() != call.root) co_await comm.wait(comm.recv(call.root, call.out));
  else
    for (Rank other = comm.size() - 1; other >= 0; --other)
      if (other != call.root) co_await comm.wait(comm.send(other, call.out));
}

TUTTI_ALGORITHM(bcast, "backwards", bcast_backwards)
    .rounds("p-1")
    .messages("p-1")
    .bytes("(p-1)*n")
    .parameter("radix", 5, 2)
    .requires_that("p<30", "fewer than thirty ranks")
    .cite("An invention of the tests, section 7");

}  // namespace tutti
"""

# Lines "COLLECTIVE NODES NODES PPN BYTES BYTES ring": from and to, inclusive.
NEW_EXPORTER = """#include "exporters/lint_rules.hpp"
#include "exporters/rule_list.hpp"

#include <algorithm>
#include <climits>

#include "base/error.hpp"

namespace tutti {
namespace {

class Plain final : public Exporter {
 public:
  std::string name() const override { return "plain"; }
  std::string description() const override { return "lines that nobody reads"; }
  std::string library() const override { return "mpich"; }
  Sight sight() const override { return Sight::layouts; }
  bool can_say(const Choice& choice) const override { return choice.algorithm->name() == "ring"; }
  SwitchOn switch_on(const std::string& path) const override { return {{{"PLAIN", path}}}; }

  std::string write(std::span<const FileRules> rules, const std::vector<std::string>& about) const override {
    std::string text;
    for (const std::string& line : about) text += "# " + line + "\\n";
    for (const FileRules& each : rules)
      for (const Rule& rule : each.rules)
        if (rule.algorithm != kOwnChoice)
          text += std::string(name_of(each.collective)) + " " + std::to_string(each.layout.size) + " " +
                  std::to_string(each.last_size) + " " + std::to_string(each.layout.kind) + " " +
                  std::to_string(rule.from_bytes) + " " + std::to_string(rule.to_bytes) + " ring\\n";
    return text;
  }

  std::unique_ptr<TuningFile> read(const std::string& text, const std::string& origin) const override {
    return std::make_unique<RuleList>(rules(text, origin), origin);
  }
  void lint(const std::string& text, const std::string& origin, Doubts& findings) const override {
    lint_rules(rules(text, origin), {"plain"}, findings);
  }

 private:
  static std::vector<ListedRule> rules(const std::string& text, const std::string& origin) {
    std::vector<ListedRule> rules;
    for (const TextLine& line : lines_of(text, origin)) {
      const std::vector<std::string_view> words = split_at(line.text, ' ');
      std::vector<std::int64_t> numbers;
      for (std::size_t i = 1; i + 1 < words.size(); ++i) numbers.push_back(whole_number(words[i]).value_or(-1));
      if (numbers.size() != 5 || *std::min_element(numbers.begin(), numbers.end()) < 0 || numbers[0] > INT_MAX ||
          numbers[1] > INT_MAX || numbers[2] > INT_MAX || words[6] != "ring")
        refuse_line(origin, line, "COLLECTIVE NODES NODES PPN BYTES BYTES ring");
      ListedRule rule;
      try {
        rule.collective = collective_named(words[0]);
        rule.choice = parse_choice(rule.collective, words[6]);
      } catch (const InputError&) {
        refuse_line(origin, line, "a collective that has a ring");
      }
      rule.nodes = {static_cast<int>(numbers[0]), static_cast<int>(numbers[1])};
      rule.ppn = {static_cast<int>(numbers[2]), static_cast<int>(numbers[2])};
      rule.bytes = {numbers[3], numbers[4]};
      rule.line = rule.statement = line.number;
      rules.push_back(rule);
    }
    return rules;
  }
};

const Plain plain;
const ExporterRegistration registered(&plain);

}  // namespace
}  // namespace tutti
"""


def touched(what):
    """The files that the recipe names, NAME and the like left as they are."""
    with open(os.path.join(ROOT, "CONTRIBUTING.md"), encoding="utf-8") as file:
        row = next(line for line in file if line.startswith(f"| {what} |"))
    return [word for word in re.findall(r"`([^`]+)`", row.split("|")[2]) if "/" in word]


class Recipes(unittest.TestCase):
    def setUp(self):
        self.copy = tempfile.TemporaryDirectory()
        self.addCleanup(self.copy.cleanup)
        self.tree = os.path.join(self.copy.name, "tree")
        shutil.copytree(ROOT, self.tree, ignore=shutil.ignore_patterns("build*", ".git", "results", "__pycache__"))
        with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as file:
            cache = file.read()
        self.settings = [f"-D{name}={re.search(rf'^{name}:[A-Z]+=(.*)$', cache, re.M).group(1)}"
                         for name in ("CMAKE_BUILD_TYPE", "CMAKE_CXX_FLAGS", "CMAKE_CXX_COMPILER")]
        self.tutti = os.path.join(self.tree, "build", "tutti")

    def run_in(self, *command):
        done = subprocess.run(command, cwd=self.tree, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def build(self, *targets):
        """What is unchanged comes from the compiler's cache."""
        if not os.path.exists(os.path.join(self.tree, "build")):
            without_mpi = "-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON"  # to find it takes longer than the rest
            self.run_in("cmake", "-S", ".", "-B", "build", *self.settings, without_mpi, *(["-G", "Ninja"] if shutil.which("ninja") else []))
        self.run_in("cmake", "--build", "build", "-j", "2", "--target", *targets)

    def write(self, path, text):
        path = os.path.join(self.tree, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def test_AddAnAlgorithmAndAnExporterByTheFilesThatTheyName(self):
        of_the_build = os.path.join(BUILD, "tutti")
        before = self.run_in(of_the_build, "list", "--markdown")
        self.assertNotIn("backwards", self.run_in(of_the_build, "list"))
        self.assertNotIn("plain:", self.run_in(of_the_build, "export", "--help"))

        self.assertEqual(touched("an algorithm"), ["algos/COLLECTIVE/NAME.cpp"])
        self.write("algos/bcast/backwards.cpp", NEW_ALGORITHM)
        self.assertEqual(touched("an exporter"), ["exporters/NAME.cpp", "tests/fuzz/corpus/NAME", "tests/CMakeLists.txt"])
        self.write("exporters/plain.cpp", NEW_EXPORTER)
        self.write("tests/fuzz/corpus/plain/small", "allgather 2 8 1 0 65535 ring\n")
        with open(os.path.join(self.tree, "tests", "CMakeLists.txt"), encoding="utf-8") as file:
            lists = file.read()
        self.assertEqual(lists.count(" nccl "), 1)
        self.write("tests/CMakeLists.txt", lists.replace(" nccl ", " nccl plain "))
        self.build("tutti", "fuzz_readers")

        self.check_algorithm(before)
        self.check_exporter()

    def check_algorithm(self, before):
        row = next(line for line in self.run_in(self.tutti, "list", "bcast").splitlines() if "backwards" in line)
        self.assertIn("p-1 | p-1 | (p-1)*n", row)
        self.assertIn("0 algorithms refuted", self.run_in(self.tutti, "verify", "--algorithm", "backwards", "--ranks", "1-20"))
        self.assertIn("backwards", self.run_in(self.tutti, "simulate", "bcast", "--machine", "example-cluster", "--nodes", "5",
                                               "--ppn", "1", "--bytes", "8", "--algorithm", "all"))
        after = self.run_in(self.tutti, "list", "--markdown")
        added = [line for line in after.splitlines() if line not in before.splitlines()]
        for expected in ("| [`backwards`](../algos/bcast/backwards.cpp) | `p-1` | `p-1` | `(p-1)*n` | - | - "
                         "| fewer than thirty ranks |",
                         "| `backwards` | `radix` | 5 | 2 |  | 2, 4, 8 |",
                         "- `backwards`: An invention of the tests, section 7."):
            self.assertIn(expected, added)
        count = int(re.search(r"^(\d+) algorithms:$", before, re.M).group(1))
        self.assertIn(f"{count + 1} algorithms:", added)

    def check_exporter(self):
        self.assertIn("plain: lines that nobody reads", self.run_in(self.tutti, "export", "--help"))
        table, rules = (os.path.join(self.copy.name, name) for name in ("table.json", "rules"))
        self.run_in(self.tutti, "tune", "--machine", "example-cluster", "--nodes", "2-4", "--collectives", "allgather,allreduce",
                    "--bytes", "8,1M", "--confirm", "none", "--baselines", "mpich", "-o", table)
        self.run_in(self.tutti, "export", table, "--to", "plain", "-o", rules)
        with open(rules, encoding="utf-8") as file:
            self.assertRegex(file.read(), r"\nall(gather|reduce) \d+ \d+ 1 \d+ \d+ ring\n")
        self.assertIn("fuzz.plain.", self.run_in("ctest", "--test-dir", "build", "-N"))
        self.run_in(os.path.join(self.tree, "build", "tests", "fuzz_readers"), "plain",
                    os.path.join(self.tree, "tests", "fuzz", "corpus"), "200")


if __name__ == "__main__":
    unittest.main()
