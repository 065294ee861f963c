"""tutti validate --mpi: whose results lie in a folder, what is missing of them, and commands that a script can run anywhere."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
sys.path.insert(0, ROOT)
from validation import ValidationError  # noqa: E402
from validation.batch import from_anywhere  # noqa: E402
from validation.mpi import arms, results  # noqa: E402
from validation.table import Cell  # noqa: E402

TUTTI = os.path.join(os.environ["TUTTI_BUILD"], "tutti")


class Folder(unittest.TestCase):
    """Without an MPI: what the jobs would have written is written here."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        done = self.call("tune", "--machine", "example-cluster", "--nodes", "1", "--ppn", "4", "--bytes", "64,1K", "--collectives", "bcast", "--for",
                         "open-mpi-4.1", "--exhaustive", "--confirm", "none", "-o", "one.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.folder, "one.json"), encoding="utf-8") as file:
            table = json.load(file)
        chosen = table["rules"][0]["algorithm"]
        other = next(name for name in ("chain", "binary", "linear") if name != chosen)
        for cell in table["cells"]:
            cell["times_us"][other] = min(cell["times_us"].values()) / 2
        for rule in table["rules"]:
            rule["algorithm"] = other
        with open(os.path.join(self.folder, "other.json"), "w", encoding="utf-8") as file:
            json.dump(table, file)

    def call(self, *words, **environment):
        return subprocess.run([TUTTI, *words], cwd=self.folder, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})

    def validate(self, *words, table="one.json", **environment):
        return self.call("validate", table, "--mpi", "--no-plots", "--first", "1", "--blocks", "0", "--predicted-within", "100", "-o", "out", *words,
                         **environment)

    def read(self, name):
        with open(os.path.join(self.folder, "out", name), encoding="utf-8") as file:
            return file.read()

    def measured(self, *jobs):
        for job in jobs:
            lines = []
            for line in self.read(f"{job}-4.plan").splitlines():
                collective, ranks, size, arm, *_ = line.split()
                lines += [f"sent,{collective},{ranks},{size},{arm},0>1:1:{len(arm)}", f"time,{collective},{ranks},{size},{arm},0,1.5"]
            with open(os.path.join(self.folder, "out", f"{job}-4-0.csv"), "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")

    def test_OfAnotherTableIsRefusedAndStaysAsItIs(self):
        self.assertEqual(self.validate("--batch").returncode, 0)
        self.measured("default", "table", "forced")
        before = self.read("open-mpi.rules")
        for how in ("--batch", "--read"):
            done = self.validate(how, table="other.json")
            self.assertEqual(done.returncode, 2)
            self.assertIn("out: has results of another table's rules: expected a new folder", done.stderr)
            self.assertEqual(self.read("open-mpi.rules"), before)
        self.assertIn(self.validate("--read").returncode, (0, 1))

    def test_WhatIsMissingIsSaidInOneLine(self):
        self.assertEqual(self.validate("--batch").returncode, 0)
        for jobs, said in (((), "expected results such as default-4-0.csv"), (("default",), "has no times of table for bcast of 64 bytes on 4 ranks"),
                           (("default", "table"), "has no times of ")):
            self.measured(*jobs)
            done = self.validate("--read")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        self.measured("forced")
        self.assertIn(self.validate("--read").returncode, (0, 1))
        path = os.path.join(self.folder, "out", "table-4-0.csv")
        text = self.read("table-4-0.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(re.sub(r",1\.5\n", ",0.000\n", text, count=1))
        done = self.validate("--read")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"table-4-0\.csv:\d+: expected a line of .*is no time")

    def test_AScriptThatIsNotAtItsEndIsSaid(self):
        self.assertEqual(self.validate("--batch", "--repetitions", "1").returncode, 0)
        self.measured("default", "table", "forced")
        self.assertNotIn("has not finished", self.validate("--read").stderr)
        with open(os.path.join(self.folder, "out", "jobs.txt"), "a", encoding="utf-8") as file:
            file.write("default-4-1.csv 3\n")
        self.assertIn("run.sh in out has not finished; see tutti status", self.validate("--read").stderr)

    def test_OptionsThatCannotBeAreRefused(self):
        for words, said in ((("--within", "nan"), "--within nan: expected 1 or more"), (("--predicted-within", "0.5"), "--predicted-within 0.5"),
                            (("--mpirun", "mpirun 'x"), "--mpirun mpirun 'x: No closing quotation"), (("--mpirun", ""), "--mpirun : expected a command"),
                            (("--mpirun", "mpirun -x 'FOO=a b'"), "expected a command whose words have no blanks")):
            done = self.validate("--batch", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(said, done.stderr)
            self.assertFalse(os.path.exists(os.path.join(self.folder, "out", "run.sh")))
        for sizes in ("bogus", "8:1", "0:8", "1:3G", "4"):
            done = self.call("calibrate", "--mpi", "points", "--batch", "--sizes", sizes)
            self.assertEqual(done.returncode, 2, sizes)
            self.assertIn(f"--sizes {sizes}: expected", done.stderr)
            self.assertEqual(glob.glob(os.path.join(self.folder, "points", "*")), [])

    def test_TheScriptRunsWhatTheOptionsName(self):
        self.assertEqual(self.validate("--batch", "--bench", "/opt/bench", BENCH="/bin/echo").returncode, 0)
        self.assertIn("\nBENCH=/opt/bench\n", self.read("run.sh"))
        false = os.path.join(self.folder, "false")
        with open(false, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho called >&2\nexit 1\n")
        os.chmod(false, 0o755)
        done = self.validate("--mpirun", false, MPIRUN="/bin/true")
        self.assertIn("called", done.stderr)


class Commands(unittest.TestCase):
    def test_NameFilesWhereTheyAreTyped(self):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for name in ("hosts", "4"):
                    with open(name, "w", encoding="ascii"):
                        pass
                here = os.getcwd()
                self.assertEqual(from_anywhere("mpirun --hostfile hosts -np 4"), f"mpirun --hostfile {here}/hosts -np 4")
                self.assertEqual(from_anywhere("bin/mpirun -machinefile=hosts --hostfile gone"), f"{here}/bin/mpirun -machinefile={here}/hosts --hostfile gone")
            finally:
                os.chdir(before)
        with self.assertRaises(ValidationError):
            from_anywhere("")


class Made(unittest.TestCase):
    def test_OfOtherCollectivesCannotBeToldByWhatIsForced(self):
        sent = {"table": "0>1:1:8", "linear": "1>0:1:8", "default": "0>1:1:8"}
        for collective, choice, said in (("allgather", "linear", None), ("bcast", "linear", False)):
            plan = arms.Plan(Cell(collective, 4, 1, 64), choice, {choice: {}})
            self.assertIs(results.followed(plan, results.Results({}, {results.key_of(plan): sent})), said)


if __name__ == "__main__":
    unittest.main()
