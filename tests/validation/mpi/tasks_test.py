"""tutti validate --mpi --batch --tasks: cells shared out among the tasks of an array, and tutti status of them."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
sys.path.insert(0, ROOT)
from validation.mpi import arms, script  # noqa: E402
from validation.table import Cell  # noqa: E402

BUILD = os.environ["TUTTI_BUILD"]
TUTTI = os.path.join(BUILD, "tutti")
# Over TCP, and waiting asleep: ranks that poll would wait for each other's turns on a busy machine.
MPIRUN = "mpirun --oversubscribe --mca btl tcp,self --mca btl_tcp_if_include lo --mca mpi_yield_when_idle 1"
QUICK = ("--collectives", "bcast,reduce", "--bytes", "1K", "--nap", "1000", "--first", "1", "--blocks", "1", "--repetitions", "1")


class SharedOut(unittest.TestCase):
    def parts(self, sizes, parts):
        plans = [arms.Plan(Cell("bcast", nodes, 1, us), "ring", {"ring": {}}) for nodes, us in sizes]
        run = script.Run("bench", "mpirun", 1, 1, 1, 1.3, 0, None)
        return [[(plan.cell.nodes, plan.cell.bytes) for plan in part]
                for part in script.shared_out(run, plans, {plan.cell: {"ring": plan.cell.bytes} for plan in plans}, parts)]

    def test_PartsTakeAboutAsLongAndHaveNodesThatAreNear(self):
        self.assertEqual(self.parts([(8, 10), (2, 20), (4, 10), (2, 10), (8, 20)], 2), [[(2, 10), (2, 20)], [(4, 10), (8, 10), (8, 20)]])

    def test_EachCellIsInOnePartAndNoneIsEmpty(self):
        cells = [(nodes, 1 + 7 * nodes % 5) for nodes in range(2, 15)] + [(15, 10**6)]
        for count in (1, 2, 3, 7, 14, 40):
            parts = self.parts(cells, count)
            self.assertEqual(sorted(cell for part in parts for cell in part), sorted(cells))
            self.assertTrue(all(parts) and len(parts) <= count)


class Tasks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not os.path.exists(os.path.join(BUILD, "tutti-mpi-bench")):
            raise unittest.SkipTest("no MPI library was found when this was built")
        folder = tempfile.TemporaryDirectory(prefix="tutti-tasks-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.table = os.path.join(cls.folder, "table.json")
        subprocess.run([TUTTI, "tune", "--machine", "example-cluster", "--nodes", "1", "--ppn", "3,4", "--bytes", "1K,64K",
                        "--collectives", "bcast,reduce,scatter", "--for", "open-mpi-4.1", "-o", cls.table], check=True, capture_output=True)

    def setUp(self):
        self.out = os.path.join(self.folder, "out put")
        self.addCleanup(shutil.rmtree, self.out, True)

    def call(self, *arguments, **environment):
        return subprocess.run([TUTTI, *arguments], capture_output=True, text=True, timeout=300, env=dict(os.environ, **environment))

    def validate(self, *arguments):
        return self.call("validate", self.table, "--mpi", "-o", self.out, *QUICK, *arguments)

    def run_script(self, **environment):
        """A copy of it, in another folder, as slurmd does."""
        copy = os.path.join(self.folder, "slurm_script")
        shutil.copy(os.path.join(self.out, "run.sh"), copy)
        return subprocess.run(["bash", copy], cwd="/", capture_output=True, text=True, timeout=300,
                              env=dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **environment))

    def read(self, name):
        with open(os.path.join(self.out, name), encoding="utf-8") as file:
            return file.read()

    def status(self):
        done = self.call("status", self.out, "--json")
        return done.returncode, [(part["name"], part["state"]) for part in json.loads(done.stdout)["parts"]]

    def test_EveryTaskMeasuresItsCellsAndWhatIsThereIsRead(self):
        done = self.validate("--batch", "--tasks", "2", "--mpirun", MPIRUN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("#SBATCH --array=1-2\n", self.read("run.sh"))
        self.assertEqual(self.status(), (0, [("part-1", "waiting"), ("part-2", "waiting")]))
        self.assertEqual(self.validate("--read").returncode, 2)
        refused = self.call("status", self.out, "--machine", "lumi-g")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--machine: ", refused.stderr)

        done = self.run_script(SLURM_ARRAY_TASK_ID="2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.status(), (0, [("part-1", "waiting"), ("part-2", "done")]))
        done = self.validate("--read", "--no-plots")
        self.assertIn("not measured yet", done.stderr)
        self.assertIn("part-1 in", done.stderr)
        some = json.loads(self.read("validation.json"))["cells"]

        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("part-2", done.stderr)  # it is not run again
        self.assertEqual(self.status(), (0, [("part-1", "done"), ("part-2", "done")]))
        done = self.validate("--read", "--no-plots")
        self.assertEqual(done.stderr, "")
        cells = json.loads(self.read("validation.json"))["cells"]
        key = lambda cell: (cell["collective"], cell["ranks"], cell["bytes"])
        self.assertLess({key(cell) for cell in some}, {key(cell) for cell in cells})
        self.assertEqual({cell["followed"] for cell in cells}, {True})
        planned = {tuple(line.split()[:3]) for part in ("part-1", "part-2") for name in os.listdir(os.path.join(self.out, part))
                   if name.startswith("table-") and name.endswith(".plan") for line in self.read(f"{part}/{name}").splitlines()}
        self.assertEqual({tuple(map(str, key(cell))) for cell in cells}, planned)

    def test_AJobThatFailsIsNamedAndGoesOnWhenItIsStartedAgain(self):
        launcher = os.path.join(self.folder, "launcher")
        def launch(text):
            with open(launcher, "w", encoding="utf-8") as file:
                file.write("#!/bin/bash\n" + text)
            os.chmod(launcher, 0o755)
        launch("exit 7\n")
        self.assertEqual(self.validate("--batch", "--tasks", "2", "--mpirun", launcher).returncode, 0)
        self.assertEqual(self.run_script().returncode, 7)
        code, parts = self.status()
        self.assertEqual((code, {state for _, state in parts}), (1, {"failed"}))
        self.assertIn("-0 ended with status 7\n", self.call("status", self.out).stdout)
        launch("echo\n")
        done = self.run_script(SLURM_ARRAY_TASK_ID="2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.status(), (1, [("part-1", "failed"), ("part-2", "done")]))
        self.assertEqual(self.run_script(SLURM_ARRAY_TASK_ID="1").returncode, 0)
        self.assertEqual(self.status(), (0, [("part-1", "done"), ("part-2", "done")]))

    def test_AnArrayAndTheJobThatReadsAreSubmitted(self):
        """An sbatch that only writes down what it is told."""
        self.assertEqual(self.validate("--batch", "--tasks", "2", "--account", "a1", "--time", "10:00").returncode, 0)
        sbatch = os.path.join(self.folder, "sbatch")
        with open(sbatch, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/bash\nprintf "%s\\n" "$@" >> "{self.folder}/told"\necho "$(wc -l < "{self.folder}/told");cluster"\n')
        os.chmod(sbatch, 0o755)
        done = subprocess.run(["sh", os.path.join(self.out, "submit.sh")], cwd="/", capture_output=True, text=True,
                              env=dict(os.environ, PATH=self.folder + os.pathsep + os.environ["PATH"]))
        self.assertEqual((done.returncode, done.stdout), (0, "array: job 2; then read: job 10\n"), done.stderr)
        with open(os.path.join(self.folder, "told"), encoding="utf-8") as file:
            told = file.read().splitlines()
        self.assertEqual(told[:2], ["--parsable", os.path.join(self.out, "run.sh")])
        self.assertIn("--dependency=afterany:2", told)
        self.assertIn("--account=a1", told)
        self.assertEqual(told[-1], os.path.join(self.out, "read.sh"))
        self.assertEqual(subprocess.run(["sh", os.path.join(self.out, "read.sh")], cwd="/", capture_output=True, text=True).returncode, 2)

    def test_ResultsOfOtherCallsAreNotTakenForThese(self):
        self.assertEqual(self.validate("--batch", "--tasks", "2", "--mpirun", "echo").returncode, 0)
        self.assertEqual(self.run_script(SLURM_ARRAY_TASK_ID="2").returncode, 0)
        for other in (("--tasks", "1"), (), ("--tasks", "2", "--bytes", "64K")):
            done = self.validate("--batch", *other)
            self.assertEqual(done.returncode, 2, other)
            self.assertIn("expected a new folder", done.stderr)
        self.assertEqual(self.validate("--batch", "--tasks", "2", "--mpirun", "echo").returncode, 0)
        for wrong in (("--tasks", "2"), ("--batch", "--tasks", "0")):
            self.assertIn("expected 1 to 10000 together with --batch", self.validate(*wrong).stderr)


if __name__ == "__main__":
    unittest.main()
