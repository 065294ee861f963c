"""A machine made of what a cluster's own tools say."""
import json
import os
import re
import shutil
import unittest

from calibrate_test import node_xml
from refused import Refused

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "corpus")
OSU = "# OSU MPI Latency Test v7.2\n# Size          Latency (us)\n" + "".join(
    f"{1 << i} {1.5 + (1 << i) / 12000:.2f}\n" for i in range(23))


class Site(Refused):
    def setUp(self):
        super().setUp()
        for name in ("ibnetdiscover/two-leaves.txt", "ibnetdiscover/degraded.txt", "slurm_topology/topology.conf", "slurm_nodes/scontrol",
                     "ibstat/two"):
            shutil.copy(os.path.join(CORPUS, name), self.path(name.split("/")[1]))

    def made(self, *sources, status=0):
        arguments = [word for source in sources for word in (("--from", source) if not source.startswith("--") else source.split())]
        done = self.call("machine", *arguments, "-o", "my.json", "--json")
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return json.loads(done.stdout), json.loads(self.read("my.json"))

    def test_AFabricAloneIsAMachineThatIsSimulatedAndWhoseGuessesAreNamed(self):
        report, machine = self.made("ibnetdiscover=two-leaves.txt")
        self.assertEqual((report["nodes"], report["switches"], report["cables_between_switches"]), (4, 4, 4))
        self.assertEqual(report["contradictions"], [])
        self.assertTrue(any("cores" in guess for guess in report["guesses"]))
        self.assertEqual(machine["node"]["nics"][0]["bandwidth_bytes_per_second"], 12.5e9)
        self.assertIn("two-leaves.txt", machine["node"]["nics"][0]["source"])
        self.assertEqual(machine["node"]["nics"][0]["guess"][0], "latency_seconds")
        self.assertTrue(machine["node"]["nics"][0]["source"].endswith("latency and place: invented"), machine["node"]["nics"][0]["source"])
        self.assertTrue(machine["transport"]["network"]["guess"])
        times = self.output("simulate", "allreduce", "--machine", "my.json", "--algorithm", "ring", "--nodes", "4", "--ppn", "2", "--bytes", "1M")
        self.assertRegex(times, r"ring +1048576 +\d")

    def test_ADegradedCableMakesWhatPassesItSlower(self):
        times = {}
        for fabric in ("two-leaves.txt", "degraded.txt"):
            report, _ = self.made(f"ibnetdiscover={fabric}")
            self.assertEqual(any("degraded?" in note for note in report["notes"]), fabric == "degraded.txt")
            rows = json.loads(self.output("simulate", "alltoall", "--machine", "my.json", "--algorithm", "pairwise", "--nodes", "4", "--ppn", "1",
                                          "--bytes", "4M", "--json"))
            times[fabric] = rows[0]["time_us"]
        self.assertGreater(times["degraded.txt"], 1.5 * times["two-leaves.txt"])

    def test_EachFigureHasTheSourceThatSaidIt(self):
        self.write("node.xml", node_xml("pack:2 [numa] core:4 pu:1"))
        self.write("lat.txt", OSU)
        report, machine = self.made("ibnetdiscover:two-leaves.txt", "slurm=topology.conf", "hwloc=node.xml", "osu=lat.txt", "--switch-latency 150ns")
        self.assertEqual((machine["node"]["sockets"], machine["node"]["cores_per_cache"]), (2, 4))
        self.assertIn("node.xml", machine["node"]["source"])
        self.assertIn("lat.txt", machine["transport"]["network"]["source"])
        self.assertIn("--switch-latency", machine["network"]["graph"]["cable"]["source"])
        self.assertEqual(machine["network"]["graph"]["file"], "my.cables.csv")
        self.assertNotIn("/tmp", self.read("my.json"))
        notes = self.output("machine", *(word for source in ("ibnetdiscover=two-leaves.txt", "hwloc=node.xml", "osu=lat.txt") for word in ("--from", source)), "-o", "kept.json")
        self.assertIn("kept from round figures and what the other files say", notes)
        self.assertNotIn("kept from kept", notes)
        self.assertNotIn("--node", notes, "hwloc's file said what nodes are")
        self.assertEqual([guess for guess in report["guesses"] if "switch" in guess or "cores" in guess], [])
        first = self.read("my.json"), self.read("my.cables.csv")
        self.made("ibnetdiscover:two-leaves.txt", "slurm=topology.conf", "hwloc=node.xml", "osu=lat.txt", "--switch-latency 150ns")
        self.assertEqual(first, (self.read("my.json"), self.read("my.cables.csv")))

    def test_WhatTheSchedulerAndTheCablesDisagreeAboutIsAFinding(self):
        self.write("other.conf", "SwitchName=l1 Nodes=node[1,3]\nSwitchName=l2 Nodes=node[2,4]\nSwitchName=s Switches=l[1-2]\n")
        report, machine = self.made("ibnetdiscover=two-leaves.txt", "slurm=other.conf", status=1)
        self.assertEqual(len(report["contradictions"]), 4)
        self.assertIn("other.conf:1: switch l1 has node[1,3], but by two-leaves.txt node1 is on leaf-1, node3 on leaf-2; taken is", report["contradictions"][0])
        self.write("named.conf", "SwitchName=leaf-1 Nodes=node[1,3]\nSwitchName=leaf-2 Nodes=node[2,4]\nSwitchName=s Switches=leaf-[1-2]\n")
        report, _ = self.made("ibnetdiscover=two-leaves.txt", "slurm=named.conf", status=1)
        self.assertIn("named.conf:1: switch leaf-1 has node3, but by two-leaves.txt these are on leaf-2, the others on leaf-1", report["contradictions"][0])
        self.assertIn("named.conf:2: switch leaf-2 has node2, but by two-leaves.txt these are on leaf-1, the others on leaf-2", report["contradictions"][1])
        self.assertIn("ibnetdiscover", machine["network"]["graph"]["source"])
        report, _ = self.made("ibnetdiscover=two-leaves.txt", "ibstat=two", status=1)
        self.assertIn("two: ports of 4xHDR, 4xQDR, but most hosts have ports of 4xEDR by two-leaves.txt", report["contradictions"][0])

    def test_OneFabricInTwoListingsIsOneFabricAndWhatTheyDisagreeAboutIsAFinding(self):
        once, _ = self.made("ibnetdiscover=two-leaves.txt")
        shutil.copy(self.path("two-leaves.txt"), self.path("again.txt"))
        report, _ = self.made("ibnetdiscover=two-leaves.txt", "ibnetdiscover=again.txt")
        for key in "nodes", "switches", "cables_between_switches", "contradictions":
            self.assertEqual(report[key], once[key], key)
        self.assertIn("again.txt: 9 cables that an earlier listing has, too, counted once", report["notes"])
        report, machine = self.made("ibnetdiscover=two-leaves.txt", "ibnetdiscover=degraded.txt", status=1)
        self.assertEqual(report["contradictions"], ["degraded.txt:23: a cable of 4xDDR between leaf-2 and spine-2, but of 4xEDR by two-leaves.txt:24; taken "
                                                    "is two-leaves.txt"])
        self.assertEqual(len(machine["node"]["nics"]), 1)

    def test_AListingThatIsCutIsAFinding(self):
        lines = self.read("two-leaves.txt").split("\n")
        self.write("cut.txt", "\n".join(lines[:14]) + "\n")
        report, _ = self.made("ibnetdiscover=cut.txt", status=1)
        finding, = report["contradictions"]
        self.assertIn("cut.txt:12: 5 devices that cables lead to have no section (spine-1, spine-2, node1 HCA-1, …)", finding)
        self.write("open.txt", "\n".join(lines[:14]))
        self.refused("open.txt:14: the file ends inside this line.*", "machine", "--from", "ibnetdiscover=open.txt", "-o", "m.json")

    def test_PortsThatAreDownAreNoAdapters(self):
        self.write("eth", "Settings for eth0:\n\tSpeed: 100000Mb/s\n\tLink detected: yes\nSettings for eth1:\n\tSpeed: 25000Mb/s\n\tLink detected: no\n")
        _, machine = self.made("slurm=topology.conf", "ethtool=eth", "--global-rate 100Gb/s")
        self.assertEqual([nic["bandwidth_bytes_per_second"] for nic in machine["node"]["nics"]], [12.5e9])

    def test_PortsThatAreNotOfTheFastestKindAreNoAdaptersAndNamed(self):
        self.write("eth", "Settings for eno1:\n\tSpeed: 1000Mb/s\nSettings for hsn0:\n\tSpeed: 200000Mb/s\n")
        report, machine = self.made("slurm=topology.conf", "ethtool=eth", "--global-rate 200Gb/s")
        self.assertEqual([nic["bandwidth_bytes_per_second"] for nic in machine["node"]["nics"]], [25e9])
        self.assertIn("eth: 1 port left out, not of the fastest kind: eno1 (0.125 GB/s)", report["notes"])
        self.write("ib", "CA 'mlx5_0'\n\tPort 1:\n\t\tState: Active\n\t\tRate: 100\n\t\tLink layer: InfiniBand\n"
                         "CA 'mlx5_1'\n\tPort 1:\n\t\tState: Active\n\t\tRate: 25\n\t\tLink layer: Ethernet\n")
        report, _ = self.made("ibnetdiscover=two-leaves.txt", "ibstat=ib")
        self.assertIn("ib: 1 port left out, on Ethernet: mlx5_1/1 (1xEDR)", report["notes"])

    def test_WhatWasFittedOnTheBaseIsNotFittedOnAnotherFabric(self):
        _, machine = self.made("ibnetdiscover=two-leaves.txt", "--base leonardo-booster")
        for of_the_base in "published", "fitted", "calibration", "larger_jobs", "congestion_trees":
            self.assertNotIn(of_the_base, machine)
        row, = json.loads(self.output("simulate", "allgather", "--machine", "my.json", "--nodes", "4", "--ppn", "1", "--bytes", "1M", "--algorithm", "ring", "--json"))
        self.assertEqual(row["trust"], "guessed")

    def test_ACableListMayBeginAsWindowsTextsDo(self):
        self.made("ibnetdiscover=two-leaves.txt")
        self.write("my.cables.csv", "\ufeff" + self.read("my.cables.csv"))
        self.assertIn("4 nodes", self.output("simulate", "bcast", "--machine", "my.json", "--nodes", "4", "--ppn", "1", "--bytes", "8", "--algorithm", "linear"))

    def test_ALineOfSlurmsThatGoesOnInTheNextIsOne(self):
        self.write("long.conf", "SwitchName=l1 Nodes=node[1-\\\n2]\nSwitchName=l2 \\\n  Nodes=node[3-4]\nSwitchName=s Switches=l[1-2]\n")
        report, _ = self.made("ibnetdiscover=two-leaves.txt", "slurm=long.conf")
        self.assertEqual((report["nodes"], report["contradictions"]), (4, []))

    def test_OptionsThatFilesContradictAreFindingsAndTheFilesAreTaken(self):
        fabric = "ibnetdiscover=two-leaves.txt"
        for options, said in (("--nic-rate 400Gb/s --nics 4", "--nic-rate and --nics: 4 ports of 50 GB/s, but hosts have 1 port of 4xEDR by two-leaves.txt; taken is "
                                                              "two-leaves.txt"),
                              ("--nic-rate 100Gb/s --nics 2", "--nic-rate and --nics: 2 ports of 12.5 GB/s, but hosts have 1 port of 4xEDR by two-leaves.txt; taken "
                                                              "is two-leaves.txt"),
                              ("--nic-rate 200Gb/s", "--nic-rate: ports of 25 GB/s, but hosts have 1 port of 4xEDR by two-leaves.txt; taken is two-leaves.txt"),
                              ("--global-rate 400Gb/s", "--global-rate: 50 GB/s, but two-leaves.txt says the rate of every cable, 4xEDR; taken is two-leaves.txt")):
            report, machine = self.made(fabric, options, status=1)
            self.assertEqual(report["contradictions"], [said])
            self.assertEqual([nic["bandwidth_bytes_per_second"] for nic in machine["node"]["nics"]], [12.5e9])
        for same in "--nic-rate 100Gb/s --nics 1", "--nic-rate 99Gb/s", "--global-rate 100Gb/s", "--global-rate 200Gb/s":  # of a cable, and of a leaf's two
            self.assertEqual(self.made(fabric, same)[0]["contradictions"], [])
        slurm = "slurm=topology.conf", "--global-rate 200Gb/s"
        report, machine = self.made(*slurm, "ibstat=two", "--nic-rate 400Gb/s", status=1)
        self.assertEqual(report["contradictions"], ["--nic-rate: ports of 50 GB/s, but hosts have 1 port of 4xHDR by two; taken is two"])
        self.assertIn("read on a node: two", machine["node"]["nics"][0]["source"])
        report, machine = self.made(*slurm, "nodes=scontrol", "--nic-rate 100Gb/s", "--cores 12", status=1)
        self.assertEqual(report["contradictions"], ["--cores: 12, but 2 x 24 by scontrol's scontrol; taken is the latter"])
        self.assertEqual(machine["node"]["sockets"], 2)
        self.write("flat", "SwitchName=s0 Nodes=tux[0-3]\n")
        self.refused("--global-rate: 1 rate, expected none: no switch of flat is above another.*", "machine", "--from", "slurm=flat", "--nic-rate", "100Gb/s",
                     "--global-rate", "1Tb/s", "-o", "m.json")

    def test_RatesThatOptionsFillInAreSaidToBeTheirs(self):
        listing = self.read("two-leaves.txt")
        self.write("unknown.txt", listing.replace("4xEDR", "4xGDR"))
        _, machine = self.made("ibnetdiscover=unknown.txt", "--nic-rate 200Gb/s", "--global-rate 50Gb/s")
        cable = machine["network"]["graph"]["cable"]
        self.assertRegex(machine["node"]["nics"][0]["source"], "^bandwidth: given: --nic-rate")
        self.assertRegex(cable["source"], "^bandwidths, in the list: given: --global-rate;")
        self.assertEqual((machine["node"]["nics"][0]["bandwidth_bytes_per_second"], cable["bandwidth_bytes_per_second"]), (25e9, 6.25e9))
        sections = [section if '"spine-2" enhanced' not in section else section.replace("4xEDR", "4xGDR") for section in listing.split("\n\n")]
        self.write("some.txt", re.sub('("spine-2" lid . )4xEDR', r"\g<1>4xGDR", "\n\n".join(sections)))
        _, machine = self.made("ibnetdiscover=some.txt", "--global-rate 50Gb/s")
        self.assertIn("ibnetdiscover's some.txt, what it does not say: given: --global-rate", machine["network"]["graph"]["cable"]["source"])

    def test_SlurmsNodesWithoutAllKeysSayWhatTheyDo(self):
        for keys, shape, said in (("CPUs=64", (1, 64), "nodes: node1 has no Sockets and CoresPerSocket, taken as 1 x 64"),
                                  ("CPUs=64 CoresPerSocket=16", (4, 16), "nodes: node1 has no Sockets, taken as 4"),
                                  ("Sockets=2", (2, 4), "nodes: node1 has no CoresPerSocket or CPUs")):
            self.write("nodes", f"NodeName=node[1-4] {keys} RealMemory=1000\n")
            report, machine = self.made("ibnetdiscover=two-leaves.txt", "nodes=nodes")
            node = machine["node"]
            self.assertEqual((node["sockets"], node["cores_per_cache"], node["memory_bytes"]), (*shape, 1000 << 20))
            self.assertIn(said, report["guesses"])
            self.assertNotIn("memory_bytes", node.get("guess", []))
            self.assertIn("scontrol's nodes", node["source"])

    def test_MachinesOfSimilarNamesHaveCableListsOfTheirOwn(self):
        for name in "o.v1", "o.v2", "o.json":
            self.output("machine", "--from", "ibnetdiscover=two-leaves.txt", "-o", name)
            self.assertEqual(json.loads(self.read(name))["network"]["graph"]["file"], name.removesuffix(".json") + ".cables.csv")
            self.assertIn("cable,", self.read(name.removesuffix(".json") + ".cables.csv"))

    def test_MemoryThatSlurmAndHwlocDisagreeAboutIsAFinding(self):
        self.write("node.xml", node_xml("pack:1 [numa(memory=137438953472)] core:4 pu:1"))
        for megabytes, is_one in ((64000, True), (100000, False), (131072, False), (140000, True)):
            self.write("nodes", f"NodeName=node[1-4] CoresPerSocket=4 Sockets=1 RealMemory={megabytes}\n")
            report, machine = self.made("ibnetdiscover=two-leaves.txt", "hwloc=node.xml", "nodes=nodes", status=int(is_one))
            said = f"node.xml: 137.4 GB of memory, but {megabytes * 1.048576e-3:.4g} GB by scontrol's nodes; taken is node.xml"
            self.assertEqual(report["contradictions"], [said] if is_one else [])
            self.assertEqual(machine["node"]["memory_bytes"], 137438953472)

    def test_HalvesThatNoSwitchJoinsAreRefusedWithTheWayOut(self):
        self.write("two", "SwitchName=s0 Nodes=tux[0-3]\nSwitchName=s1 Nodes=tux[4-7]\n")
        self.refused(r"two:1: no cables join 4 hosts \(tux\[0-3\], on s0 first\) with 4 hosts \(tux\[4-7\], on s1 first\), expected .*"
                     r"SwitchName=top Switches=s0,s1, and --global-rate .*--from hosts=FILE.*", "machine", "--from", "slurm=two", "--nic-rate", "100Gb/s",
                     "-o", "m.json")
        self.write("more", "SwitchName=s0 Nodes=tux[0-4]\nSwitchName=s1 Nodes=tux[5-7]\n")
        report, _ = self.made("slurm=more", "--nic-rate 100Gb/s")
        self.assertEqual(report["nodes"], 5)

    def test_WhatIsMissingIsAskedForByName(self):
        self.refused("missing: no rate of a node's ports: give --from ibstat=FILE .*--nic-rate.*; no bandwidth between leaves: .*measure with "
                     "osu_mbw_mr .*give --global-rate.*", "machine", "--from", "slurm=topology.conf", "-o", "m.json")
        self.refused("missing: no switches and cables: give --from ibnetdiscover.*", "machine", "--from", "nodes=scontrol", "-o", "m.json")
        report, machine = self.made("slurm=topology.conf", "nodes=scontrol", "--nic-rate 100Gb/s --global-rate 200Gb/s")
        self.assertEqual((report["nodes"], machine["node"]["cores_per_cache"]), (2, 24))
        self.assertIn("cable,leaf-1,spine,1,2.5e+10,2e-07", self.read("my.cables.csv"))

    def matrix(self, name, head, near, far, hosts=4, more=()):
        """Of pairs of two-leaves.txt, whose odd and even halves share a leaf."""
        def value(a, b):
            return "-" if a == b else str(dict(more).get((a, b), near if (a > 2) == (b > 2) else far))
        names = [f"node{host}" for host in range(1, hosts + 1)]
        self.write(name, " ".join([head, *names]) + "\n" + "".join(
            " ".join([names[a - 1], *(value(a, b) for b in range(1, hosts + 1))]) + "\n" for a in range(1, hosts + 1)))
        return f"matrix={name}"

    def test_MatricesOfPairsGiveTheLatencyOfASwitchAndWhatMessagesTake(self):
        latencies, rates = self.matrix("lat", "latency_us", 1.6, 1.9), self.matrix("bw", "bandwidth_GB/s", 11.5, 11.4)
        report, machine = self.made("ibnetdiscover=two-leaves.txt", latencies, rates)
        self.assertEqual(report["contradictions"], [])
        cable = machine["network"]["graph"]["cable"]
        self.assertAlmostEqual(cable["latency_seconds"], 0.15e-6)
        self.assertRegex(cable["source"], "measured: lat: 8 pairs over 3 switches less 4 pairs over 1 switch")
        self.assertNotIn("guess", cable)
        self.assertIn("bw: 4 pairs over 1 switch: 11.5 GB/s in the median, 11.5 GB/s to 11.5 GB/s", report["notes"])
        transport = machine["transport"]["network"]
        self.assertAlmostEqual(transport["segments"][-1]["bandwidth_bytes_per_second"], 11.5e9)
        self.assertIn("measured: bandwidth of the largest: bw, 4 pairs over 1 switch; latency: lat, 4 pairs over 1 switch", transport["source"])
        self.assertEqual([guess for guess in report["guesses"] if "latency of a switch" in guess], [])
        # What the machine then says of a byte between neighbours, and over two more switches, is what was measured.
        for nodes, expected in ((2, 1.6), (4, 1.9 + 1.6)):  # down the tree: from node1 to node3, and from there to node4
            row, = json.loads(self.output("simulate", "bcast", "--machine", "my.json", "--algorithm", "binomial", "--nodes", str(nodes), "--ppn", "1",
                                          "--bytes", "1", "--json"))
            self.assertAlmostEqual(row["time_us"], expected, delta=0.01)

    def test_AMeasuredLatencyMakesGuessesShorterThatAreLonger(self):
        report, machine = self.made("ibnetdiscover=two-leaves.txt", self.matrix("lat", "latency_us", 0.8, 1.1))
        self.assertIn("lat: 4 pairs over 1 switch take less than the guesses of what processors and adapters do: these are 0.72 times as long", report["notes"])
        lone = [line.split() for line in self.output("machine", "my.json").splitlines() if line.startswith("         0 ")]
        self.assertEqual([float(word) for word in lone[0][-2:]], [0.8, 1.1])

    def test_ManyPairsThatSendAtTheSameTimeAreOneNodesRate(self):
        def rates(name, pairs, rate):
            self.write(name, f"# OSU MPI Multiple Bandwidth / Message Rate Test v5.8\n# [ pairs: {pairs} ] [ window size: 64 ]\n# Size  MB/s  Messages/s\n" + "".join(
                f"{1 << i} {rate} {min(5e7, rate * 1e6 / (1 << i)):.2f}\n" for i in range(23)))
            return f"osu={name}"
        fabric, alone = "ibnetdiscover=two-leaves.txt", self.osu("alone", 1.0, 6000)
        report, machine = self.made(fabric, self.matrix("bw", "bandwidth_GB/s", 12, 12), self.osu("fast", 1.0, 12000), rates("many", 16, 12000))
        self.assertEqual(report["contradictions"], [])
        self.assertAlmostEqual(machine["transport"]["network"]["gap_seconds"], 16 / 5e7)
        slurm = "slurm=topology.conf", "--global-rate 800Gb/s"
        _, machine = self.made(*slurm, alone, "osu=many", "--nic-rate 400Gb/s")
        self.assertAlmostEqual(machine["node"]["nics"][0]["bandwidth_bytes_per_second"], 12e9, delta=1e7)
        self.output("calibrate", "--osu", "alone", "--osu", "many", "--base", "example-cluster", "-o", "mine.json")
        nic = json.loads(self.read("mine.json"))["node"]["nics"][0]
        self.assertAlmostEqual(nic["bandwidth_bytes_per_second"], 12e9, delta=1e7)
        self.assertIn("what the streams of 16 pairs of processes reached together in many", nic["source"])
        report, _ = self.made(fabric, alone, rates("too_many", 16, 24000), status=1)
        self.assertEqual(report["contradictions"], ["too_many: a pair of nodes reaches 24 GB/s, but the ports of a node have 12.5 GB/s by two-leaves.txt; taken "
                                                    "is the latter"])

    def test_WhatMatricesAndCablesDisagreeAboutIsAFinding(self):
        for name, matrix, options, said in (
                ("nearer", self.matrix("a", "latency_us", 2.0, 1.5), (), "a: 4 pairs over 1 switch take 2 us, but 8 pairs over 3 switches 1.5 us"),
                ("stranger", self.matrix("b", "latency_us", 1.6, 1.9, hosts=5), (), "b:6: node5 is no host of two-leaves.txt"),
                ("faster", self.matrix("c", "bandwidth_GB/s", 24, 24), (), "c: 4 pairs over 1 switch reach 24 GB/s, but the ports of a host have 12.*"),
                ("tapered", self.matrix("d", "bandwidth_GB/s", 12, 5), (), "d: 8 pairs over 3 switches reach 5 GB/s, those over 1 12 GB/s"),
                ("impossible", self.matrix("e", "latency_us", 0.3, 0.4), ("--base azure-hbv2",), "e: 4 pairs over 1 switch take 0.3 us, less than"),
                ("given", self.matrix("f", "latency_us", 1.6, 1.9), ("--switch-latency 400ns",), "f: a switch and its cable take 150 ns, but --switch-")):
            report, _ = self.made("ibnetdiscover=two-leaves.txt", matrix, *options, status=1)
            self.assertRegex(" | ".join(report["contradictions"]), said, name)
        slow = {(a, b): 9 for a in range(1, 5) for b in range(1, 5) if 4 in (a, b) and (a > 2) != (b > 2)}  # half of what passes two spines
        report, _ = self.made("ibnetdiscover=two-leaves.txt", self.matrix("g", "latency_us", 1.6, 1.7, more=slow.items()), status=0)
        self.assertTrue(any(note.startswith("g:5: node4 is far from the others: 9 us") for note in report["notes"]), report["notes"])
        report, _ = self.made("ibnetdiscover=two-leaves.txt", self.matrix("h", "latency_us", 1.6, 1.9, more={(1, 2): 3.5}.items()))
        self.assertIn("h: 1 pair of hosts with more than 1.5 times as much in one direction as in the other; most between node1 and node2: 2.19 times",
                      report["notes"])

    def osu(self, name, latency=1.5, rate=12000):
        self.write(name, OSU.split("1 1.5")[0] + "".join(f"{1 << i} {latency + (1 << i) / rate:.2f}\n" for i in range(23)))
        return f"osu={name}"

    def test_AMeasurementThatIsFasterThanThePortsIsAFindingAndThePortsStay(self):
        report, machine = self.made("ibnetdiscover=two-leaves.txt", self.osu("fast", rate=46000), status=1)
        self.assertEqual(report["contradictions"], ["fast: a pair of nodes reaches 45.26 GB/s, but the ports of a node have 12.5 GB/s by two-leaves.txt; taken is "
                                                    "the latter"])
        self.assertEqual(machine["node"]["nics"][0]["bandwidth_bytes_per_second"], 12.5e9)
        notes = report["residuals"]["notes"]
        self.assertFalse([note for note in notes if "less than an adapter" in note], "cables that the listing knows, as fast as ports that stay")
        self.write("short", OSU.split("1 1.5")[0] + "".join(f"{1 << i} {1.5 + (1 << i) / 46000:.2f}\n" for i in range(11)))
        report, _ = self.made("ibnetdiscover=two-leaves.txt", "osu=short", "osu=fast", status=1)
        self.assertIn("fast: a pair of nodes reaches 45.26 GB/s", report["contradictions"][0], "not the first file, which has no long messages")
        self.write("bw", "# OSU MPI Bandwidth Test v7.2\n# Size      Bandwidth (MB/s)\n1 8\n1048576 48000\n4194304 49000\n")
        report, machine = self.made("ibnetdiscover=two-leaves.txt", self.osu("lat"), "osu=bw", status=1)
        self.assertIn("reaches 49 GB/s", report["contradictions"][0])
        self.assertEqual(machine["node"]["nics"][0]["bandwidth_bytes_per_second"], 12.5e9)
        slurm = "slurm=topology.conf", "--global-rate 800Gb/s"
        report, machine = self.made(*slurm, "--nic-rate 50Gb/s", "osu=lat", status=1)
        self.assertIn("the ports of a node have 6.25 GB/s by --nic-rate", report["contradictions"][0])
        self.assertEqual(machine["node"]["nics"][0]["bandwidth_bytes_per_second"], 6.25e9)
        report, machine = self.made(*slurm, "--nic-rate 50Gb/s --nics 2", "osu=lat")  # a message may go by both
        self.assertEqual([nic["bandwidth_bytes_per_second"] for nic in machine["node"]["nics"]], [6.25e9] * 2)
        report, machine = self.made("ibnetdiscover=two-leaves.txt", self.osu("slow", rate=6000))
        self.assertLess(machine["node"]["nics"][0]["bandwidth_bytes_per_second"], 7e9)

    def test_MeasurementsOfDifferentMachinesAreAFindingAndNotAveraged(self):
        fabric = "ibnetdiscover=two-leaves.txt"
        near, far, other = self.osu("near"), self.osu("far", 1.9), self.osu("other", 15, 1200)
        report, machine = self.made(fabric, other, near, status=1)
        self.assertEqual(report["contradictions"], ["other: 1 bytes between nodes take 15 us, but 1.5 us by near, more than farther nodes explain; taken is near"])
        self.assertEqual(machine["transport"], self.made(fabric, near)[1]["transport"])
        self.assertEqual(self.made(fabric, near, far)[0]["contradictions"], [], "two more switches")
        report, _ = self.made(fabric, near, self.osu("narrow", 1.5, 3000), status=1)
        self.assertIn("narrow: 4194304 bytes between nodes take", report["contradictions"][0])
        report, _ = self.made(fabric, self.osu("a_slower", 1.5, 5000), self.osu("faster", 1.6), status=1)  # where they are apart
        self.assertIn("taken is faster", report["contradictions"][0])
        self.osu("again")
        self.write("long", "".join(line for line in self.read("again").splitlines(True) if line[0] == "#" or int(line.split()[0]) >= 1 << 20))
        report, _ = self.made(fabric, near, "osu=long", other, status=1)  # two agree, though one begins at 1 MiB
        self.assertEqual([line.split(":")[0] for line in report["contradictions"]], ["other"])

    def test_MeasurementsThatMatricesContradictAreAFinding(self):
        fabric, near = "ibnetdiscover=two-leaves.txt", self.osu("near")
        report, _ = self.made(fabric, near, self.matrix("m", "latency_us", 2.9, 3.2), status=1)
        self.assertEqual(report["contradictions"], ["near: 1 bytes between nodes take 1.5 us, but 4 pairs over 1 switch 2.9 us by m; taken is the former"])
        report, _ = self.made(fabric, near, self.matrix("b", "bandwidth_GB/s", 6, 6), status=1)
        self.assertIn("near: a pair of nodes reaches 11.9", report["contradictions"][0])
        report, _ = self.made(fabric, near, self.matrix("m", "latency_us", 1.6, 1.9), self.matrix("b", "bandwidth_GB/s", 12.3, 12.1))
        self.assertEqual(report["contradictions"], [])

    def test_AMeasurementThatContradictsItselfIsAFinding(self):
        self.osu("bump")
        self.write("bump", self.read("bump").replace("8 1.50", "8 131"))
        report, _ = self.made("ibnetdiscover=two-leaves.txt", "osu=bump", status=1)
        self.assertIn("bump:6: 8 bytes take 131 us, but 16 bytes 1.5: left out of the fit", report["contradictions"][0])

    def test_APairThatIsFasterThanItsPortsIsAFindingThoughMostAreNot(self):
        sources = "ibnetdiscover=two-leaves.txt", self.matrix("bw", "bandwidth_GB/s", 12, 11.8, more={(1, 3): 20, (3, 1): 19, (2, 1): 12.7}.items())
        report, machine = self.made(*sources, status=1)
        self.assertEqual(report["contradictions"], ["bw:2: node1 reaches node3 with 20 GB/s, but the ports there have 12.5 GB/s; of 8 pairs over 3 "
                                                    "switches 2 are above their ports; taken is the latter"])
        self.assertEqual(machine["node"]["nics"][0]["bandwidth_bytes_per_second"], 12.5e9)
        self.write("topology", "SwitchName=l1 Nodes=node[1-2]\nSwitchName=l2 Nodes=node[3-4]\nSwitchName=s Switches=l[1-2]\n")
        report, _ = self.made("slurm=topology", "matrix=bw", "--global-rate 200Gb/s")
        self.assertEqual(report["contradictions"], [], "the matrix itself says the ports' rate")

    def test_AMatrixOfBandwidthsSaysTheRateOfPortsWhereNothingElseDoes(self):
        self.write("topology", "SwitchName=l1 Nodes=node[1-2]\nSwitchName=l2 Nodes=node[3-4]\nSwitchName=s Switches=l[1-2]\n")
        _, machine = self.made("slurm=topology", self.matrix("bw", "bandwidth_Gb/s", 96, 80), "--global-rate 200Gb/s")
        self.assertEqual(machine["node"]["nics"][0]["bandwidth_bytes_per_second"], 12e9)
        self.assertIn("measured: bw", machine["node"]["nics"][0]["source"])

    def test_BadMatricesAreRefused(self):
        for text, said in (("latency node1 node2\n", ":1: 'latency', expected latency_us, "), ("latency_us node1\n", ":1: expected 2 to 4096 hosts"),
                           ("latency_us a a\n", ":1: expected 2 to 4096 hosts"), ("latency_us a b\na - 1\n", ":2: expected 2 rows, found 1"),
                           ("latency_us a b\nb - 1\na 1 -\n", ":2: expected a and 2 values"), ("latency_us a b\na - x\nb 1 -\n", ":2: .*expected"),
                           ("latency_us a b\na - 1\nb 1\n", ":3: expected b and 2 values"), ("latency_us a b\na - -1\nb 1 -\n", ":2: .*expected"),
                           ("latency_us a b\na - 2e6\nb 1 -\n", ":2: 2e6, expected latency_us between"),
                           ("latency_us a b\na - 0\nb 0 -\n", ":1: expected a value that is not 0"),
                           ("latency_us a b\na - 1\nb 1 -\nc 1 1\n", ":4: expected no more rows")):
            self.write("m", text)
            self.refused("m" + said + ".*", "machine", "--from", "ibnetdiscover=two-leaves.txt", "--from", "matrix=m", "-o", "m.json")
        both = self.matrix("one", "latency_us", 1, 2), self.matrix("two", "latency_ns", 1000, 2000)
        self.refused("two:1: expected one matrix of latencies and one of bandwidths, one is such.*", "machine", "--from", "ibnetdiscover=two-leaves.txt",
                     "--from", both[0], "--from", both[1], "-o", "m.json")

    def test_BadOptionsAreRefused(self):
        for arguments, expected in ((("--from", "ibnetdicover=two-leaves.txt"), "--from .*: expected KIND=FILE of one of .*did you mean ibnetdiscover"),
                                    (("--from", "hwloc="), "--from hwloc=: expected KIND=FILE"),
                                    (("--from", "ibnetdiscover=two-leaves.txt", "--switch-latency", "3"), "--switch-latency 3: expected a time"),
                                    (("--from", "slurm=topology.conf", "--nic-rate", "100"), "--nic-rate 100: expected a rate"),
                                    (("example-cluster", "--from", "ibnetdiscover=two-leaves.txt"), "--from: expected no machine beside it; --base example-cluster"),
                                    (("--from", "ibnetdiscover=none.txt"), "none.txt:1: No such file or directory: expected a readable file")):
            self.refused(expected + ".*", "machine", *arguments, "-o", "m.json")
        self.refused("--from: expected -o FILE.*", "machine", "--from", "ibnetdiscover=two-leaves.txt")
        self.refused("two-leaves.txt: is the same file as the input .*expected another file to write.*", "machine", "--from",
                     "ibnetdiscover=two-leaves.txt", "-o", "two-leaves.txt")
        self.assertFalse(os.path.exists(self.path("m.json")))


if __name__ == "__main__":
    unittest.main()
