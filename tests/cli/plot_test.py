"""Pictures of simulate, and headers that come with results alone."""
import os
import pty
import re
import struct
import subprocess
import unittest

from program import TUTTI
from refused import Refused, SIMULATE

HERE = (*SIMULATE, "--nodes", "2-9", "--bytes", "8,64K")


class Plot(Refused):
    def test_IsDrawnBesideTheTimes(self):
        done = self.call(*HERE, "--plot", "times.png")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, self.output(*HERE))
        with open(self.path("times.png"), "rb") as file:
            head = file.read(24)
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        self.assertLess(max(struct.unpack(">II", head[16:])), 2500)
        self.output(*HERE, "--csv", "-", "--plot", "times.svg")
        self.assertIn("<!-- bcast, 64 KiB", self.read("times.svg"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["times.png", "times.svg"])

    def test_OfAnotherKindOrPlaceIsRefusedBeforeAnythingIsSimulated(self):
        self.refused("--plot times.gif: expected a name that ends in .png or .svg", *HERE, "--plot", "times.gif")
        self.refused("missing/times.png: cannot be written", *HERE, "--plot", "missing/times.png")


class Silence(Refused):
    def said_on_a_terminal(self, *arguments):
        shown, terminal = pty.openpty()
        program = subprocess.Popen([TUTTI, *arguments], stdout=subprocess.DEVNULL, stderr=terminal, cwd=self.folder)
        os.close(terminal)
        said = ""
        try:
            while text := os.read(shown, 1 << 16).decode():
                said += text
        except OSError:  # the other side is closed
            pass
        self.assertEqual(program.wait(), 0, said)
        return said

    def test_OfALongSimulationIsBroken(self):
        # A million messages between ranks of which none stands for another: ten times as long as a terminal is left alone.
        said = self.said_on_a_terminal("simulate", "allgather", "--machine", "marenostrum5-acc", "--algorithm", "ring",
                                       "--nodes", "64", "--ppn", "16", "--bytes", "64M", "--csv", "times.csv")
        self.assertRegex(said, r"simulating \[ *\] [\d.]+ s so far")
        self.assertTrue(said.endswith("\r\033[K"), said)  # and taken away at the end

    def test_OfAWhatIfSaysTheWorkNotTheStepsThatAreDone(self):
        said = self.said_on_a_terminal("whatif", "alltoall", "barrier", "--machine", "marenostrum5-acc", "--ranks", "160",
                                       "--bytes", "64K", "--latency", "nic=+10%", "--jobs", "1")
        (part,) = set(re.findall(r"\b1 of 4 cells, (\d+) % of the work, ", said))
        self.assertGreater(int(part), 40, said)
        self.assertLess(int(part), 60, said)

    def test_OfAnExplanationIsBrokenToo(self):
        said = self.said_on_a_terminal("explain", "allgather", "--machine", "marenostrum5-acc", "--nodes", "64", "--ppn", "2", "--bytes", "1M",
                                       "--library", "open-mpi-5.0")
        self.assertRegex(said, r"simulating \[=* *\] \d+ of \d+ runs, \d+ % of the work, about ")


class Headers(Refused):
    def test_OfMeasurementsComeWithResultsAlone(self):
        self.refused("unknown algorithm 'linaer' for bcast: .*", "bench", "bcast", "--algorithm", "linaer", "--bytes", "8")
        self.refused("unknown algorithm 'linaer' for bcast: .*", "bench", "bcast", "--algorithm", "binomial,linaer", "--bytes", "8")
        self.refused("unknown default 'open-mpi': expected one of", "bench", "bcast", "--algorithm", "linear,default:open-mpi", "--bytes", "8")
        self.refused("--bytes: '8T': expected ", "bench", "bcast", "--bytes", "8T")
        self.refused("--bytes: '8T': expected ", "bench", "copy", "--bytes", "8T")

    def test_ABoundThatIsMeantInPercentIsRefused(self):
        self.refused("--bound 5: expected a regret from 0 to 1, such as 0.05", "tune", "--machine", "example-cluster", "--nodes", "2",
                     "--bytes", "8", "--bound", "5", "-o", "t.json")


if __name__ == "__main__":
    unittest.main()
