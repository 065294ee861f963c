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

    def test_ABarrierHasNoElements(self):
        done = self.call("verify", "--collective", "barrier", "--element", "4", "--ranks", "2-5")
        self.assertEqual((done.returncode, done.stderr), (2, "tutti: --element 4: a barrier has no elements\n"))
        of_all = json.loads(self.output("verify", "--algorithm", "smp", "--element", "8", "--ranks", "1-5", "--json"))
        self.assertEqual([row["collective"] for row in of_all if row["refuted"]], [])
        self.assertIn("barrier", [row["collective"] for row in of_all])


if __name__ == "__main__":
    unittest.main()
