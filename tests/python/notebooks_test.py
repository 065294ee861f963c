"""The notebooks of examples/notebooks run from their first cell to their last."""
import ast
import importlib.util
import json
import os
import tempfile
import unittest

import module

module.enter()
import tutti  # noqa: E402

FOLDER = os.path.join(module.build_module.ROOT, "examples", "notebooks")


def notebook(name):
    with open(os.path.join(FOLDER, name + ".ipynb"), encoding="utf-8") as file:
        return json.load(file)


class Notebooks(unittest.TestCase):
    def setUp(self):
        missing = [name for name in ("pandas", "matplotlib") if importlib.util.find_spec(name) is None]
        if missing:
            self.skipTest(f"no {' and no '.join(missing)} (Debian: python3-{missing[0]})")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def run_cells(self, name):
        """The names that its cells define, and what each cell shows: the value of its last line, as a notebook does."""
        namespace, shown = {"__name__": "__main__"}, []
        for cell in notebook(name)["cells"]:
            if cell["cell_type"] != "code":
                continue
            tree = ast.parse("".join(cell["source"]), f"{name}.ipynb")
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, f"{name}.ipynb", "exec"), namespace)
            if last is not None:
                shown.append(eval(compile(ast.Expression(last.value), f"{name}.ipynb", "eval"), namespace))
        return namespace, shown

    def test_OddRanks(self):
        _, (times, gathered, picture, path) = self.run_cells("odd_ranks")
        self.assertEqual(list(times.columns), [127, 128, 129])
        self.assertEqual(len(times), 5)
        ran = {(row.algorithm, row.ranks): row.chosen for row in gathered.itertuples()}
        self.assertEqual((ran["recursive_doubling", 128], ran["neighbor_exchange", 128]), ("recursive_doubling", "neighbor_exchange"))
        self.assertNotIn("recursive_doubling", (ran["recursive_doubling", 127], ran["recursive_doubling", 129]))
        self.assertTrue(picture.png.startswith(b"\x89PNG"))
        self.assertAlmostEqual(path.sum(), times[129]["scatter_ring"], delta=1)

    def test_TunedTable(self):
        defined, shown = self.run_cells("tuned_table")
        self.assertIsInstance(shown[0], tutti.Table)
        self.assertGreater(len(defined["table"].rules), 12)
        self.assertEqual(shown[3]["nodes"], 7)
        self.assertGreater(len(shown[4]), 0)
        self.assertGreater(defined["report"]["gain"], 1)
        with open("open-mpi.rules", encoding="utf-8") as file:
            self.assertTrue(file.read().startswith("# Tutti"))

    def test_OwnAlgorithm(self):
        defined, (proven, refuted, cut, times, picture, path) = self.run_cells("own_algorithm")
        self.assertTrue(proven[0].ok and cut[0].ok, (proven, cut))
        self.assertEqual(refuted.kind, "deadlock")
        self.assertEqual(len(times), 11)
        self.assertLess(times["both_ways"][1024], times["pipeline:segment=8192"][1024])
        self.assertTrue(picture.png.startswith(b"\x89PNG"))
        self.assertEqual(len(path), 8)

    def test_InAKernelOfJupyter(self):
        if importlib.util.find_spec("nbclient") is None or importlib.util.find_spec("ipykernel") is None:
            self.skipTest("no nbclient and ipykernel (pip install nbclient ipykernel): the cells are run without a notebook")
        import nbclient
        import nbformat
        for name in sorted(os.listdir(FOLDER)):
            with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
                nbclient.NotebookClient(nbformat.read(file, as_version=4), timeout=600).execute()

    def test_AreKeptWithoutResults(self):
        for name in sorted(os.listdir(FOLDER)):
            for cell in notebook(name.removesuffix(".ipynb"))["cells"]:
                self.assertFalse(cell.get("outputs") or cell.get("execution_count"), name)


if __name__ == "__main__":
    unittest.main()
