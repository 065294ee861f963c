"""A sweep that is killed goes on where it stopped and ends with the same bytes."""
import os
import signal
import sqlite3
import subprocess
import time
import unittest

from program import TUTTI, ProgramTest

TUNE = ("tune", "--machine", "example-cluster", "--nodes", "2-7", "--ppn", "1,3", "--osu-sizes", "8,1K,16K",
        "--collectives", "bcast,allreduce,allgather,barrier")


class Resumed(ProgramTest):
    def finished(self):
        """Rows that are in the state."""
        try:
            with sqlite3.connect(f"file:{self.path('state/sweep.sqlite')}?mode=ro", uri=True, timeout=10) as state:
                return state.execute("SELECT count(*) FROM simulated").fetchone()[0]
        except sqlite3.OperationalError:  # not there yet
            return 0

    def test_AfterKill9TheTableIsTheSameByteForByte(self):
        self.output(*TUNE, "-o", "undisturbed.json")
        killed_at = []
        for rows in (1, 150, 400):
            sweep = subprocess.Popen([TUTTI, *TUNE, "--jobs", "1", "--state", "state", "-o", "resumed.json"],
                                     cwd=self.folder, stderr=subprocess.DEVNULL)
            while sweep.poll() is None and self.finished() < rows:
                time.sleep(0.002)
            os.kill(sweep.pid, signal.SIGKILL)
            self.assertEqual(sweep.wait(), -signal.SIGKILL, "the sweep ended before it could be killed")
            killed_at.append(self.finished())
            self.assertEqual(sorted(os.listdir(self.folder)), ["state", "undisturbed.json"])
        self.assertEqual(killed_at, sorted(set(killed_at)), "every run should have added to the state")
        self.output(*TUNE, "--state", "state", "-o", "resumed.json")
        self.assertGreater(self.finished(), killed_at[-1])
        self.assertEqual(self.read("resumed.json"), self.read("undisturbed.json"))

    def test_CtrlCSaysWhetherWhatIsDoneIsKept(self):
        for state, expected in (("", "with --state DIRECTORY the same command goes on from there"),
                                ("state", "what is done is kept: the same command goes on from there")):
            sweep = subprocess.Popen([TUTTI, *TUNE, "--costs", "costs.csv", *(["--state", state] if state else []), "-o", "table.json"], cwd=self.folder,
                                     stderr=subprocess.PIPE, text=True)
            while sweep.poll() is None and not os.path.exists(self.path("costs.csv")):
                time.sleep(0.002)
            sweep.send_signal(signal.SIGINT)
            said = sweep.communicate()[1]
            self.assertEqual(sweep.returncode, -signal.SIGINT)
            self.assertIn("tutti: interrupted; " + expected, said)
            os.remove(self.path("costs.csv"))
        self.assertNotIn("table.json", os.listdir(self.folder))

    def test_CtrlCSaysOfAStudyTooThatWhatIsDoneIsKept(self):
        study = subprocess.Popen([TUTTI, "study", "odd-counts", *TUNE[1:3], "--nodes", "2-7", "--ppn", "3", *TUNE[TUNE.index("--osu-sizes"):], "--state", "state", "-o", "study"],
                                 cwd=self.folder, stderr=subprocess.PIPE, text=True)
        while study.poll() is None and self.finished() == 0:
            time.sleep(0.002)
        study.send_signal(signal.SIGINT)
        self.assertIn("tutti: interrupted; what is done is kept: the same command goes on from there", study.communicate()[1])
        self.assertEqual(study.returncode, -signal.SIGINT)

    def test_OneAndTwoJobsGiveTheSameBytes(self):
        tune = ("tune", "--machine", "example-cluster", "--nodes", "2-5", "--ppn", "1,3", *TUNE[TUNE.index("--osu-sizes"):])
        self.output(*tune, "--jobs", "1", "-o", "one.json")
        self.output(*tune, "--jobs", "2", "-o", "two.json")
        self.assertEqual(self.read("one.json"), self.read("two.json"))


if __name__ == "__main__":
    unittest.main()
