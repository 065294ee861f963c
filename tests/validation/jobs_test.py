"""What jobs wrote of their measurements is read from any folder, each line once."""
import os
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, ROOT)
from validation import ValidationError  # noqa: E402
from validation.mpi import results as mpi  # noqa: E402
from validation.runtime import results as runtime  # noqa: E402

KEY = "bcast", 3, 64
OF_RUNTIME = ["ran,bcast,3,64,table,ring", "ran,bcast,3,64,chain,chain", "time,bcast,3,64,ring,0,1.5", "time,bcast,3,64,ring,1,1.5",
              "time,bcast,3,64,chain,0,1.5"]
OF_MPI = ["sent,bcast,3,64,table,0>1:1:64", "time,bcast,3,64,table,0,1.5", "time,bcast,3,64,table,1,1.5", "time,bcast,3,64,ring,0,1.5"]


class Jobs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tutti[1]*")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, lines):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))
        return path

    def test_AreReadFromAFolderWithAnyName(self):
        for block in range(2):  # the same repetitions of another job are measurements of their own
            self.write(f"runtime-1x3-{block}.csv", OF_RUNTIME)
            self.write(f"default-3-{block}.csv", OF_MPI)
        self.assertEqual(runtime.read_results(self.folder, 1, 3).times_us[KEY], {"ring": [1.5] * 4, "chain": [1.5] * 2})
        self.assertEqual(mpi.read_results(self.folder, 3).times_us[KEY], {"table": [1.5] * 4, "ring": [1.5] * 2})

    def test_ThatSayALineTwiceAreRefusedByIt(self):
        for name, lines, read in (("runtime-1x3-0.csv", OF_RUNTIME, lambda: runtime.read_results(self.folder, 1, 3)),
                                  ("default-3-0.csv", OF_MPI, lambda: mpi.read_results(self.folder, 3))):
            for number, line in enumerate(lines, 1):
                path = self.write(name, [*lines, line.replace("1.5", "2.5")])
                with self.assertRaises(ValidationError) as refused:
                    read()
                self.assertTrue(str(refused.exception).startswith(f"{path}:{len(lines) + 1}: "), refused.exception)
                self.assertIn(f"line {number} says this already", str(refused.exception))

    def test_WhatIsNoLineIsRefusedWithItsBeginning(self):
        for line in ("so it goes", "ran,bcast,3,64,table", "time,bcast,3,64,ring,0", ""):
            path = self.write("runtime-1x3-0.csv", [*OF_RUNTIME, line])
            with self.assertRaises(ValidationError) as refused:
                runtime.read_results(self.folder, 1, 3)
            self.assertEqual(str(refused.exception), f"{path}:{len(OF_RUNTIME) + 1}: expected a line of tutti bench plan ('{line}' has too few words)")


if __name__ == "__main__":
    unittest.main()
