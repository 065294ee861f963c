"""What the verbs print: fixed heads and keys, results on stdout alone, and statuses."""
import csv
import io
import json
import os
import re
import shutil
import unittest

from program import BUILD, DEMO, ProgramTest

SIMULATE = ("simulate", "allreduce", "--machine", "example-cluster", "--algorithm", "ring,rabenseifner", "--nodes", "3",
            "--ppn", "2", "--bytes", "8,10004")


class Golden(ProgramTest):
    def keys(self, *arguments):
        rows = json.loads(self.output(*arguments))
        self.assertIsInstance(rows, list)
        self.assertGreater(len(rows), 1)
        for row in rows:
            self.assertEqual(list(row), list(rows[0]))
        return list(rows[0])

    def test_TheCsvOfSimulate(self):
        lines = self.output(*SIMULATE, "--csv", "-").splitlines()
        self.assertEqual(lines[0], "system,collective,algorithm,ranks,nodes,ppn,bytes,bytes_simulated,time_us,messages,"
                                   "engine,mode,chosen,trust")
        self.assertEqual(len(lines), 5)
        self.assertRegex(lines[1], r"\Aexample-cluster,allreduce,ring,6,3,2,8,8,\d+\.\d{6},\d+,fast,isolated,recursive_doubling,guessed\Z")
        self.assertRegex(lines[4], r"\Aexample-cluster,allreduce,rabenseifner,6,3,2,10004,10004,")
        self.output(*SIMULATE, "--csv", "times.csv")
        self.assertEqual(self.read("times.csv").splitlines(), lines)

    def test_AChoiceWithPartsIsOneFieldOfEveryCsv(self):
        choice = "hier(node=linear,global=ring)"
        tune = ("tune", "--machine", "example-cluster", "--nodes", "3", "--ppn", "2", "--bytes", "64", "--collectives", "allreduce",
                "--algorithms", choice, "--confirm", "none", "--costs", "costs.csv", "-o", "table.json")
        self.output(*tune)
        self.write("measured.csv", "system,collective,implementation,algorithm,ranks,ppn,bytes,median_us,library,run\n"
                                   f'example-cluster,allreduce,tutti,"{choice}",6,2,64,9.5,tutti,one\n'
                                   "example-cluster,allreduce,tutti,hire(7),6,2,64,9.5,tutti,one\n")
        done = self.call("calibrate", "--collectives", "measured.csv", "--base", "example-cluster", "--predictions", "predicted.csv")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "1 of 2 rows are left out: no algorithm bears their name, or it cannot run there\n"))
        simulated = self.output(*SIMULATE[:4], "--algorithm", choice, *SIMULATE[6:], "--csv", "-")
        for text in (self.read("costs.csv"), self.read("predicted.csv"), simulated):
            rows = list(csv.DictReader(io.StringIO(text)))
            self.assertIn(choice, [row["algorithm"] for row in rows])
            for row in rows:
                self.assertNotIn(None, row)
                self.assertGreater(float(row["time_us"]), 0)

    def test_BarriersAloneAreTunedWithoutSizes(self):
        tune = ("tune", "--machine", "example-cluster", "--nodes", "3", "--collectives", "barrier", "--confirm", "none", "-o")
        self.output(*tune, "none.json")
        self.output(*tune, "sizes.json", "--bytes", "8,1K")
        self.assertEqual(self.read("none.json"), self.read("sizes.json"))

    def test_BytesAreWhatWasAskedForAndBytesSimulatedWhatRan(self):
        rows = list(csv.DictReader(io.StringIO(self.output(
            "simulate", "allgather", "--machine", "example-cluster", "--algorithm", "ring", "--nodes", "3", "--bytes",
            "100", "--csv", "-"))))
        self.assertEqual((rows[0]["bytes"], rows[0]["bytes_simulated"]), ("100", "99"))
        rows = list(csv.DictReader(io.StringIO(self.output(
            "simulate", "allgather", "--machine", "example-cluster", "--algorithm", "ring", "--nodes", "3",
            "--osu-sizes", "100", "--csv", "-"))))
        self.assertEqual(rows[0]["bytes_simulated"], "300")
        table = self.output("simulate", "alltoall", "--machine", "example-cluster", "--algorithm", "pairwise", "--nodes", "16", "--ppn", "1",
                            "--bytes", "8,100,160")
        self.assertRegex(table, r"\npairwise +8 \(0\) +[0-9.]+ .*\npairwise +100 \(96\) .*\npairwise +160 +[0-9.]+ ")
        self.assertTrue(table.endswith("(bytes in brackets are those that blocks of whole elements make of what was asked for, and were "
                                       "simulated)\n"))
        self.assertNotIn("brackets", self.output("simulate", "bcast", "--machine", "example-cluster", "--algorithm", "binomial", "--nodes", "3",
                                                 "--bytes", "100"))

    def test_TheJsonOfSimulate(self):
        self.assertEqual(self.keys(*SIMULATE, "--json"),
                         ["system", "collective", "algorithm", "chosen", "ranks", "nodes", "ppn", "bytes", "bytes_simulated",
                          "time_us", "messages", "engine", "mode", "time_us_per_rank", "bytes_per_level",
                          "critical_path", "bounds", "trust", "contention"])
        row = json.loads(self.output(*SIMULATE, "--json"))[0]
        self.assertEqual(len(row["time_us_per_rank"]), 6)
        self.assertEqual(max(row["time_us_per_rank"]), row["time_us"])
        self.assertEqual(list(row["critical_path"][0]),
                         ["kind", "from", "to", "bytes", "posted_us", "started_us", "ended_us", "spent"])
        self.assertEqual(list(row["critical_path"][0]["spent"][0]), ["on", "place", "begin_us", "end_us"])
        self.assertEqual(list(row["bounds"][0]), ["on", "place", "us"])
        self.assertAlmostEqual(sum(bound["us"] for bound in row["bounds"]), row["time_us"], delta=1e-5)
        self.assertAlmostEqual(row["critical_path"][-1]["ended_us"], row["time_us"], delta=0.2 * row["time_us"])

    def test_ALibrarysDefaultIsNamedAsAskedForAndSaysWhatItChose(self):
        asked = ("simulate", "bcast", "--machine", "example-cluster", "--algorithm", "knomial:radix=2,default:mpich", "--ranks",
                 "9", "--ppn", "1", "--bytes", "12K,16K")
        rows = [(row["algorithm"], row["chosen"], row["bytes"], row["time_us"]) for row in
                json.loads(self.output(*asked, "--json"))]
        self.assertEqual([row[:3] for row in rows],
                         [("knomial:radix=2", "knomial:radix=2", 12288), ("default:mpich", "knomial:radix=2", 12288),
                          ("knomial:radix=2", "knomial:radix=2", 16384), ("default:mpich", "scatter_ring", 16384)])
        self.assertEqual(rows[0][3], rows[1][3])
        self.assertNotEqual(rows[2][3], rows[3][3])
        csv = self.output(*asked, "--csv", "-").splitlines()
        self.assertEqual([line.split(",")[2] for line in csv[1:]], ["knomial:radix=2", "default:mpich"] * 2)
        self.assertRegex(self.output(*asked), r"default:mpich +16384 +[0-9.]+ +\d+  guessed +scatter_ring\n")

    def test_WhatRunsInPlaceOfAnAlgorithmIsSaid(self):
        asked = ("simulate", "allreduce", "--machine", "example-cluster", "--algorithm", "ring,default:open-mpi-4.1", "--ranks", "7",
                 "--bytes", "8,64K")
        rows = json.loads(self.output(*asked, "--json"))
        self.assertEqual([(row["bytes"], row["algorithm"], row["chosen"]) for row in rows],
                         [(8, "ring", "recursive_doubling"), (8, "default:open-mpi-4.1", "recursive_doubling"),
                          (65536, "ring", "ring"), (65536, "default:open-mpi-4.1", "rabenseifner")])
        lines = self.output(*asked, "--csv", "-").splitlines()
        self.assertEqual([line.split(",")[12] for line in lines], ["chosen"] + [row["chosen"] for row in rows])
        text = self.output(*asked)
        self.assertRegex(text, r"\nring +8 +[0-9.]+ +\d+  guessed +runs recursive_doubling\n")
        self.assertRegex(text, r"\nring +65536 +[0-9.]+ +\d+  guessed\n")

    def test_AllAlgorithmsAreTriedWithTheParametersThatTuneTries(self):
        asked = ("bcast", "--machine", "example-cluster", "--nodes", "4", "--bytes", "1M")
        rows = json.loads(self.output("simulate", *asked[:3], "--algorithm", "all", *asked[3:], "--json"))
        self.assertEqual(rows, json.loads(self.output("simulate", *asked, "--json")), "all where none is named")
        tried = {row["algorithm"] for row in rows}
        self.assertIn("pipeline:segment=65536", tried)
        self.output("tune", *asked[1:], "--collectives", "bcast", "--exhaustive", "-o", "t.json")
        times = json.loads(self.read("t.json"))["cells"][0]["times_us"]
        self.assertLessEqual(set(times), tried)
        # What does the same with other parameters is there once.
        few = json.loads(self.output("simulate", *asked[:-1], "8", "--algorithm", "all", "--json"))
        self.assertNotIn("pipeline:segment=65536", {row["algorithm"] for row in few})

    def test_ManyNumbersOfRanksAreOneCall(self):
        asked = ("simulate", "bcast", "--machine", "example-cluster", "--algorithm", "binomial", "--bytes", "8,1K")
        rows = json.loads(self.output(*asked, "--ranks", "2-5,16", "--json"))
        self.assertEqual([(row["ranks"], row["bytes"]) for row in rows],
                         [(ranks, size) for ranks in (2, 3, 4, 5, 16) for size in (8, 1024)])
        for ranks in (3, 16):
            alone = json.loads(self.output(*asked, "--ranks", str(ranks), "--json"))
            self.assertEqual(alone, [row for row in rows if row["ranks"] == ranks])
        rows = json.loads(self.output(*asked, "--nodes", "2,3", "--ppn", "1,4", "--json"))
        self.assertEqual([(row["nodes"], row["ppn"]) for row in rows[::2]], [(2, 1), (3, 1), (2, 4), (3, 4)])
        self.assertEqual(self.output(*asked, "--nodes", "2-9", "--jobs", "1"), self.output(*asked, "--nodes", "2-9", "--jobs", "4"))
        self.assertRegex(self.output(*asked, "--nodes", "2-9"), r"\Abcast on example-cluster: 2 to 9 ranks, fast, isolated\n +ranks +nodes")

    def test_AnAlgorithmThatRunsAtSomeCountsIsLeftOutAtTheOthers(self):
        asked = ("simulate", "allgather", "--machine", "example-cluster", "--algorithm", "two_proc,ring", "--bytes", "1K", "--csv", "-")
        done = self.call(*asked, "--nodes", "2-4")
        self.assertEqual((done.returncode, done.stderr), (0, "left out: allgather/two_proc where it needs exactly two ranks\n"))
        self.assertEqual([line.split(",")[2:4] for line in done.stdout.splitlines()[1:]],
                         [["two_proc", "2"], ["ring", "2"], ["ring", "3"], ["ring", "4"]])

    def test_TheJsonOfList(self):
        keys = ["collective", "name", "open_mpi", "mpich", "constraints", "parameters", "rounds", "messages", "bytes",
                "ports", "by_node", "fallbacks", "deviates", "cite"]
        self.assertEqual(self.keys("list", "--json"), keys)
        self.assertEqual(self.keys("list", "bcast", "--why-not", "P=12,bytes=8", "--json"), keys + ["runs"])
        for row in json.loads(self.output("list", "--json")):
            self.assertTrue(row["rounds"] and row["messages"] and row["bytes"] and row["cite"], row["name"])
            self.assertLessEqual(set(row["open_mpi"]), {"4.1", "5.0"})

    def test_TheJsonOfVerify(self):
        self.assertEqual(self.keys("verify", "--collective", "bcast", "--ranks", "2,3", "--count", "5", "--json"),
                         ["collective", "name", "proven", "fallen_back", "excluded", "left_out", "refuted", "undecided"])

    def test_VerifyProvesTheChoicesThatItIsAskedFor(self):
        text = self.output("verify", "--algorithm", "recexch:radix=8,knomial:radix=6:segment=3", "--ranks", "8-9")
        for line in ("allreduce/recexch:radix=8 +50 cases proven", "barrier/recexch:radix=8 +2 cases proven",
                     "bcast/knomial:radix=6:segment=3 +", "3 algorithms: [0-9]+ cases proven, 0 algorithms refuted"):
            self.assertRegex(text, line)
        self.assertNotIn("reduce/knomial", text)  # has no segments
        by_name = json.loads(self.output("verify", "--algorithm", "bcast/linear,allreduce/recexch:radix=8", "--ranks", "5", "--json"))
        self.assertEqual([(one["collective"], one["name"]) for one in by_name], [("bcast", "linear"), ("allreduce", "recexch:radix=8")])
        row = json.loads(self.output("verify", "--algorithm", "recexch:radix=8", "--collective", "allreduce", "--ranks",
                                     "9", "--count", "5", "--json"))[0]
        self.assertEqual((row["name"], row["proven"]), ("recexch:radix=8", 9))

    def test_CasesInWhichAnotherRunsAreNotCountedAsProvenForIt(self):
        row = json.loads(self.output("verify", "--collective", "allgather", "--algorithm", "neighbor_exchange", "--ranks",
                                     "3-4", "--json"))[0]
        self.assertEqual((row["proven"], row["fallen_back"]), (13, 13))  # odd numbers of ranks fall back to the ring
        self.assertRegex(self.output("verify", "--algorithm", "neighbor_exchange", "--ranks", "3-4"),
                         "allgather/neighbor_exchange +13 cases proven, 13 where another runs instead\n")

    def test_WhyNotKnowsOperatorParametersAndElements(self):
        def answer(name, *question):
            rows = json.loads(self.output("list", question[0], "--why-not", ",".join(question[1:]), "--json"))
            return {row["name"]: row["runs"] for row in rows}[name]
        self.assertEqual(answer("rabenseifner", "allreduce", "P=8", "bytes=64"), "yes")
        self.assertEqual(answer("rabenseifner", "allreduce", "P=8", "bytes=64", "op=user"), "falls back to linear")
        self.assertEqual(answer("binomial", "reduce", "P=8", "bytes=64", "op=user"), "no: needs a commutative operator")
        self.assertEqual(answer("rabenseifner", "allreduce", "P=8", "bytes=63"),
                         "no: allreduce of 63 bytes: expected a multiple of the element (4 bytes)")
        self.assertEqual(answer("rabenseifner", "allreduce", "P=8", "bytes=63", "element=1"), "yes")
        self.assertEqual(answer("knomial", "bcast", "P=8", "radix=1"),
                         "no: radix=1 of bcast/knomial: expected at least 2")
        self.assertEqual(answer("binomial", "bcast", "P=8", "radix=1"), "yes")
        self.assertEqual(answer("pairwise_sendrecv_replace", "alltoall", "P=8"), "no: needs the input in place")
        self.assertEqual(answer("pairwise_sendrecv_replace", "alltoall", "P=8", "in-place"), "yes")
        self.assertEqual(answer("permuted", "allreduce", "P=12", "bytes=8", "order=cyclic"), "yes")
        self.assertEqual(answer("hier", "allreduce", "P=12", "bytes=8", "node=flat"), "yes")
        self.assertRegex(answer("bcube_uneven", "allreduce", "P=16777217", "bytes=64M"), "no: smooth needs ")
        self.assertEqual(len(self.output("list", "--why-not", "P=16777217,bytes=64M").splitlines()), len(self.output("list").splitlines()))
        self.assertEqual(len(self.output("list", "--why-not", "P=8,bytes=5").splitlines()),
                         len(self.output("list").splitlines()))

    def test_TheModeIsRepeatedInItsCanonicalForm(self):
        for typed, mode, seed in (("back-to-back:02", "back-to-back:2", ""), ("skew:0.0000010", "skew:1e-06", ",1")):
            asked = (*SIMULATE, "--mode", typed)
            self.assertTrue(self.output(*asked, "--csv", "-").endswith("," + mode + ",rabenseifner,guessed" + seed + "\n"))
            self.assertEqual(json.loads(self.output(*asked, "--json"))[0]["mode"], mode)

    def test_SimulatedMessagesCarryTheProofsContributions(self):
        for engine in ("fast", "simgrid"):
            done = self.call(*SIMULATE, "--engine", engine, "--check", "--csv", "-")
            self.assertEqual((done.returncode, done.stderr), (0, "results checked on every rank: 4 right, 0 wrong\n"))
            self.assertEqual(done.stdout, self.output(*SIMULATE, "--engine", engine, "--csv", "-"))
        wrong = ("simulate", "bcast", "--machine", "example-cluster", "--algorithm", "binomial,forgetful", "--ranks", "6",
                 "--bytes", "8", "--check")
        done = self.call(*wrong, program=os.path.join(BUILD, "tests", "tutti_with_fault"))
        self.assertEqual((done.returncode, done.stderr.splitlines()),
                         (1, ["wrong: forgetful, 8 bytes: missing contribution: rank 5, out[0]: holds undefined, expected 0 of "
                              "element 0", "results checked on every rank: 1 right, 1 wrong"]))
        rows = json.loads(self.output(*SIMULATE, "--check", "--json"))
        self.assertEqual([row["wrong"] for row in rows], [""] * 4)

    def test_TheCriticalPathSaysWhatTimeWasSpentOn(self):
        text = self.output("simulate", "bcast", "--machine", "example-cluster", "--algorithm", "linear", "--nodes", "3", "--ppn",
                           "1", "--bytes", "1M", "--critical-path")
        self.assertRegex(text, r"\ncritical path of linear, 1048576 bytes:\n +from us +to us  spent on\n")
        self.assertRegex(text, r"\n +0\.000 +\d+\.\d+  processor rank 0: message 0 to \d, 1048576 bytes\n")
        self.assertRegex(text, r"\nin all:\n +\d+\.\d+ +\d+\.\d%  nic-out node/0/nic/0/out\n")
        text = self.output("simulate", "bcast", "--machine", "example-cluster", "--algorithm", "linear", "--nodes", "3", "--ppn",
                           "1", "--bytes", "1M", "--critical-path", "--mode", "back-to-back:3")
        self.assertIn("\ncritical path of all 3 calls of linear, 1048576 bytes:\n", text)
        text = self.output("simulate", "bcast", "--machine", "example-cluster", "--algorithm", "linear", "--nodes", "3", "--ppn",
                           "1", "--bytes", "1M", "--critical-path", "--mode", "loop:3")
        self.assertIn("\ncritical path of the last of 3 calls of linear, 1048576 bytes:\n", text)

    def test_OnAnyNumberOfThreadsTheBytesAreTheSame(self):
        asked = ("simulate", "bcast", "--machine", "example-cluster", "--algorithm", "binomial,chain", "--ranks", "2-16", "--ppn", "1",
                 "--bytes", "1K,1M", "--csv", "-")
        self.assertEqual(self.output(*asked, "--threads", "1"), self.output(*asked, "--threads", "4"))

    def test_BytesPerLevelAndTimesPerRankAreThoseOfOneCall(self):
        one, three = (json.loads(self.output("simulate", "bcast", "--machine", "example-cluster", "--algorithm", "linear", "--nodes", "3",
                                             "--ppn", "1", "--bytes", "1000", "--mode", mode, "--json"))[0]
                      for mode in ("isolated", "back-to-back:3"))
        self.assertEqual(one["bytes_per_level"]["nic-out"], 2000)
        self.assertEqual(one["bytes_per_level"], three["bytes_per_level"])
        self.assertEqual(len(three["time_us_per_rank"]), 3)

    def test_ACallInPlaceIsSimulated(self):
        row = json.loads(self.output("simulate", "alltoall", "--machine", "example-cluster", "--algorithm",
                                     "pairwise_sendrecv_replace", "--nodes", "3", "--bytes", "300", "--in-place",
                                     "--json"))[0]
        self.assertEqual(row["messages"], 6)

    def test_TheHelpNamesEveryStatus(self):
        self.assertRegex(self.output("--help").replace("\n", " "), "0 done, 1 a finding.*, 2 wrong usage.*3 a fault")

    def test_TheJsonOfMachinesAndOfAMachine(self):
        self.assertEqual(self.keys("machines", "--json"),
                         ["name", "description", "nodes", "cores_per_node", "contention", "figures", "guesses"])
        machine = json.loads(self.output("machine", "example-cluster", "--json"))
        self.assertLessEqual({"name", "description", "network", "node", "transport", "compute"}, set(machine))

    def test_TheTable(self):
        table = json.loads(self.output("tune", "--machine", "example-cluster", "--nodes", "2,3", "--osu-sizes", "8,4K",
                                       "--collectives", "allgather", "-o", "-"))
        self.assertEqual(list(table), ["format", "machine", "engine", "confirming", "mode", "placement", "bound",
                                       "simulated", "inferred", "dropped", "refused", "left_out", "cells", "rules"])
        self.assertEqual([(cell["nodes"], cell["bytes"]) for cell in table["cells"]],
                         [(2, 16), (2, 8192), (3, 24), (3, 12288)])
        self.assertEqual(list(table["cells"][0])[:5], ["collective", "nodes", "ppn", "bytes", "times_us"])
        self.assertEqual(list(table["rules"][0]),
                         ["collective", "nodes", "ppn", "from_bytes", "to_bytes", "algorithm", "predicted_us", "regret",
                          "runner_up", "margin", "engine", "inferred", "trust"])

    def test_TheTableOfAllCollectivesIsThatOfNoneInParticular(self):
        asked = ("tune", "--machine", "example-cluster", "--nodes", "2", "--bytes", "8", "-o", "-")
        self.assertEqual(self.output(*asked, "--collectives", "all"), self.output(*asked))

    def test_TheTrace(self):
        self.output(*SIMULATE[:5], "ring", *SIMULATE[6:-1], "8", "--trace", "trace.json")
        trace = json.loads(self.read("trace.json"))
        self.assertEqual({event["ph"] for event in trace["traceEvents"]}, {"M", "X", "s", "f"})


class Statuses(ProgramTest):
    def test_ARefutedAlgorithmIsAFindingWithItsSmallestCase(self):
        done = self.call("verify", "--collective", "bcast", "--algorithm", "binomial,forgetful,hasty,scatter_ring", "--ranks", "1-9",
                         program=os.path.join(BUILD, "tests", "tutti_with_fault"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr, "")
        refuted = [line for line in done.stdout.splitlines() if "REFUTED" in line]
        self.assertEqual(len(refuted), 1)
        self.assertRegex(refuted[0], r"  REFUTED bcast/forgetful ranks=6 count=\d+ root=0: ")
        self.assertIn("1 algorithm refuted", done.stdout)

    def test_ARefutedAlgorithmIsAFindingForMachinesToo(self):
        done = self.call("verify", "--collective", "bcast", "--ranks", "6", "--json",
                         program=os.path.join(BUILD, "tests", "tutti_with_fault"))
        self.assertEqual(done.returncode, 1, done.stderr)
        refuted = [row for row in json.loads(done.stdout) if row["refuted"]]
        self.assertEqual([row["name"] for row in refuted], ["forgetful"])
        self.assertEqual(list(refuted[0]["refuted"]), ["case", "kind", "message"])

    def test_WhatIsProvenIsDone(self):
        self.assertRegex(self.output("verify", "--collective", "bcast", "--algorithm", "binomial,scatter_ring", "--ranks", "1-9"),
                         r"\d+ cases proven, 0 algorithms refuted")


class Stdout(ProgramTest):
    def test_HoldsNothingWhereTheResultGoesToAFile(self):
        self.assertEqual(self.output("tune", "--machine", "example-cluster", "--nodes", "2", "--bytes", "8",
                                     "--collectives", "bcast", "--for", "open-mpi-4.1", "-o", "t.json"), "")
        self.assertEqual(self.output("export", "t.json", "--to", "open-mpi-classic", "-o", "r.txt"), "")
        self.assertEqual(self.output("export", "t.json", "--to", "open-mpi-classic", "-o", "-"), self.read("r.txt"))

    def test_TheGainThatTuneAnnouncesIsThatOfTheExportedFile(self):
        tune = ("tune", "--machine", "example-cluster", "--nodes", "2-8", "--ppn", "1,4", "--osu-sizes", "64,4K,256K",
                "--collectives", "bcast,allreduce,scan", "--confirm", "none", "-o", "t.json")
        for asked in (("--for", "open-mpi-4.1"), ("--baselines", "open-mpi-4.1,mpich")):
            done = self.call(*tune, *asked)
            self.assertEqual(done.returncode, 0, done.stderr)
            announced = re.findall(r"over the default of open-mpi-4.1: ([0-9.]+) times as fast by its tuning file \(tutti export "
                                   r"--to open-mpi-classic\), geometric mean of (\d+) cells", done.stderr)
            self.assertEqual(len(announced), 1, done.stderr)
            others = re.findall(r"over the default of (\S+): [0-9.]+ times as fast, geometric", done.stderr)
            self.assertEqual(others, [] if asked[0] == "--for" else ["mpich", "open-mpi-4.1"])
            exported = ("export", "t.json", "--to", "open-mpi-classic", "-o", "r.txt")
            report = json.loads(self.output(*exported, "--json"))
            self.assertEqual(announced, [(f"{report['gain']:.4g}", str(report["cells"]))])
            self.assertGreater(report["gain"], 1.1)
            self.assertLessEqual(report["gain"], report["gain_of_best"])
            said = self.call(*exported).stderr
            self.assertEqual(self.read("r.txt").splitlines()[1:len(said.splitlines()) + 1],
                             ["# " + line for line in said.splitlines()])
            self.assertIn(f"by the table's predictions {report['gain']:.4g} times as fast as open-mpi-4.1's own choices", said)
            lacks = [row for row in report["substituted"]["choices"] if row["best"] in ("direct", "one_shot")]
            self.assertEqual(bool(lacks), asked[0] != "--for")
        self.assertNotIn('"for"', self.read("t.json"))

    def test_TheJsonOfExport(self):
        self.output("tune", "--machine", "example-cluster", "--nodes", "2", "--bytes", "8", "--collectives", "bcast",
                    "--for", "open-mpi-4.1", "-o", "t.json")
        report = json.loads(self.output("export", "t.json", "--to", "open-mpi-classic", "-o", "r.txt", "--json"))
        priced = ["cells", "timeless", "changed", "inferred", "gain", "gain_of_best", "gain_of_sayable", "gain_of_one_for_all_layouts", "substituted",
                  "merged_layouts", "merged_sizes", "given_up", "own_choice"]
        self.assertEqual(list(report), ["machine", "library", "relative_to", "own_choices_of", *priced, "collectives", "for_all_sizes", "out_of_order", "remarks"])
        self.assertEqual(list(report["collectives"][0]), ["collective", *priced])

    def test_OfAStrictExportIsOneWhereTheFileCannotSayWhatIsBest(self):
        tune = ("tune", "--machine", "example-cluster", "--nodes", "4", "--bytes", "8", "--confirm", "none", "-o", "t.json")
        for algorithms, status in (("recexch", 0), ("recexch,ring", 1)):
            self.output(*tune, "--collectives", "allreduce", "--algorithms", algorithms)
            done = self.call("export", "t.json", "--to", "ucc", "--strict", "-o", "file")
            self.assertEqual(done.returncode, status, done.stderr)

    def test_HoldsTheMachineAloneWhereTheMachineGoesThere(self):
        shutil.copy(os.path.join(DEMO, "pingpong-imb.txt"), self.folder)
        calibrate = ("calibrate", "--imb", "cache=pingpong-imb.txt", "--base", "example-cluster", "--name", "mine")
        done = self.call(*calibrate, "-o", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["name"], "mine")
        self.assertEqual(self.output(*calibrate, "-o", "m.json"), done.stderr)
        self.assertEqual(self.read("m.json"), done.stdout)
        report = json.loads(self.output(*calibrate, "-o", "m.json", "--json"))
        self.assertIn("classes", report)

    def test_IsTheSameOnEveryRun(self):
        runs = {self.output(*SIMULATE, "--mode", mode, "--csv", "-") for _ in range(3) for mode in ("skew:1e-6",)}
        self.assertEqual(len(runs), 1)
        self.assertNotEqual(runs, {self.output(*SIMULATE, "--mode", "skew:1e-6", "--seed", "2", "--csv", "-")})


class Sizes(ProgramTest):
    def seconds(self, collective, algorithm, size):
        rows = csv.DictReader(io.StringIO(self.output(
            "simulate", collective, "--machine", "example-cluster", "--algorithm", algorithm, "--nodes", "3",
            "--osu-sizes", size, "--csv", "-")))
        return float(next(rows)["time_us"])

    def test_CountsBeyondTwoToThe31stAreSimulatedInProportion(self):
        for collective, algorithm in (("bcast", "linear"), ("bcast", "pipeline:segment=1M"), ("allreduce", "ring"),
                                      ("allgather", "bruck"), ("alltoall", "pairwise"), ("reduce_scatter", "ring"),
                                      ("gather", "binomial")):
            small, large = (self.seconds(collective, algorithm, size) for size in ("1G", "24G"))
            self.assertAlmostEqual(large / small, 24, delta=0.5, msg=f"{collective} {algorithm}")

    def test_ZeroBytesAndOneRankAreSimulated(self):
        for collective in ("bcast", "allreduce", "allgather", "alltoall", "gather", "scan"):
            for nodes in ("1", "5"):
                self.output("simulate", collective, "--machine", "example-cluster", "--algorithm", "all", "--nodes",
                            nodes, "--bytes", "0")
        self.output("simulate", "barrier", "--machine", "example-cluster", "--algorithm", "all", "--ranks", "7")


if __name__ == "__main__":
    unittest.main()
