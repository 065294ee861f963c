#!/usr/bin/env python3
"""Ranks that meet by the PMIx server of Open MPI's mpirun."""
import ctypes
import os
import shutil
import subprocess
import tempfile
import unittest

BUILD = os.environ.get("TUTTI_BUILD", "build")


def launched(command, launcher=(), **environment):
    variables = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "TUTTI_LIMIT_SECONDS": "20"}
    return subprocess.run([*launcher, *command], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **variables, **environment})


class Pmix(unittest.TestCase):
    def setUp(self):
        if not shutil.which("mpirun"):
            self.skipTest("mpirun is not installed")
        try:
            ctypes.CDLL("libpmix.so.2")
        except OSError:
            self.skipTest("libpmix.so.2 is not installed")

    def bench(self, ranks, **environment):
        """In a folder that does not exist nobody can meet by a file."""
        return launched([os.path.join(BUILD, "tutti"), "bench", "allreduce", "--bytes", "64", "--seconds", "0.01"],
                        ["mpirun", "--oversubscribe", "-np", str(ranks)], TUTTI_MEETING_FOLDER="/nowhere", **environment)

    def test_RanksMeetByTheServer(self):
        for ranks in (1, 3):
            done = self.bench(ranks)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{ranks} rank", done.stdout)

    def test_WhereTheServerMayNotBeUsedTheyDoNot(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.bench(2, TUTTI_MEETING=os.path.join(folder, "meeting"))
            self.assertEqual(done.returncode, 0, done.stderr)
            done = launched([os.path.join(BUILD, "tutti"), "bench", "barrier", "--seconds", "0.01"], PMIX_RANK="0", PMIX_NAMESPACE="gone")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("PMIX_RANK is set, but", done.stderr)


if __name__ == "__main__":
    unittest.main()
