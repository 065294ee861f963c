"""What is sent from rank to rank, as people and the comparison with a real MPI ask for it."""
import unittest

from refused import Refused


class Messages(Refused):
    def said(self, calls, *options):
        return self.output("messages", self.write("calls.txt", calls), *options)

    def test_AreThoseOfTheAlgorithmFromRankToRank(self):
        self.assertEqual(self.said("bcast 4 1000 byte sum 0 binomial\nbarrier 2 0 byte sum 0 recursive_doubling\n"),
                         "binomial 0>1:1:1000 0>2:1:1000 1>3:1:1000\nrecursive_doubling 0>1:1:0 1>0:1:0\n")

    def test_OfTextsSayInWhichOrderTheyWereCombined(self):
        self.assertEqual(self.said("reduce 3 2 text user 0 linear\n"), "linear 1>0:1:32 2>0:1:32 0=abc*2\n")

    def test_DependOnHowRanksAreSpread(self):
        call = "bcast 8 100000 byte sum 0 default:open-mpi-5.0\n"
        self.assertNotIn("han", self.said(call))
        self.assertNotIn("han", self.said(call, "--ppn", "1"))
        self.assertTrue(self.said(call, "--ppn", "2").startswith("han:"))

    def test_OfNodesThatDifferAreThoseOfTheirRanks(self):
        self.assertEqual(self.said("allgather 4 1 byte sum 0 han\n", "--on-nodes", "2,2"), self.said("allgather 4 1 byte sum 0 han\n", "--ppn", "2"))
        call = "barrier 7 0 byte sum 0 han:low=1:up=1\n"
        self.assertEqual(self.said(call, "--on-nodes", "4,1,2"),
                         "han:low=1:up=1 0>1:2:0 0>2:2:0 0>3:2:0 0>4:1:0 0>5:1:0 1>0:2:0 2>0:2:0 3>0:2:0 4>0:1:0 5>0:1:0 5>6:2:0 6>5:2:0\n")
        self.assertEqual(self.said(call, "--node-of-rank", "0,0,0,0,1,2,2"), self.said(call, "--on-nodes", "4,1,2"))
        self.assertEqual(self.said(call, "--node-of-rank", "0,1,2,0,2,0,0"),
                         "han:low=1:up=1 0>1:1:0 0>2:1:0 0>3:2:0 0>5:2:0 0>6:2:0 1>0:1:0 2>0:1:0 2>4:2:0 3>0:2:0 4>2:2:0 5>0:2:0 6>0:2:0\n")
        self.refused("calls.txt:1: expected a call of the 6 ranks of --node-of-rank, found one of 7", "messages", self.write("calls.txt", call),
                     "--node-of-rank", "0,1,2,0,2,0")
        self.refused("calls.txt:1: expected a call of the 6 ranks of --on-nodes, found one of 7", "messages", self.write("calls.txt", call),
                     "--on-nodes", "4,2")
        for sizes in ("4,0,3", "4,x"):
            self.refused("--on-nodes", "messages", self.write("calls.txt", call), "--on-nodes", sizes)
        self.refused("--node-of-rank", "messages", self.write("calls.txt", call), "--node-of-rank", "0,-1,0,0,0,0,0")

    def test_OfWhatCannotRunSayWhy(self):
        self.assertEqual(self.said("allreduce 3 4 int user 0 ring\n"), "- needs a commutative operator\n")

    def test_OfCallsThatAreNoneAreRefusedWithTheirLine(self):
        good = "bcast 4 1000 byte sum 0 binomial"
        for call, expected in (("bcast 4 1000", "expected COLLECTIVE RANKS"), (good + " x", "expected COLLECTIVE RANKS"),
                               (good.replace("bcast", "bcsat"), "unknown collective 'bcsat'"),
                               (good.replace("byte", "real"), "expected byte, int or text, found 'real'"),
                               (good.replace("sum", "max"), "expected sum or user, found 'max'"),
                               (good.replace(" 0 ", " 4 "), "expected a root that is one of the ranks"),
                               (good.replace(" 4 ", " 0 "), "expected 1 to 4096 ranks"),
                               (good.replace(" 1000 ", " -1 "), "expected a count from 0 on"),
                               (good.replace("binomial", "file:x"), "expected file:FORM:FILE"),
                               (good.replace("binomial", "default:lam"), "unknown default 'lam'"),
                               (good.replace("binomial", "file:ucc:/nonexistent"), "/nonexistent:1: No such file or directory: expected a readable file")):
            with self.subTest(call=call):
                path = self.write("calls.txt", f"{good}\n{call}\n")
                self.refused(f"{path}:2: {expected}", "messages", path)
        self.refused("/nonexistent:1: No such file or directory: expected a readable file", "messages", "/nonexistent")


if __name__ == "__main__":
    unittest.main()
