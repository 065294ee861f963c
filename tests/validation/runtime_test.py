"""tutti validate on the project's own runtime: plans, verdicts from planted measurements, and the whole of it on this node."""
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, ROOT)
from validation.report import write_report  # noqa: E402
from validation.table import Cell, Table  # noqa: E402
from validation.runtime import __main__ as program, plans, results  # noqa: E402

TUTTI = os.path.join(os.environ["TUTTI_BUILD"], "tutti")
CELL = Cell("bcast", 1, 3, 1024)
PREDICTED = {"ring": 100.0, "chain:segment=8": 130.0, "chain": 150.0, "linear": 301.0}


def around(value, count=9):
    return [value * (1 + 0.001 * (i - count // 2)) for i in range(count)]


class Plans(unittest.TestCase):
    def plan(self, runner_up):
        rules = {("bcast", 1, 3): [plans.Rule(0, 512, "linear", None), plans.Rule(513, float("inf"), "chain", runner_up)]}
        return plans.plan_cell(rules, Table("m", "barrier", {CELL: PREDICTED}), CELL, 3.0)

    def test_TheChoiceItsRunnerUpAndTheBestParametersOfWhatIsNearAreRun(self):
        plan = self.plan("linear")
        self.assertEqual((plan.choice, plan.runner_up), ("chain", "linear"))
        self.assertEqual(plan.candidates, ["chain", "chain:segment=8", "linear", "ring"])
        self.assertEqual(self.plan("bruck").candidates, ["chain", "chain:segment=8", "ring"])
        self.assertEqual(plans.plan_lines(self.plan(None), ["mpich"])[:3],
                         ["bcast 3 1024 table", "bcast 3 1024 default:mpich", "bcast 3 1024 chain"])

    def test_CellsWithoutARuleHaveNoPlan(self):
        self.assertIsNone(plans.plan_cell({}, Table("m", "barrier", {CELL: PREDICTED}), CELL, 3.0))


class Verdicts(unittest.TestCase):
    def judged(self, times, **ran):
        key = ("bcast", 3, 1024)
        meant = {"table": "ring", "default:a": "linear", "default:b": "ring", "ring": "ring", "chain": "chain", **ran}
        return program.judge(plans.Plan(CELL, "ring", "chain", ["ring", "chain"]), Table("m", "barrier", {CELL: PREDICTED}),
                             results.Results({key: times}, {key: meant}), ["a", "b"])

    def test_RatiosAreOfTheMediansAndEqualAlgorithmsTie(self):
        found = self.judged({"ring": around(110), "linear": around(400), "chain": around(100)})
        self.assertAlmostEqual(found.speedup.value, 400 / 110)
        self.assertAlmostEqual(found.regret.value, 1.1)
        self.assertAlmostEqual(found.error.value, 100 / 110 - 1)
        self.assertAlmostEqual(found.rivals["the runner-up"].value, 100 / 110)
        self.assertEqual(found.rivals["b"].value, 1)
        self.assertLessEqual(found.rivals["b"].low, 1)
        self.assertGreaterEqual(found.rivals["b"].high, 1)
        self.assertTrue(found.followed)

    def test_ATeamThatDoesNotFollowItsTableIsSeen(self):
        self.assertFalse(self.judged({"ring": around(110), "linear": around(400)}, table="linear").followed)

    def test_AReportIsWrittenWholeAndThroughNoLink(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            names = {name: os.path.join(folder, name) for name in ("victim", "report.md", "validation.json")}
            with open(names["victim"], "w", encoding="utf-8") as file:
                file.write("as it was")
            for name in ("report.md", "validation.json"):
                os.symlink("victim", names[name])
            write_report(folder, "m", [self.judged({"ring": around(110), "linear": around(400)})], 0, False, False)
            with open(names["victim"], encoding="utf-8") as file:
                self.assertEqual(file.read(), "as it was")
            self.assertTrue(all(os.path.getsize(path) > 9 and not os.path.islink(path) for path in names.values() if path != names["victim"]))
            before = os.stat(names["report.md"]).st_ino
            write_report(folder, "m", [self.judged({"ring": around(110), "linear": around(400)})], 0, False, False)
            self.assertNotEqual(os.stat(names["report.md"]).st_ino, before)

    def test_SharedCoresAreSaidWhereverTheResultIs(self):
        with tempfile.TemporaryDirectory() as folder:
            def said(as_json):
                with contextlib.redirect_stdout(io.StringIO()) as shown:
                    write_report(folder, "m", [self.judged({"ring": around(110), "linear": around(400)})], 0, False, as_json)
                return shown.getvalue()
            self.assertEqual(json.loads(said(True))["shared_cores"], [])
            self.assertNotIn("WARNING", said(False))
            with open(os.path.join(folder, "shared-3.txt"), "w", encoding="utf-8") as file:
                file.write("3 2\n")
            self.assertEqual(json.loads(said(True))["shared_cores"], [{"ranks": 3, "cores": 2}])
            words = "3 ranks shared the 2 cores of a node: their times say how they take turns, not what the network does."
            self.assertTrue(said(False).startswith(f"- WARNING: {words}\n- 1 cell; "), said(False))
            with open(os.path.join(folder, "report.md"), encoding="utf-8") as file:
                self.assertIn(f"- **{words}**\n", file.read())

    def test_WhatWasDroppedEarlyIsNotCalledTheBest(self):
        found = self.judged({"ring": around(110), "linear": around(400), "chain": [10.0]})
        self.assertEqual(found.best, "ring")


class Whole(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tutti-validate-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.table = os.path.join(self.folder, "tuned.json")
        subprocess.run([TUTTI, "tune", "--machine", "example-cluster", "--nodes", "1", "--ppn", "2,3", "--bytes", "64,64K",
                        "--collectives", "bcast,allreduce", "--confirm", "none", "-o", self.table], check=True,
                       capture_output=True)

    def validate(self, *arguments):
        # Nothing here depends on how long a call takes: ranks sleep early where they would else poll.
        return subprocess.run([TUTTI, "validate", self.table, "-o", os.path.join(self.folder, "out"), "--no-plots", *arguments],
                              capture_output=True, text=True, timeout=300, env=dict(os.environ, TUTTI_POLLS="1"))

    def read(self, name):
        with open(os.path.join(self.folder, "out", name), encoding="utf-8") as file:
            return file.read()

    def test_EveryCellIsMeasuredAndTheTableKeepsTheTimes(self):
        done = self.validate("--blocks", "2", "--repetitions", "4", "--first", "2")
        self.assertIn(done.returncode, (0, 1), done.stderr)  # times of this machine are not the example's
        report = json.loads(self.read("validation.json"))
        self.assertEqual(len(report["cells"]), 8)
        for cell in report["cells"]:
            self.assertTrue(cell["followed"], cell)
            self.assertEqual(cell["repetitions"], 8)
            self.assertIn("mpich", cell["rivals"])
        self.assertIn("Beside mpich: ", done.stdout)
        table = json.loads(self.read("table.json"))
        for cell in table["cells"]:
            self.assertTrue(all(time > 0 for time in cell["measured_us"].values()))
        self.assertTrue(all(rule["measured_regret"] >= 0 for rule in table["rules"]))
        exported = subprocess.run([TUTTI, "export", os.path.join(self.folder, "out", "table.json"), "--to", "open-mpi-classic", "-o",
                                   os.path.join(self.folder, "rules")], capture_output=True, text=True)
        self.assertEqual(exported.returncode, 0, exported.stderr)
        decided = self.validate("--read", "--decide")
        self.assertEqual(decided.returncode, done.returncode)
        table = json.loads(self.read("table.json"))
        for cell in table["cells"]:
            (rule,) = (rule for rule in table["rules"] if all(cell[key] == rule[key] for key in ("collective", "nodes", "ppn")) and
                       rule["from_bytes"] <= cell["bytes"] and (rule["to_bytes"] is None or cell["bytes"] <= rule["to_bytes"]))
            known = {name: time for name, time in cell["measured_us"].items() if name in cell["times_us"]}
            self.assertEqual(rule["algorithm"], min(known, key=lambda name: (known[name], name)))
            self.assertEqual(cell["times_us"][rule["algorithm"]], known[rule["algorithm"]])
        exported = subprocess.run([TUTTI, "export", os.path.join(self.folder, "out", "table.json"), "--to", "open-mpi-classic", "-o",
                                   os.path.join(self.folder, "rules")], capture_output=True, text=True)
        self.assertEqual(exported.returncode, 0, exported.stderr)
        again = self.validate("--read")
        self.assertEqual(again.returncode, done.returncode)
        self.assertEqual(json.loads(self.read("validation.json")), report)

    def test_ResultsOfAnotherTableOrOfOtherCallsAreNotTakenForTheseAndStay(self):
        few = ("--blocks", "1", "--repetitions", "2", "--first", "1", "--collectives", "bcast", "--ranks", "3")
        self.assertIn(self.validate(*few).returncode, (0, 1))
        before = {name: self.read(name) for name in os.listdir(os.path.join(self.folder, "out"))}
        with open(self.table, encoding="utf-8") as file:
            text = file.read()
        table = json.loads(text)
        for rule in table["rules"]:
            if rule["ppn"] == 3:
                cell = next(cell for cell in table["cells"] if (cell["collective"], cell["ppn"]) == (rule["collective"], 3))
                rule["algorithm"], rule["runner_up"] = next(name for name in cell["times_us"] if name != rule["algorithm"]), rule["algorithm"]
        with open(self.table, "w", encoding="utf-8") as file:
            json.dump(table, file)
        for more in ((), ("--read",)):
            done = self.validate(*few, "--predicted-within", "1000", *more)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn("out: has results of another table's choices: expected a new folder", done.stderr)
            plan = next(name for name in sorted(os.listdir(os.path.join(self.folder, "out"))) if name.endswith("x3.plan"))
            os.rename(os.path.join(self.folder, "out", plan), os.path.join(self.folder, plan))
            done = self.validate(*few, "--predicted-within", "1000", *more)
            os.rename(os.path.join(self.folder, plan), os.path.join(self.folder, "out", plan))
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(f"out: has results without {plan}, which says of what: expected a new folder", done.stderr)
        with open(self.table, "w", encoding="utf-8") as file:
            file.write(text)
        for more in (("--libraries", "mpich"), ("--libraries", "mpich", "--read"), ("--bytes", "64")):
            done = self.validate(*few, *more)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn("out: has results of other calls than these: expected a new folder", done.stderr)
        self.assertEqual({name: self.read(name) for name in os.listdir(os.path.join(self.folder, "out"))}, before)
        self.assertIn(self.validate(*few, "--bytes", "64", "--read").returncode, (0, 1))
        self.assertEqual(len(json.loads(self.read("validation.json"))["cells"]), 1)
        self.assertIn(self.validate(*few).returncode, (0, 1))
        os.remove(os.path.join(self.folder, "out", "runtime-1x3-0.csv"))
        self.assertIn(self.validate(*few, "--bytes", "64").returncode, (0, 1))  # nothing was measured of others

    def test_RanksThatShareCoresAreSaidOfItsOwnRanksToo(self):
        cores = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, cores)
        os.sched_setaffinity(0, {min(cores)})  # of this thread and what it starts
        done = self.validate("--blocks", "1", "--repetitions", "1", "--first", "1", "--ranks", "2", "--bytes", "64")
        self.assertIn("- WARNING: 2 ranks shared the 1 core of a node: ", done.stdout, done.stderr)
        self.assertEqual(json.loads(self.read("validation.json"))["shared_cores"], [{"ranks": 2, "cores": 1}])
        self.assertIn("- **2 ranks shared the 1 core of a node: ", self.read("report.md"))

    def test_AChoiceWithPartsIsFollowed(self):
        choice = "hier(socket=binomial,node=linear)"
        subprocess.run([TUTTI, "tune", "--machine", "example-cluster", "--nodes", "1", "--ppn", "4", "--bytes", "64", "--collectives",
                        "allreduce", "--algorithms", choice, "--confirm", "none", "-o", self.table], check=True, capture_output=True)
        done = self.validate("--blocks", "1", "--repetitions", "2", "--first", "1")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        cell, = json.loads(self.read("validation.json"))["cells"]
        self.assertTrue(cell["followed"], cell)
        with open(os.path.join(self.folder, "out", "table.json"), encoding="utf-8") as file:
            self.assertGreater(json.load(file)["cells"][0]["measured_us"][choice], 0)

    def test_AChoiceThatGoesByALevelWhichNobodyKnowsIsNamed(self):
        subprocess.run([TUTTI, "tune", "--machine", "cray-xc40", "--nodes", "1", "--ppn", "3", "--bytes", "1K", "--collectives", "bcast",
                        "--algorithms", "hier(group=binomial)", "--confirm", "none", "-o", self.table], check=True, capture_output=True)
        done = self.validate("--blocks", "1", "--repetitions", "2", "--first", "1")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn("bcast of 1024 bytes on 1 x 3: hier(group=binomial), which the table chooses, cannot run here", done.stderr)

    def test_RangesThatDescendOrHaveNoEndAreRefusedByTheirOption(self):
        for verb in (("validate",), ("validate", "--mpi"), ("plan",)):
            for option, given in (("--ranks", "5-2"), ("--ranks", "3,2-9999999999"), ("--bytes", "64-2"), ("--bytes", "9" * 30)):
                done = subprocess.run([TUTTI, verb[0], self.table, *verb[1:], "-o", os.path.join(self.folder, "out"), option, given],
                                      capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
                self.assertIn(f"{option}: expected a ", done.stderr)
                self.assertFalse(os.path.exists(os.path.join(self.folder, "out")))

    def test_WhatCannotBeValidatedIsRefusedInOneLine(self):
        for arguments, expected in ((("--collectives", "reduce"), "one of the table's: allreduce, bcast"), (("--first", "0"), "--first 0"),
                                    (("--predicted-within", "0"), "--predicted-within 0.0: expected 1 or more"),
                                    (("--predicted-within", "nan"), "--predicted-within nan: expected 1 or more"),
                                    (("--predicted-within", "-1"), "--predicted-within -1.0: expected 1 or more"),
                                    (("--within", "0.5"), "--within 0.5: expected 1 or more"),
                                    (("--libraries", "mpich,mpich-5"), "--libraries mpich-5: unknown default 'mpich-5': expected one of mpich, "),
                                    (("--libraries", ""), "--libraries : unknown default ''"),
                                    (("--launch", "false"), "the job failed"), (("--read",), "has it been measured?")):
            done = self.validate(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(expected, done.stderr)
            self.assertEqual(os.path.exists(os.path.join(self.folder, "out")), arguments[0] in ("--launch", "--read"), arguments)

    def test_WhatAJobSaysThatHasNotMeasuredIsNotKept(self):
        for launch, expected in (("echo not {wholly} it", "(stdout):1: expected a line of tutti bench plan ('not {wholly} it "),
                                 ("printf time,bcast,3", "expected a line end of tutti bench plan"), ("true", "the file ends"),
                                 ("echo {rank}", "--launch: {rank}: expected {ranks}, {nodes} and {ppn} (did you mean {ranks}?)")):
            done = self.validate("--launch", launch, "--blocks", "2", "--repetitions", "2", "--first", "1")
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(expected, done.stderr)
            self.assertEqual([name for name in os.listdir(os.path.join(self.folder, "out")) if name.endswith(".csv")], [])
        self.assertIn(self.validate("--blocks", "1", "--repetitions", "2", "--first", "1").returncode, (0, 1))


if __name__ == "__main__":
    unittest.main()
