"""The score of fidelity: which scenarios count, what a pick costs, and that the document says so."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import preloaded  # noqa: E402

MEASURED = "system,collective,algorithm,ranks,ppn,bytes,median_us\n"
PREDICTED = "system,collective,algorithm,ranks,ppn,bytes,implementation,measured_us,time_us,fitted\n"


class Fidelity(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=None):
        path = os.path.join(self.folder.name, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path

    def call(self, predicted, measured, notes="[]", options=(), alone=False):
        """`alone`: as somebody types it; else with what is loaded already."""
        command = [os.path.join(ROOT, "fidelity", "scores.py"), self.path("measured.csv", MEASURED + measured), self.path("predicted.csv", predicted),
                   "--notes", self.path("notes.json", notes), "-o", self.path("out.md"), *options]
        return subprocess.run(command, capture_output=True, text=True, check=False) if alone else preloaded.run(*command)

    def rows(self, collective, size, times, fitted=""):
        return "".join(f"m,{collective},{name},4,1,{size},library,{real},{model},{int(name in fitted)}\n"
                       for name, real, model in times)

    def test_ThePickIsWhatIsPredictedFastestAndCostsWhatWasMeasured(self):
        predicted = PREDICTED + self.rows("reduce", 64, [("a", 10, 12), ("b", 15, 11), ("c", 40, 44)])
        notes = json.dumps([{"of": {"collective": "reduce", "bytes": "32,64"}, "text": "known to be so"}])
        result = self.call(predicted, "m,reduce,default,4,1,64,30\n", notes, alone=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path("out.md"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("| m, reduce, 4 ranks, 1 per node, 64 B | b | a | 1.50 | 3.00 | known to be so |", text)
        self.assertIn("| **all** | 1 | 1.500 | 1.50 | 0.0% | 3.000 | 0 of 1 | 20.0% | 20.0% |", text)
        self.assertTrue(os.path.exists(self.path("out.png")))

    def test_TheErrorOfTimesThatWereNotFittedIsSaidApart(self):
        times = [("a", 10, 10), ("b", 15, 15), ("c", 40, 44)]
        self.assertIn("| 0.0% | 10.0% |", self.call(PREDICTED + self.rows("reduce", 64, times, "ab"), "").stdout)
        self.assertIn("| 0.0% | – |", self.call(PREDICTED + self.rows("reduce", 64, times, "abc"), "").stdout)

    def test_FewerThanThreeAlgorithmsAndSmallRootedCollectivesDoNotCount(self):
        three = [("a", 10, 1), ("b", 15, 2), ("c", 40, 3)]
        result = self.call(PREDICTED + self.rows("reduce", 64, three[:2]) + self.rows("bcast", 64, three), "")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no scenario", result.stderr)
        self.assertFalse(os.path.exists(self.path("out.md")))

    def test_WhatIsNotPredictedIsNamedWithWhatItCouldChange(self):
        predicted = PREDICTED + self.rows("reduce", 64, [("a", 10, 10), ("b", 15, 15), ("c", 40, 40)])
        self.call(predicted, "".join(f"m,reduce,{name},4,1,128,30\n" for name in "abc"))
        with open(self.path("out.md"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("without a prediction here: m, reduce, 4 ranks, 1 per node, 128 B. Were all of that wrong, 50.0% of the picks", text)

    def test_TheFastestOfSeveralMeasurementsCounts(self):
        predicted = PREDICTED + self.rows("reduce", 64, [("a", 10, 12), ("b", 15, 11), ("b", 9, 11), ("c", 40, 44)])
        self.assertIn("| all | 1 | 1.000 |", self.call(predicted, "").stdout)

    def test_ErrorsAreSaidByNumberOfNodes(self):
        times = [("a", 10, 12), ("b", 10, 11), ("c", 10, 10)]
        self.call(PREDICTED + self.rows("reduce", 64, times, "ab"), "")
        with open(self.path("out.md"), encoding="utf-8") as file:
            self.assertIn("| m | 4 | 15.0% (2) | 0.0% (1) |", file.read())
        self.assertTrue(os.path.exists(self.path("out-nodes.png")))

    def test_AnAblationCountsWhatWasMeasuredOnSoManyRanksAndNoMore(self):
        predicted = PREDICTED + self.rows("reduce", 64, [("a", 10, 10), ("b", 15, 15), ("c", 40, 40)])
        without = self.path("without.csv", predicted + predicted[len(PREDICTED):].replace(",4,1,", ",8,1,"))
        result = self.call(predicted, "", options=("--ablation", f"thing={without}", "--ablation-ranks", "4"))
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path("out.md"), encoding="utf-8") as file:
            self.assertIn("| thing | 1 |", file.read())

    def test_OfManyRanksEveryThirdSizeIsPredictedAndNoAllToAll(self):
        rows = "".join(f"m,{collective},a,{ranks},1,{size},1\n" for collective in ("reduce", "alltoall") for ranks in (512, 1024)
                       for size in (8, 16, 32, 64, 128))
        result = subprocess.run([os.path.join(ROOT, "fidelity", "sample.py"), self.path("measured.csv", MEASURED + rows)],
                                capture_output=True, text=True, check=True)
        found = result.stdout.replace("\r", "").splitlines()
        self.assertEqual([line for line in found if ",1024," in line], ["m,reduce,a,1024,1,16,1", "m,reduce,a,1024,1,128,1"])
        self.assertEqual(sum(",512," in line for line in found), 10)

    def test_ATableThatCannotBeReadIsRefusedWithItsLine(self):
        result = self.call(PREDICTED + "m,reduce,a,four,1,64,library,1,1,0\n", "")
        self.assertEqual(result.returncode, 2)
        self.assertIn("predicted.csv:2: expected whole numbers", result.stderr)
        self.assertIn("predicted.csv:1: expected the columns", self.call("size,time\n", "").stderr)


if __name__ == "__main__":
    unittest.main()
