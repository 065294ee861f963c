"""What `verify` is asked for, and what it says of that."""
import json
import unittest

from program import ProgramTest


class Verify(ProgramTest):
    def test_TakesElementsOfTheSizeThatItIsAskedFor(self):
        row = json.loads(self.output("verify", "--algorithm", "allreduce/linear", "--ranks", "5", "--count", "2", "--element", "24", "--json"))[0]
        self.assertEqual(row["proven"], 8)

    def test_AnAlgorithmThatIsNamedAndHasNoCaseIsNotPassedOver(self):
        done = self.call("verify", "--collective", "allgather", "--algorithm", "linear,two_proc", "--ranks", "5")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("allgather/two_proc: not one case proven, ", done.stderr)
        self.assertIn("expected cases for which it is", done.stderr)
        self.assertIn("allgather/linear ", done.stdout)

    def test_CasesThatAPartOfACompositionCannotRunAreExcluded(self):
        row, = json.loads(self.output("verify", "--algorithm", "alltoall/permuted(of=two_proc)", "--ranks", "2,3", "--json"))
        self.assertEqual((row["refuted"], row["proven"] > 0, row["excluded"] > 0), (None, True, True))
        here = ("simulate", "alltoall", "--machine", "example-cluster", "--bytes", "1K", "--algorithm", "permuted(of=two_proc),linear")
        done = self.call(*here, "--nodes", "2,3", "--csv", "-")
        self.assertEqual((done.returncode, len(done.stdout.splitlines()), done.stderr.splitlines()[0]),
                         (0, 4, "left out: alltoall/permuted where it runs alltoall/two_proc on 3 ranks, which needs exactly two ranks"))
        done = self.call(*here, "--nodes", "3")
        self.assertEqual((done.returncode, done.stderr), (2, "tutti: alltoall/permuted cannot run: it runs alltoall/two_proc on 3 ranks, "
                                                             "which needs exactly two ranks\n"))

    def test_WhatIsNamedTwiceIsProvenOnce(self):
        def names(*words):
            return [row["name"] for row in json.loads(self.output("verify", "--collective", "scan", "--ranks", "2", "--json", *words))]
        self.assertEqual(names("--algorithm", "linear,linear"), ["linear"])
        self.assertEqual(names("--algorithm", "all,linear"), names())

    def test_AllIsWhatIsProvenByDefault(self):
        def rows(*words):
            return self.output("verify", "--collective", "alltoall", "--ranks", "3", "--count", "1", "--json", *words)
        self.assertEqual(rows("--algorithm", "all"), rows())  # two_proc among them, which no case is for
        self.assertEqual(rows("--algorithm", "alltoall/all"), rows())

    def test_ABarrierHasNoElements(self):
        done = self.call("verify", "--collective", "barrier", "--element", "4", "--ranks", "2-5")
        self.assertEqual((done.returncode, done.stderr), (2, "tutti: --element 4: a barrier has no elements\n"))
        of_all = json.loads(self.output("verify", "--algorithm", "smp", "--element", "8", "--ranks", "1-5", "--json"))
        self.assertEqual([row["collective"] for row in of_all if row["refuted"]], [])
        self.assertIn("barrier", [row["collective"] for row in of_all])


if __name__ == "__main__":
    unittest.main()
