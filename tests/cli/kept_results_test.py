"""What takes long and has a --state goes on where it was interrupted, whatever ended it, and ends with the same bytes."""
import csv
import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import time
import unittest

from program import TUTTI, ProgramTest

HEADER = "system,collective,algorithm,ranks,ppn,bytes,median_us\n"
MACHINE = "leonardo-booster"
ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
RULES = os.path.join(ROOT, "examples", "how-to", "by-hand.rules")


class KeptResults(ProgramTest):
    def kept(self, number="count(*)"):
        try:
            with sqlite3.connect(f"file:{self.path('state/results.sqlite')}?mode=ro", uri=True, timeout=10) as state:
                return state.execute(f"SELECT {number} FROM results").fetchone()[0]
        except sqlite3.OperationalError:  # not there yet
            return 0

    def nothing_was_kept_twice(self):
        """What replaces a row has a new number."""
        self.assertEqual(self.kept("max(rowid)"), self.kept(), "something was simulated again")

    def interrupted(self, by, rows, *command):
        """Ends the command once so many results are kept; says how many were."""
        work = subprocess.Popen([TUTTI, *command], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while work.poll() is None and self.kept() < rows:
            time.sleep(0.002)
        os.kill(work.pid, by)
        self.assertEqual(work.wait(), -by, "it ended before it could be interrupted")
        return self.kept()

    def goes_on(self, result, *command):
        """By Ctrl-C and by kill -9 in the middle; `command` writes `result`."""
        self.output(*command)
        undisturbed = self.read(result)
        os.remove(self.path(result))
        before = set(os.listdir(self.folder)) | {"state"}
        command += ("--state", "state", "--jobs", "1")
        kept = [self.interrupted(signal.SIGINT, 1, *command)]
        kept.append(self.interrupted(signal.SIGKILL, kept[-1] + 1, *command))
        kept.append(self.interrupted(signal.SIGINT, kept[-1] + 1, *command))
        self.assertEqual(kept, sorted(set(kept)), "every run should have added to the state")
        self.assertEqual(set(os.listdir(self.folder)), before, "nothing is half-written")
        self.output(*command)
        self.assertGreater(self.kept(), kept[-1])
        self.assertEqual(self.read(result), undisturbed)
        os.remove(self.path(result))
        self.output(*command)
        self.assertEqual(self.read(result), undisturbed)
        self.nothing_was_kept_twice()

    def simulate(self, *more, ranks="40-56", machine=MACHINE):
        return ("simulate", "bcast", "--machine", machine, "--algorithm", "all,default:mpich-5.0", "--ranks", ranks, "--bytes", "64K", *more)

    def whatif(self, *more):
        return ("whatif", "allreduce", "alltoall", "--machine", MACHINE, "--nodes", "11", "--ppn", "2", "--bytes", "8:256K",
                "--set", "transport.network.send_overhead_seconds=1e-7,1e-6", *more)

    def goes_on_by_stdout(self, *command, statuses=(0,)):
        """The same of what writes no file."""
        undisturbed = self.call(*command)
        self.assertIn(undisturbed.returncode, statuses, undisturbed.stderr)
        command += ("--state", "state")
        kept = [self.interrupted(signal.SIGINT, 1, *command)]
        kept.append(self.interrupted(signal.SIGKILL, kept[-1] + 1, *command))
        for _ in range(2):
            done = self.call(*command)
            self.assertEqual((done.returncode, done.stdout), (undisturbed.returncode, undisturbed.stdout))
        self.assertGreater(self.kept(), kept[-1])
        self.nothing_was_kept_twice()

    def test_OfAProof(self):
        self.goes_on_by_stdout("verify", "--collective", "allgather", "--ranks", "1-10")

    def test_OfAScanForJumps(self):
        self.goes_on_by_stdout("machine", "archer2", "--sane", "--quick", statuses=(0, 1))

    def test_OfAnAudit(self):
        sweep = ("--machine", "example-cluster", "--nodes", "2-5", "--ppn", "1,2", "--osu-sizes", "8:64K", "--collectives", "bcast", "--confirm", "none")
        self.output("tune", *sweep, "--algorithms", "linear", "-o", "table.json")
        command = ("audit", RULES, "table.json", "--for", "open-mpi-4.1", "--machine", "example-cluster")
        undisturbed = self.call(*command)
        for _ in range(2):
            done = self.call(*command, "--state", "state")
            self.assertEqual((done.returncode, done.stdout), (undisturbed.returncode, undisturbed.stdout))
            with sqlite3.connect(self.path("state/sweep.sqlite")) as state:
                self.assertGreater(state.execute("SELECT count(*) FROM simulated").fetchone()[0], 0)
                numbers = state.execute("SELECT count(*), max(rowid) FROM simulated").fetchone()
                self.assertEqual(*numbers, "something was simulated again")
        self.refused("--state: expected --machine beside it", *command[:-2], "--state", "state")

    def test_OfSimulateOverManyCounts(self):
        self.goes_on("times.csv", *self.simulate("--csv", "times.csv"))

    def test_OfASweepOfWhatif(self):
        self.goes_on("times.csv", *self.whatif("--csv", "times.csv"))

    def measured(self, ranks):
        rows = HEADER
        for collective, algorithm in (("allgather", "ring"), ("alltoall", "linear"), ("allreduce", "ring"), ("bcast", "binomial")):
            for size in (64, 1024, 65536, 1048576):
                rows += f"example-cluster,{collective},{algorithm},{ranks},2,{size},{size / 500 + 30}\n"
        return self.write("measured.csv", rows)

    def fit(self, *more, ranks=16):
        return ("calibrate", "--collectives", self.measured(ranks), "--base", "example-cluster", "--fit", "allgather:ring,alltoall:linear", "--starts", "2", *more)

    def test_OfCalibrateByCollectives(self):
        self.goes_on("mine.json", *self.fit("-o", "mine.json", ranks=12))

    def test_JsonHasTheSameCriticalPaths(self):
        command = self.simulate("--json", ranks="2-20", machine="example-cluster")
        undisturbed = self.output(*command)
        self.assertIn('"critical_path"', undisturbed)
        for _ in range(2):
            self.assertEqual(self.output(*command, "--state", "state"), undisturbed)

    def test_ALargerSweepTakesWhatASmallerOneLeft(self):
        large = self.simulate("--csv", "-", "--jobs", "1", ranks="40-56")
        undisturbed = self.output(*large)
        self.output(*self.simulate("--state", "state", "--jobs", "1", ranks="40-48"))
        self.assertEqual(self.output(*large, "--state", "state"), undisturbed)
        self.nothing_was_kept_twice()

    def test_WhatIsDamagedIsMadeAnewAndSaid(self):
        command = self.simulate("--csv", "-", "--state", "state", ranks="2-5")
        undisturbed = self.output(*command)
        with sqlite3.connect(self.path("state/results.sqlite")) as state:
            state.execute("UPDATE results SET result = zeroblob(length(result)) WHERE key LIKE '% 3 binomial %'")
            changed = state.total_changes
        state.close()
        self.assertGreater(changed, 0)
        done = self.call(*command)
        self.assertEqual(done.stdout, undisturbed)
        self.assertIn(f"state/results.sqlite: {changed} damaged results were made anew", done.stderr)
        self.assertNotIn("damaged", self.call(*command).stderr)

    def refused(self, expected, *command):
        done = self.call(*command)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, expected)

    def test_TheStateOfOtherInputsIsRefused(self):
        self.output(*self.simulate("--state", "state", ranks="2-3"))
        other = "results.sqlite: holds results of other inputs, or of another version of the program: expected a new --state directory"
        self.refused(other, *self.simulate("--state", "state", ranks="2-3", machine="example-cluster"))
        self.output(*self.fit("-o", "mine.json", "--state", "of_fit", ranks=4))
        self.refused(other, *self.simulate("--state", "of_fit", ranks="2-3", machine="example-cluster"))
        self.write("state/results.sqlite", "no database at all" * 100)
        self.refused("results.sqlite: .*expected the state of a sweep, or a new --state directory", *self.simulate("--state", "state"))
        self.refused("--state: expected no --trace or --space-time", *self.simulate("--state", "state", "--trace", "trace.json"))
        self.refused("--state: expected --collectives", "calibrate", "--node", "node.xml", "-o", "mine.json", "--state", "state")
        self.refused("results.sqlite: is the same file as the input", *self.simulate("--state", "of_fit", "--csv", "of_fit/results.sqlite"))

    def test_FittingSaysOnATerminalHowFarItIs(self):
        text = self.on_terminal(*self.fit("-o", "mine.json", "--jobs", "1"))
        parts = [int(part) for part in re.findall(r"fitting \[[= ]*\] \d+ of \d+ simulations of all rows, (\d+) % of the work, ", text)]
        self.assertGreater(len(parts), 3)
        self.assertGreater(parts[-1], 60, "the estimate is far from what it takes")

    def mesh(self, switches, way=None):
        """Two nodes on each switch, which are all joined by two cables; `way`: routes are given, and which of the two cables that to the second
        node of switch 3 from switch 1 takes, and back."""
        lines = [f"node,n{s}_{i},s{s}" for s in range(switches) for i in range(2)]
        lines += [f"cable,s{a},s{b},2" for a in range(switches) for b in range(a + 1, switches)]
        lines += [f"route,s{a},n{b}_{i},s{b},{way if (a, b, i) in ((1, 3, 1), (3, 1, 1)) else i}"
                  for a in range(switches) for b in range(switches) if way and a != b for i in range(2)]
        self.write("mesh.csv", "\n".join(lines) + "\n")
        machine = json.loads(self.output("machine", "example-cluster", "--json"))
        machine["network"] = {"graph": {"file": "mesh.csv", "source": "a test",
                                        "cable": {"bandwidth_bytes_per_second": 12.5e9, "latency_seconds": 2e-7, "source": "a test"}}}
        self.write("mesh.json", json.dumps(machine))

    def test_OfOtherCablesThatFailAreNotTaken(self):
        self.mesh(5)
        command = ("whatif", "alltoall", "--machine", "mesh.json", "--ppn", "4", "--nodes", "8", "--bytes", "1M", "--algorithms", "pairwise",
                   "--fail", "cable:cable:10,cable:cable:12")
        alone = self.output(*command, "--csv", "-")
        self.assertEqual(len({row["after_us"] for row in csv.DictReader(io.StringIO(alone))}), 2, "the cables should differ")
        self.assertEqual(self.output(*command, "--csv", "-", "--state", "state"), alone)
        for cables in ("cable:cable:10", "cable:cable:12"):
            self.assertIn(self.output(*command[:-1], cables, "--csv", "-", "--state", "state").splitlines()[-1], alone)

    def test_OfAMachineWhoseFilesHaveChangedAreRefused(self):
        self.mesh(4, way="1")
        command = ("tune", "--machine", "mesh.json", "--nodes", "8", "--ppn", "4", "--bytes", "1M", "--collectives", "alltoall", "--algorithms",
                   "pairwise", "--confirm", "none", "-o", "t.json", "--state", "state")
        self.output(*command)
        self.mesh(4, way="0")
        done = self.call(*command)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("state", done.stderr)


if __name__ == "__main__":
    unittest.main()
