"""What the models are held to on measurements that the project does not ship: skipped visibly where these are not there."""
import os
import statistics
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
COLLECTIVES = os.path.join(os.environ.get("TUTTI_SHARED", os.path.join(ROOT, "..", "shared")), "data", "collectives")
sys.path.insert(0, os.path.join(ROOT, "fidelity"))

import scores  # noqa: E402
import sections  # noqa: E402
import tori_and_nodes  # noqa: E402


class MeasuredCase(unittest.TestCase):
    def setUp(self):
        if not os.path.isdir(COLLECTIVES):
            self.skipTest("no measured collectives; name their folder in TUTTI_SHARED")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def predictions(self, machine, measured, *options):
        """Where they are: of every row of the file."""
        path = os.path.join(self.folder, f"{machine}{len(os.listdir(self.folder))}.csv")
        subprocess.run([os.path.join(os.environ["TUTTI_BUILD"], "tutti"), "calibrate", "--collectives", measured, "--base", machine,
                        "--predictions", path, *options], check=True, timeout=3600)
        return path

    def rows(self, form, name, machine):
        table = os.path.join(self.folder, form + ".csv")
        placements = os.path.join(COLLECTIVES, os.path.dirname(name), "placements")
        if os.path.isdir(placements):
            os.symlink(placements, os.path.join(self.folder, "placements"))
        with open(table, "w", encoding="utf-8") as out:
            subprocess.run([os.path.join(ROOT, "fidelity", "rows.py"), form, os.path.join(COLLECTIVES, name)], stdout=out,
                           check=True)
        return list(scores.read(self.predictions(machine, table)))


class Measured(MeasuredCase):
    def test_SchedulesOnAzureHcTakeWhatPointToPointMeasurementsLetExpect(self):
        rows = self.rows("schedules", "explicit_schedules.csv", "azure-hc")
        self.assertEqual(len(rows), 54)
        text, median = sections.schedules_section(rows)
        self.assertLessEqual(median, 0.15, text)

    def test_BroadcastsInANodeAndOnTwoArePickedRightOrNearlySo(self):
        rows = self.rows("osu-bcast", "orfeo-thin", "orfeo-thin")
        self.assertEqual(len(rows), 1440)
        text, close = sections.node_section(rows)
        self.assertGreaterEqual(close, 0.80, text)

    def measured_beside(self, name):
        path = os.path.join(COLLECTIVES, "..", name, "measured.csv")
        if not os.path.isfile(path):
            self.skipTest(f"no measurements of {name}; name the folder of measured data in TUTTI_SHARED")
        return path

    def test_AlgorithmsOnToriOfFugakuArePickedRightOrNearlySoAndTakeWhatIsPredicted(self):
        rows = tori_and_nodes.read([self.predictions("fugaku", self.measured_beside("fugaku"))])
        regrets = [cell.regret for cell in tori_and_nodes.cells_of(rows)]
        self.assertGreater(len(regrets), 140)
        self.assertLessEqual(statistics.mean(regrets), 1.05)
        errors = [abs(float(row["time_us"]) / float(row["measured_us"]) - 1) for _, row in rows if row["fitted"] == "0"]
        self.assertLessEqual(statistics.median(errors), 0.20)

    def test_BroadcastsAndScattersOnNodesOf128CoresArePickedRightOrNearlySo(self):
        cells = tori_and_nodes.cells_of(tori_and_nodes.read([self.predictions("orfeo-epyc", self.measured_beside("orfeo"))]))
        self.assertEqual(len(cells), 288)
        self.assertGreaterEqual(sum(cell.regret <= tori_and_nodes.CLOSE for cell in cells) / len(cells), 0.90)

    def test_RingsAndSmallAllToAllsOfAnotherProgramThatNothingWasFittedToTakeWhatIsPredicted(self):
        if not os.path.isdir(os.path.join(COLLECTIVES, "..", "crab")):
            self.skipTest("no measurements of CRAB; name the folder of measured data in TUTTI_SHARED")
        rows = [(key, float(row["time_us"]) / float(row["measured_us"])) for key, row in self.rows("crab", "../crab/measured.csv", "lumi-g")
                if key.ranks > 8]

        def worst(collective, most_bytes):
            ratios = [ratio for key, ratio in rows if key.collective == collective and key.bytes // key.ranks <= most_bytes]
            self.assertGreater(len(ratios), 8)
            return max(max(ratio, 1 / ratio) for ratio in ratios)

        self.assertLessEqual(worst("allgather", 8192), 1.15)
        self.assertLessEqual(worst("alltoall", 4096), 1.30)

    def test_PicksOnMareNostrumAndLumiAreNearlyTheBest(self):
        measured = os.path.join(COLLECTIVES, "measured.csv")
        paths = [self.predictions(machine, measured) for machine in ("marenostrum5-acc", "lumi-g")]
        score = scores.score(scores.scenarios(paths, measured, without="bine"))
        self.assertEqual(score["scenarios"], 97)
        self.assertLessEqual(score["mean"], 1.04, score)
        self.assertGreaterEqual(score["within"], 0.85, score)
        self.assertLessEqual(score["error"], 0.15, score)
        with_bine = scores.score(scores.scenarios(paths, measured))
        self.assertEqual(with_bine["scenarios"], 119)
        self.assertLessEqual(with_bine["mean"], 1.07, with_bine)
        self.assertLessEqual(with_bine["p95"], 1.25, with_bine)
        self.assertLessEqual(with_bine["error"], 0.10, with_bine)


class WholeFile(MeasuredCase):
    """Minutes: labelled slow."""

    def test_NoFigureOfAllThatWasMeasuredIsWorseThanAsked(self):
        measured = os.path.join(COLLECTIVES, "measured.csv")
        paths = [self.predictions(machine, measured) for machine in ("marenostrum5-acc", "leonardo-booster", "lumi-g")]
        found = scores.scenarios(paths, measured, without="bine")
        self.assertEqual(len(found), 186)
        self.assertEqual(scores.missed(found), [], scores.score(found))
        self.assertEqual(len(scores.scenarios(paths, measured)), 208)


class HeldOut(unittest.TestCase):
    def test_RunsOnOtherNumbersOfRanksThanAnyLookedAtArePickedRight(self):
        rows = []
        with tempfile.TemporaryDirectory() as folder:
            for machine in ("marenostrum5-acc", "leonardo-booster"):
                path = os.path.join(folder, machine + ".csv")
                subprocess.run([os.path.join(os.environ["TUTTI_BUILD"], "tutti"), "calibrate", "--collectives",
                                os.path.join(ROOT, "fidelity", "held_out.csv"), "--base", machine, "--predictions", path],
                               check=True, timeout=1800)
                rows += scores.read(path)
        self.assertEqual(len(rows), 7)
        text, regrets = sections.held_out_section(rows)
        self.assertEqual(len(regrets), 2)
        self.assertLessEqual(max(regrets), 1.05, text)
        for key, row in rows:
            ratio = float(row["time_us"]) / float(row["measured_us"])
            self.assertTrue(0.5 <= ratio <= 1.5, f"{key} {row['algorithm']}: {ratio}")


class Engines(MeasuredCase):
    """Minutes: labelled slow."""

    def test_BothEnginesPickTheSame(self):
        measured = os.path.join(COLLECTIVES, "measured.csv")
        found = {}
        for engine in ("fast", "simgrid"):
            paths = [self.predictions(machine, measured, "--most-ranks", "128", "--engine", engine)
                     for machine in ("marenostrum5-acc", "leonardo-booster", "lumi-g")]
            found[engine] = scores.scenarios(paths, measured, without="bine")
        text, same = sections.engines_section(found["fast"], found["simgrid"])
        self.assertGreaterEqual(len(found["simgrid"]), 100)
        self.assertGreaterEqual(same, 0.95, text)


if __name__ == "__main__":
    unittest.main()
