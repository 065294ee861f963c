"""The sessions of examples/sessions run as they are, in an empty folder, and leave what they promise."""
import csv
import glob
import os
import shutil
import subprocess
import tempfile
import time
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = os.environ.get("TUTTI_BUILD", os.path.join(ROOT, "build"))
EXAMPLES = os.path.join(ROOT, "examples")
MOST_SECONDS = 900  # of a session, on a machine that does other work besides


class Sessions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tutti-session-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_session(self, name, *arguments, leaves):
        begun = time.monotonic()
        done = subprocess.run([os.path.join(EXAMPLES, "sessions", name), *arguments], cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env={**os.environ, "PATH": BUILD + os.pathsep + os.environ["PATH"]}, timeout=MOST_SECONDS)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-3000:])
        self.assertRegex(done.stdout.splitlines()[-1], r"^== Done: ")
        for file in leaves:
            self.assertGreater(os.path.getsize(os.path.join(self.folder, file)), 0, file)
        print(f"{name}: {time.monotonic() - begun:.0f} s", end=" ", flush=True)
        return done.stdout

    def test_TheEngineersEndsWithAFileThatIsFollowed(self):
        for needed in ("mpirun", "mpicc"):
            if shutil.which(needed) is None:
                self.skipTest(f"no {needed} (Debian: openmpi-bin, libopenmpi-dev)")
        said = self.run_session("engineer.sh", os.path.join(EXAMPLES, "how-to"),
                                leaves=("cluster.json", "failed.png", "table.json", "report.html", "open-mpi.rules", "followed.txt"))
        self.assertRegex(said, r"(?m)^[1-9]\d* calls, 0 of them not as the file says$")

    def test_TheDevelopersFindsTheCliffs(self):
        said = self.run_session("developer.sh", os.path.join(EXAMPLES, "how-to"), leaves=("times.csv", "study/counts.csv", "study/bcast.png", "cliffs.png", "better.rules"))
        with open(os.path.join(self.folder, "times.csv"), encoding="utf-8") as file:
            self.assertEqual({row["ranks"] for row in csv.DictReader(file)}, {"127", "128", "129"})
        self.assertIn("129 ranks", said)

    def test_TheResearchersRefutesAndThenProves(self):
        prefix = os.path.join(self.folder, "prefix")
        for headers in ("base", "algos"):  # as cmake --install puts them
            shutil.copytree(os.path.join(ROOT, headers), os.path.join(prefix, "include", "tutti", headers), ignore=shutil.ignore_patterns("*.cpp"))
        shutil.copy(os.path.join(BUILD, "include", "algos", "plugin.hpp"), os.path.join(prefix, "include", "tutti", "algos"))
        said = self.run_session("researcher.sh", os.path.join(EXAMPLES, "plugin"), prefix, leaves=("times.csv", "times.png", "star.svg", "table.json", "report.html"))
        self.assertIn("1 algorithm refuted", said)
        self.assertRegex(said, r"1 algorithm: \d+ cases proven, 0 algorithms refuted")

    def test_NoSessionIsLeftOut(self):
        self.assertEqual(sorted(os.path.basename(path) for path in glob.glob(os.path.join(EXAMPLES, "sessions", "*"))),
                         ["developer.sh", "engineer.sh", "researcher.sh"])


if __name__ == "__main__":
    unittest.main()
