"""tutti validate --mpi: verdicts from planted measurements, and the whole of it under the installed Open MPI."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, ROOT)
from validation.mpi import arms, results, script, statistics, verdict  # noqa: E402
from validation.mpi.table import Cell, Table  # noqa: E402

BUILD = os.environ["TUTTI_BUILD"]
TUTTI = os.path.join(BUILD, "tutti")
CELL = Cell("bcast", 4, 1, 1024)
PREDICTED = {"ring": 100.0, "linear": 300.0, "chain": 150.0}


def judged(times, sent=None, choice="ring"):
    plan = arms.Plan(CELL, choice, {name: {} for name in PREDICTED})
    sent = sent or {"default": "0>1:1:8", "linear": "0>1:1:8", "table": "1>2:1:8", "ring": "1>2:1:8", "chain": "2>3:1:8"}
    key = results.key_of(plan)
    return verdict.judge(plan, Table("m", "barrier", {CELL: PREDICTED}), results.Results({key: times}, {key: sent}))


def around(value, count=9):
    return [value * (1 + 0.001 * (i - count // 2)) for i in range(count)]


class Verdicts(unittest.TestCase):
    def test_SpeedUpRegretErrorAndRecoveryAreThoseOfTheMedians(self):
        found = judged({"default": around(400), "table": around(110), "ring": around(100), "linear": [400.0],
                        "chain": around(130)})
        self.assertAlmostEqual(found.speedup.value, 400 / 110)
        self.assertAlmostEqual(found.regret.value, 1.1)
        self.assertAlmostEqual(found.error.value, 100 / 110 - 1)
        self.assertAlmostEqual(found.errors["linear"], 300 / 400 - 1)
        self.assertAlmostEqual(found.recovered, (400 - 110) / (400 - 100))
        self.assertEqual((found.best, found.default_ran, found.followed, found.slower), ("ring", ["linear"], True, False))
        self.assertTrue(found.speedup.low < found.speedup.value < found.speedup.high)

    def test_ARivalThatWasDroppedEarlyIsNotTheBest(self):
        found = judged({"default": around(400), "table": around(110), "ring": around(100), "linear": [1.0],
                        "chain": around(130)})
        self.assertEqual(found.best, "ring")

    def test_ALibraryThatDidSomethingElseAndATableThatIsSlowerAreFindings(self):
        times = {"default": around(100), "table": around(120), "ring": around(120), "linear": around(100), "chain": around(130)}
        other = {"table": "0>1:1:8", "ring": "1>2:1:8", "default": "0>1:1:8", "linear": "0>1:1:8"}
        found = judged(times, other)
        self.assertFalse(found.followed)
        self.assertTrue(found.slower)
        self.assertIsNone(found.recovered)
        summary = verdict.summarize([found, judged(times)])
        self.assertEqual((summary.cells, summary.not_followed, summary.slower), (2, 1, 2))

    def test_NoiseAloneIsNoFinding(self):
        wild = [60.0, 200, 70, 180, 90, 150, 100, 130, 120]
        self.assertFalse(judged({"default": wild, "table": [value * 1.06 for value in wild], "ring": around(100),
                                 "linear": around(100), "chain": around(100)}).slower)

    def test_IntervalsHoldWhatTheyShouldAndAreTheSameEachTime(self):
        sample = [[10.0, 11, 12, 13, 14, 15, 16]]
        first = statistics.estimate(sample, lambda medians: medians[0])
        self.assertEqual(first, statistics.estimate(sample, lambda medians: medians[0]))
        self.assertTrue(10 <= first.low < 13 < first.high <= 16)
        self.assertEqual(statistics.estimate([[5.0] * 4], lambda medians: medians[0]), statistics.Estimate(5, 5, 5))


class Script(unittest.TestCase):
    def test_OnlyArmsNearTheBestAreRepeated(self):
        with tempfile.TemporaryDirectory() as folder:
            def write(name, text):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            write("all.plan", "bcast 4 8 ring a=1\nbcast 4 8 linear a=2\nbcast 4 8 chain a=3\nbcast 5 8 linear a=2\n")
            write("default.csv", "time,bcast,4,8,default,0,100\n")
            write("forced.csv", "sent,bcast,4,8,ring,0>1:1:8\ntime,bcast,4,8,ring,0,100\ntime,bcast,4,8,linear,0,900\n"
                  "time,bcast,4,8,chain,0,1000\ntime,bcast,4,8,chain,1,120\ntime,bcast,5,8,linear,0,900\n")
            done = subprocess.run(["bash", "-c", f"WITHIN=1.3\n{script.DROP}\ndrop_slow all.plan default.csv forced.csv"],
                                  cwd=folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "bcast 4 8 ring a=1\nbcast 4 8 chain a=3\nbcast 5 8 linear a=2\n")


class WholeRun(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(os.path.join(BUILD, "tutti-mpi-bench")):
            self.skipTest("no MPI library was found when this was built")
        folder = tempfile.TemporaryDirectory(prefix="tutti-validate-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.table = os.path.join(self.folder, "table.json")
        # One node, so that the installed library's processes are where the table says.
        subprocess.run([TUTTI, "tune", "--machine", "example-cluster", "--nodes", "1", "--ppn", "3,4", "--bytes", "1K,64K",
                        "--collectives", "bcast,reduce,scatter", "--for", "open-mpi-4.1", "-o", self.table], check=True, capture_output=True)

    def validate(self, *arguments):
        return subprocess.run([TUTTI, "validate", self.table, "--mpi", "-o", os.path.join(self.folder, "out"), *arguments],
                              capture_output=True, text=True, timeout=300,
                              env=dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"))

    def read(self, name):
        with open(os.path.join(self.folder, "out", name), encoding="utf-8") as file:
            return file.read()

    def test_UnderOpenMpiEveryCellIsFollowedRepeatedAndReported(self):
        # Over TCP, and waiting asleep: ranks that poll would wait for each other's turns on a busy machine.
        mpirun = "mpirun --oversubscribe --mca btl tcp,self --mca btl_tcp_if_include lo --mca mpi_yield_when_idle 1"
        done = self.validate("--mpirun", mpirun, "--nap", "1000", "--first", "2", "--blocks", "2", "--repetitions", "2", "--no-plots")
        self.assertIn(done.returncode, (0, 1), done.stderr)  # times of shared memory are not the example's
        report = json.loads(self.read("validation.json"))
        exported = json.loads(subprocess.run([TUTTI, "export", self.table, "--to", "open-mpi-classic", "--json", "-o",
                                              os.path.join(self.folder, "rules")], check=True, capture_output=True).stdout)
        self.assertEqual(len(report["cells"]), 12 - exported["own_choice"]["cells"])
        self.assertGreater(len(report["cells"]), 6)
        for cell in report["cells"]:
            self.assertTrue(cell["followed"], cell)
            self.assertEqual(cell["repetitions"], 6)
            self.assertLessEqual(cell["speedup"]["low"], cell["speedup"]["high"])
        self.assertTrue(any(cell["default_ran"] for cell in report["cells"]))
        self.assertIn("| ranks | size | default ran |", self.read("report.md"))
        again = self.validate("--read", "--no-plots")
        self.assertEqual(again.returncode, done.returncode)
        self.assertEqual(json.loads(self.read("validation.json")), report)

    def test_ABatchScriptAsksForTheNodesAndRunsNothing(self):
        done = self.validate("--batch")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("#SBATCH --nodes=1\n#SBATCH --ntasks-per-node=4\n", self.read("run.sh"))
        self.assertEqual(subprocess.run(["bash", "-n", os.path.join(self.folder, "out", "run.sh")]).returncode, 0)
        refused = self.validate("--read")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("has run.sh run to its end?", refused.stderr)

    def test_WhatCannotBeValidatedIsRefusedInOneLine(self):
        for arguments, expected in ((("--collectives", "gather"), "at least one cell"), (("--first", "0"), "--first 0"),
                                    (("--mpirun", "false"), "a job failed")):
            done = self.validate(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(expected, done.stderr)
        self.table = os.path.join(self.folder, "absent.json")
        done = self.validate()
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))


if __name__ == "__main__":
    unittest.main()
