"""What `tutti study odd-counts` says of every number of ranks follows from its table."""
import csv
import json
import math
import os
import shutil
import statistics
import subprocess
import tempfile
import unittest

from program import TUTTI
from refused import Refused

STUDY = ("study", "odd-counts", "--machine", "example-cluster", "--collectives", "allreduce,bcast,alltoall,barrier",
         "--baselines", "mpich,open-mpi-4.1")


class Study(Refused):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory(prefix="tutti-study-")
        cls.addClassCleanup(cls.made.cleanup)
        subprocess.run([TUTTI, *STUDY, "--nodes", "2-12,15,16", "--osu-sizes", "8,64K", "-o", "study"], cwd=cls.made.name, check=True,
                       stdout=subprocess.DEVNULL)

    def studied(self):
        shutil.copytree(os.path.join(self.made.name, "study"), self.path("study"))
        with open(self.path("study/counts.csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_EveryRowIsWhatTheTableSaysAndNoDefaultIsFasterThanTheBest(self):
        rows = self.studied()
        cells = {(cell["collective"], cell["nodes"], cell["bytes"]): cell
                 for cell in json.loads(self.read("study/table.json"))["cells"]}
        self.assertEqual(len(rows), 2 * (3 * 2 + 1) * 13)  # libraries, sizes, numbers of ranks
        for row in rows:
            ranks, size = int(row["ranks"]), int(row["osu_bytes"])
            cell = cells[row["collective"], ranks, size * ranks if row["collective"] == "alltoall" else size]
            self.assertEqual(float(row["best_us"]), float(f"{min(cell['times_us'].values()):.6g}"))
            self.assertEqual(float(row["default_us"]), float(f"{cell['defaults_us'][row['library']]:.6g}"))
            self.assertGreaterEqual(float(row["default_over_best"]), 1)
            self.assertLessEqual(float(row["tuned_over_best"]), float(row["default_over_best"]))
            self.assertGreaterEqual(float(row["tuned_over_best"]), 1)
            self.assertEqual(row["power_of_two"], str(int(ranks in (2, 4, 8, 16))))
            following = cells.get((row["collective"], ranks + 1, size * (ranks + 1) if row["collective"] == "alltoall" else size))
            self.assertEqual(row["default_one_more"] == "", following is None)
            if following:
                self.assertAlmostEqual(float(row["default_one_more"]) * cell["defaults_us"][row["library"]],
                                       following["defaults_us"][row["library"]], delta=1e-4 * float(row["default_us"]) * 10)

    def test_ThePageSaysTheMeansOfTheRowsAndWhereTheWorstIs(self):
        rows, page = self.studied(), self.read("study/README.md")
        for library in ("mpich", "open-mpi-4.1"):
            ratios = [[float(row["default_us"]) / float(row["best_us"]) for row in rows
                       if row["library"] == library and row["power_of_two"] == power] for power in "01"]
            means = [math.exp(statistics.fmean(map(math.log, each))) for each in ratios]
            self.assertIn(f"* {library}: {means[0]:.2f} times as long as the best where the count is no power of two, "
                          f"{means[1]:.2f} where it is.", page)
        worst = max((row for row in rows if row["collective"] == "bcast" and row["library"] == "mpich"
                     and row["osu_bytes"] == "65536" and row["power_of_two"] == "0"),
                    key=lambda row: float(row["default_over_best"]))
        line = next(line for line in page.split("## bcast")[1].splitlines() if line.startswith("| 64 KiB | mpich"))
        self.assertIn(f"{float(worst['default_over_best']):.2f} on {worst['ranks']}", line)

    def test_ThePageSaysInHowManyCasesALibrarysChoiceIsNotKnownOrTheBestNotDecided(self):
        self.studied()
        self.assertNotRegex(self.read("study/README.md"), "not known|not decided")
        table = json.loads(self.read("study/table.json"))
        for cell in [cell for cell in table["cells"] if cell["collective"] == "barrier"][:3]:
            del cell["defaults_us"]["mpich"]
        cell["undecided"] = ["bruck"]
        self.write("less.json", json.dumps({**table, "cells": [cell for cell in table["cells"] if cell["collective"] == "barrier"],
                                            "rules": [rule for rule in table["rules"] if rule["collective"] == "barrier"]}) + "\n")
        self.output("study", "odd-counts", "less.json", "-o", "less")
        page = self.read("less/README.md")
        self.assertRegex(page, r"\* mpich: .*\n  What its own choice takes is not known in 3 of 13 cases")
        self.assertEqual(page.count("not known"), 1)
        self.assertIn("\n1 case is not decided: something else may be faster there than the best that is named.\n", page)

    def test_ThePageSaysWhatNoTunedLibraryReachesAndWhereNothingGains(self):
        rows, page = self.studied(), self.read("study/README.md")
        part = page.split("## What no library has")[1].split("## allreduce")[0]
        least = {}  # over the best, of the better one of the two libraries
        for row in rows:
            key = row["collective"], row["osu_bytes"], int(row["ranks"])
            least[key] = min(least.get(key, math.inf), float(row["tuned_over_best"]))
        of_allreduce = {ranks: gain for (name, size, ranks), gain in least.items() if (name, size) == ("allreduce", "65536")}
        most = max(of_allreduce, key=of_allreduce.get)
        others = statistics.geometric_mean(gain for ranks, gain in of_allreduce.items() if ranks not in (2, 4, 8, 16))
        line = next(line for line in part.splitlines() if line.startswith("| allreduce, 64 KiB"))
        self.assertIn(f"| {others:.2f} |", line)
        self.assertIn(f"| {of_allreduce[most]:.2f} on {most} |", line)
        nothing = part.split("Nothing else gains")[1]
        self.assertTrue(all(gain < 1.02 for (name, size, _), gain in least.items() if (name, size) == ("bcast", "65536")))
        self.assertIn("bcast, 64 KiB", nothing)

    def test_WhatVersionsCanBeTunedToCountsAsWhatLibrariesDo(self):
        self.output("tune", "--machine", "example-cluster", "--nodes", "3", "--ppn", "5", "--osu-sizes", "64K", "--collectives", "allreduce,reduce",
                    "--baselines", "ucc-1.3,mvapich2-2.3", "--confirm", "none", "-o", "t.json")
        cells = {cell["collective"]: cell for cell in json.loads(self.read("t.json"))["cells"]}
        self.output("study", "odd-counts", "t.json", "-o", "versions")
        with open(self.path("versions/counts.csv"), encoding="utf-8", newline="") as file:
            rows = {(row["collective"], row["library"]): row for row in csv.DictReader(file)}
        self.assertEqual(len(rows), 4)
        for row in rows.values():
            self.assertLessEqual(float(row["tuned_us"]), float(row["default_us"]))
        sayable = cells["allreduce"]["times_us"]["k_reduce_scatter_allgather"]  # UCC's sra_knomial
        self.assertLessEqual(float(rows["allreduce", "ucc-1.3"]["tuned_us"]), sayable * 1.0001)
        self.assertLess(float(rows["allreduce", "ucc-1.3"]["tuned_us"]), float(rows["allreduce", "ucc-1.3"]["default_us"]))
        self.assertIn("## What no library has", self.read("versions/README.md"))

    def test_IsTheSameFromTheTableAloneWithAPictureOfEachCollective(self):
        self.studied()
        self.output("study", "odd-counts", "study/table.json", "-o", "again")
        for name in ("counts.csv", "README.md", "allreduce.png", "alltoall.svg", "barrier.png", "bcast.png"):
            with open(self.path(f"study/{name}"), "rb") as one, open(self.path(f"again/{name}"), "rb") as other:
                self.assertEqual(one.read(), other.read(), name)
        self.assertNotIn("table.json", os.listdir(self.path("again")))

    def test_SaysUnderWhatTheTimesAre(self):
        tune = ("tune", "--machine", "example-cluster", "--bytes", "8,64K", "--collectives", "bcast", "--algorithms", "linear,binomial", "--nodes", "2-5",
                "--baselines", "mpich", "--confirm", "none", "-o")
        self.output(*tune, "loaded.json", "--background", "incast:nodes=8,bytes=1M")
        self.output("study", "odd-counts", "loaded.json", "-o", "study")
        self.assertIn("They are beside incast:nodes=8,bytes=1048576.", self.read("study/README.md"))

    def test_OfOneRankIsDrawnWithoutATime(self):
        self.output("tune", "--machine", "example-cluster", "--nodes", "1", "--bytes", "8", "--collectives", "bcast", "--baselines", "mpich", "-o", "one.json")
        done = self.call("study", "odd-counts", "one.json", "-o", "study")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("Warning", done.stderr)

    def test_WhatItCannotAnswerIsRefused(self):
        self.refused("expected one of TABLE and --machine", "study", "odd-counts", "-o", "study")
        self.refused("question odd: expected one of odd-counts", "study", "odd", "--machine", "example-cluster", "-o", "study")
        self.write("no.json", "{}")
        self.refused("no.json:1: ", "study", "odd-counts", "no.json", "-o", "study")
        tune = ("tune", "--machine", "example-cluster", "--bytes", "8", "--collectives", "bcast", "--algorithms", "linear", "-o")
        self.output(*tune, "one.json", "--nodes", "2", "--ppn", "2")
        self.output(*tune, "other.json", "--nodes", "4")
        self.refused("other.json: bcast on 4 ranks as 2 x 2 and as 4 x 1: expected one layout for each number of ranks", "study", "odd-counts",
                     "one.json", "other.json", "-o", "study")
        self.output(*tune, "again.json", "--nodes", "3,4", "--baselines", "mpich")
        done = self.call("study", "odd-counts", "other.json", "again.json", "-o", "study")
        self.assertEqual(done.returncode, 2)
        self.assertIn("other.json and again.json say different things of bcast, 8 B on 4 ranks", done.stderr)
        for option, value in (("--nodes", "2"), ("--collectives", "bcast"), ("--state", "kept"), ("--baselines", "nosuch")):
            self.refused(f"{option}: expected together with --machine", "study", "odd-counts", "other.json", option, value, "-o", "study")
        self.refused("--nodes and --ppn: bcast on 4 ranks as 4 x 1 and as 2 x 2: expected one layout", "study", "odd-counts", "--machine",
                     "example-cluster", "--nodes", "2-5", "--ppn", "1,2", "-o", "study")

    def test_WhatIsRefusedLeavesNoFolder(self):
        self.refused(".*17", "study", "odd-counts", "--machine", "example-cluster", "--nodes", "17-20", "--collectives", "bcast", "-o", "s")


if __name__ == "__main__":
    unittest.main()
