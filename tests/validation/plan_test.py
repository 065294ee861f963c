"""tutti plan: what is believed after measurements, what is chosen for a budget, and rounds from a table to a decided one."""
import collections
import csv
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path[:0] = [ROOT, os.path.join(ROOT, "fidelity")]
from validation import ValidationError  # noqa: E402
from validation.plan import cost, usage  # noqa: E402

TUTTI = os.path.join(os.environ["TUTTI_BUILD"], "tutti")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
SYSTEM_PYTHON = "/usr/bin/python3"  # Debian's numpy belongs to this one, whichever comes first in PATH
try:
    import numpy
except ImportError:
    if __name__ == "__main__" and os.path.exists(SYSTEM_PYTHON) and "TUTTI_PLAN_TEST" not in os.environ:
        os.environ["TUTTI_PLAN_TEST"] = "again"
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, "-B", *sys.argv])
    numpy = None
else:
    from validation.plan.belief import Belief, Time, learn_scales
    from validation.plan.choose import choose
    from validation.plan.gain import gains
Cell = collections.namedtuple("Cell", "collective nodes ppn bytes")


def times_of(predicted, sizes, trust=""):
    return [Time(Cell("bcast", 8, 1, size), name, name, 8, size, one, trust) for size in sizes for name, one in predicted.items()]


class NumpyCase(unittest.TestCase):
    def setUp(self):
        if numpy is None:
            self.skipTest("no numpy for this Python (python3-numpy)")


class Beliefs(NumpyCase):
    def test_OneMeasurementIsWhatAPersonComputes(self):
        belief = Belief(times_of({"a": 100.0, "b": 110.0}, [1024]))
        variance, shared = 0.30 ** 2 + 0.15 ** 2 + 0.05 ** 2, 0.30 ** 2
        belief.observe(0, 200.0)
        belief.believe()
        noisy = variance + 0.03 ** 2
        self.assertAlmostEqual(belief.mean[0], math.log(100) + variance / noisy * math.log(2))
        self.assertAlmostEqual(belief.mean[1], math.log(110) + shared / noisy * math.log(2))
        self.assertAlmostEqual(belief.covariance[1, 1], variance - shared ** 2 / noisy)
        self.assertEqual(belief.picks(), [1])
        self.assertAlmostEqual(belief.surprise()[0], math.log(2) ** 2 / noisy)

    def test_WhatIsLearntFadesWithTheDistanceInSize(self):
        belief = Belief(times_of({"a": 100.0, "b": 100.0}, [1 << 10, 1 << 12, 1 << 20]))
        belief.observe(0, 200.0)
        belief.believe()
        shift = belief.mean - math.log(100)
        self.assertGreater(shift[0], shift[2])
        self.assertGreater(shift[2], shift[4])
        self.assertGreater(shift[2], shift[3])  # the same algorithm more than another
        self.assertGreater(shift[5], 0)

    def test_GuessesAreBelievedLessThanWhatWasFitted(self):
        spread = [Belief(times_of({"a": 1.0, "b": 1.05}, [8], trust)).regrets()[0] for trust in ("fitted near", "fitted far", "guessed")]
        self.assertEqual(spread, sorted(spread))
        self.assertGreater(spread[2], 1.5 * spread[0])

    def test_LargeErrorsMakeTheRestOfTheMachineDoubtfulAndSmallOnesSure(self):
        for factor, compare in ((3.0, self.assertGreater), (1.0, self.assertLess)):
            beliefs = [Belief(times_of({"a": 100.0, "b": 120.0}, [8, 1 << 20])) for _ in range(2)]
            before = beliefs[1].scale
            for number in (0, 1, 2, 3):
                beliefs[0].observe(number, beliefs[0].times[number].predicted_us * (factor if number % 2 else 1 / factor))
            learn_scales(beliefs)
            compare(beliefs[1].scale, before)


class Choosing(NumpyCase):
    def test_TheGainIsWhatTheMeasurementSavesInTheMeanOverAllThatItMaySay(self):
        belief = Belief(times_of({"a": 100.0, "b": 105.0, "c": 180.0}, [1 << 10, 1 << 14]))
        weights = numpy.array([0.25, 0.75])
        found = gains(belief, weights)

        def best(one):
            expected = numpy.exp(one.mean + numpy.diag(one.covariance) / 2)
            return numpy.minimum.reduceat(expected, one.starts)

        now, saved, spread = best(belief), 0.0, math.sqrt(belief.covariance[1, 1] + 0.03 ** 2)
        steps = numpy.linspace(-6, 6, 601)
        for step, weight in zip(steps, numpy.exp(-steps ** 2 / 2) / numpy.exp(-steps ** 2 / 2).sum()):
            drawn = Belief(belief.times)
            drawn.observe(1, math.exp(drawn.mean[1] + spread * step))
            drawn.believe()
            saved += weight * float(((now - best(drawn)) / now * weights).sum())
        self.assertAlmostEqual(found[1], saved, delta=0.1 * saved)
        self.assertLess(found[2], found[1])  # far from the best

    def test_CellsThatNobodyUsesAreNotMeasuredAndTheBudgetIsKept(self):
        belief = Belief(times_of({"a": 100.0, "b": 101.0, "c": 103.0}, [8, 1 << 10, 1 << 20]))
        chosen = choose([belief], [numpy.array([0.0, 1.0, 0.0])], lambda _: 2.0, 5.0)
        self.assertEqual(len(chosen), 2)
        self.assertLessEqual({number for _, number in chosen}, {3, 4, 5})

    def test_ChosenMeasurementsSaveMoreThanAsManyAtRandomWhereTheBeliefIsRight(self):
        generator = numpy.random.default_rng(7)
        lost = {"chosen": 0.0, "random": 0.0, "expected": 0.0}
        for _ in range(60):  # other seeds: 0.60 to 0.75 of what random ones lose, and 9 % less to 22 % more expected than lost
            predicted = {name: 100 * math.exp(0.25 * generator.standard_normal()) for name in "abcdef"}
            times = times_of(predicted, [1 << k for k in range(3, 24, 2)])
            belief = Belief(times)
            # Not multivariate_normal: eigenvectors, and so its draws, differ from processor to processor.
            truth = belief.mean + numpy.linalg.cholesky(belief.covariance) @ generator.standard_normal(len(belief.mean))
            for kind in ("chosen", "random"):
                belief = Belief(times)
                numbers = ([number for _, number in choose([belief], [numpy.ones(11)], lambda _: 1.0, 8)] if kind == "chosen"
                           else generator.permutation(len(times))[:8])
                for number in numbers:
                    belief.observe(int(number), math.exp(truth[number]))
                belief.believe()
                lost[kind] += numpy.exp(truth[belief.picks()] - numpy.minimum.reduceat(truth, belief.starts)).mean() - 1
                lost["expected"] += belief.regrets().mean() if kind == "chosen" else 0
        self.assertLess(lost["chosen"], 0.85 * lost["random"])
        self.assertLess(abs(lost["expected"] / lost["chosen"] - 1), 0.35)


class Replay(NumpyCase):
    def setUp(self):
        super().setUp()
        import budget_replay
        self.replay, self.in_hindsight = budget_replay.replay, budget_replay.in_hindsight
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "predictions.csv")
        with open(self.path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow("system,collective,algorithm,ranks,ppn,bytes,implementation,measured_us,time_us,fitted".split(","))
            for size in [1 << k for k in range(14, 28)]:
                for name, time, factor in (("a", 100, 1.6), ("b", 110, 1.0), ("c", 130, 1.0), ("d", 125, 1.1)):
                    writer.writerow(["m", "bcast", name, 8, 1, size, "library", time * factor, time, 0])

    def test_AnErrorThatSizesShareIsFoundByAFewMeasurementsAndAllLeaveNothingToLose(self):
        few = self.replay([self.path], 0.15, 2)
        self.assertAlmostEqual(few[0]["regret"], 160 / 110)
        self.assertLess(few[-1]["regret"], 1.01)
        self.assertEqual((few[-1]["measurements"], few[-1]["of"]), (8, 56))
        self.assertEqual(self.replay([self.path], 1.0, 3)[-1]["regret"], 1.0)
        self.assertEqual(few, self.replay([self.path], 0.15, 2))

    def test_WhoKnowsAllTimesChoosesNoWorseThanThePlan(self):
        rows = self.in_hindsight([self.path], 0.15)
        self.assertLess(rows[0]["regret"], 160 / 110)
        self.assertEqual(rows[-1]["regret"], 1.0)  # which the plan comes near with as many
        self.assertLessEqual(rows[-1]["measurements"], 8)


class Input(unittest.TestCase):
    def usage(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write(text)
            file.flush()
            return usage.read_usage(file.name)

    def test_NodeSecondsAreOfStepsAndGoToTheNearestLayout(self):
        jobs = self.usage("JobID|NNodes|NTasks|ElapsedRaw\n1|4||100\n1.0|4|16|100\n2.0|3|5|10\n")
        found = jobs.node_seconds
        self.assertEqual((found, jobs.left_out), ({(4, 4): 400.0, (3, 2): 30.0}, 1))
        self.assertEqual(self.usage("NNodes,NTasks,ElapsedRaw\n4,16,100\n17,17,0\n").node_seconds, {(4, 4): 400.0})
        self.assertEqual(self.usage("\ufeffNNodes,NTasks,ElapsedRaw\n4,16,100\n").node_seconds, {(4, 4): 400.0})
        weights = usage.weights_of(found, [(4, 4), (2, 2), (64, 1)])
        self.assertAlmostEqual(weights[4, 4], 400 / 430)
        self.assertAlmostEqual(weights[2, 2], 30 / 430)
        self.assertEqual(weights[64, 1], 0)

    def test_StepsThatAreNoProgramsDoNotCount(self):
        jobs = self.usage("JobID|NNodes|NTasks|ElapsedRaw\n1|4||100\n1.batch|1|1|100\n1.extern|4|4|100\n2_3.interactive|2|2|9\n1.0|4|16|100\n")
        self.assertEqual((jobs.node_seconds, jobs.left_out, jobs.says_steps), ({(4, 4): 400.0}, 4, True))
        self.assertFalse(self.usage("NNodes|NTasks|ElapsedRaw\n4|4|100\n").says_steps)

    def test_WhatIsNoUsageIsRefusedWithItsLine(self):
        for text, said in (("NNodes,NTasks\n", ":1: expected the column ElapsedRaw"), ("NNodes,NTasks,ElapsedRaw\n4,x,1\n", ":2: expected NTasks"),
                           ("NNodes,NTasks,ElapsedRaw\n0,1,1\n", ":2: expected NNodes"), ("NNodes,NTasks,ElapsedRaw\n1,1\n", ":2: expected 3 columns"),
                           ("NNodes,NTasks,ElapsedRaw\n1,1,5", ":2: the file ends"), ("NNodes,NTasks,ElapsedRaw\n1,,5\n", "expected a step"),
                           ("", ":1: the file is empty: expected what sacct"), ("\ufeff\n", ":1: the file is empty")):
            with self.assertRaisesRegex(ValidationError, said, msg=text):
                self.usage(text)

    def test_ABudgetIsInNodeHours(self):
        self.assertEqual((cost.node_hours("20nh"), cost.node_hours("0.5nh")), (20, 0.5))
        for wrong in ("20", "0nh", "-1nh", "1e3nh", "nh", "20 nh"):
            with self.assertRaises(ValidationError):
                cost.node_hours(wrong)

    def test_OpeningALayoutAndACellIsPaidOnce(self):
        bill, a, b = cost.Bill(5), Cell("bcast", 4, 2, 8), Cell("bcast", 4, 2, 64)
        arm, open_cell, open_layout = 4 * 6 * 0.0102 / 3600, 3 * 4 * 6 * 0.0102 / 3600, 4 * 180 / 3600
        self.assertAlmostEqual(bill.price(a, "x", 100, 100), open_layout + open_cell + arm)
        bill.add(a, "x", 100, 100)
        self.assertAlmostEqual(bill.price(a, "y", 100, 100), arm)
        self.assertAlmostEqual(bill.price(b, "x", 100, 100), open_cell + arm)
        self.assertEqual(bill.price(a, "x", 100, 100), 0)


class Campaign(NumpyCase):
    """From a table by rounds to a decided one; the cluster is a function of this file's."""
    TRUE = {"pipeline": 3.0, "chain": 3.0, "binomial": 0.8}

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory(prefix="tutti-plan-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def call(self, *words, verb="plan"):
        return subprocess.run([TUTTI, verb, *words], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def plan(self, *words):
        done = self.call("--budget", "1nh", "-o", "out", "--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    TUNED = "--machine", "example-cluster", "--nodes", "4", "--ppn", "1", "--osu-sizes", "1K:64K", "--collectives", "bcast"

    def run_scripts(self, scripts):
        """As tutti-mpi-bench would on a cluster where an algorithm takes TRUE times as long as predicted."""
        with open(os.path.join(self.folder, "out", "table.json"), encoding="utf-8") as file:
            predicted = {cell["bytes"]: cell["times_us"] for cell in json.load(file)["cells"]}
        for script in scripts:
            folder = os.path.dirname(script)
            subprocess.run(["bash", "-n", script], check=True)
            for name in [name for name in os.listdir(folder) if name.endswith(".plan")]:
                with open(os.path.join(folder, name), encoding="utf-8") as plan, \
                     open(os.path.join(folder, name.removesuffix(".plan") + "-0.csv"), "w", encoding="utf-8") as out:
                    for line in plan:
                        collective, ranks, size, arm, *_ = line.split()
                        out.write(f"sent,{collective},{ranks},{size},{arm},0>1:1:{len(arm)}\n")
                        name = "linear" if arm in ("default", "table") else arm
                        time = predicted[int(size)][name] * self.TRUE.get(name.split(":")[0], 1.0)
                        for repetition in range(5):
                            out.write(f"time,{collective},{ranks},{size},{arm},{repetition},{time * (1 + 0.001 * repetition):.3f}\n")

    def test_RoundsLowerTheExpectedRegretAndTheDecidedTableFollowsWhatWasMeasured(self):
        first = self.plan(*self.TUNED)
        self.assertEqual((first["measured"], first["round"]["number"]), (0, 1))
        self.assertLessEqual(first["round"]["node_hours"], 0.25)
        self.assertLess(first["round"]["expected_regret"], first["expected_regret"])
        refused = self.call("--budget", "1nh", "-o", "out", *self.TUNED)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("run.sh: expected that it has run to its end", refused.stderr)
        self.assertEqual(self.plan(*self.TUNED, "--read")["unfinished"], first["round"]["scripts"])
        with open(os.path.join(self.folder, "jobs.csv"), "w", encoding="ascii") as file:
            file.write("JobID,NNodes,NTasks,ElapsedRaw\n1.0,4,4,1\n")
        weighed = self.call("--budget", "1nh", "-o", "out", *self.TUNED, "--read", "--usage", "jobs.csv")
        self.assertRegex(weighed.stderr, r"\Awarning: [^\n]*/out/round-1/plan\.json was planned without it: layouts weigh by --usage here[^\n]*\n\Z")
        for folder in ("out", "out/round-1"):
            parts = json.loads(self.call(folder, "--json", verb="status").stdout)["parts"]
            self.assertEqual([part["name"].split("/")[-1] for part in parts], [os.path.basename(os.path.dirname(one)) for one in first["round"]["scripts"]])
        self.run_scripts(first["round"]["scripts"])
        second = self.plan(*self.TUNED)
        self.assertGreaterEqual(second["measured"], first["round"]["measurements"])  # the table's choices are forced, too
        self.assertLess(second["expected_regret"], second["expected_regret_unmeasured"])
        with open(os.path.join(self.folder, "out", "decided.json"), encoding="utf-8") as file:
            decided = json.load(file)
        cells = {cell["bytes"]: cell for cell in decided["cells"]}
        measured = [cell for cell in cells.values() if len(cell.get("measured_us", {})) > 1]
        self.assertTrue(measured)
        for rule in decided["rules"]:
            self.assertNotIn(rule["algorithm"].split(":")[0], ("pipeline", "chain"), rule)
        self.assertEqual(self.call("out/decided.json", "--to", "open-mpi-classic", "-o", "decided.rules", verb="export").returncode, 0)
        audited = json.loads(self.call("decided.rules", "out/decided.json", "--for", "open-mpi-4.1", "--json", verb="audit").stdout)["cells"]
        for cell in audited:
            self.assertNotIn((cell["says"] or "").split(":")[0], ("pipeline", "chain"), cell)
        folder = os.path.dirname(first["round"]["scripts"][0])
        read = self.call("out/table.json", "--mpi", "--plan", os.path.join(folder, "plan.json"), "-o", folder, "--read", "--no-plots", verb="validate")
        self.assertIn(read.returncode, (0, 1), read.stderr)
        with open(os.path.join(folder, "validation.json"), encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["cells"]), first["round"]["cells"])

    def test_TheCommandForVerdictsIsTheOneThatReadsThemOfOpenMpi5AndSeveralRanksANodeToo(self):
        done = self.call("--budget", "1nh", "-o", "out", "--series", "5.0", "--machine", "example-cluster", "--nodes", "2", "--ppn", "3",
                         "--osu-sizes", "16K", "--collectives", "bcast")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("warning", done.stderr)
        *_, script, said = done.stdout.splitlines()
        self.run_scripts([script.removeprefix("sbatch ")])
        other = self.call("out/table.json", "--budget", "1nh", "-o", "out", "--read")
        self.assertEqual(other.returncode, 2, other.stderr)
        self.assertIn("round-1/plan.json:1: is for another Open MPI than 4.1: expected --series 5.0, or another folder", other.stderr)
        words = shlex.split(said.partition("verdicts of one folder: tutti validate ")[2])
        read = self.call(*words, "--no-plots", "--json", verb="validate")
        self.assertIn(read.returncode, (0, 1), read.stderr)
        self.assertEqual([cell["bytes"] for cell in json.loads(read.stdout)["cells"]], [16384])

    def test_ATableForAnotherLibraryIsNamed(self):
        subprocess.run([TUTTI, "tune", "--machine", "example-cluster", "--nodes", "4", "--osu-sizes", "64K", "--collectives", "bcast", "--for", "open-mpi-5.0",
                        "-o", "t.json"], cwd=self.folder, check=True, capture_output=True)
        for verb, words in (("plan", ("--budget", "1nh", "--read")), ("validate", ("--mpi", "--batch", "--bench", TUTTI))):
            done = self.call("t.json", "-o", verb, *words, verb=verb)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"\Awarning: t\.json: was tuned among what open-mpi-5\.0 can be told alone: [^\n]* Open MPI 4\.1 [^\n]*\n\Z")

    def test_ThePlanIsTheSameEachTimeAndAnotherTableIsRefused(self):
        def plan(*words):
            done = self.call(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
        plan("--budget", "0.3nh", "-o", "out", *self.TUNED)
        plan("out/table.json", "--budget", "0.3nh", "-o", "again")
        for name in ("plan.json", "nodes-4/forced-1.plan", "nodes-4/default-1.plan"):
            with open(os.path.join(self.folder, "out/round-1", name)) as one, open(os.path.join(self.folder, "again/round-1", name)) as other:
                self.assertEqual(one.read(), other.read(), name)
        with open(os.path.join(self.folder, "out/table.json"), "a", encoding="utf-8") as file:
            file.write("\n")
        refused = self.call("out/table.json", "--budget", "0.3nh", "-o", "again")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("round-1/plan.json:1: is of another table", refused.stderr)

    def test_WhatIsWrongIsRefusedInOneLine(self):
        with open(os.path.join(self.folder, "large.csv"), "w", encoding="ascii") as file:
            file.write("JobID,NNodes,NTasks,ElapsedRaw\n1.0,17,17,1\n")
        for words, said in ((("--budget", "20"), "--budget 20: expected node-hours"), (("--budget", "1nh"), "expected one of TABLE and --machine"),
                            (("--budget", "1nh", "--machine", "example-cluster"), "expected --nodes and --ppn"),
                            (("none.json", "--budget", "1nh"), "none.json:1:"), (("--budget", "1nh", "--rounds", "0"), "--rounds 0"),
                            (("--budget", "1nh", "--usage", "none.csv"), "none.csv:1:"),
                            (("t.json", "--budget", "1nh", "--nodes", "2"), "--nodes 2: expected together with --machine"),
                            (("t.json", "--budget", "1nh", "--osu-sizes", "8"), "--osu-sizes 8: expected together with --machine"),
                            (("--machine", "example-cluster", "--budget", "1nh", "--osu-sizes", "8", "--collectives", "bcast", "--usage", "large.csv"),
                             "17 nodes: the machine has 16; --usage large.csv has jobs of that size: --nodes and --ppn say")):
            done = self.call(*words, "-o", "out")
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(said, done.stderr)
            lines = [line for line in done.stderr.strip().split("\n") if not line.startswith("tuning a table first: ")]
            self.assertEqual(len(lines), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
