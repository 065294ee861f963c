"""What runs inside a composition, and what runs in its place, is said."""
import json
import unittest

from program import ProgramTest


class WhatRuns(ProgramTest):
    def test_WhatRunsInsideACompositionIsSaid(self):
        def runs(collective, algorithm, ranks, ppn=1, size=8):
            machine = ("--machine", "example-cluster", "--ranks", str(ranks), "--ppn", str(ppn))
            row, = json.loads(self.output("simulate", collective, *machine, "--bytes", str(size), "--algorithm", algorithm, "--json"))
            calls = self.path("calls")
            with open(calls, "w") as file:
                file.write(f"{collective} {ranks} {size // 4} int sum 0 {algorithm}\n")
            if collective == "allreduce":
                self.assertEqual(self.output("messages", calls, "--ppn", str(ppn)).split()[0], row["chosen"])
            return row["chosen"]
        self.assertEqual(runs("allreduce", "ring", 9), "recursive_doubling")
        self.assertEqual(runs("allreduce", "permuted(of=ring)", 9), "permuted")
        self.assertEqual(runs("allreduce", "hier(global=ring)", 9), "hier")
        self.assertEqual(runs("allreduce", "full_lane", 7, 4, 800), "recursive_doubling")
        self.assertEqual(runs("allgather", "full_lane", 7, 4, 700), "ring")
        self.assertEqual(runs("allgather", "hier", 7, 4, 700), "hier")
        row = json.loads(self.output("verify", "--collective", "allreduce", "--algorithm", "permuted(of=ring)", "--ranks", "9",
                                     "--count", "2", "--json"))[0]
        self.assertEqual(row["proven"], 0)
        self.assertGreater(row["fallen_back"], 0)


if __name__ == "__main__":
    unittest.main()
