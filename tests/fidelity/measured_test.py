"""What the models are held to on measurements that the project does not ship: skipped visibly where these are not there."""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
COLLECTIVES = os.path.join(os.environ.get("TUTTI_SHARED", os.path.join(ROOT, "..", "shared")), "data", "collectives")
sys.path.insert(0, os.path.join(ROOT, "plots"))

import fidelity  # noqa: E402
import fidelity_checks  # noqa: E402
import fidelity_labels  # noqa: E402


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
                        "--predictions", path, *options], check=True, timeout=1800)
        return path

    def rows(self, form, name, machine):
        table = os.path.join(self.folder, form + ".csv")
        with open(table, "w", encoding="utf-8") as out:
            subprocess.run([os.path.join(ROOT, "plots", "fidelity_rows.py"), form, os.path.join(COLLECTIVES, name)], stdout=out,
                           check=True)
        return list(fidelity.read(self.predictions(machine, table)))


class Measured(MeasuredCase):
    def test_SchedulesOnAzureHcTakeWhatPointToPointMeasurementsLetExpect(self):
        rows = self.rows("schedules", "explicit_schedules.csv", "azure-hc")
        self.assertEqual(len(rows), 54)
        text, median = fidelity_checks.schedules_section(rows)
        self.assertLessEqual(median, 0.15, text)

    def test_BroadcastsInANodeAndOnTwoArePickedRightOrNearlySo(self):
        rows = self.rows("osu-bcast", "orfeo-thin", "orfeo-thin")
        self.assertEqual(len(rows), 1440)
        text, close = fidelity_checks.node_section(rows)
        self.assertGreaterEqual(close, 0.80, text)

    def test_PicksOnMareNostrumAndLumiAreNearlyTheBest(self):
        measured = os.path.join(COLLECTIVES, "measured.csv")
        paths = [self.predictions(machine, measured) for machine in ("marenostrum5-acc", "lumi-g")]
        score = fidelity.score(fidelity.scenarios(paths, measured))
        self.assertEqual(score["scenarios"], 97)
        self.assertLessEqual(score["mean"], 1.04, score)
        self.assertGreaterEqual(score["within"], 0.85, score)
        self.assertLessEqual(score["error"], 0.15, score)


class Labels(MeasuredCase):
    """One run's label is wrong: the data themselves must say so, and no other run may be touched."""

    def setUp(self):
        super().setUp()
        self.measured = os.path.join(COLLECTIVES, "measured.csv")
        self.labels = fidelity_labels.read_labels(os.path.join(ROOT, "plots", "fidelity_labels.csv"))

    def table(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_TheMeasurementsSayThatTheyAreOfFourRanks(self):
        (label,) = self.labels.values()
        here, same = (fidelity_labels.times(self.measured, run) for run in (label.run, label.same_as))
        on_32 = fidelity_labels.times(self.measured, "2025_03_19___20_05_06")
        common = sorted(set(here) & set(same))
        self.assertEqual([what[3] for what in common], [32, 256, 2048, 8192, 65536, 524288, 4194304, 33554432, 268435456])
        for what in common:  # the same program on four nodes with a rank each
            self.assertLess(abs(here[what] / same[what] - 1), 0.065, what)
        for what in here:  # fewer elements than ranks are no message at all
            if what[3] == 32 and what in on_32:
                self.assertLess(on_32[what], 0.1, what)
                self.assertGreater(here[what], 3, what)
        doubling, ring, neighbours = (("allgather", "library", name, 256) for name in ("recursive_doubling", "ring", "neighbor_exchange"))
        self.assertLess(here[ring] / here[doubling], 1.5)  # 3 steps and 2; on 16 ranks 15 and 4
        self.assertGreater(on_32[ring] / on_32[doubling], 3)  # 31 and 5
        self.assertLess(here[neighbours] / here[doubling], 1.1)  # 2 and 2; on 16 ranks 8 and 4
        nodes = [row for row in self.table(self.measured) if row["run"] == label.run][0]["placement"]
        self.assertEqual(len(fidelity_labels.nodes_of(os.path.join(COLLECTIVES, "placements", nodes))), 4)

    def test_NoOtherRunIsTouchedAndNothingIsFittedToIt(self):
        fidelity_labels.correct(self.measured, self.labels, self.folder)
        before, after = self.table(self.measured), self.table(os.path.join(self.folder, "measured.csv"))
        self.assertEqual(len(before), len(after))
        touched = [row for old, row in zip(before, after) if row != {**old, "actual_ranks": "", "actual_ppn": ""}]
        (label,) = self.labels.values()
        self.assertEqual(touched, [row for row in after if row["run"] == label.run])
        self.assertEqual(self.table(os.path.join(self.folder, "as_labelled.csv")), [row for row in before if row["run"] == label.run])
        for old, row in zip(before, after):  # the label and the time stay
            self.assertEqual({**row, "placement": ""}, {**old, "placement": "", "actual_ranks": row["actual_ranks"], "actual_ppn": row["actual_ppn"]})
        # What is fitted is chosen by labels: the run alone leaves nothing to fit to.
        machine = os.path.join(ROOT, "models", "machines", label.system + ".json")
        with open(machine, encoding="utf-8") as file:
            selection = json.load(file)["calibration"]["selection"]
        alone = os.path.join(self.folder, "alone.csv")
        fidelity_labels.write_table(alone, touched[0], touched)
        fit = subprocess.run([os.path.join(os.environ["TUTTI_BUILD"], "tutti"), "calibrate", "--collectives", alone, "--base", machine,
                              "--fit", selection, "-o", os.path.join(self.folder, "fitted.json")], capture_output=True, text=True, check=False)
        self.assertEqual(fit.returncode, 2)
        self.assertIn("no row of " + label.system, fit.stderr)

    def test_ALabelThatIsNotTheRunsIsRefused(self):
        (of, label), = self.labels.items()
        for wrong in ({of: label._replace(ranks="8")}, {(of[0], "another"): label._replace(run="another")},
                      {of: label._replace(actual_ranks="8")}):
            with self.assertRaises(fidelity_labels.InputError):
                fidelity_labels.correct(self.measured, wrong, tempfile.mkdtemp(dir=self.folder))


class HeldOut(unittest.TestCase):
    def test_RunsOnOtherNumbersOfRanksThanAnyLookedAtArePickedRight(self):
        rows = []
        with tempfile.TemporaryDirectory() as folder:
            for machine in ("marenostrum5-acc", "leonardo-booster"):
                path = os.path.join(folder, machine + ".csv")
                subprocess.run([os.path.join(os.environ["TUTTI_BUILD"], "tutti"), "calibrate", "--collectives",
                                os.path.join(ROOT, "plots", "fidelity_held_out.csv"), "--base", machine, "--predictions", path],
                               check=True, timeout=1800)
                rows += fidelity.read(path)
        self.assertEqual(len(rows), 7)
        text, regrets = fidelity_checks.held_out_section(rows)
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
            found[engine] = fidelity.scenarios(paths, measured)
        text, same = fidelity_checks.engines_section(found["fast"], found["simgrid"])
        self.assertGreaterEqual(len(found["simgrid"]), 100)
        self.assertGreaterEqual(same, 0.95, text)


if __name__ == "__main__":
    unittest.main()
