"""The runtime between the hosts of a lab: right bytes by every algorithm, and what ranks say when one is cut off or ends."""
import os
import re
import signal
import subprocess
import time
import unittest

from lab_case import TUTTI, LabCase

RANKS = os.path.join(os.environ["TUTTI_BUILD"], "tests", "lab_ranks")
ALL = "TUTTI_SLOW_TESTS" in os.environ


class Runtime(LabCase):
    def check(self, name, ranks, *counts, **environment):
        # Each takes itself to be alone on its host: polling, they would keep each other from this machine's cores.
        done = subprocess.run([TUTTI, "lab", "run", "--name", name, "--ranks", str(ranks), "--", RANKS, "check", *counts],
                              capture_output=True, text=True, timeout=600, env={**os.environ, "TUTTI_POLLS": "1", **environment})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout, f"{ranks} ranks on {ranks} nodes: all right, over tcp\n")

    def test_EveryAlgorithmIsRightOnAsManyHostsAsAreAskedFor(self):
        name = self.new_name()
        self.lab("up", name, *(("--fat-tree", "4x4", "--taper", "2") if ALL else ("--fat-tree", "2x2", "--taper", "2")),
                 "--rate", "200mbit")  # faster, and the kernel loses some frames
        for ranks in range(2, 17) if ALL else (3,):
            self.check(name, ranks, "0", "1", "3001")
        self.check(name, 4, "101", "3001", TUTTI_TCP_EAGER_BYTES="1000")  # larger ones ask first

    def trouble(self, name, spoil):
        """What four ranks say that are in the middle of collectives when something happens, by rank."""
        environment = {**os.environ, "TUTTI_TCP_SECONDS": "2"}
        job = subprocess.Popen([TUTTI, "lab", "run", "--name", name, "--ranks", "4", "--", RANKS, "loop", "ring"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.addCleanup(job.kill)
        self.assertEqual(job.stdout.readline(), "under way\n")
        begun = time.monotonic()
        spoil()
        said, ends = job.communicate(timeout=60)
        self.assertLess(time.monotonic() - begun, 20)
        return {int(line.split()[1].rstrip(":")): line for line in said.splitlines()}, ends

    def test_OfAHostThatIsCutOffAllOthersSayTheName(self):
        name = self.new_name()
        self.lab("up", name, "--fat-tree", "2x2", "--taper", "2", "--rate", "100mbit")
        said, _ = self.trouble(name, lambda: self.lab("run", name, "--host", "h2", "--", "ip", "link", "set", "eth0", "down"))
        self.assertEqual(sorted(said), [0, 1, 2, 3])
        for rank in (0, 1, 3):
            self.assertRegex(said[rank], f"^rank {rank}: rank 2 is lost: ")
        self.assertRegex(said[2], r"^rank 2: rank [013] is lost: ")  # to itself, the others are

    def test_OfAProcessThatIsKilledAllOthersSayTheName(self):
        name = self.new_name()
        self.lab("up", name, "--switch", "4", "--rate", "100mbit")

        def kill():
            found = subprocess.run(["ip", "netns", "pids", f"tutti-{name}-h1"], capture_output=True, text=True, check=True).stdout
            ranks = [int(pid) for pid in found.split() if os.path.realpath(f"/proc/{pid}/exe") == os.path.realpath(RANKS)]
            self.assertEqual(len(ranks), 1)
            os.kill(ranks[0], signal.SIGKILL)

        said, ends = self.trouble(name, kill)
        self.assertEqual(sorted(said), [0, 2, 3])
        for line in said.values():
            self.assertIn("rank 1 is lost: ", line)
        self.assertRegex(ends, re.compile("^tutti lab: rank 1 on h1 was ended by signal 9$", re.M))


if __name__ == "__main__":
    unittest.main()
