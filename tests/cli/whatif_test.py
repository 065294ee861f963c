"""Before and after a change of the machine: what it costs, which choices change, and what is refused."""
import csv
import io
import json
import math
import os
import re
import subprocess
import unittest

from program import ProgramTest, TUTTI
from refused import Refused

HERE = ("whatif", "allreduce", "alltoall", "--machine", "example-cluster", "--nodes", "16", "--ppn", "1", "--bytes", "8,64K")
FEW = ("--algorithms", "ring,recursive_doubling,pairwise,linear")
MACHINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models", "machines")
DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "what-if.md")


class WhatIf(ProgramTest):
    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.output(*arguments, "--csv", "-"))))

    def simulated(self, machine, collective, algorithm, size, *where):
        text = self.output("simulate", collective, "--machine", machine, "--algorithm", algorithm, "--bytes", str(size), *where,
                           "--csv", "-")
        return [float(row["time_us"]) for row in csv.DictReader(io.StringIO(text))]

    def test_ASwitchThatFailsTakesItsNodesWithIt(self):
        (row,) = self.rows("whatif", "bcast", "--machine", "example-cluster", "--nodes", "4", "--ppn", "1", "--bytes", "64K", "--fail", "switch:0")
        self.assertEqual(row["before_us"], row["after_us"], "four other nodes on one switch are as good")
        (row,) = self.rows("whatif", "bcast", "--machine", "cray-xc40", "--nodes", "8", "--ppn", "1", "--bytes", "8", "--algorithms", "binomial",
                           "--fail", "cable:global:0")
        self.assertEqual(row["before_us"], row["after_us"], "no job of a few nodes uses that cable")

    def test_APlacementsFileSaysHowManyRanksThereAreWhereNothingElseDoes(self):
        self.write("place.csv", "rank,node\n0,a\n1,b\n2,a\n3,c\n")
        command = ("whatif", "bcast", "--machine", "example-cluster", "--bytes", "64K", "--algorithms", "binomial", "--placement", "place.csv")
        self.assertEqual(self.rows(*command), self.rows(*command, "--ranks", "4"))

    def test_ASweepOfRanksThatGoesFromANodeEachToFullNodesSaysSo(self):
        for verb, *rest in (("whatif", "--latency", "leaf=+10%"), ("simulate", "--algorithm", "bruck")):
            command = (verb, "barrier", "--machine", "example-cluster", "--ranks", "15-18", *rest)
            self.assertIn("warning: --ranks without --ppn: up to 16 ranks have a node each, more of them fill nodes of 8: times jump there; --ppn says one for all\n",
                          self.call(*command).stderr)
            self.assertNotIn("warning: --ranks", self.call(*command, "--ppn", "8").stderr)

    def test_TheCableThatFailsIsNoAdapterOfAHostThatHangsOnAStandIn(self):
        machine = json.loads(self.output("machine", "example-cluster", "--json"))
        machine["network"] = {"graph": {"file": "cables.csv", "source": "a test",
                                        "cable": {"bandwidth_bytes_per_second": 12.5e9, "latency_seconds": 2e-7, "source": "a test"}}}
        self.write("cables.csv", "node,a,s\nnode,b,ports of b\ncable,ports of b,s,1,1e9,0\ncable,s,t,2\nnode,c,t\n")
        self.write("mine.json", json.dumps(machine))
        said = self.output("whatif", "bcast", "--machine", "mine.json", "--nodes", "3", "--ppn", "1", "--bytes", "8", "--algorithms", "binomial", "--fail", "cable:cable")
        self.assertIn("one of 3 cables of cable is out of order, from switch 0 to switch 2;", said)

    def a_few_nodes_of_archer2(self):
        """Whose caches each serve some of a domain's cores; of all its nodes, links alone take 100 MB."""
        machine = json.loads(self.output("machine", "archer2", "--json"))
        machine["network"]["dragonfly"]["nodes"] = 16
        self.write("archer2.json", json.dumps(machine))
        return machine

    def test_WhatTheChangedMachineCannotDoIsNotTriedThereAndSaidOfTheOldChoice(self):
        self.a_few_nodes_of_archer2()
        call = ("--machine", self.path("archer2.json"), "--nodes", "2", "--ppn", "32", "--bytes", "64,256K", "bcast", "reduce")
        got = json.loads(self.output("whatif", "--set", "node.caches_per_domain=1", *call, "--json"))
        cells = [(cell["algorithm"], cell["after"][0]) for cell in got["cells"]]
        self.assertEqual({"cache=" in before for before, _ in cells}, {True, False})
        for before, after in cells:
            self.assertNotIn("cache=", after["algorithm"])
            self.assertEqual(after["old_algorithm_us"] is None, "cache=" in before)
            self.assertEqual(after["old_over_best"] is None, "cache=" in before)
        self.assertIn("cannot run", self.output("whatif", "--set", "node.caches_per_domain=1", *call, "--plot", "cost.svg", "--csv", "cost.csv"))
        self.assertIn(",inf,", self.read("cost.csv"))

    def test_WhatTheOldMachineCannotDoIsTriedOnTheChangedOne(self):
        call = ("--nodes", "2", "--ppn", "32", "--bytes", "64,256K", "bcast", "reduce")
        machine = self.a_few_nodes_of_archer2()
        there = json.loads(self.output("whatif", "--machine", self.path("archer2.json"), "--set", "node.caches_per_domain=1", *call, "--json"))
        machine["node"]["caches_per_domain"] = 1
        self.write("flat.json", json.dumps(machine))
        back = json.loads(self.output("whatif", "--machine", self.path("flat.json"), "--set", "node.caches_per_domain=4", *call, "--json"))
        self.assertTrue(any("cache=" in cell["after"][0]["algorithm"] for cell in back["cells"]))
        for cell, other in zip(back["cells"], there["cells"]):
            self.assertEqual((cell["algorithm"], cell["after"][0]["algorithm"]), (other["after"][0]["algorithm"], other["algorithm"]))

    def test_TimesAreThoseOfSimulateOnBothMachines(self):
        machine = json.loads(self.output("machine", "example-cluster", "--json"))
        machine["network"]["fat_tree"]["layers"][0]["parents"] = 1
        self.write("tapered.json", json.dumps(machine))
        rows = self.rows(*HERE, "--taper", "leaf=4:1")
        self.assertEqual(len(rows), 4)
        for row in rows:
            def time(name, algorithm):
                return self.simulated(name, row["collective"], algorithm, row["bytes"], "--nodes", "16", "--ppn", "1")[0]
            self.assertEqual(float(row["before_us"]), time("example-cluster", row["before_algorithm"]))
            self.assertEqual(float(row["after_us"]), time("tapered.json", row["after_algorithm"]))
            self.assertEqual(float(row["old_algorithm_us"]), time("tapered.json", row["before_algorithm"]))
            every = self.simulated("tapered.json", row["collective"], "all", row["bytes"], "--nodes", "16", "--ppn", "1")
            self.assertEqual(float(row["after_us"]), min(every))
            self.assertAlmostEqual(float(row["ratio"]), float(row["after_us"]) / float(row["before_us"]), places=5)
        self.assertGreater(float(rows[3]["ratio"]), 1.5, "an all-to-all of half the up-links")

    def test_MeansAreGeometricAndAllFormsAgree(self):
        call = (*HERE, *FEW, "--set", "network.fat_tree.layers.0.parents=1,4", "--nic", "2x200g")
        found, rows = json.loads(self.output(*call, "--json")), self.rows(*call)
        self.assertEqual([change["change"] for change in found["changes"]],
                         ["nic 2x200g + set network.fat_tree.layers.0.parents=" + str(n) for n in (1, 4)])
        for change in found["changes"]:
            of_change = [row for row in rows if row["change"] == change["change"] and row["bytes_simulated"] != "0"]
            for collective in ("allreduce", "alltoall", "all"):
                ratios = [float(row["ratio"]) for row in of_change if collective in (row["collective"], "all")]
                mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
                summary, = [one for one in found["summary"] if (one["change"], one["collective"]) == (change["change"], collective)]
                self.assertAlmostEqual(summary["ratio"], mean, places=5)
                self.assertEqual(summary["cells"], len(ratios))
                self.assertEqual(summary["changed_choices"], sum(
                    float(row["old_over_best"]) > 1.01 for row in of_change if collective in (row["collective"], "all")))
        paths = {edit["path"] for edit in found["changes"][0]["edits"]}
        self.assertLessEqual({"node.nics", "network.fat_tree.layers.0.parents"}, paths)
        table = self.output(*call)
        self.assertIn("network.fat_tree.layers.0.parents: 2 -> 1\n", table)
        self.assertIn("a lone message's rate goes with the adapter's", table)

    def test_SizesThatAreRoundedToNothingAreMarkedAndInNoMean(self):
        call = ("whatif", "alltoall", "--machine", "example-cluster", "--nodes", "16", "--ppn", "1", "--algorithms", "pairwise", "--taper", "leaf=4:1")
        one, = [one for one in json.loads(self.output(*call, "--bytes", "64K", "--json"))["summary"] if one["collective"] == "alltoall"]
        both = json.loads(self.output(*call, "--bytes", "8,64K", "--json"))["summary"]
        self.assertEqual([(row["cells"], row["rounded_to_nothing"]) for row in both], [(1, 1)] * 2)
        self.assertEqual({row["ratio"] for row in both}, {one["ratio"]})
        table = self.output(*call, "--bytes", "8,64K")
        self.assertRegex(table, r"\nalltoall +16 +16 +1 +8 \(0\)  pairwise ")
        self.assertRegex(table, r"\nalltoall +16 +16 +1 +64K  pairwise ")
        self.assertIn("\nin no mean: 1 cell of 0 simulated bytes\n", table)
        none = json.loads(self.output(*call, "--bytes", "1,8", "--json"))["summary"]
        self.assertEqual([(row["cells"], row["rounded_to_nothing"]) for row in none], [(2, 0)] * 2)

    def test_TheSameCommandGivesTheSameBytesByAnyNumberOfThreads(self):
        call = (*HERE, "--placement", "scattered:7", "--taper", "leaf=4:1", "--csv", "-")
        self.assertEqual(self.output(*call, "--jobs", "1"), self.output(*call, "--jobs", "3"))

    def test_EveryNumberOfRanksAndNoBytes(self):
        for ranks in ("1", "2", "3", "7", "13", "17", "127"):
            rows = self.rows("whatif", "--machine", "example-cluster", "--ranks", ranks, "--ppn", "8", "--bytes", "0,4", *FEW,
                             "--latency", "leaf=+100%")
            self.assertEqual({row["ranks"] for row in rows}, {ranks})
            self.assertTrue(all(float(row["ratio"]) > 0.98 for row in rows))

    def test_AScatteredJobIsThatOfSimulate(self):
        where = ("--nodes", "5", "--ppn", "2")
        row, = self.rows("whatif", "alltoall", "--machine", "example-cluster", *where, "--bytes", "64K", "--algorithms", "linear",
                         "--placement", "scattered:3")
        self.assertEqual([float(row["after_us"])], self.simulated("example-cluster", "alltoall", "linear", "64K", *where,
                                                                  "--placement", "scattered:3"))
        self.assertNotEqual(row["before_us"], row["after_us"])

    def test_APlacementFileMayHaveANameThatBeginsAsScattered(self):
        self.write("scattered.csv", "rank,node,group,leaf\n0,a,g,l\n1,b,g,m\n2,c,g,l\n3,d,g,m\n")
        row, = self.rows("whatif", "alltoall", "--machine", "example-cluster", "--nodes", "4", "--bytes", "64K", "--algorithms", "linear",
                         "--placement", "scattered.csv")
        self.assertEqual([float(row["after_us"])], self.simulated("example-cluster", "alltoall", "linear", "64K", "--placement", "scattered.csv"))

    def test_WithoutANodeTheJobTakesOthersAndWithoutASpineTheRestIsShared(self):
        call = ("whatif", "alltoall", "--machine", "example-cluster", "--ppn", "1", "--bytes", "1M", "--algorithms", "linear")
        row, = self.rows(*call, "--nodes", "4", "--fail", "node:2")  # one of a leaf's four: the job spreads over two leaves
        self.assertGreater(float(row["ratio"]), 1)
        row, = self.rows(*call, "--nodes", "16", "--fail", "switch:4")
        tapered, = self.rows(*call, "--nodes", "16", "--taper", "leaf=4:1")
        self.assertEqual(row["after_us"], tapered["after_us"])
        one, = self.rows(*call, "--nodes", "16", "--fail", "cable:leaf:0")
        self.assertGreater(float(one["ratio"]), 1)
        done = self.call(*call, "--nodes", "4", "--fail", "cable:leaf")  # a job inside the leaf
        self.assertEqual((done.returncode, done.stderr),
                         (0, "warning: fail cable:leaf: changes none of these predicted times\n"))

    def test_EachCableOfAListChangesThoseWithFiguresOfTheirOwnToo(self):
        lines = "node,a,s\nnode,b,s\nnode,c,t\nnode,d,t\ncable,s,t,1{}\n"
        machine = json.loads(self.output("machine", "example-cluster", "--json"))
        call = ("--nodes", "4", "--bytes", "1M", "--algorithms", "pairwise")
        for own, faster in (("", "6.25e9"), (",1.25e10,2e-7", "1.25e10")):
            self.write("cables.csv", lines.format(own))
            machine["network"] = {"graph": {"file": "cables.csv", "source": "made up",
                                            "cable": {"bandwidth_bytes_per_second": 6.25e9, "latency_seconds": 2e-7, "source": "made up"}}}
            self.write("listed.json", json.dumps(machine))
            for option, value, line in (("--bandwidth", "cable=-50%", f"{float(faster) / 2},2e-7"), ("--bandwidth", "cable=1GB/s", "1e9,2e-7"),
                                        ("--latency", "cable=5us", f"{faster},5e-6"), ("--latency", "cable=+100%", f"{faster},4e-7")):
                row, = self.rows("whatif", "alltoall", "--machine", "listed.json", *call, option, value)
                self.write("cables2.csv", lines.format("," + line))
                changed = {**machine, "network": {"graph": {**machine["network"]["graph"], "file": "cables2.csv"}}}
                self.write("changed.json", json.dumps(changed))
                self.assertEqual([float(row["after_us"])], self.simulated("changed.json", "alltoall", "pairwise", "1M", "--nodes", "4"), (own, value))
                self.assertNotEqual(row["before_us"], row["after_us"])
            for option, part, whole in (("--bandwidth", "cable=-50%", "cable=1GB/s"), ("--latency", "cable=+100%", "cable=5us")):
                alone, = self.rows("whatif", "alltoall", "--machine", "listed.json", *call, option, whole)
                after_part, = self.rows("whatif", "alltoall", "--machine", "listed.json", *call, option, part, option, whole)
                self.assertEqual(after_part["after_us"], alone["after_us"], (own, option))

    def test_UnsharedCablesOfAListAreThoseWithFiguresToo(self):
        machine = json.loads(self.output("machine", "example-cluster", "--json"))
        times = []
        for shared in (True, False):
            self.write("cables.csv", "node,a,s\nnode,b,s\nnode,c,t\nnode,d,t\ncable,s,t,1,5e9,3e-6\n")
            machine["network"] = {"graph": {"file": "cables.csv", "source": "made up", "cable": {
                "bandwidth_bytes_per_second": 1e10, "latency_seconds": 2e-7, "shared": shared, "source": "made up"}}}
            self.write("listed.json", json.dumps(machine))
            times += self.simulated("listed.json", "alltoall", "linear", "1M", "--nodes", "4")
        self.assertLess(times[1], times[0] * 0.8)

    def test_WhatIsSaidOfAdaptersIsOfTheNewOnesAndOfAllThatThereWere(self):
        call = ("whatif", "alltoall", "--machine", "example-cluster", "--nodes", "2", "--bytes", "1M", "--algorithms", "linear")
        both, = self.rows(*call, "--bandwidth", "nic=+50%", "--nic", "1x200g")
        alone, = self.rows(*call, "--nic", "1x300g")
        self.assertEqual(both["after_us"], alone["after_us"])
        machine = json.loads(self.output("machine", "example-cluster", "--json"))
        second = {**machine["node"]["nics"][0], "bandwidth_bytes_per_second": 2.5e10}
        machine["node"]["nics"].append(second)
        self.write("two.json", json.dumps(machine))
        self.assertIn("node.nics: 1 x 12.5 GB/s + 1 x 25 GB/s -> 2 x 12.5 GB/s",
                      self.output("whatif", "alltoall", "--machine", "two.json", "--nodes", "2", "--bytes", "1M", "--algorithms", "linear", "--nic", "2x100g"))

    def test_FasterAdaptersMakeNoTransferSlowerAndSlowerOnesNoneFaster(self):
        lone, met = ("bcast", "--nodes", "2", "--algorithms", "binomial"), ("alltoall", "--nodes", "4", "--algorithms", "pairwise")
        for machine in sorted(name[:-5] for name in os.listdir(MACHINES)):
            for call in lone, met:
                for row in self.rows("whatif", *call, "--machine", machine, "--ppn", "1", "--bytes", "64K,4M", "--bandwidth", "nic=+100%,-50%"):
                    ratio = float(row["ratio"])
                    self.assertTrue(ratio <= 1 if "+" in row["change"] else ratio >= 1, row)
        row, = self.rows("whatif", *lone, "--machine", "azure-hbv4", "--bytes", "64M", "--nic", "1x95GB/s")
        self.assertLess(float(row["ratio"]), 0.55, "a message that is as fast as the adapter")

    def test_ATaperIsOfTheCablesAndTheRoutingThatThereAreThen(self):
        call = ("whatif", "alltoall", "--machine", "example-cluster", "--nodes", "16", "--bytes", "1M", "--algorithms", "linear")
        halved, = self.rows(*call, "--taper", "leaf=4:1", "--bandwidth", "leaf=-50%")
        tapered, = self.rows(*call, "--taper", "leaf=4:1")
        self.assertAlmostEqual(float(halved["after_us"]), float(tapered["after_us"]), delta=0.01 * float(tapered["after_us"]))
        refusal = r"--taper leaf=4:1: whole cables make no taper of 4:1 here; nearest is 1:1, by 1 cable of 50 GB/s"
        done = self.call(*call, "--taper", "leaf=4:1", "--bandwidth", "leaf=400g")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, refusal)
        self.assertIn("20.83 GB/s up; routing joins the cables to trunks", self.output(*call, "--routing", "adaptive", "--taper", "leaf=2.4:1"))
        lumi = ("whatif", "bcast", "--machine", "lumi-g", "--nodes", "2", "--bytes", "4M", "--algorithms", "binomial")
        self.assertIn("routing joins", self.output(*lumi, "--taper", "global=10:1"))
        done = self.call(*lumi, "--routing", "minimal", "--taper", "global=10:1")
        self.assertRegex(done.stderr, "--taper global=10:1: whole cables make no taper of 10:1 here")
        done = self.call(*call, "--taper", "leaf=4:1", "--set", "network.fat_tree.layers.0.parents=0")
        self.assertRegex(done.stderr, r"--set network\.fat_tree\.layers\.0\.parents=0: /network/fat_tree/layers/0/parents: expected integer of at least 1")

    def test_WithoutNodesAsManyAreTakenAsAreInOrder(self):
        for what, nodes in (("node:3", "15"), ("switch:0", "12"), ("node:3,switch:0", "12")):
            rows = self.rows("whatif", "bcast", "--machine", "example-cluster", "--bytes", "8", "--algorithms", "binomial", "--fail", what)
            self.assertEqual({row["nodes"] for row in rows}, {nodes}, what)

    def unshared(self):
        machine = json.loads(self.output("machine", "example-cluster", "--json"))
        machine["network"]["fat_tree"]["layers"][0].update(shared=False, parents=4)
        return self.write("unshared.json", json.dumps(machine))

    def test_WhatChangesNothingAsCablesAreNotSharedIsWarnedAbout(self):
        done = self.call("whatif", "bcast", "--machine", self.unshared(), "--nodes", "8", "--bytes", "8", "--algorithms",
                         "binomial", "--set", "network.fat_tree.layers.0.parents=3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"warning: /network/fat_tree/layers/0: parents 3 changes no predicted time")
        self.assertRegex(done.stderr, r"changes none of these predicted times\n")

    def test_WhatABetterMachineDoesMoreSlowlyIsSaid(self):
        asked = ("whatif", "reduce_scatter", "--machine", "leonardo-booster", "--ranks", "17", "--ppn", "4", "--bytes", "16K,64K",
                 "--algorithms", "recursive_halving")
        said = r"\n1 cell takes longer \(by up to 1\d\.\d %\) although every changed figure is better: "
        self.assertRegex(self.output(*asked, "--nic", "1x250g"), said)
        for change in (("--nic", "1x50g"), ("--nic", "1x250g", "--latency", "network=+1%"), ("--nic", "1x250g", "--fail", "node:9")):
            self.assertNotIn("although", self.output(*asked, *change), change)

    def test_IsDrawn(self):
        call = (*HERE, *FEW, "--taper", "leaf=4:1,1:1")
        done = self.call(*call, "--plot", "change.svg", "--csv", "change.csv")  # as a .png: one of the document's commands
        self.assertEqual(done.returncode, 0, done.stderr)
        picture = self.read("change.svg")
        for text in ("allreduce", "alltoall", "taper leaf=4:1", "taper leaf=1:1"):
            self.assertIn(f"<!-- {text} -->", picture)

    def test_TheDocumentsCommandsRun(self):
        with open(DOCS, encoding="utf-8") as file:
            commands = re.findall(r"^\$ (tutti whatif (?:.*\\\n)*.*)$", file.read(), re.M)
        self.assertGreaterEqual(len(commands), 6)
        path = os.path.dirname(TUTTI) + os.pathsep + os.environ["PATH"]
        for command in commands:
            done = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, text=True, timeout=300,
                                  env={**os.environ, "PATH": path})
            self.assertEqual(done.returncode, 0, command + "\n" + done.stderr)
        with open(self.path("change.png"), "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")


class RefusedChanges(Refused):
    def test_RoutingThatTakesNoDetoursHasNone(self):
        for routing in "minimal", "ecmp":
            text = self.output("whatif", "bcast", "--machine", "lumi-g", "--nodes", "4", "--bytes", "8", "--algorithms", "linear", "--routing", routing)
            self.assertIn("detour_share", text)

    def test_OfAdaptersItIsSaidWhichOnesRanksTake(self):
        for machine, said in (("lumi-g", "a node's ranks take them in turn"), ("example-cluster", "ranks use the nearest")):
            done = self.call("whatif", "bcast", "--machine", machine, "--nodes", "4", "--bytes", "8", "--algorithms", "linear", "--nic", "8x200g")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(said, done.stdout + done.stderr)

    def change(self, expected, *change, machine="example-cluster"):
        self.refused(expected, "whatif", "bcast", "--machine", machine, "--nodes", "4", "--bytes", "8", "--algorithms", "linear", *change)

    def test_NameTheOptionWhatIsKnownAndTheNearestSpelling(self):
        self.change("expected what is to change")
        self.change(r"--taper leef=3:1: unknown level 'leef': expected one of leaf \(did you mean leaf\?\)", "--taper", "leef=3:1")
        self.change(r"--taper leaf=3:1: whole cables make no taper of 3:1 here; nearest is 4:1", "--taper", "leaf=3:1")
        self.change(r"--taper leaf=3:: expected a taper such as 3:1", "--taper", "leaf=3:")
        self.change(r"--set node\.socket=3: 'node\.socket': node has no socket: expected one of .*did you mean .*sockets",
                    "--set", "node.socket=3")
        self.change(r"--set node\.sockets=0: /node/sockets: expected", "--set", "node.sockets=0")
        self.change(r"--latency laef=-20%: unknown level 'laef': .*did you mean leaf", "--latency", "laef=-20%")
        self.change(r"--latency leaf: expected LEVEL=-20%", "--latency", "leaf")
        self.change(r"--latency leaf=-200%: '-200%': expected no less than -100%", "--latency", "leaf=-200%")
        self.change(r"--nic 2: expected COUNTxRATE", "--nic", "2")
        self.change(r"--nic 1x0g: 0g: expected a rate such as", "--nic", "1x0g")
        self.change(r"--routing valiant: network.fat_tree.routing: expected one of d-mod-k, ecmp, adaptive, got 'valiant'", "--routing", "valiant")
        self.change(r"--fail cabel:leaf: expected cable:LEVEL.*did you mean cable", "--fail", "cabel:leaf")
        self.change(r"--fail node:16: expected a node from 0 to 15", "--fail", "node:16")
        self.change(r"--fail cable:leaf:0: it is out of order already", "--fail", "cable:leaf", "--fail", "cable:leaf:0")
        self.change(r"fail cable:cable: no way that the routing knows is left", "--fail", "cable:cable", machine="fugaku")
        self.change(r"--fail cable:cables: unknown level 'cables': expected one of torus-0", "--fail", "cable:cables", machine="fugaku")
        self.change(r"placement scattered: --placement scattered: expected block, cyclic, scattered:SEED", "--placement", "scattered")
        self.change(r"--bandwidth leaf=fast: ", "--bandwidth", "leaf=fast")
        self.change(r"unknown algorithm 'squar' for all", "--algorithms", "squar", "--taper", "leaf=4:1")
        self.change(r"81 combinations", *(word for path in ("node.cores_per_cache", "node.sockets", "node.memory_bytes",
                                                               "node.domains_per_socket")
                                            for word in ("--set", path + "=4,5,6")))

    def test_WhatFlowsDoNotShareAndWhatNoWayIsLeftWithout(self):
        machine = json.loads(self.output("machine", "example-cluster", "--json"))
        layer = machine["network"]["fat_tree"]["layers"][0]
        layer["shared"] = False
        self.write("unshared.json", json.dumps(machine))
        for change in (("--taper", "leaf=4:1"), ("--fail", "cable:leaf")):
            done = self.call("whatif", "bcast", "--machine", "unshared.json", "--nodes", "4", "--bytes", "8", *change)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, f"tutti: {' '.join(change)}: it would change no predicted time, as \"shared\": false.*true")
        layer.update(shared=True, parents=1)
        self.write("single.json", json.dumps(machine))
        self.refused("fail cable:leaf: no way that the routing knows is left from node 0 to node 4", "whatif", "bcast", "--machine",
                     "single.json", "--nodes", "8", "--bytes", "8", "--fail", "cable:leaf")


if __name__ == "__main__":
    unittest.main()
