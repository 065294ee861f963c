"""tutti calibrate --mpi: messages timed under the installed Open MPI, and a machine fitted to them."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

BUILD = os.environ["TUTTI_BUILD"]
TUTTI = os.path.join(BUILD, "tutti")
SIZES = ("--sizes", "1:64K")
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


class Measured(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(os.path.join(BUILD, "tutti-mpi-bench")):
            self.skipTest("no MPI library was found when this was built")
        folder = tempfile.TemporaryDirectory(prefix="tutti-measure-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.points, self.machine = os.path.join(self.folder, "points"), os.path.join(self.folder, "mine.json")

    def calibrate(self, *arguments):
        return subprocess.run([TUTTI, "calibrate", "--mpi", self.points, *arguments], capture_output=True, text=True, timeout=300, env=ENVIRONMENT)

    def measured(self, *arguments):
        """On a busy machine a size may take longer than all others: calibrate says so, and is asked again."""
        for _ in range(4):
            done = self.calibrate(*arguments)
            if done.returncode == 0 or "measure again" not in done.stdout + done.stderr:
                break
            shutil.rmtree(self.points)
            if os.path.exists(self.machine):
                os.remove(self.machine)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def read(self, name):
        with open(os.path.join(self.points, name), encoding="utf-8") as file:
            return file.read()

    def lines(self, name):
        return [line.split() for line in self.read(name).splitlines() if line and line[0] != "#"]

    def launcher(self, text):
        path = os.path.join(self.folder, "launcher")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/bash\n" + text)
        os.chmod(path, 0o755)
        return path

    def test_OneCommandMeasuresTheCoresOfThisNodeAndFitsAMachine(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one processor: no two cores")
        done = self.measured("--nodes", "1", *SIZES, "--base", "example-cluster", "--name", "here", "-o", self.machine)
        told = {level: re.search(r"^# (on processors|none)", self.read(f"latency-{level}.txt")).group(1) for level in ("cache", "numa", "socket", "node")}
        self.assertIn("on processors", told.values())
        for level, found in told.items():
            self.assertEqual(f"{level}: median error" in done.stdout, found == "on processors", done.stdout)
        with open(self.machine, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["name"], "here")
        level = next(level for level, found in told.items() if found == "on processors")
        self.assertEqual([int(row[0]) for row in self.lines(f"bandwidth-{level}.txt")], [1 << i for i in range(17)])
        again = self.calibrate("--nodes", "1", *SIZES, "--read", "--base", "example-cluster", "--name", "here", "-o", self.machine)
        self.assertEqual((again.returncode, again.stdout), (0, done.stdout))

    def test_BetweenNodesPairsAndAllOfThemAreMeasured(self):
        """A launcher that gives every rank a host name of its own."""
        names = os.path.join(self.folder, "names.c")
        with open(names, "w", encoding="utf-8") as file:
            file.write('#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\nint MPI_Get_processor_name(char* name, int* length) {\n'
                       '  *length = sprintf(name, "node%03d.cluster", atoi(getenv("OMPI_COMM_WORLD_RANK")) + 1);\n  return MPI_SUCCESS;\n}\n')
        if not shutil.which("mpicc"):
            self.skipTest("no mpicc")
        subprocess.run(["mpicc", "-shared", "-fPIC", "-o", os.path.join(self.folder, "names.so"), names], check=True)
        # Over TCP, and waiting asleep: ranks that poll would wait for each other's turns on a busy machine, and use them up. Few messages, which are none of
        # a network: that every size has its line, the other test looks at.
        launcher = self.launcher('arguments=("$@"); for i in "${!arguments[@]}"; do\n'
                                 '  [ "${arguments[$i]}" != ppr:1:node ] || arguments[$i]=slot\ndone\n'
                                 'case "$*" in *tutti-mpi-bench*) arguments+=(--iterations 40 --nap 100) ;; esac\n'
                                 f'exec mpirun --oversubscribe -x LD_PRELOAD={self.folder}/names.so --mca btl tcp,self --mca btl_tcp_if_include lo '
                                 '--mca mpi_yield_when_idle 1 "${arguments[@]}"\n')
        done = self.measured("--nodes", "3", "--sizes", "1:1K", "--mpirun", launcher, "--base", "example-cluster", "-o", self.machine)
        self.assertIn("network: median error", done.stdout)
        rows = self.read("matrix.txt").splitlines()
        self.assertEqual(rows[0], "latency_us node001 node002 node003")
        for i, row in enumerate(rows[1:]):
            words = row.split()
            self.assertEqual((words[0], words[1 + i]), (f"node00{i + 1}", "-"))
            self.assertTrue(all(float(word) > 0 for j, word in enumerate(words[1:]) if j != i))
        self.assertIn("tutti machine --from matrix=", done.stderr)
        os.remove(os.path.join(self.points, "latency-network.txt"))
        with open(os.path.join(self.points, "times.txt"), "w", encoding="utf-8"):
            pass
        cut = self.calibrate("--read", "--base", "example-cluster", "-o", self.machine)
        self.assertIn("expected that run.sh has run to its end", cut.stderr)

    def test_AScriptForSbatchIsWrittenFollowedByStatusAndReadLater(self):
        done = self.calibrate("--batch", "--nodes", "4", "--partition", "boost")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines()[0], f"sbatch {self.points}/run.sh")
        for line in ("#SBATCH --job-name=tutti-calibrate", "#SBATCH --nodes=4", "#SBATCH --partition=boost"):
            self.assertIn(line + "\n", self.read("run.sh"))
        self.assertEqual(subprocess.run(["bash", "-n", os.path.join(self.points, "run.sh")]).returncode, 0)
        status = lambda: subprocess.run([TUTTI, "status", self.points], capture_output=True, text=True, timeout=60)
        self.assertEqual(status().stdout, "0 of 11 jobs done\n")
        refused = self.calibrate("--read", "--base", "example-cluster", "-o", self.machine)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("expected that run.sh has run to its end", refused.stderr)

        self.assertEqual(self.calibrate("--batch", "--nodes", "2", "--mpirun", self.launcher("exit 5\n")).returncode, 0)
        subprocess.run(["bash", os.path.join(self.points, "run.sh")], cwd="/", capture_output=True)
        self.assertEqual((status().returncode, status().stdout.splitlines()[1]), (1, "failed: latency-cache ended with status 5"))

    def test_WhatDoesNotGoTogetherIsRefusedInOneLine(self):
        without = subprocess.run([TUTTI, "calibrate", "--nodes", "2", "-o", self.machine], capture_output=True, text=True)
        self.assertEqual((without.returncode, without.stderr), (2, "tutti: --nodes: expected --mpi FOLDER beside it\n"))
        for arguments, expected in ((("--osu", "file", "-o", "x"), "has no option --osu"), (("--nodes", "0", "-o", "x"), "--nodes 0: expected 1"),
                                    ((), "expected --output"), (("--account", "a", "-o", "x"), "together with --batch"),
                                    (("--mpirun", "false", "--nodes", "1", "-o", self.machine), "a job failed")):
            done = self.calibrate(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(expected, done.stderr)

    def test_AMachineToStartFromThatIsNoneIsRefusedBeforeAnythingIsMeasured(self):
        for arguments in (("--mpirun", "false", "--nodes", "1", "-o", self.machine), ("--batch",)):
            done = self.calibrate(*arguments, "--base", "example-clustr")
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"\Atutti calibrate: --base: example-clustr:1: expected a machine file, or one of [^\n]*\n\Z")
            self.assertFalse(os.path.exists(self.points))


if __name__ == "__main__":
    unittest.main()
