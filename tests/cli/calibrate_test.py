"""What calibrate makes of a node's description, with measurements and without, and what it then says of the nodes."""
import ctypes
import json
import os
import unittest

from program import ProgramTest
from refused import OSU, OSU_ROWS, Refused

HEADER = "Size,Latency\n"


def node_xml(description):
    """What lstopo writes of an invented node."""
    hwloc = ctypes.CDLL("libhwloc.so.15")
    topology, buffer, length = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
    hwloc.hwloc_topology_init(ctypes.byref(topology))
    hwloc.hwloc_topology_set_synthetic(topology, description.encode())
    hwloc.hwloc_topology_load(topology)
    hwloc.hwloc_topology_export_xmlbuffer.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_ulong]
    hwloc.hwloc_topology_export_xmlbuffer(topology, ctypes.byref(buffer), ctypes.byref(length), 0)
    return ctypes.string_at(buffer).decode()


class Nodes(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("node.xml", node_xml("pack:2 [numa(memory=8GiB)] l3:2 core:6 pu:2"))
        self.write("latency.txt", OSU + OSU_ROWS)

    def calibrate(self, *arguments):
        report = self.output("calibrate", *arguments, "-o", "mine.json")
        return json.loads(self.read("mine.json")), report

    def test_ANodesDescriptionAloneMakesAMachineOfOneNodeWhoseOtherFiguresAreGuesses(self):
        machine, report = self.calibrate("--node", "node.xml")
        self.assertEqual(machine["name"], "one-node")
        self.assertRegex(machine["description"], r"\AOne node of 2 sockets x 1 domains x 12 cores \(node.xml\)\. .*guessed")
        self.assertRegex(self.output("machine", "mine.json"), r"\n1 node of 24 cores, ")
        figures = self.output("machine", "mine.json").split("Figures and their sources")[1].splitlines()
        sure = [line.split()[0] for line in figures if line.startswith("  /")]
        self.assertEqual(sure, ["/node/caches_per_domain", "/node/cores_per_cache", "/node/domains_per_socket", "/node/memory_bytes",
                                "/node/sockets"])
        self.assertIn("guessed", report)
        self.output("simulate", "allreduce", "--machine", "mine.json", "--algorithm", "all", "--nodes", "1", "--ppn", "24", "--bytes", "1K")

    def test_ItsMeasurementsAreFitted(self):
        machine, _ = self.calibrate("--node", "node.xml", "--osu", "cache=latency.txt", "--name", "mine")
        self.assertIn("Transport of cache fitted", machine["description"])
        self.assertIn("fitted to latency.txt", machine["transport"]["cache"]["source"])

    def test_OtherNodesThanTheBasesAreDescribedAndWhatIsKeptOfThoseIsAGuess(self):
        machine, _ = self.calibrate("--node", "node.xml", "--osu", "latency.txt", "--base", "leonardo-booster")
        base = json.loads(self.output("machine", "leonardo-booster", "--json"))
        self.assertNotIn(base["description"], machine["description"])
        self.assertRegex(machine["description"], r"\A3600 nodes of 2 sockets x 1 domains x 12 cores \(node.xml\) on the network of leonardo-booster\.")
        self.assertEqual(machine["network"], base["network"])
        self.assertNotIn("published", machine)
        for part in (machine["node"]["memory"], machine["compute"]["reduce"],
                     next(part for distance, part in machine["transport"].items() if distance != "network")):
            self.assertIs(part["guess"], True)
            self.assertTrue(part["source"].startswith("kept from leonardo-booster, whose nodes are others: "), part["source"])
        self.assertNotIn("fitted", self.calibrate("--node", "node.xml", "--base", "leonardo-booster")[0])

    def test_WithoutADescriptionItIsSaidThatTheNodesAreTheBases(self):
        machine, report = self.calibrate("--osu", "latency.txt", "--base", "example-cluster")
        self.assertIn("nodes: 2 sockets x 1 domains x 4 cores, memory and adapters kept from example-cluster: --node", report)
        self.assertIn("Nodes as there, not given anew.", machine["description"])

    def test_CsvFilesInARowAreReadAsOne(self):
        rows = ["1,1.50\n2,1.51\n", "1024,2.0\n", "65536,9.0\n"]
        self.write("whole.csv", HEADER + "".join(rows))
        self.write("parts.csv", "".join(HEADER + part for part in rows))
        texts = []
        for name in ("whole.csv", "parts.csv"):
            os.replace(self.path(name), self.path("m.csv"))
            texts.append(self.calibrate("--csv", "m.csv", "--base", "example-cluster"))
        self.assertEqual(*texts)


class Collectives(ProgramTest):
    HEAD = "system,collective,algorithm,ranks,ppn,bytes,median_us,background\n"
    ALONE = [f"example-cluster,allgather,ring,4,1,{size},{time},{background}\n" for size, time, background in ((64, 6, "none"), (65536, 30, ""))]

    def fitted(self, rows, *fit):
        self.write("rows.csv", self.HEAD + "".join(rows))
        done = self.call("calibrate", "--collectives", "rows.csv", "--base", "example-cluster", "--starts", "1", "-o", "mine.json", "--fit", *fit)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(self.read("mine.json")), done

    def test_MeasuredBesideAnotherJobAreNotTakenForRunsAlone(self):
        alone, _ = self.fitted(self.ALONE, "allgather:ring")
        loaded = "example-cluster,allgather,ring,4,1,65536,200,incast\n"
        machine, done = self.fitted([*self.ALONE, loaded], "allgather:ring")
        self.assertIn("1 of 3 rows are left out: measured beside another job (background)\n", done.stderr)
        self.assertEqual(machine["transport"], alone["transport"])
        done = self.call("calibrate", "--collectives", "rows.csv", "--base", "example-cluster", "--predictions", "-")
        self.assertIn("1 of 3 rows are left out: measured beside another job", done.stderr)
        self.assertEqual(done.stdout.count("\n"), 3)

    def test_SayWhatAFitForetellsOfNumbersOfNodesThatItIsNotFittedTo(self):
        rows = [row.replace(",4,1,", f",{ranks},1,") for row in self.ALONE for ranks in (4, 6)]
        _, done = self.fitted(rows, "allgather:ring", "--cross-validate")
        self.assertRegex(done.stdout, r"each number of nodes, held back, as a fit to all others foretells it\n +nodes +rows +median error % +before\n"
                                      r" +4 +2 +[\d.]+ +[\d.]+\n +6 +2 +[\d.]+ +[\d.]+\n(stopped after|as far as the fit goes|with every step)")

    def test_FitCablesWhereThatIsAskedFor(self):
        rows = [row.replace(",4,1,", ",6,1,") for row in self.ALONE]
        for options, fitted in (((), 0), (("--cables",), 2)):
            _, done = self.fitted(rows, "allgather:ring", *options)
            self.assertEqual(done.stdout.count("\n/network/fat_tree/layers/0/"), fitted, done.stdout)


class Wrong(Refused):
    def test_NeitherABaseNorANode(self):
        self.write("latency.txt", OSU + OSU_ROWS)
        self.refused("expected --base, the machine to start from, or --node", "calibrate", "--osu", "latency.txt", "-o", "m.json")
        self.refused("--collectives: expected --base", "calibrate", "--collectives", "latency.txt", "--fit", "bcast:linear", "-o", "m.json")

    def test_RowsOptionsAndDataSetsThatDoNotApply(self):
        head = "system,collective,algorithm,ranks,ppn,bytes,median_us\n"
        self.write("r.csv", head + "example-cluster,bcast,binomial,4,1,1024,4\nexample-cluster,bcast,binomial,1,1,2048,3\n")
        here = ("calibrate", "--base", "example-cluster", "--collectives", "r.csv", "--predictions", "p.csv")
        done = self.call(*here)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 of 2 rows are left out: the engine does not simulate them, or they take no time", done.stderr)
        self.assertEqual(self.read("p.csv").count("\n"), 2)
        self.refused("--cross-validate: expected --fit beside it", *here, "--cross-validate")
        self.refused("--cables: expected --fit beside it", *here, "--cables")
        self.refused("--cross-validate: all rows that are fitted are of 4 nodes", *here[:-2], "--fit", "bcast:binomial:ranks=4", "--cross-validate", "-o", "m.json")
        self.refused("r.csv: no row of example-cluster is one of 'bcast:linear'", *here[:-2], "--fit", "bcast:binomial,bcast:linear", "-o", "m.json")
        for option, words in (("-o", ("-o", "m.json")), ("--json", ("--json",)), ("--name", ("--name", "x"))):
            self.refused(f"{option}: expected --fit beside it: --predictions makes no machine", *here, *words)
        self.write("r.csv", head + "example-cluster,bcast,binomial,4,1,1024,4\nexample-cluster,bcast,binomial,17,1,2048,3\n")
        self.refused("r.csv:3: expected at most 16 nodes", *here)
        self.write("latency.txt", OSU + OSU_ROWS)
        self.refused("latency.txt@x: expected no @x: only a CSV holds several systems", "calibrate", "--osu", "latency.txt@x", "--base", "example-cluster",
                     "-o", "m.json")

    def test_TimesThatDoNotGrowSayNothingOfTheAdapters(self):
        self.write("flat.txt", "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n1048576 110.0\n2097152 109.5\n")
        done = self.call("calibrate", "--osu", "flat.txt", "--base", "example-cluster", "-o", "m.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the times there hardly grow", done.stdout)

    def test_TimesThatGrowMoreThanOnAnyNetworkAreNoise(self):
        rows = "".join(f"{1 << i} {5 + (2000 << i)}\n" for i in range(7)) + "".join(f"{1 << i} 128005.5\n" for i in (7, 8, 10, 16))
        self.write("noisy.txt", "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n" + rows)
        done = self.call("calibrate", "--osu", "noisy.txt", "--base", "example-cluster", "-o", "m.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 to 2 bytes: the times there grow more than on any network: noise, measure again", done.stdout)
        self.assertEqual(self.call("machine", "m.json").returncode, 0)

    def test_AnotherHeaderInTheMiddleIsNoRow(self):
        self.write("m.csv", HEADER + "1,1.50\n" + "Latency,Size\n2,1.51\n")
        self.refused("m.csv:3: 'Latency', expected a message size", "calibrate", "--csv", "m.csv", "--base", "example-cluster", "-o", "m.json")
        self.write("r.csv", "system,collective,algorithm,ranks,ppn,bytes,median_us\n" + "example-cluster,bcast,binomial,4,1,64,5.5\n"
                   + "system,collective,algorithm,ranks,ppn,median_us,bytes\n" + "example-cluster,bcast,binomial,4,1,8,256\n")
        self.refused("r.csv:3: another header, expected the columns of line 1", "calibrate", "--collectives", "r.csv", "--base", "example-cluster",
                     "--predictions", "-")


if __name__ == "__main__":
    unittest.main()
