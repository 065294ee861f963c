"""What a tuning file costs in the cells of a table, where that jumps, and where two files differ."""
import json
import re
import unittest

from program import ProgramTest


class Audit(ProgramTest):
    def test_NamesTheCellThatARuleLosesIn(self):
        self.output("tune", "--machine", "example-cluster", "--nodes", "4,8", "--bytes", "8,1M", "--collectives", "bcast",
                    "--confirm", "none", "--baselines", "open-mpi-4.1", "-o", "t.json")
        self.write("r.txt", "1\n7\n1\n4\n1\n0 4 0 0\n")  # a split binary tree for all sizes
        done = self.call("audit", "r.txt", "t.json", "--for", "open-mpi-4.1")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"bcast 4 x 1, 8: split_binary takes [0-9.]+ us, the best [0-9.]+: [0-9.]+ times as long")
        report = json.loads(self.call("audit", "r.txt", "t.json", "--for", "open-mpi-4.1", "--json").stdout)
        self.assertEqual({cell["says"] for cell in report["cells"]}, {"split_binary"})

    def test_SaysAmongWhatTheBestIsWhereNotAllWasTuned(self):
        said = "the best are those of what open-mpi-4.1 can be told, among which alone the table was tuned\n"
        self.write("r.txt", "1\n7\n1\n4\n1\n0 1 0 0\n")
        for among, library in (("--for", "open-mpi-4.1"), ("--baselines", None)):
            self.output("tune", "--machine", "example-cluster", "--nodes", "4", "--bytes", "8", "--collectives", "bcast", "--confirm", "none", among,
                        "open-mpi-4.1", "-o", "t.json")
            audit = ("audit", "r.txt", "t.json", "--for", "open-mpi-4.1")
            self.assertEqual(said in self.call(*audit).stdout, library is not None)
            self.assertEqual(json.loads(self.call(*audit, "--json").stdout)["best_among"], library)

    def test_SaysInWhichCellsSomethingElseMayBeFasterThanTheTablesBest(self):
        self.output("tune", "--machine", "example-cluster", "--nodes", "4,8", "--bytes", "8", "--collectives", "bcast", "--algorithms",
                    "binomial,split_binary", "--confirm", "none", "-o", "t.json")
        self.write("r.txt", "1\n7\n1\n4\n1\n0 4 0 0\n")
        audit = ("audit", "r.txt", "t.json", "--for", "open-mpi-4.1")
        self.assertNotIn("not decided", self.call(*audit).stdout)
        table = json.loads(self.read("t.json"))
        table["cells"][1]["undecided"] = ["chain"]
        self.write("t.json", json.dumps(table))
        self.assertIn("\n1 cell is not decided: something else may be faster there than the table's best\n", self.call(*audit).stdout)
        self.assertEqual([cell["undecided"] for cell in json.loads(self.call(*audit, "--json").stdout)["cells"]], [False, True])

    def test_SaysSoWhereNothingHasATimeOrTheBestTakesNone(self):
        here = ("tune", "--machine", "example-cluster", "--nodes", "4,8", "--ppn", "2", "--confirm", "none", "-o", "t.json", "--bytes")
        self.output(*here, "8", "--collectives", "bcast", "--algorithms", "binomial")
        self.write("r.txt", "1\n7\n1\n4\n1\n0 4 0 0\n")
        done = self.call("audit", "r.txt", "t.json", "--for", "open-mpi-4.1")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("t.json: has no time of anything that r.txt says: expected --machine beside it", done.stderr)
        # Of 0 elements coll/han reduces nothing at all.
        self.output(*here, "0,1K", "--collectives", "allreduce", "--baselines", "open-mpi-5.0")
        self.write("r.txt", "1\n2\n1\n0\n1\n0 3 0 0\n")
        self.write("han", "1\nallreduce\n1\nglobal_communicator\n1\n1\n1\n0 tuned\n")
        self.write("r.txt", self.read("r.txt") + "".join(f"#han {line}\n" for line in self.read("han").split("\n")[:-1]))
        done = self.call("audit", "r.txt", "t.json", "--for", "open-mpi", "--machine", "example-cluster")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"allreduce: [0-9.]+ times as long as the best \(geometric mean of 2 cells\); 4 cells compared with "
                                      r"the library's own choice, of which \d loses?, in 2 the best takes no time\n")
        self.assertRegex(done.stdout, r"allreduce 4 x 2, 0: recursive_doubling takes [0-9.]+ us, the best no time at all\n")

    def test_HasEveryTimeWhereTheMachineIsThereAndIsDrawn(self):
        self.output("tune", "--machine", "example-cluster", "--nodes", "4,8", "--bytes", "8,1M", "--collectives", "bcast",
                    "--algorithms", "binomial,scatter_ring", "--confirm", "none", "-o", "t.json")
        self.write("r.txt", "1\n7\n1\n4\n1\n0 4 0 0\n")
        audit = ("audit", "r.txt", "t.json", "--for", "open-mpi-4.1", "--json")
        unknown = json.loads(self.call(*audit).stdout)["cells"]
        self.assertEqual([cell["time_us"] for cell in unknown], [None] * 4)
        done = self.call(*audit, "--machine", "example-cluster", "--plot", "costs.svg", "--over", "own")
        self.assertEqual(done.returncode, 1, done.stderr)
        for cell in json.loads(done.stdout)["cells"]:
            row = self.output("simulate", "bcast", "--machine", "example-cluster", "--algorithm", "split_binary,default:open-mpi-4.1",
                              "--nodes", str(cell["nodes"]), "--ppn", "1", "--bytes", str(cell["bytes"]), "--csv", "-")
            times = {name: float(time) for name, time in re.findall(r",(split_binary|default:open-mpi-4.1),.*?,([0-9.]+),\d+,fast", row)}
            self.assertAlmostEqual(cell["time_us"], times["split_binary"], places=2)
            self.assertAlmostEqual(cell["own_us"], times["default:open-mpi-4.1"], places=2)
        self.assertIn("<!-- bcast, 1 per node -->", self.read("costs.svg"))
        self.assertIn("the library's own choice -->", self.read("costs.svg"))

    def test_IsRefusedForAnotherMachineOrPicture(self):
        self.output("tune", "--machine", "example-cluster", "--nodes", "2", "--bytes", "8", "--collectives", "bcast", "-o", "t.json")
        self.write("r.txt", "1\n7\n1\n4\n1\n0 4 0 0\n")
        for more, expected in ((("--machine", "lumi-g"), "expected the table's machine, example-cluster, not lumi-g"),
                               (("--plot", "costs.gif"), "--plot costs.gif: expected a name that ends in .png or .svg")):
            done = self.call("audit", "r.txt", "t.json", "--for", "open-mpi-4.1", *more)
            self.assertEqual(done.returncode, 2)
            self.assertIn(expected, done.stderr)

    def test_ReadsRulesOfIrregularCollectivesAndNamesWhatCannotRun(self):
        self.output("tune", "--machine", "example-cluster", "--nodes", "4,8", "--osu-sizes", "8,2K", "--collectives", "allgatherv,alltoallv",
                    "--counts", "zipf:1", "--confirm", "none", "--baselines", "open-mpi-4.1", "-o", "t.json")
        text = "2\n1\n1\n0\n2\n0 1 0 0\n1024 {} 0 0\n4\n1\n0\n1\n0 {} 0 0\n"
        self.write("a.txt", text.format(3, 2))
        self.write("b.txt", text.format(5, 1))
        done = self.call("audit", "b.txt", "t.json", "--for", "open-mpi-4.1")
        self.assertEqual(done.returncode, 1, done.stderr)
        for expected in (r"allgatherv: [0-9.]+ times as long as the best \(geometric mean of 2 cells\); \d cells? compared .*; not compared: .*2 where the rule cannot run",
                         r"alltoallv: 1 times as long as the best \(geometric mean of 4 cells\); .*, of which 0 lose",
                         "allgatherv 8 x 1, 16K: two_proc cannot run there: it needs exactly two ranks"):
            self.assertRegex(done.stdout, expected)
        cells = json.loads(self.call("audit", "b.txt", "t.json", "--for", "open-mpi-4.1", "--json").stdout)["cells"]
        self.assertEqual([cell["cannot_run"] for cell in cells if cell["says"] == "two_proc"], ["it needs exactly two ranks"] * 2)
        self.assertEqual(self.output("diff", "a.txt", "b.txt", "--for", "open-mpi-4.1", "--nodes", "8", "--bytes", "1K:64K"),
                         "allgatherv 8 x 1, 8K to 64K: ring | two_proc\nalltoallv 8 x 1, 1K to 64K: pairwise | linear\n")

    def test_ADiffSaysBoth(self):
        self.write("a.txt", "1\n7\n1\n4\n2\n0 6 0 0\n4096 1 0 0\n")
        self.write("b.txt", "1\n7\n1\n4\n1\n0 6 0 0\n")
        self.assertEqual(self.output("diff", "a.txt", "b.txt", "--for", "open-mpi-4.1", "--nodes", "4", "--bytes", "1K:64K"),
                         "bcast 4 x 1, 4K to 64K: linear | binomial\n")
        self.assertEqual(self.output("diff", "a.txt", "a.txt", "--for", "open-mpi-classic"), "")

    def test_ADiffForMachinesSaysTheSame(self):
        self.write("a.txt", "1\n7\n1\n4\n2\n0 6 0 0\n4096 1 0 0\n")
        self.write("b.txt", "1\n2\n1\n4\n1\n0 3 0 0\n")  # of allreduce alone
        place = {"collective": "bcast", "nodes": 4, "ppn": 1}
        found = json.loads(self.output("diff", "a.txt", "b.txt", "--for", "open-mpi-4.1", "--nodes", "4", "--bytes", "1K:64K", "--json"))
        self.assertEqual([one for one in found if one["collective"] == "bcast"],
                         [{**place, "from_bytes": 1024, "to_bytes": 2048, "first": "binomial", "second": None},
                          {**place, "from_bytes": 4096, "to_bytes": 65536, "first": "linear", "second": None}])
        self.assertEqual(json.loads(self.output("diff", "a.txt", "a.txt", "--for", "open-mpi-4.1", "--json")), [])

    def test_WhatRunsInsideWithSegmentsOrAFanOutIsRoughAndNoLoss(self):
        self.output("tune", "--machine", "example-cluster", "--nodes", "5", "--bytes", "4", "--collectives", "reduce,reduce_scatter", "--confirm",
                    "none", "--baselines", "open-mpi-4.1", "-o", "t.json")
        self.write("r.txt", "1\n11\n1\n2\n1\n0 2 4 0\n")  # all reductions by chains with a fan-out of 4
        done = self.call("audit", "r.txt", "t.json", "--for", "open-mpi-4.1", "--machine", "example-cluster", "--json")
        cells = {cell["collective"]: cell for cell in json.loads(done.stdout)["cells"]}
        self.assertEqual([(name, cell["rough"]) for name, cell in sorted(cells.items())], [("reduce", False), ("reduce_scatter", True)])
        self.assertGreater(cells["reduce_scatter"]["time_us"], 1.05 * cells["reduce_scatter"]["own_us"])
        text = self.call("audit", "r.txt", "t.json", "--for", "open-mpi-4.1", "--machine", "example-cluster").stdout
        self.assertRegex(text, r"reduce_scatter: how many times as long as the best is known of no cell; 0 cells compared with the library's own "
                               r"choice, of which 0 lose; not compared: 1 where the rule's time is rough\n")
        self.assertIn("1 cell: what runs inside is priced without its segments and with a fan-out of 1: in no mean, no cliff and no loss\n", text)
        self.assertIn("reduce_scatter 5 x 1, 4: non_overlapping:reduce=2 takes roughly ", text)

    def test_WhatIsRoughIsNoCliff(self):
        self.output("tune", "--machine", "example-cluster", "--nodes", "5", "--bytes", "4,64K", "--collectives", "reduce_scatter", "--confirm",
                    "none", "--baselines", "open-mpi-4.1", "-o", "t.json")
        for fan_out, cliffs in ((4, 0), (0, 1)):
            self.write("r.txt", f"1\n11\n1\n2\n2\n0 2 {fan_out} 0\n2048 0 0 0\n")
            done = self.call("audit", "r.txt", "t.json", "--for", "open-mpi-4.1", "--machine", "example-cluster", "--cliff", "1.0001", "--json")
            self.assertEqual(len(json.loads(done.stdout)["cliffs"]), cliffs, done.stdout)

    def test_WhatWasNotComparedWithTheOwnChoiceIsCountedByReason(self):
        tune = ("tune", "--machine", "example-cluster", "--nodes", "4,8", "--bytes", "8,1M", "--collectives", "allreduce", "--confirm", "none")
        self.output(*tune, "-o", "t.json")
        self.write("mv.sh", "tutti_nodes=${TUTTI_NODES:-${SLURM_JOB_NUM_NODES:-0}}\ntutti_ranks=${TUTTI_RANKS:-${SLURM_NTASKS:-0}}\n"
                            'if [ "$tutti_ranks" -eq $((tutti_nodes * 1)) ] && [ "$tutti_nodes" -ge 4 ] && [ "$tutti_nodes" -le 4 ]; then\n'
                            "  export MV2_INTER_ALLREDUCE_TUNING=1\nfi\n")
        audit = ("audit", "mv.sh", "t.json", "--machine", "example-cluster", "--for")
        done = self.call(*audit, "mvapich2")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, "; 0 cells compared with the library's own choice, of which 0 lose; 2 left to it; not compared: "
                                      "2 where what it picks by itself is not known\n")
        self.assertIn("warning: mv.sh: no cell was compared with the library's own choice, which is known with --for mvapich2-2.3\n", done.stderr)
        self.assertIsNone(json.loads(self.call(*audit, "mvapich2", "--json").stdout)["own_choices_of"])
        # By the version's name its choices are simulated; where the table has them, the library's is enough.
        done = self.call(*audit, "mvapich2-2.3")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "; 2 cells compared with the library's own choice, of which 1 loses; 2 left to it\n")
        self.assertNotIn("warning", done.stderr)
        self.output(*tune, "--baselines", "mvapich2-2.3", "-o", "t.json")
        found = json.loads(self.call(*audit, "mvapich2", "--json").stdout)
        self.assertEqual(found["own_choices_of"], "mvapich2-2.3")
        self.assertNotIn(None, [cell["own_us"] for cell in found["cells"]])


if __name__ == "__main__":
    unittest.main()
