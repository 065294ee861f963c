"""The doctor tries what is optional, in places that are made for it: PATHs with programs that answer, fail, and hang."""
import json
import os
import subprocess
import time
import unittest

from program import ProgramTest, TUTTI
from refused import Refused

PARTS = ["simgrid", "hwloc", "verbs", "cross-memory", "shared-memory", "mpi", "mpi-compiler", "pmix", "slurm", "lab", "pyroute2",
         "matplotlib"]
OPEN_MPI = "mpirun (Open MPI) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/"
HYDRA = "HYDRA build details:\n    Version:                                 4.0.2\n    Release Date: Thu Apr  7"
INTEL = "Intel(R) MPI Library for Linux* OS, Version 2021.9 Build 20230307 (id: d82b3071db)\nCopyright 2003-2023, Intel Corporation."


class Doctor(ProgramTest):
    def plant(self, name, script):
        os.makedirs(self.path("bin"), exist_ok=True)
        path = self.path(os.path.join("bin", name))
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script + "\n")
        os.chmod(path, 0o755)

    def says(self, name, text, status=0):
        self.plant(name, f"cat <<'END'\n{text}\nEND\nexit {status}")

    def doctor(self, *arguments, path=None):
        """By part. PATH has what was planted, and what a shell needs."""
        os.makedirs(self.path("bin"), exist_ok=True)
        os.makedirs(self.path("tools"), exist_ok=True)
        for tool in ("cat", "sleep"):
            if not os.path.lexists(self.path(f"tools/{tool}")):
                os.symlink(f"/bin/{tool}", self.path(f"tools/{tool}"))
        env = {**os.environ, "PATH": self.path("bin") + os.pathsep + self.path("tools")}
        self.done = subprocess.run([TUTTI, "doctor", "--json", *arguments], cwd=self.folder, capture_output=True, text=True,
                                   timeout=300, env=env)
        self.assertIn(self.done.returncode, (0, 1), self.done.stderr)
        found = json.loads(self.done.stdout)
        self.assertEqual([one["part"] for one in found], PARTS)
        for one in found:
            self.assertTrue(one["what"], one)
            self.assertEqual(one["works"], not one["mend"], one)
        return {one["part"]: one for one in found}

    def test_SaysWhatIsMissingAndHowToMendItAndThatIsNoFailure(self):
        found = self.doctor()
        self.assertEqual(self.done.returncode, 0)
        for part, program in (("mpi", "mpirun"), ("mpi-compiler", "mpicxx"), ("slurm", "sbatch")):
            self.assertFalse(found[part]["works"])
            self.assertIn(program + " is not on PATH", found[part]["what"])
            self.assertTrue(found[part]["mend"])

    def test_KnowsEachMpiByWhatItsMpirunSays(self):
        for said, version in ((OPEN_MPI, "Open MPI 4.1.4"), (HYDRA, "MPICH (Hydra) 4.0.2"), (INTEL, "Intel MPI 2021.9")):
            self.says("mpirun", said)
            found = self.doctor()["mpi"]
            self.assertEqual((found["works"], found["what"]), (True, version))
        self.says("mpirun", "some other launcher 1.0")
        found = self.doctor()["mpi"]
        self.assertFalse(found["works"])
        self.assertIn("some other launcher 1.0", found["what"])
        self.says("mpirun", OPEN_MPI, status=1)
        self.assertIn("ended with status 1", self.doctor()["mpi"]["what"])

    def test_WaitsForNoProgramLongerThanTheLimitAndLeavesNothingBehind(self):
        self.plant("mpirun", f"echo started\necho $$ > {self.path('pid')}\nsleep 1000 &\nsleep 1000")
        begun = time.monotonic()
        found = self.doctor("--limit", "2")["mpi"]
        self.assertFalse(found["works"])
        self.assertIn("did not answer within 2 s", found["what"])
        self.assertLess(time.monotonic() - begun, 100)
        group = int(self.read("pid"))
        for _ in range(200):  # until the system has taken what was killed away
            members = [one for one in os.listdir("/proc") if one.isdigit() and self.group_of(one) == group]
            if not members:
                break
            time.sleep(0.05)
        self.assertEqual(members, [])

    @staticmethod
    def group_of(process):
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            return None
        return None if fields[0] == "Z" else int(fields[2])

    def test_OfSlurmTheControllerIsAsked(self):
        self.says("sbatch", "slurm 22.05.8")
        self.says("sinfo", "slurm_load_partitions: Unable to contact slurm controller (connect failure)", status=1)
        found = self.doctor()["slurm"]
        self.assertFalse(found["works"])
        self.assertIn("slurm 22.05.8, but sinfo ended with status 1: slurm_load_partitions", found["what"])
        self.says("sinfo", "debug*")
        found = self.doctor()["slurm"]
        self.assertTrue(found["works"])
        self.assertIn("partition debug*", found["what"])

    def test_IsStrictAboutWhatIsNamedAlone(self):
        self.doctor("--strict", "mpi")
        self.assertEqual(self.done.returncode, 1)
        self.says("mpirun", OPEN_MPI)
        self.doctor("--strict", "mpi")
        self.assertEqual(self.done.returncode, 0)

    def test_TellsPeopleTheSame(self):
        lines = self.output("doctor").splitlines()
        told = [line.split()[0] for line in lines if not line.startswith(" ")]
        self.assertEqual(told, PARTS)
        self.assertTrue(all(line.strip().startswith("mend: ") for line in lines if line.startswith(" ")))
        self.assertEqual(sum("does not " in line for line in lines), sum(line.startswith(" ") for line in lines))


class WrongDoctor(Refused):
    def test_NamesAreThoseOfTheParts(self):
        self.refused(r"--strict mpy: expected one of simgrid, .*did you mean mpi", "doctor", "--strict", "mpy")
        self.refused("--limit: expected more than 0", "doctor", "--limit", "0")


if __name__ == "__main__":
    unittest.main()
