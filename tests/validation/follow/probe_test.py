"""Which Open MPI is looked at."""
import os
import shutil
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
from validation.follow import probe  # noqa: E402


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        environment = {key: value for key, value in os.environ.items() if key != "TUTTI_OPEN_MPI"}
        patch = mock.patch.dict(os.environ, {**environment, "PATH": f"{self.folder}:{os.environ['PATH']}"}, clear=True)
        patch.start()
        self.addCleanup(patch.stop)

    def program(self, name, version):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\necho '{version}'\n")
        os.chmod(path, 0o755)
        return path


class Installed(Programs):
    def test_IsThatOfTheMpirunOnPath(self):
        mpirun = self.program("mpirun", "mpirun (Open MPI) 5.0.7")
        mpicc = self.program("mpicc", "mpicc: Open MPI 5.0.7 (Language: C)")
        found = probe.installed()
        self.assertEqual((found.mpirun, found.mpicc, found.version), (mpirun, mpicc, "5.0.7"))

    def test_IsTheSystemsWhereThatIsAnotherLibrarys(self):
        self.program("mpirun", "HYDRA build details: Version: 4.0.2")
        self.program("mpicc", "mpicc for MPICH version 4.0.2")
        if not shutil.which("mpirun.openmpi"):
            self.skipTest("needs Debian's mpirun.openmpi")
        self.assertEqual(os.path.basename(probe.installed().mpirun), "mpirun.openmpi")

    def test_IsNoneWhereTheCompilersWrapperIsAnothers(self):
        self.program("mpirun", "mpirun (Open MPI) 5.0.7")
        self.program("mpicc", "mpicc for MPICH version 4.0.2")
        with mock.patch.dict(os.environ, {"PATH": self.folder + ":/nonexistent"}):
            with self.assertRaisesRegex(probe.ProbeError, "expected its mpirun, and its mpicc beside it"):
                probe.installed()


class Probe(Programs):
    def test_ThatRunsAnotherLibraryThanItsMpirunIsRefused(self):
        mpicc = self.program("mpicc", "")
        for runs, is_its in (("Open MPI v4.1.4, package: Debian OpenMPI", True), ("MPICH Version:      5.0.2", False), ("", False)):
            mpirun = self.program("mpirun", "mpirun (Open MPI) 4.1.4")
            mpi = probe.OpenMpi(mpirun, mpicc)
            self.addCleanup(mpi.close)
            self.program("mpirun", f"host1 {runs}\nhost2 {runs}")
            if is_its:
                self.assertEqual(mpi.hosts, ["host1", "host2"])
            else:
                with self.assertRaisesRegex(probe.ProbeError, f"--mpicc: what {mpicc} makes runs '{' '.join(runs.split())}' under {mpirun}: expected"):
                    print(mpi.hosts)


if __name__ == "__main__":
    unittest.main()
