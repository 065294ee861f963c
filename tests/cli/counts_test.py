"""Collectives whose blocks differ in size."""
import csv
import io
import json
import os
import unittest

from program import TUTTI
from refused import Refused, SIMULATE, TUNE


class Counts(Refused):
    def test_UnequalCountsAreThoseAskedFor(self):
        here = ("simulate", "alltoallv", "--machine", "example-cluster", "--nodes", "3", "--algorithm", "linear,pairwise,bruck")
        self.write("counts.csv", "# what each sends to each\n5,0,1000\n0,7,0\n20,0,0\n")
        made = self.call(*here, "--counts", "counts.csv", "--check", "--csv", "-")
        self.assertEqual((made.returncode, made.stderr.splitlines()[-1]), (0, "results checked on every rank: 3 right, 0 wrong"))
        rows = list(csv.DictReader(io.StringIO(made.stdout)))
        self.assertEqual([(row["messages"], row["bytes"], row["bytes_simulated"], row["counts"]) for row in rows],
                         [("2", "344", "344", "counts.csv"), ("6", "344", "344", "counts.csv"), ("6", "344", "344", "counts.csv")])
        times = [float(row["time_us"]) for row in rows]
        self.assertLess(times[0], times[1], "two messages beside two rounds of three")
        skewed = json.loads(self.output("simulate", "allgatherv", *here[2:4], "--nodes", "8", "--algorithm", "ring,segmented_ring", "--bytes",
                                        "4M", "--counts", "one:1", "--json"))
        self.assertEqual([row["counts"] for row in skewed], ["one:1"] * 2)
        self.assertLess(skewed[1]["time_us"], 0.8 * skewed[0]["time_us"], "pieces of the one block are passed on at once")

    def test_AReduceScatterTakesCountsOfItsBlocks(self):
        here = ("simulate", "reduce_scatter", "--machine", "example-cluster", "--nodes", "4")
        self.write("counts.txt", "5 0 0 7\n")
        made = self.call(*here, "--algorithm", "all", "--counts", "counts.txt", "--check", "--csv", "-")
        self.assertEqual(made.returncode, 0, made.stderr)
        rows = {row["algorithm"]: row for row in csv.DictReader(io.StringIO(made.stdout))}
        self.assertEqual({(row["bytes"], row["counts"]) for row in rows.values()}, {("48", "counts.txt")})
        self.assertEqual(made.stderr.splitlines()[-1], f"results checked on every rank: {len(rows)} right, 0 wrong")
        for name in ("hier", "permuted"):
            self.refused(f".*{name}.*: it needs blocks that differ by one element at most", *here, "--algorithm", name, "--counts", "counts.txt")
        times = [row["time_us"] for counts in ((), ("--counts", "equal"), ("--counts", "one:2")) for row in json.loads(
            self.output(*here, "--algorithm", "pairwise", "--bytes", "4M", *counts, "--json"))]
        self.assertEqual(times[0], times[1])
        self.assertGreater(times[2], 1.5 * times[0], "one rank gets all vectors whole")

    def test_WhyNotKnowsCounts(self):
        def answer(name, *counts):
            rows = json.loads(self.output("list", "reduce_scatter", "--why-not", ",".join(("P=4", "bytes=48", *counts)), "--json"))
            return {row["name"]: row["runs"] for row in rows}[name]
        self.assertEqual(answer("hier"), "yes")
        self.assertEqual(answer("hier", "counts=one:1"), "no: needs blocks that differ by one element at most")
        self.assertEqual(answer("ring", "counts=one:1"), "yes")
        self.assertEqual(answer("ring", "counts=one:4"), "no: counts 'one:4': expected a rank of 4")
        self.refused("--why-not P=4,counts=one: expected no counts", "list", "allgather", "--why-not", "P=4,counts=one")

    def test_ATableOfAReduceScatterMayBeForSkewedCounts(self):
        on = ("--machine", "example-cluster", "--nodes", "4")
        tune = ("tune", *on, "--collectives", "reduce_scatter", "--bytes", "1M", "--confirm", "none", "--baselines", "open-mpi-5.0")
        self.output(*tune, "-o", "even.json")
        self.output(*tune, "--counts", "one:1", "-o", "one.json")
        (cell,) = json.loads(self.read("one.json"))["cells"]
        self.assertEqual((cell["collective"], cell["counts"]), ("reduce_scatter", "one:1"))
        for row in json.loads(self.output("simulate", "reduce_scatter", *on, "--bytes", "1M", "--counts", "one:1", "--algorithm",
                                          ",".join(cell["times_us"]), "--json")):
            self.assertAlmostEqual(row["time_us"] / cell["times_us"][row["algorithm"]], 1, 9)
        self.output("export", "one.json", "--to", "open-mpi-classic", "-o", "rules.txt")
        self.assertIn("reduce_scatter: tuned for counts one:1; the rules serve whatever counts a call has", self.read("rules.txt"))
        self.refused(".*reduce_scatter is tuned for counts '(equal|one:1)' and '(equal|one:1)', which tuning files cannot tell apart.*", "export",
                     "even.json", "one.json", "--to", "open-mpi-classic", "-o", "rules.txt")

    def test_AFilesOwnSizeIsOfElementsWhereverNoOtherIsAskedFor(self):
        """Of a reduce_scatter they have four bytes."""
        on = ("--machine", "example-cluster", "--nodes", "4")
        self.write("counts.txt", "5 0 0 7\n")
        tune = ("tune", *on, "--confirm", "none", "--counts", "counts.txt", "-o", "t.json", "--collectives")
        self.output(*tune, "reduce_scatter", "--algorithms", "ring,pairwise")
        (cell,) = json.loads(self.read("t.json"))["cells"]
        self.assertEqual(cell["bytes"], 48)
        for row in json.loads(self.output("simulate", "reduce_scatter", *on, "--counts", "counts.txt", "--algorithm", "ring,pairwise", "--json")):
            self.assertAlmostEqual(row["time_us"] / cell["times_us"][row["algorithm"]], 1, 9)
        self.refused("--counts counts.txt: elements of allgatherv and reduce_scatter are not of one size: expected one of them, or --bytes", *tune,
                     "allgatherv,reduce_scatter")
        measured = json.loads(self.output("launch", "-n", "4", "--", TUTTI, "bench", "reduce_scatter", "--counts", "counts.txt", "--algorithm",
                                          "ring", "--seconds", "0.001", "--json"))
        self.assertEqual([row["bytes"] for row in measured], [48])

    def test_CountsThatDoNotFit(self):
        here = ("simulate", "alltoallv", *SIMULATE[2:], "--nodes", "3", "--ppn", "1")
        for counts in ("zipf", "zipf:x", "random:1:2", "one:x"):
            self.refused(f"counts '{counts}': expected equal, zipf:EXPONENT.*", *here, "--bytes", "8", "--counts", counts)
        self.refused("--counts: expected allgatherv, .* not bcast.*", *SIMULATE, "--nodes", "2", "--bytes", "8", "--counts",
                     "random")
        self.refused("c.txt:1: No such file or directory: expected a readable file of counts.*", *here, "--counts", "c.txt")
        for text, expected in (("1 2 3\n4 5 6\n7 8 9\n1 1 1\n", "c.txt:4: expected 3 lines of counts, one for each rank"),
                               ("1 2 3\n4 5\n", "c.txt:2: 2 counts: expected 3, what a rank sends to each"),
                               ("1 2 3\n4 5 6\n", "c.txt:2: 2 lines of counts: expected 3, one for each rank"),
                               ("1 2 3\n", "c.txt:1: 1 line of counts: expected 3, one for each rank"),
                               ("1 2 -3\n", "c.txt:1: '-3': expected a count of elements, 0 or more"),
                               ("# none\n1 2 x\n", "c.txt:2: 'x': expected a count of elements, 0 or more"),
                               ("1 2 3\n4 5 6\n7 8 9", "c.txt:3: the file ends inside this line, so its last number may be cut.*"),
                               ("# none\n", "c.txt:1: 0 lines of counts: expected 3, one for each rank"),
                               ("", "c.txt:1: the file is empty, expected counts.*")):
            self.write("c.txt", text)
            self.refused(expected, *here, "--counts", "c.txt")
        self.refused("default:ucc-1.3: nothing is known of what it picks for alltoallv", *here[:-5],
                     "default:ucc-1.3", *here[-4:], "--bytes", "8")
        self.write("c.txt", "1,2,3\n4,5,6\n7,8,9\n")
        self.refused("--counts c.txt: expected no --bytes or --osu-sizes, for the file says them", *here, "--bytes", "8",
                     "--counts", "c.txt")
        for option, library, expected in (("--baselines", "ucc-1.3", "nothing is known of what it picks for alltoallv"),
                                          ("--for", "mpich", "expected collectives of which it can be told something that is asked for, not alltoallv")):
            self.refused(f"{option} {library}: {expected}", *TUNE[:8], "alltoallv", "--counts", "zipf:1", option, library, "-o", "t.json")
        self.refused("bcast has no counts of its own for each rank: expected allgatherv,.*", *TUNE[:8], "bcast", "--counts", "zipf:1", "-o",
                     "t.json")
        self.refused("--counts zip:1: expected equal, zipf:S, random, one, as:COUNT:COUNT… or a file .did you mean zipf", *TUNE[:8], "gatherv",
                     "--counts", "zip:1", "-o", "t.json")
        self.refused("counts 'as:0…': expected one above 0, to divide 24 elements by", "simulate", "gatherv", *here[2:], "--bytes", "24",
                     "--counts", "as:0:0:0")
        self.refused("alltoallv has counts of its own for each rank: expected a regular collective.*", *TUNE[:8], "alltoallv", *TUNE[9:],
                     "-o", "t.json")

    def test_ATableMayBeForTheCountsOfAFileAtTheirOwnSizeOrInProportion(self):
        on = ("--machine", "example-cluster", "--nodes", "3")
        self.write("pairs.csv", "5,0,1000\n0,7,0\n21,0,0\n")
        self.output("tune", *on, "--collectives", "alltoallv", "--counts", "pairs.csv", "--confirm", "none", "-o", "t.json")
        (cell,) = json.loads(self.read("t.json"))["cells"]
        self.assertEqual((cell["bytes"], cell["counts"]), (344, "as:5:0:1000:0:7:0:21:0:0"), "which send a third of an element more")
        for row in json.loads(self.output("simulate", "alltoallv", *on, "--counts", "pairs.csv", "--algorithm", ",".join(cell["times_us"]),
                                          "--json")):
            self.assertAlmostEqual(row["time_us"] / cell["times_us"][row["algorithm"]], 1, 9)
        self.write("ranks.txt", "1 0 3\n")
        self.output("tune", *on, "--collectives", "allgatherv,gatherv", "--counts", "ranks.txt", "--bytes", "4K,8K", "--confirm", "none", "-o",
                    "u.json")
        cells = json.loads(self.read("u.json"))["cells"]
        self.assertEqual([(cell["collective"], cell["bytes"], cell["counts"]) for cell in cells],
                         [(name, size, "as:1:0:3") for name in ("allgatherv", "gatherv") for size in (4096, 8192)])
        self.write("grown.txt", "1024 0 3072\n")
        (row,) = json.loads(self.output("simulate", "gatherv", *on, "--counts", "grown.txt", "--algorithm", "linear", "--json"))
        self.assertAlmostEqual(row["time_us"] / cells[2]["times_us"]["linear"], 1, 9)
        self.output("report", "t.json", "--call", "alltoallv:nodes=3,bytes=344,algorithm=linear", "-o", "r.html")
        self.assertIn("alltoallv of as:5:0:1000", self.read("r.html"))
        self.refused("--counts pairs.csv: expected one number of nodes and of ranks on each", "tune", *on[:3], "2-3", "--collectives",
                     "alltoallv", "--counts", "pairs.csv", "-o", "v.json")
        for collectives in ((), ("--collectives", "alltoallv,gatherv")):
            self.refused("--counts pairs.csv: expected --collectives, alltoallv alone or others without it.*", "tune", *on, *collectives,
                         "--counts", "pairs.csv", "-o", "v.json")
        self.refused("ranks.txt:1: expected 2 counts, one for each rank", "tune", *on[:3], "2", "--collectives", "gatherv", "--counts",
                     "ranks.txt", "-o", "v.json")
        self.refused("expected one of --bytes and --osu-sizes", "tune", *on, "--collectives", "gatherv", "--counts", "one", "-o", "v.json")
        self.assertFalse(os.path.exists(self.path("v.json")))

    def test_OpenMpisFileSaysWhatATableOfSkewedCountsChoosesAndIsAddedToThatOfEqualBlocks(self):
        on = ("--machine", "example-cluster", "--nodes", "2-5", "--ppn", "1,2", "--confirm", "none", "--baselines", "open-mpi-4.1")
        self.output("tune", *on, "--osu-sizes", "8,1K,16K", "--collectives", "allgatherv,alltoallv", "--counts", "zipf:1.2", "-o", "v.json")
        self.output("tune", *on, "--osu-sizes", "8,1K,16K", "--collectives", "bcast", "-o", "b.json")
        cells = {(cell["collective"], cell["nodes"], cell["ppn"], cell["bytes"]): cell for cell in json.loads(self.read("v.json"))["cells"]}
        price = json.loads(self.output("export", "b.json", "v.json", "--to", "open-mpi-classic", "-o", "rules.txt", "--json"))
        self.assertEqual([row["collective"] for row in price["collectives"]], ["bcast", "allgatherv", "alltoallv"])
        self.assertGreater(price["collectives"][1]["gain"], 1.01)
        self.assertIn("allgatherv: tuned for counts zipf:1.2; the rules serve whatever counts a call has", self.read("rules.txt"))
        self.assertEqual(self.output("lint", "rules.txt", "--for", "open-mpi-4.1"), "")
        told = 0
        for (collective, nodes, ppn, size), cell in cells.items():
            said = json.loads(self.output("explain", collective, "--machine", "example-cluster", "--nodes", str(nodes), "--ppn", str(ppn),
                                          "--bytes", str(size), "--counts", "zipf:1.2", "--library", "open-mpi-4.1", "--file", "rules.txt",
                                          "--json"))
            own = cell["defaults_us"]["open-mpi-4.1"]
            self.assertLessEqual(said["time_us"], own * (1 + 1e-9))
            told += said["time_us"] < own * 0.99
        self.assertGreater(told, 5)
        self.output("tune", *on[:2], "--nodes", "2", "--osu-sizes", "8", "--collectives", "reduce", "--mode", "barrier", "--confirm", "none",
                    "-o", "r.json")
        before = self.read("rules.txt")
        for tables, expected in ((("b.json", "r.json"), "b.json and r.json: expected tables of one machine, engine, mode.*"),
                                 (("v.json", "b.json", "b.json"), "b.json and b.json: expected each cell once, not two of bcast on 2 x 1.*"),
                                 (("b.json", "v.json", "b.json"), "b.json and b.json: expected each cell once.*")):
            self.refused(expected, "export", *tables, "--to", "open-mpi-classic", "-o", "rules.txt")
        self.assertEqual(self.read("rules.txt"), before)

    def test_ASweepOfSkewedCountsIsKeptAndDivided(self):
        asked = ("tune", "--machine", "example-cluster", "--nodes", "2-5", "--bytes", "1K,64K", "--collectives", "allgatherv,alltoallv",
                 "--counts", "zipf:1.2", "--confirm", "none")
        self.output(*asked, "-o", "t.json")
        self.output(*asked, "-o", "kept.json", "--state", "s")
        self.output(*asked, "-o", "again.json", "--state", "s", "--costs", "costs.csv")
        self.assertEqual(len(self.read("costs.csv").splitlines()), 1, "a kept time is simulated again")
        self.output(*asked[:-4], "--counts", "one:1", *asked[-2:], "-o", "one.json", "--state", "s", "--costs", "costs.csv")
        self.assertGreater(len(self.read("costs.csv").splitlines()), 1, "times of other counts are taken")
        for shard in ("1/2", "2/2"):
            self.output(*asked, "--shard", shard, "--state", "parts")
        self.output("merge", "parts", "-o", "merged.json")
        for name in ("kept.json", "again.json", "merged.json"):
            self.assertEqual(self.read(name), self.read("t.json"), name)
        sweep = self.read("parts/sweep.json")
        self.write("parts/sweep.json", sweep.replace('"zipf:1.2"', '"zip:1.2"'))
        self.refused("parts/sweep.json:[0-9]+: /counts: counts 'zip:1.2': expected equal, zipf.*", "merge", "parts", "-o", "merged.json")
        self.write("parts/sweep.json", sweep.replace('"zipf:1.2"', '"random"'))
        self.assertIn("expected a part of this sweep", self.call("merge", "parts", "-o", "merged.json").stderr, "parts of other counts")

    def test_ATableOfSkewedCountsHasTheTimesThatASimulationHas(self):
        on = ("--machine", "example-cluster", "--nodes", "3", "--ppn", "2")
        self.output("tune", *on, "--bytes", "64K,1M", "--collectives", "allgatherv,alltoallv", "--counts", "one:1", "--confirm", "none", "-o",
                    "t.json")
        table = json.loads(self.read("t.json"))
        self.assertEqual([(cell["collective"], cell["bytes"], cell["counts"]) for cell in table["cells"]],
                         [("allgatherv", 65536, "one:1"), ("allgatherv", 1048576, "one:1"), ("alltoallv", 65536, "one:1"),
                          ("alltoallv", 1048576, "one:1")])
        self.assertEqual({rule["counts"] for rule in table["rules"]}, {"one:1"})
        for cell in table["cells"]:
            self.assertNotIn("inferred", cell)
            rows = json.loads(self.output("simulate", cell["collective"], *on, "--bytes", str(cell["bytes"]), "--counts", "one:1",
                                          "--algorithm", ",".join(cell["times_us"]), "--json"))
            for row in rows:
                self.assertAlmostEqual(row["time_us"] / cell["times_us"][row["algorithm"]], 1, 9)
        self.refused("t.json: intel has no choice to make for allgatherv, alltoallv: expected a table of equal blocks", "export", "t.json", "--to",
                     "intel", "-o", "f.sh")
        self.output("report", "t.json", "-o", "r.html")
        page = self.read("r.html")
        for rule in table["rules"]:
            self.assertIn(f"{rule['collective']} of one:1", page)
            self.assertIn(rule["algorithm"], page)
        self.write("u.json", self.read("t.json").replace('"counts":"one:1",', "", 1))
        self.refused('u.json:[0-9]+: /cells/0: expected "counts"', "report", "u.json", "-o", "r.html")
        self.write("u.json", self.read("t.json").replace('"counts":"one:1"', '"counts":"one:9"', 1))
        self.refused("u.json:[0-9]+: /cells/0/counts: counts 'one:9': .*", "report", "u.json", "-o", "r.html")


if __name__ == "__main__":
    unittest.main()
