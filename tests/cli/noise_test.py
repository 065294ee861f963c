"""What `simulate --noise` says of calls that do not take the same time each."""
import csv
import io
import json
import statistics
import unittest

from refused import Refused

CALL = ("simulate", "allreduce", "--machine", "example-cluster", "--nodes", "5", "--ppn", "3", "--bytes", "64K", "--algorithm",
        "ring,recursive_doubling")


class Noise(Refused):
    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.output(*CALL, *arguments, "--csv", "-"))))

    def test_TimesAreMediansOfCallsAndNoneIsShorterThanWithout(self):
        noise = ("--noise", "every=1e-4,for=1e-5")
        quiet = self.rows("--mode", "loop:20")
        noisy = self.rows("--mode", "loop:20", *noise)
        both = json.loads(self.output(*CALL, "--mode", "loop:20", *noise, "--json"))
        for without, row, full in zip(quiet, noisy, both):
            calls = full["time_us_per_call"]
            self.assertEqual((len(calls), row["calls"], row["noise"]), (20, "20", "every=1e-04,for=1e-05"))
            self.assertAlmostEqual(float(row["time_us"]), statistics.median(calls), places=5)
            self.assertGreaterEqual(min(calls), 0.999 * float(without["time_us"]))
            self.assertGreater(float(row["p95_us"]), float(without["time_us"]))
        self.assertNotIn("p95_us", quiet[0])

    def test_TheSameSeedGivesTheSameBytesOnAnyNumberOfThreads(self):
        noise = ("--noise", "every=1e-4,for=1e-5,by=node")
        one = self.output(*CALL, *noise, "--jobs", "1")
        self.assertEqual(one, self.output(*CALL, *noise, "--jobs", "2"))
        self.assertNotEqual(one, self.output(*CALL, *noise, "--seed", "2"))
        self.assertIn("noise every=1e-04,for=1e-05,by=node, 9.09 % of the processors' time: times are medians of calls in turn", one)
        self.assertIn("loop:32", one)

    def test_MeasuredDetoursComeFromTheirFileWhichNoOutputReplaces(self):
        self.write("detours.csv", "begin_us,duration_us\n90,10\n190,10\n")
        rows = self.rows("--noise", "file=detours.csv")
        self.assertEqual(rows[0]["noise"], "file=detours.csv")
        self.refused("detours.csv", *CALL, "--noise", "file=detours.csv", "--csv", "detours.csv")
        self.write("cut.csv", "begin_us,duration_us\n90,10\n190,1")
        self.refused("cut.csv:3: expected a line end", *CALL, "--noise", "file=cut.csv")
        self.refused("noise 'loud': expected every=SECONDS,for=SECONDS or file=FILE", *CALL, "--noise", "loud")
        self.refused("--noise: expected no --goal", *CALL, "--noise", "every=1,for=1", "--goal", "x.goal")


if __name__ == "__main__":
    unittest.main()
