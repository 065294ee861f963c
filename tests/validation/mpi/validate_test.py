"""tutti validate --mpi: verdicts from planted measurements, and the whole of it under the installed Open MPI."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
sys.path.insert(0, ROOT)
from validation import report, statistics, verdict  # noqa: E402
from validation.mpi import arms, results, script  # noqa: E402
from validation.table import Cell, Table  # noqa: E402

BUILD = os.environ["TUTTI_BUILD"]
TUTTI = os.path.join(BUILD, "tutti")
CELL = Cell("bcast", 4, 1, 1024)
PREDICTED = {"ring": 100.0, "linear": 300.0, "chain": 150.0}


def judged(times, sent=None, choice="ring"):
    plan = arms.Plan(CELL, choice, {name: {} for name in PREDICTED})
    sent = sent or {"default": "0>1:1:8", "linear": "0>1:1:8", "table": "1>2:1:8", "ring": "1>2:1:8", "chain": "2>3:1:8"}
    key = results.key_of(plan)
    return results.judge(plan, Table("m", "barrier", {CELL: PREDICTED}), results.Results({key: times}, {key: sent}))


def around(value, count=9):
    return [value * (1 + 0.001 * (i - count // 2)) for i in range(count)]


class Verdicts(unittest.TestCase):
    def test_SpeedUpRegretErrorAndRecoveryAreThoseOfTheMedians(self):
        found = judged({"default": around(400), "table": around(110), "ring": around(100), "linear": [400.0],
                        "chain": around(130)})
        self.assertAlmostEqual(found.speedup.value, 400 / 110)
        self.assertAlmostEqual(found.regret.value, 1.1)
        self.assertAlmostEqual(found.error.value, 100 / 110 - 1)
        self.assertAlmostEqual(found.errors["linear"], 300 / 400 - 1)
        self.assertAlmostEqual(found.recovered, (400 - 110) / (400 - 100))
        self.assertEqual((found.best, found.default_ran, found.followed, found.slower), ("ring", ["linear"], True, False))
        self.assertTrue(found.speedup.low < found.speedup.value < found.speedup.high)

    def test_ARivalThatWasDroppedEarlyIsNotTheBest(self):
        found = judged({"default": around(400), "table": around(110), "ring": around(100), "linear": [1.0],
                        "chain": around(130)})
        self.assertEqual(found.best, "ring")

    def test_ALibraryThatDidSomethingElseAndATableThatIsSlowerAreFindings(self):
        times = {"default": around(100), "table": around(120), "ring": around(120), "linear": around(100), "chain": around(130)}
        other = {"table": "0>1:1:8", "ring": "1>2:1:8", "default": "0>1:1:8", "linear": "0>1:1:8"}
        found = judged(times, other)
        self.assertFalse(found.followed)
        self.assertTrue(found.slower)
        self.assertIsNone(found.recovered)
        summary = verdict.summarize([found, judged(times)])
        self.assertEqual((summary.cells, summary.not_followed, summary.slower), (2, 1, 2))

    def test_NoiseAloneIsNoFinding(self):
        wild = [60.0, 200, 70, 180, 90, 150, 100, 130, 120]
        self.assertFalse(judged({"default": wild, "table": [value * 1.06 for value in wild], "ring": around(100),
                                 "linear": around(100), "chain": around(100)}).slower)

    def test_IntervalsHoldWhatTheyShouldAndAreTheSameEachTime(self):
        sample = [[10.0, 11, 12, 13, 14, 15, 16]]
        first = statistics.estimate(sample, lambda medians: medians[0])
        self.assertEqual(first, statistics.estimate(sample, lambda medians: medians[0]))
        self.assertTrue(10 <= first.low < 13 < first.high <= 16)
        self.assertEqual(statistics.estimate([[5.0] * 4], lambda medians: medians[0]), statistics.Estimate(5, 5, 5))


class Script(unittest.TestCase):
    def test_OnlyArmsNearTheBestAreRepeated(self):
        with tempfile.TemporaryDirectory() as folder:
            def write(name, text):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            write("all.plan", "bcast 4 8 ring a=1\nbcast 4 8 linear a=2\nbcast 4 8 chain a=3\nbcast 5 8 linear a=2\n")
            write("default.csv", "time,bcast,4,8,default,0,100\n")
            write("forced.csv", "sent,bcast,4,8,ring,0>1:1:8\ntime,bcast,4,8,ring,0,100\ntime,bcast,4,8,linear,0,900\n"
                  "time,bcast,4,8,chain,0,1000\ntime,bcast,4,8,chain,1,120\ntime,bcast,5,8,linear,0,900\n")
            done = subprocess.run(["bash", "-c", f"WITHIN=1.3\n{script.DROP}\ndrop_slow all.plan default.csv forced.csv"],
                                  cwd=folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "bcast 4 8 ring a=1\nbcast 4 8 chain a=3\nbcast 5 8 linear a=2\n")

    def test_TimesHavePointsInALanguageOfCommasToo(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("comma", 'LC_NUMERIC\ndecimal_point ","\nthousands_sep "."\ngrouping 3\nEND LC_NUMERIC\nLC_CTYPE\ncopy "POSIX"\nEND LC_CTYPE\n'),
                               ("all.plan", "bcast 4 8 ring a=1\nbcast 4 8 linear a=2\n"), ("default.csv", "time,bcast,4,8,default,0,1.2\n"),
                               ("forced.csv", "time,bcast,4,8,ring,0,1.5\ntime,bcast,4,8,linear,0,1.9\n")):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            if not shutil.which("localedef"):
                self.skipTest("no localedef; Debian's libc-bin has it")
            subprocess.run(["localedef", "-c", "-i", "./comma", "-f", "ANSI_X3.4-1968", "./of_commas"], cwd=folder, capture_output=True, check=False)
            of_commas = {**os.environ, "LOCPATH": folder, "LC_ALL": "of_commas"}
            point = subprocess.run(["locale", "decimal_point"], capture_output=True, text=True, check=True, env=of_commas).stdout
            self.assertEqual(point, ",\n", "the locale is not there: the test shows nothing")
            done = subprocess.run(["bash", "-c", f"WITHIN=1.3\n{script.DROP}\ndrop_slow all.plan default.csv forced.csv"], cwd=folder,
                                  capture_output=True, text=True, check=True, env=of_commas)
        self.assertEqual(done.stdout, "bcast 4 8 ring a=1\n")


class RivalsOfHan(unittest.TestCase):
    def plan(self, series, ppn, collective="bcast"):
        cell = Cell(collective, 4, ppn, 1024)
        return arms.Plan(cell, "ring", {"ring": {"a": 1}}, arms.han_arms(series, cell))

    def test_AreJobsOfTheirOwnWhereSeveralHostsHaveSeveralRanks(self):
        self.assertEqual([self.plan("4.1", 2).han, self.plan("5.0", 2).han], [["han", "han_simple"], ["han_simple"]])
        self.assertEqual([self.plan("4.1", 1).han, self.plan("5.0", 2, "alltoall").han], [[], []])
        self.assertEqual(arms.plan_lines(self.plan("5.0", 2))["han_simple"], ["bcast 8 1024 han_simple"])
        with tempfile.TemporaryDirectory() as folder:
            nodes = script.write_plans(folder, [self.plan("4.1", 2), self.plan("4.1", 1), self.plan("4.1", 2, "alltoall")])
            self.assertEqual(sorted(name for name in os.listdir(folder) if "han" in name), ["han-2.plan", "han_simple-2.plan"])
            with open(os.path.join(folder, "han-2.plan"), encoding="utf-8") as file:
                self.assertEqual(file.read(), "bcast 8 1024 han\n")
        run = script.Run("bench", "mpirun", 1, 1, 1, 1.3, 0, None, True, {2: ["han", "han_simple"]})
        text = script.script_text(run, "/nowhere", nodes, 60)
        for line in ('HAN=(OMPI_MCA_coll_han_priority=100)', 'job han-2-0 2 4 han-2.plan 1 "${PROBED[@]}" "${HAN[@]}"',
                     'job default-2-0 2 4 default-2.plan 1 "${PROBED[@]}"',
                     '  job "han_simple-2-$block" 2 4 han_simple-2.plan 1 "${HAN_SIMPLE[@]}"'):
            self.assertIn(line, text.splitlines())
        self.assertNotIn("han-1-0", text)
        self.assertIn('"OMPI_MCA_coll_han_dynamic_rules_filename=$PWD/open-mpi.rules.han"', text)
        subprocess.run(["bash", "-n"], input=text, text=True, check=True)

    def test_AFileThatHasHanRunItsSimpleVariantIsToldByWhatThatSends(self):
        cell, simple = Cell("reduce", 3, 2, 60), "han_simple:low=1:up=1"
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, TUTTI_PROGRAM=os.path.join(os.environ["TUTTI_BUILD"], "tutti")):
            rules = os.path.join(folder, "t.rules")
            with open(rules, "w", encoding="utf-8") as file:
                file.write("1\n11\n4\n0\n1\n0 0 0 0\n2\n1\n0 1 0 0\n3\n1\n0 1 0 0\n4\n1\n0 0 0 0\n"
                           "#han 1 reduce 1 global_communicator 1 1 1 0 han @simple\n")
            found = arms.simple_choices(rules, [cell, Cell("reduce", 6, 1, 60), Cell("alltoall", 3, 2, 60)])
        self.assertEqual({of: choice for of, (choice, _) in found.items()}, {cell: simple})
        plan = arms.Plan(cell, simple, {"linear": {}}, ["han_simple"], found[cell][1])
        for sent, followed in (("1>0:1:60 3>2:1:60 5>4:1:60 2>0:1:60 4>0:1:60", True), ("1>0:1:60 3>2:1:60 5>4:1:60 2>0:1:60 4>2:1:60", False)):
            self.assertEqual(results.followed(plan, results.Results({}, {results.key_of(plan): {"table": sent}})), followed)
        self.assertIs(results.followed(plan, results.Results({}, {})), False)

    def test_CountingSwitchesItsOwnComponentOffAndNoOtherThatTheUserChose(self):
        for chosen, expected in (None, "^monitoring"), ("", "^monitoring"), ("^hcoll", "^hcoll,monitoring"), ("tuned,basic", "tuned,basic"):
            environment = {name: value for name, value in os.environ.items() if name != "OMPI_MCA_coll"}
            if chosen is not None:
                environment["OMPI_MCA_coll"] = chosen
            done = subprocess.run(["bash", "-euc", "\n".join([*script.PROBED, 'printf "%s\\n" "${PROBED[@]}"'])], capture_output=True,
                                  text=True, env=environment, check=True)
            self.assertEqual(done.stdout, f"OMPI_MCA_pml_monitoring_enable=1\nOMPI_MCA_coll={expected}\n")

    def test_MayBeTheBest(self):
        plan = arms.Plan(CELL, "ring", {"ring": {}, "linear": {}}, ["han"])
        key = results.key_of(plan)
        times = {"default": around(300), "table": around(200), "ring": around(200), "linear": around(400), "han": around(100)}
        verdict_of = results.judge(plan, Table("m", "barrier", {CELL: PREDICTED}),
                                   results.Results({key: times}, {key: {"table": "1>2:1:8", "ring": "1>2:1:8", "default": "0>1:1:8",
                                                                        "han": "0>1:1:8"}}))
        self.assertEqual((verdict_of.best, verdict_of.followed, verdict_of.default_ran), ("han", True, ["han"]))
        self.assertAlmostEqual(verdict_of.regret.value, 2, places=2)


class WholeRun(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(os.path.join(BUILD, "tutti-mpi-bench")):
            self.skipTest("no MPI library was found when this was built")
        folder = tempfile.TemporaryDirectory(prefix="tutti-validate-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.table = os.path.join(self.folder, "table.json")
        self.tune("4")

    def tune(self, ppn):
        # One node, so that the installed library's processes are where the table says.
        subprocess.run([TUTTI, "tune", "--machine", "example-cluster", "--nodes", "1", "--ppn", ppn, "--bytes", "1K,64K",
                        "--collectives", "bcast,reduce,scatter", "--for", "open-mpi-4.1", "-o", self.table], check=True, capture_output=True)

    def validate(self, *arguments):
        return subprocess.run([TUTTI, "validate", self.table, "--mpi", "-o", os.path.join(self.folder, "out"), *arguments],
                              capture_output=True, text=True, timeout=300,
                              env=dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"))

    def read(self, name):
        with open(os.path.join(self.folder, "out", name), encoding="utf-8") as file:
            return file.read()

    def test_UnderOpenMpiEveryCellIsFollowedRepeatedAndReported(self):
        self.tune("3,4")
        done = self.validate("--mpirun", self.MPIRUN, "--nap", "1000", "--first", "2", "--blocks", "2", "--repetitions", "2", "--no-plots")
        self.assertIn(done.returncode, (0, 1), done.stderr)  # times of shared memory are not the example's
        report = json.loads(self.read("validation.json"))
        exported = json.loads(subprocess.run([TUTTI, "export", self.table, "--to", "open-mpi-classic", "--json", "-o",
                                              os.path.join(self.folder, "rules")], check=True, capture_output=True).stdout)
        self.assertEqual(len(report["cells"]), 12 - exported["own_choice"]["cells"])
        self.assertGreater(len(report["cells"]), 6)
        for cell in report["cells"]:
            self.assertTrue(cell["followed"], cell)
            self.assertEqual(cell["repetitions"], 6)
            self.assertLessEqual(cell["speedup"]["low"], cell["speedup"]["high"])
        self.assertTrue(any(cell["default_ran"] for cell in report["cells"]))
        self.assertIn("| ranks | size | default ran |", self.read("report.md"))
        again = self.validate("--read", "--no-plots")
        self.assertEqual(again.returncode, done.returncode)
        self.assertEqual(json.loads(self.read("validation.json")), report)

    # Over TCP, and waiting asleep: ranks that poll would wait for each other's turns on a busy machine.
    QUICK = ("--collectives", "bcast", "--bytes", "1K", "--nap", "1000", "--first", "1", "--blocks", "1", "--repetitions", "1")
    MPIRUN = "mpirun --oversubscribe --mca btl tcp,self --mca btl_tcp_if_include lo --mca mpi_yield_when_idle 1"

    def test_ABatchScriptAsksForWhatTheJobNeedsAndRunsNothing(self):
        done = self.validate("--batch")
        self.assertEqual(done.returncode, 0, done.stderr)
        out = os.path.join(self.folder, "out")
        script_lines = self.read("run.sh").splitlines()
        asked = dict(line.removeprefix("#SBATCH --").split("=", 1) for line in script_lines if line.startswith("#SBATCH --") and "=" in line)
        self.assertEqual((asked["nodes"], asked["ntasks-per-node"], asked["job-name"]), ("1", "4", "tutti-validate"))
        self.assertEqual(asked["output"], f'"{out}/run-%j.log"')
        self.assertRegex(asked["time"], r"^\d\d:[0-5]0:00$")
        self.assertIn("#SBATCH --exclusive", script_lines)
        self.assertIn("--account=NAME", self.read("run.sh"))
        self.assertNotIn("account", asked)
        self.assertEqual(done.stdout.splitlines()[0], f"sbatch {out}/run.sh")
        self.assertEqual(subprocess.run(["bash", "-n", os.path.join(out, "run.sh")]).returncode, 0)
        refused = self.validate("--read")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("has run.sh run to its end?", refused.stderr)
        done = self.validate("--batch", "--account", "proj_1", "--partition", "boost", "--time", "1-00:00:00")
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in ("#SBATCH --account=proj_1", "#SBATCH --partition=boost", "#SBATCH --time=1-00:00:00"):
            self.assertIn(line + "\n", self.read("run.sh"))
        for wrong in (("--account", "a b", "--batch"), ("--account", "a"), ("--time", "1\n#", "--batch")):
            self.assertEqual(self.validate(*wrong).returncode, 2, wrong)

    def as_sbatch(self, **environment):
        """Runs the script that `validate --batch` names as slurmd does: a copy of it, in the folder where sbatch was called."""
        with open(os.path.join(self.folder, "out", "run.sh"), "rb") as file:
            text = file.read()
        spool, called = os.path.join(self.folder, "spool dir"), os.path.join(self.folder, "called from here")
        for folder in (spool, called):
            os.makedirs(folder, exist_ok=True)
        copy = os.path.join(spool, "slurm_script")
        with open(copy, "wb") as file:
            file.write(text)
        return subprocess.run(["bash", copy], cwd=called, capture_output=True, text=True, timeout=300,
                              env=dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                       SLURM_SUBMIT_DIR=called, SLURM_JOB_NAME="tutti-validate", **environment))

    def test_ABatchScriptRunsAsASpooledCopyFromAnyFolder(self):
        self.assertEqual(self.validate("--batch", "--mpirun", self.MPIRUN, *self.QUICK).returncode, 0)
        done = self.as_sbatch()
        self.assertEqual(done.returncode, 0, done.stderr)
        read = self.validate("--read", "--no-plots", *self.QUICK)
        self.assertIn(read.returncode, (0, 1), read.stderr)
        cores = len(os.sched_getaffinity(0))
        for text in (done.stderr, self.read("report.md")):
            self.assertEqual("4 ranks share" in text.replace("shared", "share"), cores < 4, text)
        self.assertEqual({cell["followed"] for cell in json.loads(self.read("validation.json"))["cells"]}, {True})

    def test_ABatchScriptSpeaksTheLanguageOfSrun(self):
        """An srun that knows its own options alone, and settings by variables."""
        srun = os.path.join(self.folder, "srun")
        with open(srun, "w", encoding="utf-8") as file:
            file.write('#!/bin/bash\n[ "$1" = --mpi=pmix ] || exit 9\nshift\n'
                       'while [[ "$1" == --* ]]; do case "$1" in\n'
                       '  --ntasks=*) ranks=${1#*=} ;; --nodes=1|--ntasks-per-node=*) ;; *) echo "srun: $1" >&2; exit 9 ;;\n'
                       f'esac; shift; done\nexec {self.MPIRUN} -np "$ranks" "$@"\n')
        os.chmod(srun, 0o755)
        self.assertEqual(self.validate("--batch", *self.QUICK, "--blocks", "0").returncode, 0)
        done = self.as_sbatch(MPIRUN="srun --mpi=pmix", PATH=self.folder + os.pathsep + os.environ["PATH"])
        self.assertEqual(done.returncode, 0, done.stderr)
        read = self.validate("--read", "--no-plots", *self.QUICK, "--blocks", "0")
        self.assertIn(read.returncode, (0, 1), read.stderr)
        self.assertEqual({cell["followed"] for cell in json.loads(self.read("validation.json"))["cells"]}, {True})

    def test_AJobThatCrashesIsRunOnceMoreAndThenGivenUp(self):
        """A launcher whose every first job dies after it has printed all, and one whose jobs all do."""
        launcher = os.path.join(self.folder, "launcher")
        for dies, status in (("[ $(wc -l < runs) = 1 ]", 0), ("true", 139)):
            self.assertEqual(self.validate("--batch", "--mpirun", launcher, *self.QUICK).returncode, 0)
            with open(launcher, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/bash\necho x >> runs\n{self.MPIRUN} "$@" || exit\nif {dies}; then exit 139; fi\n')
            os.chmod(launcher, 0o755)
            done = self.as_sbatch()
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn("run.sh: default-4-0 ended with status 139: once more\n", done.stderr)
            if status:
                self.assertIn("run.sh: default-4-0 ended with status 139\n", done.stderr)
            else:
                self.assertEqual(*(self.read(f"default-4-{run}.csv").count("time,") for run in (0, 1)))
                self.assertNotIn("ended with status 139\n", done.stderr)
            shutil.rmtree(os.path.join(self.folder, "out"))

    def test_ABatchOfWhichNoRivalIsNearTheBestRunsToItsEnd(self):
        self.assertEqual(self.validate("--batch", "--mpirun", self.MPIRUN, *self.QUICK).returncode, 0)
        path = os.path.join(self.folder, "out", "run.sh")
        script = self.read("run.sh")
        self.assertIn("WITHIN=1.3 ", script)
        with open(path, "w", encoding="utf-8") as file:
            file.write(script.replace("WITHIN=1.3 ", "WITHIN=0 "))
        done = self.as_sbatch()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read("kept-4.plan"), "")
        self.assertIn(self.validate("--read", "--no-plots", *self.QUICK).returncode, (0, 1))

    def test_TimesHaveTheUnitThatFits(self):
        self.assertEqual([report.time_text(us) for us in (0.41, 12.345, 999, 1000, 45678, 1e6, 123456789)],
                         ["0.41 us", "12.35 us", "999 us", "1 ms", "45.68 ms", "1 s", "123.5 s"])

    def test_WhatCannotBeValidatedIsRefusedInOneLine(self):
        for arguments, expected in ((("--collectives", "gather"), "one of the table's: bcast, reduce, scatter"), (("--first", "0"), "--first 0"),
                                    (("--mpirun", "false"), "a job failed")):
            done = self.validate(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(expected, done.stderr)
        self.table = os.path.join(self.folder, "absent.json")
        done = self.validate()
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))

    def test_ATableWhoseRulesLeaveAllToTheLibrarySaysSoAndLeavesNoRules(self):
        with open(self.table, encoding="utf-8") as file:
            table = json.load(file)
        for cell in table["cells"]:
            cell["defaults_us"] = {library: min(cell["times_us"].values()) for library in cell["defaults_us"]}
        with open(self.table, "w", encoding="utf-8") as file:
            json.dump(table, file)
        done = self.validate("--collectives", "bcast", "--batch")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the rules leave all cells that are asked for (2) to the library's own choice, so that there is nothing to compare", done.stderr)
        self.assertEqual(os.listdir(os.path.join(self.folder, "out")), [])


if __name__ == "__main__":
    unittest.main()
