"""A sweep that several processes share comes to the table of one, whoever makes what, in whichever order, killed or not."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from program import TUTTI, ProgramTest

SWEEP = ("--machine", "example-cluster", "--nodes", "2-5,8", "--ppn", "1,2", "--osu-sizes", "8,1K,64K", "--collectives",
         "bcast,allreduce,allgather,barrier")
TUNE = ("tune", *SWEEP[:-1], "bcast,allgather,barrier", "--confirm", "none")  # an allreduce takes as long as the rest


def longer(*command):
    """For what goes by the time that parts take."""
    return tuple({"2-5,8": "2-8"}.get(word, word) for word in command)


class Shards(ProgramTest):
    OF_ONE_PROCESS, OF_SHARDS = {}, {}

    def shard(self, text, *more, tune=TUNE):
        return self.output(*tune, "--shard", text, "--state", "sweep", *more)

    def shard_kept(self, text):
        """The same, made once for all tests."""
        if text not in self.OF_SHARDS:
            self.shard(text)
            kept = tempfile.TemporaryDirectory(prefix="tutti-shards-")
            self.addClassCleanup(kept.cleanup)
            self.OF_SHARDS[text] = shutil.copytree(self.path("sweep"), os.path.join(kept.name, "sweep"))
        else:
            shutil.copytree(self.OF_SHARDS[text], self.path("sweep"))

    def state(self):
        return json.loads(self.call("status", "sweep", "--json").stdout)

    def parts(self):
        return sorted(name for name in os.listdir(self.path("sweep/parts")) if name.endswith(".part"))

    def one_process(self, tune=TUNE):
        """The table of one, made once for all tests."""
        if tune not in self.OF_ONE_PROCESS:
            self.output(*tune, "-o", "one.json")
            self.OF_ONE_PROCESS[tune] = self.read("one.json")
        return self.OF_ONE_PROCESS[tune]

    def test_OfAnyNumberAndInAnyOrderComeToTheTableOfOneProcess(self):
        # One alone: ThatAreKilledGoOnWhereTheyStopped. With two jobs and SimGrid: SlurmScript.IsAScriptForAnyShell.
        confirmed = ("tune", *SWEEP[:-1], "allreduce,barrier")  # by SimGrid
        for tune, shards, order, jobs in ((confirmed, 7, (5, 1, 7, 2, 4, 3, 6), "1"), (TUNE, 10, range(10, 0, -1), "2")):
            one = self.one_process(tune)
            for number in order:
                self.shard(f"{number}/{shards}", "--jobs", jobs, tune=tune)
            self.output("merge", "sweep", "-o", "merged.json")
            self.assertEqual(self.read("merged.json"), one, f"{shards} shards")
            shutil.rmtree(self.path("sweep"))

    def test_OfLayoutsThatNoOtherIsLikeLeaveNothingToSimulateToTheMerge(self):
        """Which asks for the same times, up to the same limits, whatever parts asked for of one another's."""
        alone = list(TUNE)
        alone[alone.index("--ppn") + 1] = "4"
        alone += ["--most-messages", "500"]  # so that parts extrapolate from what others simulate, too
        self.output(*alone, "-o", "one.json")
        for number in (2, 1, 3):
            self.output(*alone, "--shard", f"{number}/3", "--state", "sweep")
        done = self.call("merge", "sweep", "-o", "merged.json")
        self.assertEqual((done.returncode, self.read("merged.json")), (0, self.read("one.json")))
        self.assertNotIn("simulated while these were joined", done.stderr)
        self.assertNotIn("merge.part", self.parts())

    def test_ThatAreRefusedLeaveNothingThatWouldRefuseThemPutRight(self):
        sweep = ("tune", "--machine", "example-cluster", "--nodes", "2", "--bytes", "8", "--shard", "1/2", "--state", "sweep")
        for wrong in (("--collectives", "bcast,alltoallv", "--counts", "zipf"), ("--collectives", "bcast", "--nodes", "17"),
                      ("--collectives", "bcast", "--algorithms", "ring"), ("--collectives", "bcast", "--engine", "none")):
            self.assertEqual(self.call(*sweep[:3], *(sweep[5:] if "--nodes" in wrong else sweep[3:]), *wrong).returncode, 2)
            self.assertFalse(os.path.exists(self.path("sweep")), wrong)
        self.output(*sweep, "--collectives", "bcast")

    def test_ThatWereCutOtherwiseBeforeAreFinished(self):
        one = self.one_process()
        self.shard("2/3")
        made = {name: self.read("sweep/parts/" + name) for name in self.parts()}
        self.assertGreater(len(made), 0)
        for number in (1, 2):
            self.shard(f"{number}/2")
        for name, text in made.items():
            self.assertEqual(self.read("sweep/parts/" + name), text, "a part that was done was made again")
        self.output("merge", "sweep", "-o", "merged.json")
        self.assertEqual(self.read("merged.json"), one)

    def test_ThatAreKilledGoOnWhereTheyStopped(self):
        tune = longer("tune", *SWEEP, "--confirm", "none")  # which is not done before it is killed
        one = self.one_process(tune)
        before = -1
        for _ in range(3):
            process = subprocess.Popen([TUTTI, *tune, "--shard", "1/1", "--state", "sweep", "--jobs", "1"], cwd=self.folder,
                                       stderr=subprocess.DEVNULL)
            places = before
            while process.poll() is None and places <= before:
                time.sleep(0.01)
                if os.path.exists(self.path("sweep/sweep.json")):
                    places = sum(part["places_done"] for part in self.state()["parts"])
            self.assertIsNone(process.poll(), "the shard ended before it could be killed")
            process.send_signal(signal.SIGKILL)
            process.wait()
            before = places
        self.assertIn("under way", [part["state"] for part in self.state()["parts"]])
        self.shard("1/1", tune=tune)
        self.output("merge", "sweep", "-o", "merged.json")
        self.assertEqual(self.read("merged.json"), one)

    def test_ThatRunAtTheSameTimeDoNotDisturbEachOther(self):
        one = self.one_process()
        processes = [subprocess.Popen([TUTTI, *TUNE, "--shard", shard, "--state", "sweep", "--jobs", "2"], cwd=self.folder,
                                      stderr=subprocess.DEVNULL) for shard in ("1/2", "1/2", "2/2")]
        self.assertEqual([process.wait() for process in processes], [0, 0, 0])
        self.output("merge", "sweep", "-o", "merged.json")
        self.assertEqual(self.read("merged.json"), one)
        self.assertEqual([name for name in os.listdir(self.path("sweep/parts")) if name.startswith(".")], [])

    def test_ThatAreMissingAreNamedAndNoTableIsWritten(self):
        self.shard_kept("1/3")
        done = self.call("merge", "sweep", "-o", "merged.json")
        self.assertEqual(done.returncode, 1)
        missing = [part["name"] for part in self.state()["parts"] if part["state"] == "waiting"]
        self.assertGreater(len(missing), 0)
        for name in missing:
            self.assertIn(f"missing: {name}: not begun", done.stderr)
        self.assertFalse(os.path.exists(self.path("merged.json")))
        part = "sweep/parts/" + self.parts()[0]
        before = self.read(part)
        done = self.call("merge", "sweep", "--partial", "-o", part)
        self.assertEqual((done.returncode, self.read(part)), (2, before), done.stderr)
        done = self.call("merge", "sweep", "--partial", "-o", "merged.json")
        self.assertEqual(done.returncode, 1)
        table, whole = json.loads(self.read("merged.json")), json.loads(self.one_process())
        self.assertIn(f"{len(missing)} of {len(self.state()['parts'])} parts of the sweep are missing", json.dumps(table["notes"]))
        places = lambda of: {(cell["collective"], cell["nodes"], cell["ppn"]) for cell in of["cells"]}
        self.assertLess(places(table), places(whole))

    def test_MaySayWhatIsAskedForInAnyOrder(self):
        tune = ("tune", "--machine", "example-cluster", "--confirm", "none", "--state", "sweep")
        self.output(*tune, "--nodes", "2,3", "--bytes", "8,64", "--collectives", "barrier,scan", "--shard", "1/2")
        self.output(*tune, "--nodes", "3,2,3", "--bytes", "64,8", "--collectives", "scan,barrier,scan", "--shard", "2/2")
        self.output("merge", "sweep", "-o", "merged.json")

    def test_OfAnotherSweepAreRefused(self):
        self.shard_kept("1/3")
        for option, value, word in (("--nodes", "2-7", "nodes"), ("--bound", "0.1", "bound"), ("--mode", "barrier", "identity"),
                                    ("--machine", "orfeo-thin", "identity"), ("--osu-sizes", "8,1K", "bytes")):
            other = list(TUNE)
            if option in other:
                other[other.index(option) + 1] = value
            else:
                other += [option, value]
            done = self.call(*other, "--shard", "2/3", "--state", "sweep")
            self.assertEqual(done.returncode, 2, option)
            self.assertIn("holds another sweep", done.stderr)
            self.assertIn(word, done.stderr)
        done = self.call(*TUNE, "--state", "sweep", "-o", "one.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("sweep/sweep.json: is a sweep in parts: expected tutti merge", done.stderr)
        self.assertFalse(os.path.exists(self.path("sweep/sweep.sqlite")))
        self.output("tune", "--machine", "example-cluster", "--nodes", "2", "--bytes", "8", "--collectives", "barrier", "--confirm", "none", "--state", "alone", "-o", "one.json")
        done = self.call(*TUNE, "--shard", "1/3", "--state", "alone")
        self.assertEqual(done.returncode, 2)
        self.assertIn("state of a sweep of one process", done.stderr)

    def test_WhoseFilesAreDamagedAreMadeAnew(self):
        one = self.one_process()
        self.shard_kept("1/1")
        names = self.parts()
        for name, damage in zip(names, (lambda text: text[:-30], lambda text: text.replace("0 ", "1 ", 1), lambda text: "")):
            self.write("sweep/parts/" + name, damage(self.read("sweep/parts/" + name)))
        done = self.call("merge", "sweep", "-o", "merged.json")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("damaged: "), 3, done.stderr)
        done = self.call("status", "sweep")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.count("\ndamaged: "), 3, done.stdout)
        done = self.call(*TUNE, "--shard", "1/1", "--state", "sweep")
        self.assertEqual(done.stderr.count("made anew"), 3)
        self.output("merge", "sweep", "-o", "merged.json")
        self.assertEqual(self.read("merged.json"), one)

    def test_StatusSaysOfAFolderWithoutJobsWhatMayBeMissing(self):
        done = self.call("status", "none")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Atutti: none: no directory, expected the --state of tutti tune --shard, or .* or plan\n\Z")
        os.makedirs(self.path("camp"))
        self.write("camp/table.json", "{}")
        done = self.call("status", "camp")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Atutti: camp: neither a sweep's sweep.json nor jobs of MPI are in it, expected .*A plan has none while no round fits its "
                                      r"--budget\n\Z")

    def test_WithoutAnyPartAreAllMissing(self):
        self.shard_kept("1/3")
        shutil.rmtree(self.path("sweep/parts"))
        done = self.call("merge", "sweep", "-o", "merged.json")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("parts are missing: no table is written", done.stderr)

    def test_AreNotWrittenOverByWhatElseIsAskedFor(self):
        self.shard_kept("1/1")
        for file in ("sweep/sweep.json", "sweep/parts/" + self.parts()[0]):
            before = self.read(file)
            done = self.call(*TUNE, "--shard", "1/1", "--state", "sweep", "--costs", file)
            self.assertEqual((done.returncode, self.read(file)), (2, before), done.stderr)
        for arguments, said in ((("--shard", "1/1", "--most-messages", "inf"), "--most-messages: expected 1 to"),
                                (("--slurm", "tasks=1,cpus=1,time=1", "-o", "job.sh", "--costs", "c.csv"), "--costs: expected no --slurm"),
                                (("--slurm", "tasks=1,cpus=1,time=1", "-o", "job.sh", "--jobs", "2"), "--jobs: expected no --slurm")):
            done = self.call(*TUNE, "--state", "other", *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)
        self.assertFalse(os.path.exists(self.path("other")))

    def test_AreNamedAsTheyShouldBe(self):
        for text in ("0/3", "4/3", "3", "/3", "1/", "1/3x", "a/b", "-1/3", "1/99999999999"):
            done = self.call(*TUNE, "--state", "sweep", f"--shard={text}")
            self.assertEqual(done.returncode, 2, text)
            self.assertIn("expected I/N", done.stderr)
        for arguments, said in ((("--shard", "1/2"), "--state"), (("--shard", "1/2", "--state", "sweep", "-o", "a"), "merge"),
                                (("--state", "sweep"), "-o"), (("--slurm", "tasks=2,cpus=2,time=1", "-o", "a"), "--state")):
            done = self.call(*TUNE, *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(said, done.stderr)
        done = self.call("merge", "nowhere", "-o", "a")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nowhere/sweep.json: cannot be read: expected", done.stderr)

    def test_ShareTheWorkAboutEvenly(self):
        """By the processor time that it takes, within what an estimate can do."""
        for number in (1, 2, 3):
            self.shard(f"{number}/3", "--jobs", "1", tune=longer(*TUNE))
        by = {}
        for part in self.state()["parts"]:
            with open(self.path(f"sweep/parts/{part['name']}.part"), encoding="utf-8") as file:
                seconds = sum(float.fromhex("0x" + line.split()[2]) for line in file if line.startswith("nodes "))
            by[part["by"]] = by.get(part["by"], 0) + seconds
        self.assertEqual(len(by), 3)
        self.assertLess(max(by.values()), 0.6 * sum(by.values()), by)

    def test_StatusForeseesWhatIsLeft(self):
        self.shard("1/2", "--jobs", "1", tune=longer(*TUNE))
        half = self.state()
        self.assertGreater(half["part_done"], 0)
        self.assertLess(half["part_done"], 1)
        self.assertGreater(half["processor_seconds_left"], 0)
        self.shard("2/2", "--jobs", "1", tune=longer(*TUNE))
        whole = self.state()
        self.assertEqual((whole["part_done"], whole["processor_seconds_left"]), (1, 0))
        self.assertEqual({part["state"] for part in whole["parts"]}, {"done"})
        self.assertIn(f"{len(whole['parts'])} done, 0 under way", self.output("status", "sweep"))


class SlurmScript(ProgramTest):
    def test_TakesEveryTimeThatSbatchTakes(self):
        for number, time in enumerate(("30", "30:00", "1:30:00", "2-12", "2-12:30", "2-12:30:00")):
            self.output(*TUNE, "--state", f"sweep{number}", "--slurm", f"tasks=2,cpus=2,time={time},mem=64G", "-o", "job.sh")
            self.assertIn(f"--time={time}", self.read("job.sh"))

    def test_IsRefusedWhereSbatchWouldRefuse(self):
        for text, said in (("cpus=2,time=1", "tasks is missing"), ("tasks=0,cpus=2,time=1", "not 1 to"), ("tasks=2,cpus=2,time=1,x=2", "'x'"),
                           ("tasks=2,tasks=3,cpus=2,time=1", "twice"), ("tasks=2,cpus=2,time=$(id)", "sbatch"), ("tasks", "no ="),
                           ("tasks=2,cpus=2,time=", "sbatch"), ("tasks=2,cpus=2,time=abc", "time is abc"), ("tasks=2,cpus=2,time=1:2:3:4", "time is"),
                           ("tasks=2,cpus=2,time=-1", "time is"), ("tasks=2,cpus=2,time=30,mem=-4", "mem is -4"),
                           ("tasks=2,cpus=2,time=30,mem=4GB", "mem is 4GB")):
            done = self.call(*TUNE, "--state", "sweep", "--slurm", text, "-o", "job.sh")
            self.assertEqual(done.returncode, 2, text)
            self.assertIn(said, done.stderr)
            self.assertFalse(os.path.exists(self.path("job.sh")))

    def test_IsRefusedWhereItsTasksWouldBe(self):
        done = self.call("tune", "--machine", "example-cluster", "--nodes", "2-17", "--bytes", "8", "--state", "sweep", "--slurm",
                         "tasks=2,cpus=2,time=1", "-o", "job.sh")
        self.assertEqual(done.returncode, 2)
        self.assertIn("17 nodes: the machine has 16", done.stderr)
        self.assertFalse(os.path.exists(self.path("sweep")) or os.path.exists(self.path("job.sh")))
        done = self.call(*TUNE, "--state", "a\\b", "--slurm", "tasks=2,cpus=2,time=1", "-o", "job.sh")
        self.assertIn("expected no backslash", done.stderr)
        self.assertFalse(os.path.exists(self.path("a\\b")))

    def test_LogsToTheSweepsFolderWhateverItsName(self):
        self.output(*TUNE, "--state", "of%A", "--slurm", "tasks=2,cpus=2,time=1", "-o", "job.sh")
        self.assertIn("of%%A/log'/%A_%a.txt", self.read("job.sh"))

    def test_SubmitsItselfAndNoneOfItsNameElsewhere(self):
        for folder in ("jobs", "elsewhere/jobs", "bin"):
            os.makedirs(self.path(folder))
        self.output(*TUNE, "--state", "sweep", "--slurm", "tasks=2,cpus=2,time=1", "-o", "jobs/job.sh")
        self.write("bin/sbatch", '#!/bin/sh\nprintf "%s\\n" "$@" >&2\n')
        os.chmod(self.path("bin/sbatch"), 0o755)
        done = subprocess.run(["sh", "jobs/job.sh"], cwd=self.folder, capture_output=True, text=True, check=False,
                              env={**os.environ, "CDPATH": self.path("elsewhere"), "PATH": f"{self.path('bin')}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count(f"\n{os.path.realpath(self.path('jobs'))}/job.sh\n"), 2, done.stderr)

    def test_IsAScriptForAnyShell(self):
        self.write("it's.json", self.output("machine", "example-cluster", "--json"))
        sweep = ("--machine", "it's.json", "--nodes", "2-5,8", "--osu-sizes", "8,64K", "--collectives", "bcast,allreduce,barrier", "--bound", "0.1")
        self.output("tune", *sweep, "--state", "a sweep", "--slurm",
                    "tasks=3,cpus=2,time=30:00,partition=boost,account=a_b", "-o", "job.sh")
        self.assertEqual(subprocess.run(["sh", "-n", "job.sh"], cwd=self.folder, check=False).returncode, 0)
        for number in (1, 2, 3):  # as its tasks run it
            done = subprocess.run(["sh", "job.sh", "shard"], cwd=self.folder, capture_output=True, text=True, check=False,
                                  env={**os.environ, "SLURM_ARRAY_TASK_ID": str(number), "SLURM_CPUS_PER_TASK": "2"})
            self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run(["sh", "job.sh", "merge"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.output("tune", *sweep, "-o", "one.json")
        self.assertEqual(self.read("a sweep/table.json"), self.read("one.json"))


if __name__ == "__main__":
    unittest.main()
