"""Bad input and wrong usage: one line on stderr that says what was expected, status 2, and nothing else anywhere."""
import os

from program import ProgramTest

SIMULATE = ("simulate", "bcast", "--machine", "example-cluster", "--algorithm", "linear")
TUNE = ("tune", "--machine", "example-cluster", "--nodes", "2", "--bytes", "8", "--collectives", "bcast",
        "--algorithms", "linear")
OSU = "# OSU MPI Latency Test v7.2\n# Size          Latency (us)\n"
OSU_ROWS = "1 1.50\n2 1.51\n1024 2.0\n65536 9.0\n"


class Refused(ProgramTest):
    def refused(self, expected, *arguments):
        """`expected`: a regular expression that the line after "tutti: " begins with."""
        before = sorted(os.listdir(self.folder))
        done = self.call(*arguments)
        where = f"tutti {' '.join(arguments)}\n{done.stdout}{done.stderr}"
        self.assertEqual(done.returncode, 2, where)
        self.assertEqual(done.stdout, "", where)
        self.assertEqual(done.stderr.count("\n"), 1, where)
        self.assertTrue(done.stderr.endswith("\n"), where)
        self.assertRegex(done.stderr, r"\Atutti: " + expected, where)
        self.assertEqual(sorted(os.listdir(self.folder)), before, where)
