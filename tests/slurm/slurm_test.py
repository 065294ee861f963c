"""Under a real Slurm, a sweep whose tasks are killed, requeued and cancelled comes to the table of one process."""
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest

import cluster

TUTTI = os.path.join(os.environ["TUTTI_BUILD"], "tutti")
TUNE = ("tune", "--machine", "example-cluster", "--nodes", "2-8", "--ppn", "1,2", "--osu-sizes", "8:64K", "--collectives",
        "bcast,allreduce,allgather", "--confirm", "none")
TASKS = 3


class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if reason := cluster.why_not():
            raise unittest.SkipTest(reason)
        folder = tempfile.TemporaryDirectory(prefix="tutti-slurm-", dir="/tmp")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        os.mkdir(cls.path("slurm"))
        cls.slurm = cluster.Cluster(cls.path("slurm"))
        cls.addClassCleanup(cls.slurm.stop)
        subprocess.run([TUTTI, *TUNE, "-o", "one.json"], cwd=cls.folder, check=True, capture_output=True)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def write_job(self, state):
        subprocess.run([TUTTI, *TUNE, "--state", state, "--slurm", f"tasks={TASKS},cpus=1,time=10:00", "-o", state + ".sh"],
                       cwd=self.folder, check=True, capture_output=True)

    def submit(self, state):
        """The numbers of the array and of the job that merges."""
        said = self.slurm.call("sh", state + ".sh", cwd=self.folder)
        return re.search(r"job (\d+); then merge: job (\d+)", said).groups()

    def task_under_way(self, state, array):
        """One that has begun a part: its process and number."""
        for _ in range(1200):
            folder = self.path(state + "/parts")
            for name in os.listdir(folder):
                if not name.endswith(".part"):
                    continue
                text = self.read(f"{state}/parts/{name}")
                by = re.search(rf"^by .*, process (\d+), Slurm job {array}_(\d+)$", text, re.MULTILINE)
                if by and "\nunder way\n" in text:
                    return int(by[1]), by[2]
            time.sleep(0.05)
        self.fail("no task began: " + self.slurm.log("slurmctld"))

    def expect_the_table_of_one_process(self, state):
        self.slurm.wait_for_jobs()
        logs = "".join(self.read(f"{state}/log/{name}") for name in sorted(os.listdir(self.path(state + "/log"))))
        self.assertTrue(os.path.exists(self.path(state + "/table.json")), logs)
        self.assertEqual(self.read(state + "/table.json"), self.read("one.json"))

    def test_ATaskThatIsKilledIsRequeuedAndDoesWhatIsLeft(self):
        self.write_job("killed")
        array, merge = self.submit("killed")
        self.slurm.call("scontrol", "hold", merge)  # all tasks may have ended before the one that is killed goes on
        process, task = self.task_under_way("killed", array)
        os.kill(process, signal.SIGKILL)
        job = f"{array}_{task}"
        self.until(lambda: "JobState=FAILED" in self.job(job), "the killed task is seen to have failed")
        self.assertIn("ExitCode=0:9", self.job(job))
        self.slurm.call("scontrol", "requeue", job)
        self.until(lambda: "Restarts=1" in self.job(job), "it is requeued")
        self.slurm.call("scontrol", "release", merge)
        self.expect_the_table_of_one_process("killed")
        self.assertIn(f"shard {task}/{TASKS}: ", self.read(f"killed/log/{job}.txt"))

    def job(self, number):
        return self.slurm.call("scontrol", "show", "job", number)

    def until(self, holds, what):
        for _ in range(600):
            if holds():
                return
            time.sleep(0.1)
        self.fail("not within a minute: " + what)

    def test_WhatIsCancelledIsMissedAndGoesOnWhereItIsSubmittedAgain(self):
        self.write_job("cancelled")
        array, merge = self.submit("cancelled")
        self.task_under_way("cancelled", array)
        self.slurm.call("scancel", array)
        self.slurm.wait_for_jobs()
        self.assertIn("parts are missing: no table is written", self.read(f"cancelled/log/{merge}.txt"))
        self.assertFalse(os.path.exists(self.path("cancelled/table.json")))
        self.submit("cancelled")
        self.expect_the_table_of_one_process("cancelled")

    def test_AnArrayOfMpiJobsGoesOnWhereItWasCancelledAndIsRead(self):
        if not os.path.exists(os.path.join(os.environ["TUTTI_BUILD"], "tutti-mpi-bench")):
            self.skipTest("no MPI library was found when this was built")
        subprocess.run([TUTTI, "tune", "--machine", "example-cluster", "--nodes", "1", "--ppn", "3,4", "--bytes", "1K,64K", "--collectives",
                        "bcast,reduce", "--for", "open-mpi-4.1", "-o", "table.json"], cwd=self.folder, check=True, capture_output=True)
        # Over TCP, and waiting asleep: ranks that poll would wait for each other's turns on a busy machine.
        launcher = ("mpirun --allow-run-as-root --oversubscribe --mca btl tcp,self --mca btl_tcp_if_include lo --mca mpi_yield_when_idle 1")
        subprocess.run([TUTTI, "validate", "table.json", "--mpi", "-o", "results", "--batch", "--tasks", "2", "--mpirun", launcher, "--nap", "1000",
                        "--first", "1", "--blocks", "1", "--repetitions", "1", "--no-plots"], cwd=self.folder, check=True, capture_output=True)
        submitted = lambda: re.search(r"job (\d+); then", self.slurm.call("sh", "results/submit.sh", cwd=self.folder))[1]
        array = submitted()
        self.until(lambda: os.path.exists(self.path("results/part-1/table-3-0.csv")), "a job of the first task is done")
        first = os.stat(self.path("results/part-1/table-3-0.csv")).st_mtime_ns
        self.slurm.call("scancel", array)
        self.slurm.wait_for_jobs()
        self.assertFalse(os.path.exists(self.path("results/report.md")))
        self.assertIn("2 parts: 0 done", subprocess.run([TUTTI, "status", "results"], cwd=self.folder, capture_output=True, text=True).stdout)
        submitted()
        self.slurm.wait_for_jobs()
        logs = "".join(self.read(f"results/{name}") for name in sorted(os.listdir(self.path("results"))) if name.endswith(".log"))
        self.assertTrue(os.path.exists(self.path("results/report.md")), logs)
        self.assertEqual(os.stat(self.path("results/part-1/table-3-0.csv")).st_mtime_ns, first)
        self.assertIn("2 parts: 2 done", subprocess.run([TUTTI, "status", "results"], cwd=self.folder, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    unittest.main()
