"""Pictures of simulate, and headers that come with results alone."""
import os
import re
import struct
import unittest

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
    def test_OfALongSimulationIsBroken(self):
        # A million messages between ranks of which none stands for another: ten times as long as a terminal is left alone.
        said = self.on_terminal("simulate", "allgather", "--machine", "marenostrum5-acc", "--algorithm", "ring",
                                       "--nodes", "64", "--ppn", "16", "--bytes", "64M", "--csv", "times.csv")
        self.assertRegex(said, r"simulating \[ *\] [\d.]+ s so far")
        self.assertTrue(said.endswith("\r\033[K"), said)  # and taken away at the end

    def test_OfAWhatIfSaysTheWorkNotTheStepsThatAreDone(self):
        # Nearly all of the work is two cells of 40, of which the second comes after the 35th.
        said = self.on_terminal("whatif", "alltoall", "--machine", "marenostrum5-acc", "--ranks", "2-20,160", "--bytes", "64K", "--latency",
                                "nic=+10%", "--jobs", "1")
        parts = {int(part) for done, part in re.findall(r"\b(\d+) of 40 cells, (\d+) % of the work, ", said) if int(done) <= 35}
        self.assertTrue(parts, said)
        self.assertLess(max(parts), 75, said)


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
