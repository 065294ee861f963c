"""Damaged files through the readers in Python: each is read, or refused in one line with file, line and what was expected."""
import os
import re
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path[:0] = [HERE, ROOT, os.path.join(ROOT, "plots")]

import drawing
import table as plotted_table
import times
from mutate import mutated
from validation import ValidationError
from validation.mpi.results import read_results as read_mpi_results
from validation.mpi.rules import read_rules as read_rules_file
from validation.table import read_table
from validation.runtime.plans import plan_cell, read_rules
from validation.runtime.results import read_results as read_runtime_results

CASES = int(os.environ.get("TUTTI_FUZZ_CASES", "300"))


class Python(unittest.TestCase):
    def fuzz(self, corpus, name, read):
        texts = []
        for file in sorted(os.listdir(os.path.join(HERE, "corpus", corpus))):
            with open(os.path.join(HERE, "corpus", corpus, file), encoding="utf-8") as stream:
                texts.append(stream.read())
        taken = 0
        with tempfile.TemporaryDirectory(prefix="tutti-fuzz-") as folder:
            path = os.path.join(folder, name)
            for case in range(-len(texts), CASES):
                text = texts[case] if case < 0 else mutated(case, texts)
                with open(path, "w", encoding="latin-1" if case % 7 == 0 else "utf-8", errors="replace", newline="") as file:
                    file.write(text)
                try:
                    read(path)
                    taken += 1
                except (ValidationError, drawing.InputError) as error:
                    said = str(error)
                    self.assertGreaterEqual(case, 0, said)  # the corpus itself is read
                    match = re.fullmatch(re.escape(path) + r":(\d+): .*expected.*", said)
                    self.assertTrue(match, f"case {case}: {said[:300]}")
                    self.assertLessEqual(int(match.group(1)), text.count("\n") + text.count("\r") + 1, f"case {case}: {said[:300]}")
                except Exception as error:
                    raise AssertionError(f"case {case}: neither read nor refused: {error!r}") from error
        self.assertGreater(taken, len(texts))
        self.assertLess(taken, CASES)

    def test_SelectionTables(self):
        def read(path):
            found, rules = read_table(path), read_rules(path)
            for cell in found.predicted_us:
                plan_cell(rules, found, cell, 3.0)
        self.fuzz("table", "table.json", read)

    def test_RulesFiles(self):
        self.fuzz("rules", "open-mpi.rules", read_rules_file)

    def test_ResultsOfAnMpiLibrary(self):
        self.fuzz("mpi_results", "default-2-0.csv", lambda path: read_mpi_results(os.path.dirname(path), 2))

    def test_ResultsOfTheRuntime(self):
        self.fuzz("runtime_results", "runtime-4x1-0.csv", lambda path: read_runtime_results(os.path.dirname(path), 4, 1))

    def test_SimulatedTimesThatArePlotted(self):
        self.fuzz("simulated", "times.csv", times.read_points)

    def test_TablesThatArePlotted(self):
        self.fuzz("table", "table.json", plotted_table.read_table)


if __name__ == "__main__":
    unittest.main()
