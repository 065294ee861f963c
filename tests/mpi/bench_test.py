"""tutti-mpi-bench under the installed MPI library: what it prints is read by others, and is about the calls it names."""
import os
import re
import subprocess
import tempfile
import unittest

BUILD = os.environ["TUTTI_BUILD"]
BENCH, TUTTI = os.path.join(BUILD, "tutti-mpi-bench"), os.path.join(BUILD, "tutti")
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
COLLECTIVES = ["allgather", "allreduce", "alltoall", "barrier", "bcast", "exscan", "gather", "reduce", "reduce_scatter",
               "reduce_scatter_block", "scan", "scatter"]
# Over TCP, and waiting asleep: ranks that poll would wait for each other's turns on a busy machine.
TCP = ("--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo", "--mca", "mpi_yield_when_idle", "1")
NAP = ("--nap", "1000")
MONITORED = ("--mca", "pml_monitoring_enable", "1", "--mca", "coll", "^monitoring")
DYNAMIC = ("--mca", "coll_tuned_use_dynamic_rules", "1")


class BenchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not os.path.exists(BENCH):
            raise unittest.SkipTest("no MPI library was found when this was built")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tutti-mpi-bench-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def call(self, ranks, *arguments, mpirun=()):
        return subprocess.run(["mpirun", "--oversubscribe", "-np", str(ranks), *(mpirun or TCP), BENCH, *arguments, *NAP], capture_output=True, text=True, timeout=300, env=ENVIRONMENT,
                              stdin=subprocess.DEVNULL)

    def bench(self, ranks, *arguments, mpirun=()):
        done = self.call(ranks, *arguments, mpirun=mpirun)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def rows(self, text):
        """Of the table: the lines that are no comment, as numbers."""
        return [[float(word) for word in line.split()] for line in text.splitlines() if line and not line.startswith("#")]


class PointToPoint(BenchTest):
    def test_TheOutputIsWhatCalibrateReads(self):
        for _ in range(5):  # on a busy machine a size may take longer than all others: calibrate says so
            files = [self.write(name, self.bench(2, name, "--sizes", "1:64K", "--iterations", "3", "--warm-up", "1"))
                     for name in ("latency", "bandwidth")]
            done = subprocess.run([TUTTI, "calibrate", "--osu", *files, "--base", "example-cluster", "-o", "-"],
                                  capture_output=True, text=True)
            if done.returncode == 0:
                break
            self.assertIn("measure again", done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("network: median error", done.stderr)
        self.assertRegex(done.stderr, r"17 sizes")

    def test_EverySizeHasItsTimeAndLongMessagesTakeLonger(self):
        rows = self.rows(self.bench(3, "latency", "--sizes", "1:4M", "--iterations", "3", "--warm-up", "1"))
        self.assertEqual([row[0] for row in rows], [1 << i for i in range(23)])
        self.assertGreater(rows[-1][1], rows[0][1])


class Collectives(BenchTest):
    def test_EachPrintsOsusColumnsInOrder(self):
        for name in COLLECTIVES:
            with self.subTest(collective=name):
                text = self.bench(3, name, "--sizes", "8:16", "--iterations", "3", "--warm-up", "1")
                self.assertRegex(text, r"\A# OSU MPI .* Latency Test v7\.0\n")
                rows = self.rows(text)
                self.assertEqual([row[0] for row in rows], {"barrier": [0], "reduce_scatter_block": [16]}.get(name, [8, 16]))
                for _, average, least, greatest, iterations, p50, p90, p99 in rows:
                    self.assertTrue(0 < least <= average <= greatest and iterations == 3, text)
                    self.assertTrue(0 < p50 <= p90 <= p99, text)

    def test_SizesAreOsusAndTheProbeSaysWhatWasSent(self):
        for name, sent in (("bcast", 3 * 4096), ("alltoall", 12 * 4096), ("scatter", 3 * 4096), ("gather", 3 * 4096)):
            with self.subTest(collective=name):
                forced = ("--mca", f"coll_tuned_{name}_algorithm", "1")
                text = self.bench(4, name, "--sizes", "4096", "--iterations", "1", "--probe", mpirun=TCP + MONITORED + DYNAMIC + forced)
                pairs = re.findall(r"(\d)>(\d):(\d+):(\d+)", text)
                self.assertEqual(sum(int(size) for *_, size in pairs), sent, text)

    def test_SizesThatAreNoElementsAreLeftOut(self):
        for collective, ranks, first in (("allreduce", 2, 4), ("reduce_scatter_block", 3, 16), ("alltoall", 2, 1)):
            self.assertEqual(self.rows(self.bench(ranks, collective, "--sizes", "1:64", "--iterations", "2", "--warm-up", "1"))[0][0], first)
        done = self.call(2, "reduce", "--sizes", "6")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--sizes: expected one of whole elements of reduce", done.stderr)

    def test_CallsBackToBackAreTimedPerCall(self):
        alone = self.rows(self.bench(2, "bcast", "--sizes", "1M", "--iterations", "3"))[0][5]
        text = self.bench(2, "bcast", "--sizes", "1M", "--iterations", "3", "--back-to-back", "20")
        self.assertIn("20 calls back to back", text)
        self.assertLess(self.rows(text)[0][5], 5 * alone)  # not that of twenty

    def test_ALibraryThatDoesNotTellWhatItSendsIsNotTakenToSendNothing(self):
        done = self.call(2, "bcast", "--sizes", "8", "--probe")
        self.assertEqual(done.returncode, 2)
        self.assertIn("pml_monitoring_enable", done.stderr)


class Plans(BenchTest):
    def test_EveryArmIsRepeatedAndSendsWhatItsAlgorithmSends(self):
        plan = self.write("plan", "# two cells\nbcast 4 4096 linear coll_tuned_bcast_algorithm=1\n"
                          "bcast 4 4096 chain coll_tuned_bcast_algorithm=3\nbcast 4 4096 default\n\n"
                          "allgather 3 3000 ring coll_tuned_allgather_algorithm=4\n")
        lines = self.bench(4, "plan", plan, "--repetitions", "3", "--probe", mpirun=TCP + MONITORED + DYNAMIC).splitlines()
        sent = {tuple(line.split(",")[1:5]): line.split(",")[5].split() for line in lines if line.startswith("sent,")}
        self.assertEqual(sent["bcast", "4", "4096", "linear"], ["0>1:1:4096", "0>2:1:4096", "0>3:1:4096"])
        self.assertEqual(sent["bcast", "4", "4096", "chain"], ["0>1:1:4096", "1>2:1:4096", "2>3:1:4096"])
        self.assertEqual(sent["allgather", "3", "3000", "ring"], ["0>1:2:2000", "1>2:2:2000", "2>0:2:2000"])
        times = [line.split(",") for line in lines if line.startswith("time,")]
        self.assertEqual(len(times), 4 * 3)
        self.assertEqual({(row[4], row[5]) for row in times},
                         {(arm, str(i)) for arm in ("linear", "chain", "default", "ring") for i in range(3)})
        self.assertTrue(all(float(row[6]) > 0 for row in times))

    def test_WhatIsNoPlanIsRefusedWithItsLine(self):
        for text, expected in (("bcast 2 8 default\nbcast 2\n", r":2: expected COLLECTIVE RANKS BYTES ARM"),
                               ("bcast 3 8 default\n", r":1: expected at most the job's 2 ranks"),
                               ("bcast 2 8 x y\n", r":1: expected VARIABLE=VALUE, found y"),
                               ("bcast 2 8 x y=1z\n", r":1: expected VARIABLE=VALUE"),
                               ("\n", r"expected at least one call"),
                               ("bcas 2 8 default\n", r"unknown collective 'bcas'"),
                               ("bcast 2 8 x no_such_variable=1\n", r"expected a control variable")):
            with self.subTest(text=text):
                done = self.call(2, "plan", self.write("plan", text))
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, expected)

    def test_RanksThatWouldWaitAwakeAreNotToldToNap(self):
        done = self.call(2, "latency", mpirun=("--mca", "mpi_yield_when_idle", "0"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("mpi_yield_when_idle", done.stderr)


if __name__ == "__main__":
    unittest.main()
