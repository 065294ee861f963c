"""A table that follows measurements: what is known decides, what is not known follows it, and the program reads the rest as before."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from validation.decided import decide, place_of, table_text  # noqa: E402

TUTTI = os.path.join(os.environ["TUTTI_BUILD"], "tutti")


class Decided(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.run_tutti("tune", "--machine", "example-cluster", "--nodes", "4,5", "--ppn", "1", "--bytes", "8,1K,64K", "--collectives", "bcast", "--for",
                       "open-mpi-4.1", "--exhaustive", "--confirm", "none", "-o", self.path("table.json"))
        with open(self.path("table.json"), encoding="utf-8") as file:
            self.table = json.load(file)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_tutti(self, *words):
        done = subprocess.run([TUTTI, *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def cell(self, nodes, size):
        return next(cell for cell in self.table["cells"] if (cell["nodes"], cell["bytes"]) == (nodes, size))

    def rules(self, nodes):
        return [(rule["from_bytes"], rule["to_bytes"], rule["algorithm"]) for rule in self.table["rules"] if rule["nodes"] == nodes]

    def follow(self, nodes, size, factors):
        """As if each of these took so many times as long as predicted."""
        cell = self.cell(nodes, size)
        before = dict(cell["times_us"])
        decide(self.table, {place_of(cell): {name: factor * before[name] for name, factor in factors.items()}})
        return before, cell

    def test_WhatIsKnownDecidesAndOtherSizesKeepTheirChoices(self):
        old = self.rules(4), self.rules(5)
        choice_of = {size: next(rule[2] for rule in old[0] if rule[0] <= size and (rule[1] is None or size <= rule[1])) for size in (8, 1024, 65536)}
        before, cell = self.follow(4, 1024, {"linear": 10, "binomial": 10, "chain": 9})
        self.assertEqual(cell["simulated_us"], before)
        best = min(("linear", "binomial", "chain"), key=lambda name: cell["times_us"][name])
        self.assertEqual(self.rules(5), old[1])
        found = {size: next(rule[2] for rule in self.rules(4) if rule[0] <= size and (rule[1] is None or size <= rule[1])) for size in choice_of}
        self.assertEqual(found, {8: choice_of[8], 1024: best, 65536: choice_of[65536]})
        self.assertEqual(self.rules(4)[0][0], 0)
        self.assertIsNone(self.rules(4)[-1][1])

    def test_WhatIsNotKnownFollowsItsAlgorithmOrAllAndIsNotTheBest(self):
        before, cell = self.follow(5, 65536, {"linear": 2, "chain": 8})
        times, least = cell["times_us"], min(2 * before["linear"], 8 * before["chain"])
        different = [name for name in before if before[name] not in (before["linear"], before["chain"])]
        fanout = next(name for name in different if name.startswith("chain:"))
        self.assertAlmostEqual(times[fanout], max(8 * before[fanout], least * 1.05), places=5)
        other = next(name for name in different if name.split(":")[0] not in ("linear", "chain"))
        self.assertAlmostEqual(times[other], max(4 * before[other], least * 1.05), places=5)
        for name in different:
            self.assertGreaterEqual(times[name], least * 1.05 - 1e-5)

    def test_MarginsGoByTheLeastThatAnInferredRivalTakesAndNotWhereItIsMeasured(self):
        cell = self.cell(4, 65536)
        cell["times_us"] = {"chain": 1.0, "binomial": 4.0, "linear": 9.0}
        cell |= {"inferred": ["binomial", "linear"], "between_us": {"binomial": [2.0, 5.0], "linear": [1.1, 9.0]}, "undecided": ["linear"]}
        self.table["cells"] = [cell]
        self.table["rules"] = [rule | {"from_bytes": 0, "to_bytes": None, "algorithm": "chain"} for rule in self.table["rules"] if rule["nodes"] == 4][:1]
        decide(self.table, {place_of(cell): {"chain": 1.0, "linear": 9.0}})
        self.assertEqual((cell["inferred"], list(cell["between_us"])), (["binomial"], ["binomial"]))
        self.assertNotIn("undecided", cell)
        (rule,) = self.table["rules"]
        self.assertEqual((rule["algorithm"], rule["runner_up"], rule["margin"], rule["inferred"]), ("chain", "binomial", 1.0, False))

    def test_WhereSomethingElseMayBeFasterNoRegretIsKnown(self):
        self.cell(4, 65536)["undecided"] = ["ring"]
        self.follow(4, 65536, {"chain": 0.01, "binomial": 1})
        self.assertEqual([(rule["regret"], rule["margin"]) for rule in self.table["rules"] if rule.get("undecided")], [(None, None)])

    def test_ExportReportAndAnotherRoundGoByIt(self):
        _, cell = self.follow(4, 65536, {"chain": 0.01, "binomial": 1, "linear": 1})
        cell["measured_us"] = {"chain": cell["times_us"]["chain"]}
        with open(self.path("decided.json"), "w", encoding="utf-8") as file:
            file.write(table_text(self.table))
        for name in ("table", "decided"):
            self.run_tutti("export", self.path(f"{name}.json"), "--to", "open-mpi-classic", "-o", self.path(f"{name}.rules"))
        said = {name: json.loads(self.run_tutti("explain", "bcast", "--machine", "example-cluster", "--nodes", "4", "--bytes", "64K", "--library", "open-mpi-4.1",
                                                "--file", self.path(f"{name}.rules"), "--json"))["choice"] for name in ("table", "decided")}
        self.assertNotEqual(said["table"], "chain")
        self.assertEqual(said["decided"], "chain")
        self.run_tutti("report", self.path("decided.json"), "-o", self.path("report.html"))
        with open(self.path("report.html"), encoding="utf-8") as file:
            self.assertIn("What was measured", file.read())

    def test_ARuleWithoutATimeInItsCellsIsRefused(self):
        self.cell(4, 8)["times_us"].pop(self.rules(4)[0][2])
        with open(self.path("cut.json"), "w", encoding="utf-8") as file:
            file.write(table_text(self.table))
        for words in (("report", self.path("cut.json"), "-o", self.path("report.html")),
                      ("export", self.path("cut.json"), "--to", "open-mpi-classic", "-o", self.path("rules"))):
            done = subprocess.run([TUTTI, *words], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"cut\.json:\d+: /cells/0: expected a time of ")


if __name__ == "__main__":
    unittest.main()
