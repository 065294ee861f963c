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

    def test_ALevelThatTheMachineLacksIsRefusedWithThoseThatItHas(self):
        for verb in (("simulate", "bcast"), ("tune", "--collectives", "bcast", "-o", "t.json", "--algorithms")):
            self.refused(r"hier\(numa=linear\): the machine has no level 'numa': expected socket, node or leaf", *verb[:2], *ON, "--bytes", "8",
                         *(verb[2:] or ("--algorithm",)), "hier(numa=linear)")

    def test_ASearchTriesTheLevelsThatAreThere(self):
        self.output("tune", *ON, "--bytes", "8", "--collectives", "bcast", "--exhaustive", "--confirm", "none", "-o", "t.json")
        with open(self.path("t.json"), encoding="utf-8") as file:
            tried = json.load(file)["cells"][0]["times_us"]
        self.assertIn("hier(socket=binomial)", tried)
        self.assertIn("permuted(order=cyclic)", tried)
        self.assertFalse([name for name in tried if "numa=" in name or "cache=" in name])

    def test_TheListSaysWhatALevelOrAnOrderIsCalled(self):
        listed = {one["name"]: one for one in json.loads(self.output("list", "bcast", "--json"))}
        defaults = {each["name"]: each["default"] for each in listed["hier"]["parameters"]}
        self.assertEqual((defaults["socket"], defaults["node"]), ("none", "binomial"))
        self.assertEqual(listed["permuted"]["parameters"][0]["tried"], ["cyclic", "block"])


if __name__ == "__main__":
    unittest.main()
