"""tutti launch and tutti bench: ranks as processes of their own, what they print, and how they end."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from processes import is_running  # noqa: E402

TUTTI = os.path.join(os.environ["TUTTI_BUILD"], "tutti")
LAUNCHERS = ("TUTTI_", "OMPI_", "PMI", "SLURM_", "RANK", "WORLD_SIZE", "MASTER_")


def run(*arguments, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHERS)}
    return subprocess.run([TUTTI, *arguments], capture_output=True, text=True, env={**clean, **environment}, timeout=120)


def launch(ranks, *command, **environment):
    return run("launch", "-n", str(ranks), "--", *command, **environment)


def python(ranks, text):
    return launch(ranks, sys.executable, "-c", "import os, sys, time, signal\nrank = os.environ['TUTTI_RANK']\n" + text)


class Launch(unittest.TestCase):
    def test_EveryRankRunsAndKnowsItself(self):
        done = python(5, "os.write(1, (rank + ' of ' + os.environ['TUTTI_SIZE'] + chr(10)).encode())")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(done.stdout.split("\n")), [""] + [f"{rank} of 5" for rank in range(5)])

    def test_TheFirstBadStatusIsPassedOnAndNamed(self):
        done = python(3, "sys.exit(7 if rank == '1' else 0)")
        self.assertEqual(done.returncode, 7)
        self.assertRegex(done.stderr, r"^tutti: rank 1 \(process \d+\) ended with status 7\n$")

    def test_ASignalIsNamedAndTheOthersAreEnded(self):
        begun = time.monotonic()
        done = python(3, "os.kill(os.getpid(), signal.SIGKILL) if rank == '2' else time.sleep(100)")
        self.assertEqual(done.returncode, 128 + signal.SIGKILL)
        self.assertRegex(done.stderr, r"rank 2 \(process \d+\) was ended by signal 9")
        self.assertLess(time.monotonic() - begun, 30)

    def test_AProgramThatIsNotThereIsBadInput(self):
        done = launch(3, "/no/such/program")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "tutti: /no/such/program: cannot be started: No such file or directory\n")
        self.assertEqual(run("launch", "-n", "0", "--", "true").returncode, 2)

    def test_AProgramGetsItsArgumentsAsTheyAre(self):
        words = ["[1,2]", "", "[a b]", "a,b", "--help", "--", "-n", "x", "%%", "{}"]
        show = [sys.executable, "-c", "import sys; print(sys.argv[1:])"]
        for before in (["-n", "1", "--"], ["--ranks=1"], ["-n1", "--grace", "2"]):
            done = run("launch", *before, *show, *words)
            self.assertEqual((done.returncode, done.stdout), (0, f"{words}\n"), done.stderr)
        done = run("launch", "-n", "2", TUTTI, "bench", "allreduce", "--bytes", "8", "--seconds", "0.01")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("# Tutti allreduce on 2 ranks", done.stdout)

    def test_WrongUsageBlamesTheOptionThatIsWrong(self):
        for words, expected in (("-n x -- true", "-n x: expected a whole number"), ("-n 1e9 -- true", "-n 1e9: expected a whole number"),
                                ("-n=2 true", "-n=2: expected a whole number"), ("-n=2 -- true", "-n=2: expected a whole number"),
                                ("--ranks x true --help", "--ranks x: expected a whole number"),
                                ("--grace x -n 2 -- true", "--grace x: expected a number"),
                                ("-n 2 -n 3 -- true", "-n: expected once; see tutti launch --help"),
                                ("--ranks 2 --ranks 3 true", "--ranks: expected once; see tutti launch --help"),
                                ("-n 2 --grase 3 true", "launch has no option --grase (did you mean --grace?); see tutti launch --help"),
                                ("true --colour", "launch: --ranks is required: how many; see tutti launch --help"),
                                ("-n 2 --", "launch: program is required: the program and its arguments; see tutti launch --help")):
            done = run("launch", *words.split())
            self.assertEqual((done.returncode, done.stderr), (2, f"tutti: {expected}\n"), words)

    def test_WhoLeftForAnothersSakeIsNotNamedInItsPlace(self):
        # Two leave, as a rank does that has lost rank 1, long before that is seen to end.
        leave = "import socket, struct\nlauncher = socket.socket(fileno=int(os.environ['TUTTI_LAUNCHER']))\n" \
                "launcher.send(struct.pack('ii', int(rank), 1))\n"
        done = python(4, f"if rank == '1': time.sleep(1); os.kill(os.getpid(), signal.SIGKILL)\n{leave}sys.exit(3)")
        self.assertRegex(done.stderr, r"^tutti: rank 1 \(process \d+\) was ended by signal 9 \(Killed\)\n$")
        self.assertEqual(done.returncode, 128 + signal.SIGKILL)
        # One that lives on, whatever others say of it, is not named for what the launcher does to it.
        done = python(2, f"if rank == '1': time.sleep(100)\n{leave}sys.exit(3)")
        self.assertRegex(done.stderr, r"^tutti: rank 0 \(process \d+\) ended with status 3: it had lost rank 1\n$")
        self.assertEqual(done.returncode, 3)

    def test_ARankThatEndsBeforeTheyMeetIsNamedByAll(self):
        for absent in range(3):
            mine = f"if rank == '{absent}': sys.exit(9)\nos.execv('{TUTTI}', ['{TUTTI}', 'bench', 'barrier', '--seconds', '0.01'])"
            done = python(3, mine)
            self.assertEqual(done.returncode, 9, done.stderr)
            for rank in {0, 1, 2} - {absent}:
                self.assertIn(f"rank {rank} of 3: rank {absent} is lost: its process has ended with status 9, while the ranks set up\n",
                              done.stderr)
            self.assertRegex(done.stderr, rf"tutti: rank {absent} \(process \d+\) ended with status 9\n")

    def test_ARankThatFailsByItselfIsNamedByAllWhomItLeaves(self):
        bench = f"exec {TUTTI} bench allreduce --bytes 1K"
        for fault, left in (("--table /no/such", "has left"), ("--algorithm permuted:of=nonsense", "has left the team")):
            for failing in (0, 2):
                done = launch(4, "sh", "-c", f"[ $TUTTI_RANK = {failing} ] && {bench} {fault}; {bench}")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, rf"tutti: rank {failing} \(process \d+\) ended with status 2\n")
                for rank in {0, 1, 2, 3} - {failing}:
                    self.assertRegex(done.stderr, rf"rank {rank}( of 4)?: rank {failing} ({left}|is lost: )")

    def test_ARankThatIsKilledBetweenTwoProgramsIsNamedByAll(self):
        bench = f"{TUTTI} bench barrier --seconds 0.01"
        done = run("launch", "-n", "3", "--grace", "60", "--", "sh", "-c", f"{bench} >/dev/null; [ $TUTTI_RANK = 1 ] && kill -9 $$; exec {bench}",
                   TUTTI_LIMIT_SECONDS="60")
        self.assertEqual(done.returncode, 128 + signal.SIGKILL, done.stderr)
        for rank in (0, 2):
            self.assertIn(f"rank {rank} of 3: rank 1 is lost: its process was ended by signal 9 (Killed), while the ranks set up\n", done.stderr)

    def test_ARankThatEndsWellWithoutHavingComeIsNamedByAll(self):
        done = launch(3, "sh", "-c", f"[ $TUTTI_RANK = 1 ] && exit 0; exec {TUTTI} bench barrier --seconds 0.01", TUTTI_LIMIT_SECONDS="60")
        self.assertEqual(done.returncode, 3, done.stderr)
        for rank in (0, 2):
            self.assertIn(f"rank {rank} of 3: rank 1 is lost: its process has ended with status 0, while the ranks set up\n", done.stderr)
        self.assertRegex(done.stderr, r"tutti: rank [02] \(process \d+\) ended with status 3: it had lost rank 1\n")

    # Two ranks that say, each, the numbers of their own process and of one that they have started, which ignores most signals.
    FAMILY = "trap '' HUP INT TERM; (trap '' HUP INT TERM; exec setsid sleep 1000) & echo $$ $!; "

    def family(self, then):
        command = [TUTTI, "launch", "-n", "2", "--grace", "1", "--", "sh", "-c", self.FAMILY + then]
        launcher = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(launcher.stdout.close)
        return launcher, [int(number) for _ in range(2) for number in launcher.stdout.readline().split()]

    def expect_none(self, processes):
        self.assertEqual(len(processes), 4)
        deadline = time.monotonic() + 20
        while any(map(is_running, processes)):
            self.assertLess(time.monotonic(), deadline, "a process is still there")
            time.sleep(0.05)

    def test_RanksAndWhatTheyStartedDoNotOutliveTheLauncher(self):
        launcher, processes = self.family("wait")
        launcher.kill()
        launcher.wait()
        self.expect_none(processes)

    def test_NorTheProcessBetween(self):
        launcher, processes = self.family("wait")
        with open(f"/proc/{launcher.pid}/task/{launcher.pid}/children", encoding="utf-8") as file:
            keeper, = map(int, file.read().split())
        os.kill(keeper, signal.SIGKILL)
        self.assertEqual(launcher.wait(20), 128 + signal.SIGKILL)
        self.assertFalse(any(map(is_running, processes)))

    def test_NorTheJob(self):
        for then, status in (("exit 0", 0), ("[ $TUTTI_RANK = 0 ] && exit 3; wait", 3)):
            launcher, processes = self.family(then)
            self.assertEqual(launcher.wait(20), status)
            self.assertEqual(len(processes), 4)
            self.assertFalse(any(map(is_running, processes)))

    def test_NorAnInterrupt(self):
        launcher, processes = self.family("wait")
        launcher.terminate()
        self.assertNotEqual(launcher.wait(20), 0)
        self.assertFalse(any(map(is_running, processes)))


class Bench(unittest.TestCase):
    def bench(self, ranks, *arguments):
        done = launch(ranks, TUTTI, "bench", *arguments, "--seconds", "0.005")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_ACollectivePrintsARowForEachSizeAndAlgorithm(self):
        text = self.bench(3, "allreduce", "--algorithm", "ring,recursive_doubling", "--bytes", "24,4K", "--fresh")
        rows = [line.split() for line in text.splitlines() if not line.startswith("#")]
        self.assertEqual([(row[0], row[7]) for row in rows],
                         [(size, name) for size in ("24", "4096") for name in ("ring", "recursive_doubling")])
        for row in rows:
            average, least, most = map(float, row[1:4])
            self.assertTrue(0 < least <= average <= most, row)

    def test_AllAlgorithmsThatCanRunDo(self):
        rows = json.loads(self.bench(3, "allgather", "--algorithm", "all", "--bytes", "300", "--json"))
        names = [row["algorithm"] for row in rows]
        self.assertIn("ring", names)
        self.assertNotIn("two_proc", names)  # needs two ranks
        self.assertNotIn("neighbor_exchange", names)  # falls back to ring
        self.assertEqual({row["bytes_run"] for row in rows}, {300})

    def test_PointToPointIsReadByCalibrate(self):
        """On a busy machine a size may take longer than larger ones: then calibrate says so, which is status 1."""
        measured = os.path.join(os.environ["TUTTI_BUILD"], f"bench-{os.getpid()}.txt")
        machine = measured + ".json"
        try:
            for _ in range(5):
                text = self.bench(2, "latency", "--bytes", "1:64K") + self.bench(2, "bandwidth", "--bytes", "1:64K")
                with open(measured, "w", encoding="utf-8") as file:
                    file.write(text)
                done = run("calibrate", "--osu", f"cache={measured}", "--base", "example-cluster", "-o", machine)
                if "expected more bytes to take longer: measure again" not in done.stderr:
                    break
            else:
                self.skipTest(f"this machine is too busy to measure on: {done.stderr.strip()}")
            contradicted = "measure again" in done.stdout + done.stderr
            self.assertEqual(done.returncode, int(contradicted), done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"\ncache: .* 17 sizes, ")
            self.assertTrue(os.path.exists(machine))
        finally:
            for path in (measured, machine):
                if os.path.exists(path):
                    os.remove(path)

    def test_RatesOfACoreAreMeasured(self):
        for what in ("copy", "reduction"):
            rows = json.loads(self.bench(1, what, "--bytes", "4K,64K", "--json"))
            self.assertEqual([row["bytes"] for row in rows], [4096, 65536])
            self.assertTrue(all(row["bytes_per_second"] > 1e6 for row in rows))

    def test_WrongUsageIsRefused(self):
        for arguments in (("nothing",), ("latency",), ("bcast", "--algorithm", "bogus"), ("bcast", "--seconds", "0"),
                          ("bcast", "--transports", "bogus"), ("bcast", "--table", "/no/such/file")):
            done = launch(1, TUTTI, "bench", *arguments)
            self.assertEqual(done.returncode, 2, arguments)


if __name__ == "__main__":
    unittest.main()
