"""Algorithms by the levels of a machine, and on ranks in another order."""
import json
import unittest

from refused import Refused

ON = ("--machine", "example-cluster", "--nodes", "2", "--ppn", "8")


class Levels(Refused):
    def test_AnyLevelsOfTheMachineMayBeNamed(self):
        named = "hier(socket=linear,leaf=binomial,global=chain),permuted(order=cyclic,of=chain)"
        made = self.call("simulate", "bcast", *ON, "--bytes", "64K", "--algorithm", named, "--check", "--json")
        self.assertEqual((made.returncode, made.stderr.splitlines()[-1]), (0, "results checked on every rank: 2 right, 0 wrong"))
        self.assertEqual([row["algorithm"] for row in json.loads(made.stdout)],
                         ["hier(socket=linear,leaf=binomial,global=chain)", "permuted(order=cyclic,of=chain)"])

    def test_EverybodyDirectlyOnANodeAndARingInSegmentsBetweenNodesMayBeSaidAsAReaderWould(self):
        for collective, runs in (("allreduce", "hier(node=flat,global=segmented_ring:segment=65536)"),
                                 ("allgather", "hier(node=linear,global=segmented_ring:segment=65536)")):
            made = self.call("simulate", collective, *ON, "--bytes", "1M", "--algorithm", "hier(node=flat,global=ring:segment=64K)", "--check", "--json")
            self.assertEqual((made.returncode, made.stderr.splitlines()[-1]), (0, "results checked on every rank: 1 right, 0 wrong"))
            self.assertEqual(json.loads(made.stdout)[0]["algorithm"], runs)
        self.refused(r"unknown algorithm 'ring' for bcast: .*\(nearest to it: scatter_ring, pipeline, chain\)", "simulate", "bcast", *ON, "--bytes", "1M",
                     "--algorithm", "hier(node=flat,global=ring:segment=64K)")

    def test_ALevelThatTheMachineLacksIsRefusedWithThoseThatItHas(self):
        expected = r"hier\(numa=linear\): the machine has no level 'numa': expected socket, node or leaf"
        self.refused(expected, "simulate", "bcast", *ON, "--bytes", "8", "--algorithm", "hier(numa=linear)")
        self.refused(expected, "tune", *ON, "--bytes", "8", "--collectives", "bcast", "--algorithms", "hier(numa=linear)", "-o", "t.json")

    def test_ASearchTriesTheLevelsThatAreThere(self):
        self.output("tune", *ON, "--bytes", "8", "--collectives", "bcast", "--exhaustive", "--confirm", "none", "-o", "t.json")
        with open(self.path("t.json"), encoding="utf-8") as file:
            tried = json.load(file)["cells"][0]["times_us"]
        self.assertIn("hier(socket=binomial)", tried)
        self.assertIn("permuted(order=cyclic)", tried)
        self.assertFalse([name for name in tried if "numa=" in name or "cache=" in name])

    def test_BlocksOfUnevenPartsAreCopiedInOnePieceWhereTheyFollowEachOther(self):
        # Leaves of 4 nodes and of 1.
        call = self.call("simulate", "reduce_scatter", *ON[:2], "--nodes", "5", "--ppn", "3", "--bytes", "64K", "--algorithm", "hier(leaf=pairwise)",
                         "--check", "--trace", self.path("trace.json"))
        self.assertEqual((call.returncode, call.stderr.splitlines()[-1]), (0, "results checked on every rank: 1 right, 0 wrong"))
        with open(self.path("trace.json"), encoding="utf-8") as file:
            copies = sum(event["name"].startswith("copy") for event in json.load(file)["traceEvents"])
        self.assertLess(copies, 200, "270 block by block")

    def test_TheListSaysWhatALevelOrAnOrderIsCalled(self):
        listed = {one["name"]: one for one in json.loads(self.output("list", "bcast", "--json"))}
        defaults = {each["name"]: each["default"] for each in listed["hier"]["parameters"]}
        self.assertEqual((defaults["socket"], defaults["node"]), ("none", "binomial"))
        self.assertEqual(listed["permuted"]["parameters"][0]["tried"], ["cyclic", "block"])


if __name__ == "__main__":
    unittest.main()
