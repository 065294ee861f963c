"""tutti follow: the installed Open MPI under classic rules files, as a person asks for it."""
import json
import os
import shlex
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", ".."))
from validation.follow import layouts, probe  # noqa: E402

TUTTI = os.path.join(os.environ["TUTTI_BUILD"], "tutti")
# Broadcasts on four ranks: linear, from 4096 bytes on pipelined.
RULES = "1\n7\n1\n4\n2\n0 1 0 0\n4096 3 0 1024\n"


class Follow(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.rules = self.write("bcast.rules", RULES)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def program(self, name):
        path = self.write(name, "#!/bin/sh\n")
        os.chmod(path, 0o755)
        return path

    def follow(self, *arguments):
        return subprocess.run([TUTTI, "follow", *arguments], capture_output=True, text=True, cwd=self.folder)

    def mpi(self, ranks):
        try:
            return f"{probe.installed().mpirun} -np {ranks} --oversubscribe"
        except probe.ProbeError as error:
            raise unittest.SkipTest(str(error)) from error

    def test_SaysWhatRanOnBothSidesOfEachThreshold(self):
        done = self.follow(self.rules, "--mpi", self.mpi(4))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\AOpen MPI \S+, 4 ranks on 1 host, messages as pml_monitoring counts them; "
                                      r".*bcast.rules as open-mpi-classic\n")
        self.assertRegex(done.stdout, r"\nbcast +4 ranks +1000 B  linear\b")
        self.assertRegex(done.stdout, r"\nbcast +4 ranks +4095 B  linear\b")
        self.assertRegex(done.stdout, r"\nbcast +4 ranks +4096 B  pipeline:segment=1024\b")
        self.assertTrue(done.stdout.endswith("\n3 calls, 0 of them not as the file says\n"), done.stdout)
        self.assertEqual(os.listdir(self.folder), ["bcast.rules"])

    def test_SaysWhatRanInsteadWhereTheLibraryDoesNotFollow(self):
        # The library finds another file than the one that is compared with: binomial for all.
        other = self.write("other.rules", "1\n7\n1\n4\n1\n0 6 0 0\n")
        swap = shlex.join(["sh", "-c", f'cp {other} {self.rules}; exec "$@"', "sh", *self.mpi(4).split()])
        done = self.follow(self.rules, "--mpi", swap, "--json")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        found = json.loads(done.stdout)
        self.assertEqual((found["form"], len(found["hosts"]), found["not_followed"]), ("open-mpi-classic", 4, 3))
        for call in found["calls"]:
            self.assertRegex(call["what"], "^NOT FOLLOWED: the file says .*, the messages are those of .*binomial")

    def test_MakesTheCallsOfATablesCells(self):
        mpi, table = self.mpi(4), os.path.join(self.folder, "table.json")
        made = subprocess.run([TUTTI, "tune", "--machine", "example-cluster", "--nodes", "3,4", "--bytes", "64,32K", "--collectives",
                               "bcast", "--algorithms", "linear,binomial", "-o", table], capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        found = json.loads(self.follow(self.rules, "--mpi", mpi, "--table", table, "--json").stdout)
        self.assertEqual([call["bytes"] for call in found["calls"]], [64, 1000, 4095, 4096, 32768])
        done = self.follow(self.rules, "--mpi", self.mpi(2), "--table", table)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Atutti follow: .*table.json: expected cells of what the file has, on 2 ranks on 1 hosts\n\Z")

    def test_RefusesWhatItCannotRunWithOneLine(self):
        mpi = self.mpi(2)
        with open(self.write("five.rules", RULES) + ".han", "w", encoding="utf-8"):
            pass
        cases = [(("nowhere.rules", "--mpi", mpi), "nowhere.rules"),
                 ((self.write("bad.rules", RULES.replace("4096", "04096")), "--mpi", mpi), r"\S*bad.rules:7: expected a message size"),
                 ((self.rules, "--mpi", "srun -n 4"), "--mpi: expected a command with an mpirun of Open MPI, MPICH or Intel MPI, found 'srun -n 4'"),
                 ((self.rules, "--mpi", "/nonexistent/mpirun"), "--mpi: /nonexistent/mpirun: expected a program"),
                 ((self.rules, "--mpi", self.program("mpirun")), "--mpi: expected an mpirun of Open MPI, MPICH or Intel MPI, whose name '.*mpirun --version' does"),
                 ((self.rules, "--mpi", "mpirun '"), "--mpi: .*: expected a command such as"),
                 ((self.rules, "--mpi", mpi, "--mpicc", "/bin/true"), "--mpicc: expected Open MPI's, found /bin/true"),
                 ((self.rules, "--mpi", mpi, "--ranks", "2-4"), "--ranks: expected 2 to 2, which is how many --mpi starts"),
                 ((self.rules, "--mpi", mpi, "--collectives", "reduce"), r"\S*bcast.rules: expected rules for reduce, found bcast"),
                 ((self.rules, "--mpi", mpi + " --no-such-option"), "mpirun ended with ")]
        if probe.installed().series != "5.0":
            cases.append((("five.rules", "--mpi", mpi), "five.rules: expected Open MPI 5.0, whose coll/han the file is for, found "))
        for arguments, expected in cases:
            with self.subTest(arguments=arguments):
                done = self.follow(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, rf"\Atutti follow: {expected}[^\n]*\n\Z")

    def test_TellsWhichRanksAreOnANodeWhateverTheirOrder(self):
        for hosts, nodes in ((["a", "a", "b", "b"], [0, 0, 1, 1]), (["a"], [0]), (["b", "a", "b", "a"], [0, 1, 0, 1]), (["c", "b", "b", "a"], [0, 1, 1, 2])):
            self.assertEqual(layouts.node_of_rank(hosts), nodes)

    def test_OfLibrariesThatAreAskedByRanksPerHostRefusesOtherLayouts(self):
        self.assertEqual(layouts.ranks_per_host(["a", "a", "b", "b"]), 2)
        for hosts in (["a", "a", "b"], ["a", "b", "b"], ["a", "a", "b", "c"], ["a", "b", "a", "b"]):
            with self.assertRaisesRegex(probe.ProbeError, "expected as many ranks on each host"):
                layouts.ranks_per_host(hosts)


if __name__ == "__main__":
    unittest.main()
