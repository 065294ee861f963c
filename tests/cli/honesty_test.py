"""What is switched off, guessed or jumps in a machine is said where its predictions are."""
import csv
import io
import json
import os
import unittest

from program import ProgramTest

CALL = ("simulate", "allgather", "--algorithm", "ring", "--bytes", "1M", "--ppn", "1")


class Honesty(ProgramTest):
    def tapered(self, **changes):
        """MareNostrum with an eighth of the up-links of its leaves, which no flow shares unless told."""
        machine = json.loads(self.output("machine", "marenostrum5-acc", "--json"))
        machine["network"]["fat_tree"]["layers"][0].update(dict(parents=4, shared=False) | changes)
        machine["network"]["fat_tree"]["layers"][1].update(shared=False)
        return self.write("tapered.json", json.dumps(machine, indent=1))

    def test_AFabricWithoutContentionIsSaidInTheHeadersAndInJson(self):
        name, said = self.tapered(), "fabric without contention: each flow gets the full rate"
        self.assertIn(said, self.output(*CALL, "--machine", name, "--nodes", "4").splitlines()[1])
        self.assertIn(said, self.output("machine", name))
        row = json.loads(self.output(*CALL, "--machine", name, "--nodes", "4", "--json"))[0]
        self.assertEqual(row["contention"], "none")
        self.assertNotIn("contention", self.output(*CALL, "--machine", "example-cluster", "--nodes", "4"))
        listed = {row["name"]: row["contention"] for row in json.loads(self.output("machines", "--json"))}
        self.assertEqual((listed["lumi-g"], listed["example-cluster"]), ("full", "full"))

    def test_HowAdaptiveRoutingIsTakenIsSaidInTheHeadersAndDescriptions(self):
        for name in ("lumi-g", "leonardo-booster", "marenostrum5-acc"):
            said = "fabric shared; routing is adaptive, taken as ideal"
            self.assertIn(said, self.output(*CALL, "--machine", name, "--nodes", "4").splitlines()[1])
            self.assertIn(said, self.output("machine", name))
            self.assertIn("adaptive, taken as ideal", json.loads(self.output("machine", name, "--json"))["description"])

    def test_ATuneTableSaysItAndHowFarEachRuleMayBeTrusted(self):
        tune = ("tune", "--machine", "marenostrum5-acc", "--nodes", "2,32", "--bytes", "64K", "--collectives", "allgather",
                "--algorithms", "ring,bruck", "--confirm", "none", "-o", "table.json")
        done = self.call(*tune)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("fabric shared; routing is adaptive", done.stderr)
        table = json.loads(self.read("table.json"))
        self.assertTrue(table["notes"][0].startswith("fabric shared; routing is adaptive"))
        self.assertEqual([rule["trust"] for rule in table["rules"]], ["fitted far", "fitted near"])
        self.assertIn("1 fitted far, 1 fitted near", done.stderr)

    def test_WhatALibraryCannotBeToldIsLeftOutAndSaidButOfWhatIsAskedForNothingIs(self):
        tune = ("tune", "--machine", "example-cluster", "--nodes", "2", "--bytes", "64K", "--confirm", "none", "--for", "intel", "-o", "table.json")
        done = self.call(*tune)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not tuned, as intel cannot be told anything of it: exscan, reduce_scatter, reduce_scatter_block, scan\n", done.stderr)
        self.assertNotIn("scan", {rule["collective"] for rule in json.loads(self.read("table.json"))["rules"]})
        done = self.call(*tune, "--collectives", "scan,bcast,exscan")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--for intel: expected collectives of which it can be told something that is asked for, not exscan,scan; it can of allgather,", done.stderr)
        done = self.call(*tune, "--algorithms", "knomial:radix=8")
        self.assertEqual((done.returncode, done.stderr), (2, "tutti: --for intel: expected collectives of which it can be told something that is asked "
                                                             "for, not bcast,reduce\n"))
        done = self.call(*tune[:-4], "--for", "mvapich2-2.3", "--collectives", "bcast", "-o", "table.json")
        self.assertIn("--for mvapich2-2.3: expected collectives of which it can be told something that is asked for, not bcast; it can of allgather,", done.stderr)

    def test_AWhatIfThatChangesNothingIsWarnedAboutByLine(self):
        done = self.call(*CALL, "--machine", self.tapered(), "--nodes", "64")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"warning: tapered\.json:\d+: /network/fat_tree/layers/0: cables 4, parents 4 "
                                      r"changes no predicted time")
        before = self.output(*CALL, "--machine", "marenostrum5-acc", "--nodes", "64", "--csv", "-")
        self.assertEqual(self.output(*CALL, "--machine", "tapered.json", "--nodes", "64", "--csv", "-"), before)
        shared = self.call(*CALL, "--machine", self.tapered(shared=True), "--nodes", "64")
        self.assertNotIn("layers/0", shared.stderr)
        self.assertIn("fabric partly without contention", shared.stdout)

    def test_BesideATimeStandsHowFarItMayBeTrusted(self):
        def trust(machine, *call):
            text = self.output("simulate", *call, "--machine", machine, "--csv", "-")
            return [row["trust"] for row in csv.DictReader(io.StringIO(text))]
        call = ("allgather", "--algorithm", "ring", "--nodes", "16", "--bytes")
        self.assertEqual(trust("lumi-g", *call, "1M"), ["fitted near"])
        self.assertEqual(trust("lumi-g", *call, "16"), ["fitted far"])
        self.assertEqual(trust("example-cluster", *call, "1M"), ["guessed"])
        self.assertEqual(trust("lumi-g", *call, "1M", "--noise", "every=1e-3,for=25e-6", "--mode", "loop:2"), ["fitted far"])
        self.assertEqual(trust("lumi-g", *call, "1M", "--background", "incast:nodes=2,bytes=8", "--mode", "loop:2"), ["fitted far"])
        self.assertEqual(trust("lumi-g", *call, "1M", "--mode", "skew:1e-6"), ["fitted far"])
        scattered = ("reduce_scatter", "--algorithm", "pairwise", "--nodes", "32", "--bytes", "1M")
        self.assertEqual([trust("marenostrum5-acc", *scattered, *counts) for counts in ((), ("--counts", "equal"), ("--counts", "one"))],
                         [["fitted near"], ["fitted near"], ["fitted far"]])
        self.output("tune", "--machine", "lumi-g", "--nodes", "16", "--bytes", "1M", "--collectives", "allgather", "--algorithms", "ring",
                    "--noise", "none", "--noise", "every=1e-3,for=25e-6", "--mode", "loop:2", "-o", "t.json")
        self.assertEqual(json.loads(self.read("t.json"))["rules"][0]["trust"], "fitted far")
        text = self.output("simulate", *call, "1M", "--machine", "lumi-g")
        self.assertRegex(text, r"\nring +1048576 +[0-9.]+ +\d+  fitted near\n")

    def test_SimulateExplainAndTuneTrustACallAlike(self):
        self.write("equal.txt", "8192\n" * 32)
        of = ("--machine", "marenostrum5-acc", "--nodes", "32")
        for counts, trust in (("equal", "fitted near"), ("equal.txt", "fitted near"), ("one", "fitted far")):
            size = () if counts == "equal.txt" else ("--bytes", "1M")
            asked = (*of, *size, "--counts", counts)
            rows = json.loads(self.output("simulate", "reduce_scatter", "--algorithm", "pairwise", *asked, "--json"))
            self.output("tune", *asked, "--collectives", "reduce_scatter", "--algorithms", "pairwise", "-o", "t.json")
            explained = json.loads(self.output("explain", "reduce_scatter", *asked, "--library", "open-mpi-5.0", "--json"))
            self.assertEqual([rows[0]["trust"], json.loads(self.read("t.json"))["rules"][0]["trust"], explained["trust"]], [trust] * 3, counts)

    def test_WhatIsAskedForOtherwiseThanByDefaultIsSaid(self):
        call = ("simulate", "reduce", "--machine", "example-cluster", "--nodes", "3", "--ppn", "2", "--bytes", "48", "--algorithm", "binomial")
        asked = ("--placement", "cyclic", "--root", "4", "--element", "8", "--op", "user-commutative", "--in-place")
        self.assertIn("2 per node, placement cyclic, root 4, element 8, op user-commutative, in place, fast, isolated\n", self.output(*call, *asked))
        self.assertIn("2 per node, fast, isolated\n", self.output(*call))
        expected = {"placement": "cyclic", "root": 4, "element": 8, "op": "user-commutative", "in_place": True}
        row = json.loads(self.output(*call, *asked, "--json"))[0]
        self.assertEqual({key: row[key] for key in expected}, expected)
        row = next(csv.DictReader(io.StringIO(self.output(*call, *asked, "--csv", "-"))))
        self.assertEqual([row[key] for key in expected], ["cyclic", "4", "8", "user-commutative", "true"])
        self.assertEqual([key for key in json.loads(self.output(*call, "--json"))[0] if key in expected], [])

    def test_WhereAMessageIsSentAgainThatIsSaid(self):
        machine = json.loads(self.output("machine", "example-cluster", "--json"))
        machine["transport"]["network"]["retransmission"] = {"share": 0.1, "seconds": 3e-3, "source": "here"}
        self.write("lossy.json", json.dumps(machine))
        call = ("simulate", "bcast", "--machine", "lossy.json", "--nodes", "2", "--ppn", "1",
                "--algorithm", "pipeline:segment=128K", "--bytes")
        text = self.output(*call, "1M", "--critical-path")
        self.assertIn("\ntimes on example-cluster may have messages in them that are lost and sent again: of those between nodes "
                      "that are not eager one in 10, 3000 us later\n", text)
        self.assertRegex(text, r"  retransmission: message 0 to 1, 131072 bytes\n")
        self.assertRegex(text, r"in all:\n +3000\.000 +[0-9.]+%  retransmission\n")
        bounds = json.loads(self.output(*call, "1M", "--json"))[0]["bounds"]
        self.assertEqual((bounds[0]["on"], bounds[0]["place"], round(bounds[0]["us"])), ("retransmission", "", 3000))
        self.assertNotIn("sent again", self.output(*call, "1K"))

    def test_CalibratedMachinesKnowWhatTheyWereFittedTo(self):
        self.write("osu_latency.txt", "# OSU MPI Latency Test v7.0\n# Size          Latency (us)\n"
                   + "".join(f"{2 ** i:<20}{1.5 + 2 ** i / 12e3:.2f}\n" for i in range(21)))
        self.output("calibrate", "--osu", "osu_latency.txt", "--base", "example-cluster", "-o", "mine.json")
        fitted = json.loads(self.read("mine.json"))["fitted"]
        self.assertEqual([(one["what"], one["least_bytes"], one["most_bytes"], one["least_nodes"]) for one in fitted],
                         [("point_to_point", 1, 1 << 20, 2)])
        text = self.output("simulate", "bcast", "--algorithm", "binomial", "--nodes", "2,9", "--bytes", "1K", "--machine",
                           "mine.json")
        self.assertIn("fitted near", text)
        self.assertIn("fitted far", text)

    def test_AJumpOnAGuessIsAFinding(self):
        machine = json.loads(self.output("machine", "example-cluster", "--json"))
        machine["transport"]["network"].update(eager_limit_bytes=5000, rendezvous_seconds=1e-3, guess=["eager_limit_bytes"])
        self.write("jump.json", json.dumps(machine))
        done = self.call("machine", "jump.json", "--sane", "--quick")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"\n\? /transport/network/eager_limit_bytes = 5000\n    \S.*\n")
        self.assertRegex(done.stdout, r"\n  bcast linear on 2 x 1 ranks: 5000 bytes [0-9.]+ us, 5001 bytes [0-9.]+ us\n")

    def test_AJumpOverASwitchNamesTheCableWhereverOneLooksFrom(self):
        machine = json.loads(self.output("machine", "example-cluster", "--json"))
        cable = {"bandwidth_bytes_per_second": 12.5e9, "latency_seconds": 2e-5, "source": "measured here"}
        machine["network"] = {"graph": {"file": "cables.csv", "source": "made up", "cable": cable}}
        os.makedirs(self.path("there"))
        self.write("there/cables.csv", "".join(f"node,n{n},s{n // 8}\n" for n in range(16)) + "cable,s0,s1,8\n")
        self.write("there/mine.json", json.dumps(machine))
        said = self.call("machine", "there/mine.json", "--sane", "--quick").stdout
        self.assertRegex(said, r"\n  /network/graph/cable/latency_seconds = 2e-05\n    measured here\n(  .*\n)*  .* the last of its leaf, ")


if __name__ == "__main__":
    unittest.main()
