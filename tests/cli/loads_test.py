"""A table for a loaded machine says what `simulate --background` says of every choice."""
import csv
import io
import json
import unittest

from refused import Refused

INCAST = "incast:nodes=6,bytes=256K"
PLAIN = "incast:nodes=6,bytes=262144"
TREES = '"congestion_trees": {"from_senders": 2, "grow_seconds": 1e-05, "queued_bytes": 1000000000, "source": "invented"},\n  "name": '
CASE = ("--machine", "machine.json", "--nodes", "6", "--collectives", "allgather", "--osu-sizes", "1K,16K,256K", "--placement",
        "scattered:3", "--bound", "0")


class Loads(Refused):
    def setUp(self):
        super().setUp()
        self.machine(**{'"name": ': TREES})

    def tuned(self, *options):
        self.output("tune", *CASE, *options, "-o", "table.json")
        return json.loads(self.read("table.json"))

    def simulated(self, *options):
        """By size, the time of every algorithm."""
        text = self.output("simulate", "allgather", "--machine", "machine.json", "--nodes", "6", "--ppn", "1", "--placement", "scattered:3",
                           "--osu-sizes", "1K,16K,256K", "--csv", "-", *options)
        times = {}
        for row in csv.DictReader(io.StringIO(text)):
            times.setdefault(int(row["bytes"]), {})[row["algorithm"]] = float(row["time_us"])
        return times

    def test_WhatIsChosenBesideAJobIsWhatSimulateRanksFirstBesideIt(self):
        job = f"{INCAST},placement=scattered:2"
        table, simulated = self.tuned("--background", job), self.simulated("--background", job)
        self.assertEqual((table["loads"], table["mode"]), ([f"{PLAIN},placement=scattered:2"], "loop:32"))
        self.assertIn(f"times are medians of calls beside {PLAIN},placement=scattered:2", table["notes"])
        for cell in table["cells"]:
            rows = simulated[cell["bytes"]]
            self.assertAlmostEqual(min(cell["times_us"].values()), min(rows.values()), places=5)
            for name, time in cell["times_us"].items():
                if name in rows:
                    self.assertAlmostEqual(time, rows[name], places=5)
        for rule in table["rules"]:
            rows = simulated[max(rule["from_bytes"], 6 * 1024)]
            self.assertAlmostEqual(rule["predicted_us"], min(rows.values()), places=5)

    def test_ItIsSaidWhereNoCongestionTreesAreInTheTimes(self):
        call = ("--machine", "machine.json", "--nodes", "6", "--ppn", "1", "--bytes", "6K")
        beside = ("simulate", "allgather", *call, "--algorithm", "ring", "--background")
        for kind, nodes, said in (("incast", 3, "messages wait in its congestion trees"), ("incast", 2, "no congestion trees: they take 2 senders"),
                                  ("alltoall", 4, "no congestion trees: only an incast")):
            self.assertIn(said, self.output(*beside, f"{kind}:nodes={nodes},bytes=4K"))
            self.assertEqual(json.loads(self.output(*beside, f"{kind}:nodes={nodes},bytes=4K", "--json"))[0]["congestion_trees"], said.startswith("messages"))
            explained = ("explain", "scan", *call, "--library", "open-mpi-4.1", "--background", f"{kind}:nodes={nodes},bytes=4K")
            self.assertIn(f"beside {kind}:nodes={nodes},bytes=4096: {said}", self.output(*explained))
            self.assertEqual(json.loads(self.output(*explained, "--json"))["congestion_trees"], said.startswith("messages"))
        loads = ("--background", "incast:nodes=3,bytes=4K", "--background", "alltoall:nodes=3,bytes=4K", "--algorithms", "ring,bruck")
        self.assertIn("beside alltoall:nodes=3,bytes=4096: no congestion trees: only an incast grows them here", self.tuned(*loads)["notes"])
        machine = json.loads(self.read("machine.json"))
        del machine["congestion_trees"]
        self.write("machine.json", json.dumps(machine) + "\n")
        self.assertIn("no congestion trees: the machine's file has no figures of them (\"congestion_trees\")", self.tuned(*loads)["notes"])

    def test_TheRobustChoiceIsAnotherThanThatOfTheUnloadedMachine(self):
        loads = ("--background", "none", "--background", f"{INCAST},placement=scattered:2")
        idle, worst, mean = self.tuned("--exhaustive", "--mode", "loop:32", "--confirm", "none"), self.tuned(*loads), self.tuned(*loads, "--robust", "mean")
        chosen = [[rule["algorithm"] for rule in table["rules"]] for table in (idle, worst, mean)]
        self.assertNotEqual(chosen[0], chosen[1])
        for table, what in ((worst, max), (mean, lambda times: sum(times) / 2)):
            for cell in table["cells"]:
                for name, time in cell["times_us"].items():
                    self.assertAlmostEqual(time, what(cell["loads_us"][name]), places=6)
            for rule in table["rules"]:
                each = list(rule["loads_us"].values())
                self.assertAlmostEqual(rule["predicted_us"], what(each), places=6)
        for before, cell in zip(idle["cells"], worst["cells"]):
            self.assertEqual({name: times[0] for name, times in cell["loads_us"].items()}, before["times_us"])

    def test_TheLoadsAreInWhatIsMadeOfTheTable(self):
        self.tuned("--background", "none", "--background", "alltoall:nodes=3,bytes=4K", "--algorithms", "ring,bruck,sparbit",
                   "--robust", "mean")
        text = "beside none and alltoall:nodes=3,bytes=4096, the mean of the times"
        self.output("export", "table.json", "--to", "open-mpi-classic", "-o", "rules.txt")
        self.assertIn(text, self.read("rules.txt"))
        self.output("report", "table.json", "-o", "page.html")
        self.assertIn(text, self.read("page.html"))
        audited = json.loads(self.output("audit", "rules.txt", "table.json", "--for", "open-mpi-classic", "--machine", "machine.json", "--json"))
        self.assertTrue(audited["cells"])

    def test_ExplainSaysWhatALibrarysChoiceCostsBesideTheJob(self):
        case = ("explain", "allgather", "--machine", "machine.json", "--nodes", "6", "--osu-size", "16K", "--library", "open-mpi-4.1",
                "--placement", "scattered:3", "--json")
        job = f"{INCAST},placement=scattered:2"
        beside = json.loads(self.output(*case, "--background", job))
        self.assertEqual((beside["mode"], beside["background"], beside["bounds"]), ("loop:32", f"{PLAIN},placement=scattered:2", []))
        rows = self.simulated("--background", job)[6 * 16384]
        self.assertAlmostEqual(beside["best"][0]["time_us"], min(rows.values()), places=5)

    def test_WhatCannotBeIsRefused(self):
        tune = ("tune", *CASE, "-o", "t.json")
        self.refused("--robust: expected several --background or --noise", *tune, "--robust", "mean")
        self.refused("--robust best: expected worst or mean", *tune, "--background", "none", "--background", INCAST, "--robust", "best")
        self.refused(".*expected each load once", *tune, "--background", INCAST, "--background", PLAIN)
        self.refused("--background: expected --placement FILE", *tune, "--background", INCAST + ",placement=a.csv")
        self.refused(".*expected scattered:SEED, a file", *tune, "--background", INCAST + ",placement=cyclic")
        self.refused("--background: placement=scattered: expected scattered:SEED, a file, or none", *tune, "--background", INCAST + ",placement=scattered")
        self.refused(".*nodes behind those of the case", *tune, "--background", "incast:nodes=15,bytes=8")
        self.refused(".*expected at most 10 nodes, which the case leaves, got 11", *tune, "--background",
                     "incast:nodes=11,bytes=8,placement=scattered:1")
        self.refused(".*expected block or cyclic, or --exhaustive, --background or --noise beside it", *tune)
        self.refused("barrier: expected no --bytes or --osu-sizes", "simulate", "barrier", "--machine", "machine.json", "--nodes", "4", "--bytes", "8")
        self.refused("barrier: expected no --bytes or --osu-size,", "explain", "barrier", "--machine", "machine.json", "--nodes", "4", "--bytes", "8",
                     "--library", "mpich")
        self.refused("--seed: expected --noise", "simulate", "barrier", "--machine", "machine.json", "--nodes", "4", "--seed", "7")


if __name__ == "__main__":
    unittest.main()
