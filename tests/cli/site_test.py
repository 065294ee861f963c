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
        self.assertEqual([guess for guess in report["guesses"] if "switch" in guess or "cores" in guess], [])
        first = self.read("my.json"), self.read("my.cables.csv")
        self.made("ibnetdiscover:two-leaves.txt", "slurm=topology.conf", "hwloc=node.xml", "osu=lat.txt", "--switch-latency 150ns")
        self.assertEqual(first, (self.read("my.json"), self.read("my.cables.csv")))

    def test_WhatTheSchedulerAndTheCablesDisagreeAboutIsAFinding(self):
        self.write("other.conf", "SwitchName=l1 Nodes=node[1,3]\nSwitchName=l2 Nodes=node[2,4]\nSwitchName=s Switches=l[1-2]\n")
        report, machine = self.made("ibnetdiscover=two-leaves.txt", "slurm=other.conf", status=1)
        self.assertEqual(len(report["contradictions"]), 4)
        self.assertIn("other.conf:1: switch l1 has node3, but by two-leaves.txt these are on leaf-2", report["contradictions"][0])
        self.assertIn("ibnetdiscover", machine["network"]["graph"]["source"])
        report, _ = self.made("ibnetdiscover=two-leaves.txt", "ibstat=two", status=1)
        self.assertIn("two: ports of 4xHDR, 4xQDR, but most hosts have ports of 4xEDR by two-leaves.txt", report["contradictions"][0])

    def test_WhatIsMissingIsAskedForByName(self):
        self.refused("missing: no rate of a node's ports: give --from ibstat=FILE .*--nic-rate.*; no bandwidth between leaves: .*measure with "
                     "osu_mbw_mr .*give --global-rate.*", "machine", "--from", "slurm=topology.conf", "-o", "m.json")
        self.refused("missing: no switches and cables: give --from ibnetdiscover.*", "machine", "--from", "nodes=scontrol", "-o", "m.json")
        report, machine = self.made("slurm=topology.conf", "nodes=scontrol", "--nic-rate 100Gb/s --global-rate 200Gb/s")
        self.assertEqual((report["nodes"], machine["node"]["cores_per_cache"]), (2, 24))
        self.assertIn("cable,leaf-1,spine,1,2.5e+10,2e-07", self.read("my.cables.csv"))

    def test_BadOptionsAreRefused(self):
        for arguments, expected in ((("--from", "ibnetdicover=two-leaves.txt"), "--from .*: expected KIND=FILE of one of .*did you mean ibnetdiscover"),
                                    (("--from", "hwloc="), "--from hwloc=: expected KIND=FILE"),
                                    (("--from", "ibnetdiscover=two-leaves.txt", "--switch-latency", "3"), "--switch-latency 3: expected a time"),
                                    (("--from", "slurm=topology.conf", "--nic-rate", "100"), "--nic-rate 100: expected a rate"),
                                    (("example-cluster", "--from", "ibnetdiscover=two-leaves.txt"), "expected a machine's name or file, or --from"),
                                    (("--from", "ibnetdiscover=none.txt"), "none.txt:1: expected a readable file")):
            self.refused(expected + ".*", "machine", *arguments, "-o", "m.json")
        self.refused("--from: expected -o FILE.*", "machine", "--from", "ibnetdiscover=two-leaves.txt")
        self.refused("two-leaves.txt: is the same file as the input .*expected another file to write.*", "machine", "--from",
                     "ibnetdiscover=two-leaves.txt", "-o", "two-leaves.txt")
        self.assertFalse(os.path.exists(self.path("m.json")))


if __name__ == "__main__":
    unittest.main()
