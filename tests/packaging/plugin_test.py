"""Somebody's own algorithm in a shared object is one of the program's, or it is refused."""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from installed import BUILD, EXAMPLES, built, compiled, of_cache, run

EXAMPLE = os.path.join(EXAMPLES, "plugin")


class Plugin(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="plugin-", dir=BUILD)
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.prefix = os.path.join(cls.folder, "prefix")
        cls.compiler, cls.flags = of_cache("CMAKE_CXX_COMPILER"), of_cache("CMAKE_CXX_FLAGS")
        cls.done("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.tutti = os.path.join(cls.prefix, "bin", "tutti")

    @classmethod
    def call(cls, *command, **environment):
        return subprocess.run(command, capture_output=True, text=True, cwd=cls.folder, env={**os.environ, **environment})

    @classmethod
    def done(cls, *command, **environment):
        return run(*command, folder=cls.folder, **environment)

    def made(self, name, text, include=None):
        source, library = (os.path.join(self.folder, f"{name}.{ending}") for ending in ("cpp", "so"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        thing = compiled(self.folder, source, "-std=c++20", "-fPIC", "-I", include or os.path.join(self.prefix, "include", "tutti"))
        self.done(self.compiler, *shlex.split(self.flags), "-shared", thing, "-o", library)
        return library

    def made_by_one_command(self):
        library = os.path.join(self.folder, "by-hand.so")
        self.done(self.compiler, *shlex.split(self.flags), "-std=c++20", "-fPIC", "-shared", "-I", os.path.join(self.prefix, "include", "tutti"),
                  os.path.join(EXAMPLE, "star.cpp"), "-o", library)
        return library

    MADE = {}

    def star(self):
        """The example, made once for all tests."""
        if "star" not in self.MADE:
            self.MADE["star"] = self.made("star", self.example())
        return self.MADE["star"]

    def wrong(self):
        """Which sends to the root, too."""
        if "wrong" not in self.MADE:
            self.MADE["wrong"] = self.made("wrong", self.example().replace("other = 0", "other = 1"))
        return self.MADE["wrong"]

    def example(self):
        with open(os.path.join(EXAMPLE, "star.cpp"), encoding="utf-8") as file:
            return file.read()

    def refused(self, expected, library, **environment):
        done = self.call(self.tutti, "--plugin", library, "list", **environment)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(expected, done.stderr)

    def test_IsBuiltByFindPackageAndByOneCommand(self):
        for library in (os.path.join(built(self.folder, EXAMPLE), "libstar.so"), self.made_by_one_command()):
            self.assertIn("star", self.done(self.tutti, "--plugin", library, "list", "bcast"))
        self.assertNotIn("star", self.done(self.tutti, "list", "bcast"))

    def test_IsProvenSimulatedAndTunedLikeAnyOther(self):
        star = self.star()
        misspelt = self.call(self.tutti, "--plugin", star, "tune", "--nods", "3")
        self.assertEqual((misspelt.returncode, "tune has no option --nods (did you mean --nodes?)" in misspelt.stderr), (2, True), misspelt.stderr)
        self.assertIn("0 algorithms refuted", self.done(self.tutti, "--plugin", star, "verify", "--algorithm", "star", "--ranks", "1-9"))
        where = ("--machine", "example-cluster", "--nodes", "5", "--ppn", "1")
        times = [self.done(self.tutti, *plugin, "simulate", "bcast", *where, "--bytes", "8", "--algorithm", name).split()[-3]
                 for plugin, name in ((("--plugin=" + star,), "star"), ((), "linear"))]
        self.assertEqual(times[0], times[1])
        self.done(self.tutti, "tune", *where, "--collectives", "bcast", "--bytes", "8", "--algorithms", "star", "--confirm",
                  "none", "-o", "table.json", TUTTI_PLUGINS=star)
        with open(os.path.join(self.folder, "table.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["rules"][0]["algorithm"], "star")

    def test_ASweepOnSlurmHasIt(self):
        star = os.path.join(self.folder, "of a job.so")
        shutil.copy(self.star(), star)
        self.done(self.tutti, "--plugin", star, "tune", "--machine", "example-cluster", "--nodes", "2", "--bytes", "8", "--collectives", "bcast",
                  "--confirm", "none", "--state", "slurm", "--slurm", "tasks=1,cpus=1,time=1", "-o", "job.sh")
        for task in ("shard", "merge"):
            self.done("sh", "job.sh", task, SLURM_ARRAY_TASK_ID="1", SLURM_CPUS_PER_TASK="1")
        with open(os.path.join(self.folder, "slurm", "table.json"), encoding="utf-8") as file:
            self.assertIn("star", json.load(file)["cells"][0]["times_us"])

    def test_AWrongOneIsRefutedAndNotChosen(self):
        wrong = self.wrong()
        done = self.call(self.tutti, "--plugin", wrong, "verify", "--algorithm", "star", "--ranks", "1-4")
        self.assertEqual(done.returncode, 1)
        self.assertIn("bcast/star", done.stdout)

    def test_AWrongOneIsRefusedWhereSomethingIsChosen(self):
        where = ("--machine", "example-cluster", "--nodes", "4", "--ppn", "1", "--bytes", "8")
        for choosing in (("tune", *where, "--confirm", "none", "-o", "refused.json"), ("whatif", "bcast", *where, "--latency", "leaf=1us")):
            for asked in ((), ("--algorithms", "star"), ("--algorithms", "hier(node=star)")):
                collectives = ("--collectives", "bcast") if choosing[0] == "tune" else ()
                done = self.call(self.tutti, "--plugin", self.wrong(), *choosing, *collectives, *asked)
                self.assertEqual((done.returncode, done.stdout), (2, ""), (choosing, asked, done.stderr))
                self.assertRegex(done.stderr, r"refuted, and so not to be chosen: bcast/(star|hier\S*star\S*) ranks=2", (choosing, asked))
        done = self.call(self.tutti, "--plugin", self.wrong(), "tune", *where, "--collectives", "bcast", "--confirm", "none", "--algorithms", "binomial",
                         "-o", "refused.json")
        self.assertEqual(done.returncode, 0, done.stderr)  # which has no part in it

    def test_OneThatIsWrongOnManyRanksIsRefusedWhereSoManyAreAskedFor(self):
        large = self.made("large", self.example().replace("  if (comm.rank() != call.root)", "  if (comm.size() > 300) co_return;\n  if (comm.rank() != call.root)"))
        for nodes, status in ((9, 0), (310, 2)):
            done = self.call(self.tutti, "--plugin", large, "tune", "--machine", "azure-ndv5", "--nodes", str(nodes), "--ppn", "1", "--bytes", "8",
                             "--collectives", "bcast", "--algorithms", "star", "--confirm", "none", "-o", "large.json")
            self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn("bcast/star ranks=310 count=1", done.stderr)

    def test_ASweepNoticesThatAPluginHasChanged(self):
        library = os.path.join(self.folder, "changing.so")
        shutil.copy(self.star(), library)
        tune = (self.tutti, "--plugin", library, "tune", "--machine", "example-cluster", "--nodes", "2", "--collectives", "bcast",
                "--bytes", "8", "--algorithms", "star", "--state", "sweep", "--shard", "1/1")
        self.done(*tune)
        shutil.copy(self.made("other", self.example() + "int another_thing = 1;\n"), library)
        done = self.call(*tune)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("holds another sweep", done.stderr)

    def test_WhatCannotBeDeclaredIsRefusedByName(self):
        changes = ((r'\.rounds\("[^"]*"\)', '.rounds("p-")', "bcast/star: rounds: expression 'p-'"),
                   (r'\.messages\("[^"]*"\)', '.messages("quux-1")', "bcast/star: messages: unknown name 'quux'"),
                   (r'\.rounds\("[^"]*"\)', '.rounds("sum(i,0,1e18,1)")', "bcast/star: rounds: sum: expected at most 2^24 terms"),
                   (r'\.rounds', '.fallback("p>3", "star").rounds', "bcast/star: fallback: expected an end"),
                   (r'\.rounds', '.fallback("p>3", "nowhere").rounds', "bcast/star: fallback: expected another algorithm of bcast"),
                   (r'\.rounds', '.parameter("p", 2, 1).tried({3}).rounds', "bcast/star: parameter 'p': expected a name"),
                   (r'\.rounds', '.ports("0-5").rounds', "bcast/star: ports: '0-5' gives"),
                   (r'bcast, "star"', 'bcast, "all"', "bcast/all: expected a name that means nothing else"),
                   (r'bcast, "star"', 'bcast, "a,b:c"', "bcast/a,b:c: expected a name of letters, digits and _"),
                   (r'bcast, "star"', 'bcast, "binomial"', "bcast/binomial: expected a name that no other"))
        star = self.example()
        declaration = re.search(r"^TUTTI_ALGORITHM\(.*?;$", star, re.M | re.S)[0]
        cases = ""
        for number, (old, new, _) in enumerate(changes):
            text, changed = re.subn(old, new, declaration, count=1)
            self.assertEqual(changed, 1, old)
            cases += f'  if (asked == "{number}") {{ {text} }}\n'
        library = self.made("wrongs", "#include <cstdlib>\n#include <string>\n" + star.replace(
            declaration, f'static const bool declared = [] {{\n  const std::string asked = std::getenv("DECLARED");\n{cases}  return true;\n}}();'))
        for number, (_, _, said) in enumerate(changes):
            self.refused(said, library, DECLARED=str(number))

    def test_OneThatWasCutShortIsRefusedBeforeItIsLoaded(self):
        with open(self.star(), "rb") as file:
            whole = file.read()
        cut = os.path.join(self.folder, "cut.so")
        for length in (20, 100, 600, 3000, 4096, len(whole) - 1):
            with open(cut, "wb") as file:
                file.write(whole[:length])
            self.refused(f"cut.so: {length} bytes, cut short: expected a whole shared object", cut)
        with open(cut, "wb") as file:
            file.write(whole)
        self.assertIn("star", self.done(self.tutti, "--plugin", cut, "list", "bcast"))

    def test_WhatIsNoneOrOfOtherHeadersOrTwiceThereIsRefused(self):
        self.refused("expected a plug-in", os.path.join(self.folder, "nowhere.so"))
        self.refused("expected a plug-in", os.path.join(EXAMPLE, "star.cpp"))
        self.refused("one of whose files says TUTTI_PLUGIN", self.made("silent", self.example().replace("TUTTI_PLUGIN\n", "")))
        other = os.path.join(self.folder, "other-headers")
        self.done("cp", "-R", os.path.join(self.prefix, "include", "tutti"), other)
        header, = glob.glob(os.path.join(other, "algos", "plugin.hpp"))
        with open(header, encoding="utf-8") as file:
            text = file.read()
        with open(header, "w", encoding="utf-8") as file:
            file.write(re.sub(r"tutti_abi_\w+", "tutti_abi_of_another", text))
        self.refused("made for another version of Tutti", self.made("other", self.example(), include=other))


if __name__ == "__main__":
    unittest.main()
