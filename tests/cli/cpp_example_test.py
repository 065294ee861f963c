"""examples/simulate: a simulation from C++ in twenty lines."""
import os
import subprocess
import unittest

from program import BUILD, ProgramTest


class CppExample(ProgramTest):
    def test_ItsTimesAreTheProgramsOwn(self):
        example = subprocess.run([os.path.join(BUILD, "tests", "example_simulate"), "example-cluster"], capture_output=True, text=True,
                                 check=True).stdout
        rows = [row.split(",") for row in self.output(
            "simulate", "allreduce", "--machine", "example-cluster", "--nodes", "12", "--ppn", "4", "--bytes", "1M", "--algorithm",
            "ring,rabenseifner,recursive_doubling", "--csv", "-").splitlines()[1:]]
        self.assertEqual(example.splitlines(), [f"{row[2]}: {float(row[8]):.6g} us, {row[9]} messages" for row in rows])


if __name__ == "__main__":
    unittest.main()
