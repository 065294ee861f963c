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


if __name__ == "__main__":
    unittest.main()
