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
            self.assertNotIn("time_us_per_rank", full, "the last call's, which time_us is not of")
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
        self.assertIn("noise every=1e-04,for=1e-05,by=node, seed 1, 9.09 % of the processors' time: times are medians of calls in turn", one)
        self.assertIn("loop:32", one)

    def test_OneCallHasNoMedian(self):
        text = self.output(*CALL, "--noise", "every=1e-4,for=1e-5", "--mode", "isolated")
        self.assertIn("of the processors' time: times are those of one call", text)
        self.assertNotIn("95 %", text)

    def test_MeasuredDetoursComeFromTheirFileWhichNoOutputReplaces(self):
        self.write("detours.csv", "begin_us,duration_us\n90,10\n190,10\n")
        rows = self.rows("--noise", "file=detours.csv")
        self.assertEqual(rows[0]["noise"], "file=detours.csv")
        self.refused("detours.csv", *CALL, "--noise", "file=detours.csv", "--csv", "detours.csv")
        self.write("cut.csv", "begin_us,duration_us\n90,10\n190,1")
        self.refused("cut.csv:3: expected a line end", *CALL, "--noise", "file=cut.csv")
        self.refused("noise 'loud': expected every=SECONDS,for=SECONDS or file=FILE", *CALL, "--noise", "loud")
        self.refused("--noise: expected no --goal", *CALL, "--noise", "every=1,for=1", "--goal", "x.goal")

    def test_RanksAreAsLateAsAFileSaysWhichNoOutputReplaces(self):
        self.write("late.csv", "late_us\n0\n0\n4\n")
        mode = ("--mode", "skew:file=late.csv")
        one, = {row["mode"] for row in self.rows(*mode)}
        self.assertEqual(one, "skew:file=late.csv")
        self.assertIn(", skew:file=late.csv, seed 1\n", self.output(*CALL, *mode))
        self.assertNotEqual(self.output(*CALL, *mode), self.output(*CALL, *mode, "--seed", "2"))
        kept = (*CALL, *mode, "--state", "kept")
        before = self.output(*kept)
        self.write("late.csv", "late_us\n0\n0\n9\n")
        self.assertNotEqual(self.output(*kept), before, "what is kept is of other lateness")
        self.refused("late.csv", *CALL, *mode, "--csv", "late.csv")
        tune = ("tune", "--machine", "example-cluster", "--nodes", "3", "--bytes", "8", "--collectives", "bcast", *mode)
        self.refused("late.csv: is the same file", *tune, "-o", "late.csv")
        self.refused("late.csv: expected no file of placements, noise or lateness", *tune, "--shard", "1/2", "--state", "parts")
        self.refused("late.csv", "whatif", "bcast", "--machine", "example-cluster", "--taper", "leaf=2", *mode, "--csv", "late.csv")

    def test_SeveralLateArrivalsSpreadAndTheirMedianIsSaid(self):
        mode = ("--mode", "skew:1e-5:9")
        for row, full in zip(self.rows(*mode), json.loads(self.output(*CALL, *mode, "--json"))):
            calls = full["time_us_per_call"]
            self.assertEqual((len(calls), row["calls"], row["mode"], row["seed"]), (9, "9", "skew:1e-05:9", "1"))
            self.assertAlmostEqual(float(row["time_us"]), statistics.median(calls), places=5)
            self.assertLess(float(row["p05_us"]), float(row["p95_us"]))
        self.assertIn("\nlate ranks: times are medians of calls, each with arrivals of its own\n", self.output(*CALL, *mode))
        self.assertEqual(self.output(*CALL, *mode, "--jobs", "1"), self.output(*CALL, *mode, "--jobs", "2"))
        self.assertIn("\ncritical path of the last of 9 calls of ring", self.output(*CALL, *mode, "--critical-path"))
        told = self.output("explain", *CALL[1:-2], "--library", "mpich", *mode)
        self.assertIn("not shown: times are medians of calls, each bound in its own way", told)
        tune = ("tune", "--machine", "example-cluster", "--nodes", "3", "--bytes", "8", "--collectives", "bcast", "--algorithms", "linear", "-o", "t.json")
        self.assertIn("times are medians of calls, each with arrivals of its own", self.call(*tune, *mode).stderr)
        one = ("--noise", "every=1,for=1e-6", "--mode", "isolated")
        self.assertIn("times are of one call beside noise", self.call(*tune, *one).stderr)
        self.refused("--statistic: expected several calls, as of --mode loop:32, not --mode isolated", *tune, *one, "--statistic", "p95")

    def test_OutputsSayTheSeedWhereSomethingIsRandom(self):
        for options, where in ((("--noise", "every=1e-4,for=2e-5"), "noise every=1e-04,for=2e-05, seed 7, "),
                               (("--mode", "skew:1e-5"), ", skew:1e-05, seed 7\n"), (("--mode", "loop:3"), ", loop:3, seed 7\n")):
            asked = (*CALL, *options, "--seed", "7")
            self.assertEqual(next(csv.DictReader(io.StringIO(self.output(*asked, "--csv", "-"))))["seed"], "7")
            self.assertEqual(json.loads(self.output(*asked, "--json"))[0]["seed"], 7)
            self.assertIn(where, self.output(*asked))
            self.assertEqual(json.loads(self.output(*CALL, *options, "--json"))[0]["seed"], 1)
        self.assertNotIn("seed", json.loads(self.output(*CALL, "--json"))[0])

    def test_ExplainSaysWhatALibrarysChoiceCostsUnderNoise(self):
        noise = ("--noise", "every=1e-4,for=1e-5", "--seed", "3")
        few = ("simulate", "allreduce", "--machine", "example-cluster", "--nodes", "3", "--ppn", "2", "--bytes", "16K", "--algorithm")
        told = json.loads(self.output("explain", *few[1:-1], "--library", "mpich", *noise, "--json"))
        self.assertEqual((told["mode"], told["noise"], told["seed"], told["bounds"]), ("loop:32", "every=1e-04,for=1e-05", 3, []))
        simulated = list(csv.DictReader(io.StringIO(self.output(*few, "all", *noise, "--csv", "-"))))
        self.assertAlmostEqual(told["best"][0]["time_us"], min(float(row["time_us"]) for row in simulated), places=5)
        call = (*few[1:-1], "--library", "mpich", "--mode", "skew:1e-5", "--json")
        one, other = (json.loads(self.output("explain", *call, "--seed", seed)) for seed in ("1", "2"))
        self.assertNotEqual((one["seed"], one["best"]), (other["seed"], other["best"]))
        self.refused("--seed: expected --noise", "explain", *few[1:-1], "--library", "mpich", "--seed", "7")

    TUNE = ("tune", "--machine", "example-cluster", "--nodes", "5", "--ppn", "3", "--bytes", "64K", "--collectives", "allreduce",
            "--algorithms", "ring,recursive_doubling,rabenseifner,linear", "--bound", "0")

    def tuned(self, *options):
        self.output(*self.TUNE, *options, "-o", "table.json")
        return json.loads(self.read("table.json"))

    def test_ATableOfANoisyMachineHasTheTimesThatSimulateSays(self):
        noise, same = "every=1e-4,for=1e-5,by=node", ("--noise", "every=1e-4,for=1e-5,by=node,seed=3")
        rows = {row["algorithm"]: row for row in self.rows("--noise", noise, "--seed", "3")}
        for statistic, column in (("median", "time_us"), ("mean", "mean_us"), ("p95", "p95_us")):
            table = self.tuned(*same, "--statistic", statistic)
            self.assertEqual((table["loads"], table.get("statistic")), (["noise:every=1e-04,for=1e-05,by=node,seed=3"],
                                                                        None if statistic == "median" else statistic))
            times = table["cells"][0]["times_us"]
            for name, row in rows.items():
                self.assertAlmostEqual(times[name], float(row[column]), places=5)
            self.assertAlmostEqual(table["rules"][0]["predicted_us"], min(times.values()), places=5)
        self.assertIn("times are 95th percentiles of calls beside noise:every=1e-04,for=1e-05,by=node,seed=3", table["notes"])

    def test_OfSeveralNoisesAndJobsTheWorstOrTheMeanCounts(self):
        noises = ("--noise", "none", "--noise", "every=1e-4,for=1e-5,seed=1", "--noise", "every=1e-4,for=1e-5,seed=2")
        each = ["none", "noise:every=1e-04,for=1e-05", "noise:every=1e-04,for=1e-05,seed=2"]
        for robust, of in (("worst", max), ("mean", statistics.mean)):
            table = self.tuned(*noises, "--robust", robust, "--statistic", "p95")
            self.assertEqual(table["loads"], each)
            cell = table["cells"][0]
            for name, times in cell["loads_us"].items():
                self.assertEqual(len(set(times)), 3, "seeds give other noise")
                self.assertAlmostEqual(cell["times_us"][name], of(times), places=5)
        job = "incast:nodes=4,bytes=1024"
        table = self.tuned("--background", job, "--noise", "none", "--noise", "every=1e-4,for=1e-5")
        self.assertEqual(table["loads"], [job, job + " + noise:every=1e-04,for=1e-05"])

    def test_ANoisyTableIsReadByAllThatReadTables(self):
        table = self.tuned("--noise", "every=1e-4,for=1e-5", "--statistic", "p95", "--for", "open-mpi-4.1")
        self.output("export", "table.json", "--to", "open-mpi-classic", "-o", "rules.txt")
        self.output("report", "table.json", "-o", "page.html")
        self.assertIn("p95 of the calls", self.read("page.html"))
        audited = json.loads(self.output("audit", "rules.txt", "table.json", "--for", "open-mpi-classic", "--machine", "example-cluster", "--json"))
        self.assertAlmostEqual(audited["cells"][0]["best_us"], min(table["cells"][0]["times_us"].values()), places=5)
        self.assertIn("95th percentiles of calls beside noise:every=1e-04,for=1e-05", self.read("rules.txt"))

    def test_ASweepInPartsUnderNoiseIsThatOfOneProcess(self):
        options = ("--noise", "every=1e-4,for=1e-5,seed=2", "--statistic", "mean")
        self.tuned(*options)
        for shard in ("1/2", "2/2"):
            self.output(*self.TUNE, *options, "--state", "sweep", "--shard", shard)
        self.output("merge", "sweep", "-o", "merged.json")
        self.assertEqual(self.read("merged.json"), self.read("table.json"))

    def test_WhatATableCannotBeOfIsRefused(self):
        tune = (*self.TUNE, "-o", "t.json")
        self.refused("--statistic: expected --background or --noise", *tune, "--statistic", "p95")
        self.refused("--statistic p99: expected median, mean or p95", *tune, "--noise", "every=1,for=1", "--statistic", "p99")
        self.refused("--robust: expected several", *tune, "--noise", "every=1,for=1", "--robust", "mean")
        self.refused(".*expected each load once", *tune, "--noise", "every=1,for=1", "--noise", "every=1,for=1,seed=1")
        self.refused(".*expected a whole number after seed=", *tune, "--noise", "every=1,for=1,seed=x")
        self.write("detours.csv", "begin_us,duration_us\n90,10\n190,10\n")
        self.refused("detours.csv", *self.TUNE, "--noise", "file=detours.csv", "-o", "detours.csv")


if __name__ == "__main__":
    unittest.main()
