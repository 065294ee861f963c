#!/usr/bin/env python3
"""Of ranks that are killed at any time, all others and the launcher say the name."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import killed

BUILD = os.path.abspath(os.environ["TUTTI_BUILD"])
KILLS = int(os.environ.get("TUTTI_KILLS", "15"))
MOST_RANKS = 6 if "TUTTI_KILLS" in os.environ else 4  # the more wait for a core, the longer the others' turns


class Rank(unittest.TestCase):
    def check(self, transports):
        with tempfile.TemporaryDirectory() as folder:
            jobs = killed.Jobs(os.path.join(BUILD, "tutti"), os.path.join(BUILD, "tests", "killed_mortal"), transports, folder)
            wrong, phases = jobs.kill_many(KILLS, seed=KILLS, most_ranks=MOST_RANKS)
        print(f"{transports}: {KILLS} kills, {phases}")
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    def test_ThatIsKilledIsNamedByAllOverSharedMemory(self):
        self.check("shm")

    def test_ThatIsKilledIsNamedByAllOverTcp(self):
        self.check("tcp")


if __name__ == "__main__":
    unittest.main()
