"""Which rule of a library serves a call, why, and what that costs."""
import csv
import io
import json
import random
import unittest

from refused import Refused

HERE = ("--machine", "example-cluster")
# Open MPI's classic form: broadcasts on at least 8 ranks linear, from 4096 bytes on a pipeline of 1 KiB; fewer as the library likes.
RULES = "1\n7\n2\n0\n1\n0 0 0 0\n8\n2\n0 1 0 0\n4096 3 0 1024\n"


class Explain(Refused):
    def explained(self, *arguments):
        return json.loads(self.output("explain", *arguments, "--json"))

    def simulated(self, algorithm, *arguments):
        text = self.output("simulate", *arguments, "--algorithm", algorithm, "--csv", "-")
        return list(csv.DictReader(io.StringIO(text)))

    def test_ChoosesAndTimesWhatSimulateDoesForTheDefault(self):
        chance = random.Random(5)
        for _ in range(12):
            library = chance.choice(("open-mpi-4.1", "open-mpi-5.0", "mpich"))
            collective = chance.choice(("allreduce", "bcast", "reduce", "allgather", "gather", "barrier", "alltoall"))
            call = (collective, *HERE, "--nodes", str(chance.choice((1, 2, 3, 5))), "--ppn", str(chance.choice((1, 2, 3))))
            size = str(4 * chance.choice((1, 7, 600, 9000, 70000)))
            if collective != "barrier":
                call += ("--bytes", size)
            if collective in ("allreduce", "reduce"):
                call += ("--op", chance.choice(("sum", "user")))
            found = self.explained(*call, "--library", library)
            row, = self.simulated("default:" + library, *call)
            self.assertEqual(found["runs"], row["chosen"], call)
            self.assertEqual(f"{found['time_us']:.6f}", row["time_us"], call)
            self.assertTrue(found["because"], call)
            if collective != "barrier":
                every = sorted(float(each["time_us"]) for each in self.simulated("all", *call))
                self.assertAlmostEqual(found["best"][0]["time_us"], every[0], places=5)
            times = [each["time_us"] for each in found["best"]]
            self.assertEqual(times, sorted(times))
            self.assertLessEqual(times[0], found["time_us"])

    def test_SaysWhatWasAskedForOtherwiseThanByDefaultAndThatCollHanIsOff(self):
        call = ("explain", "reduce", *HERE, "--nodes", "2", "--ppn", "2", "--bytes", "64", "--library", "open-mpi-5.0-without-han")
        self.assertTrue(self.output(*call).startswith("reduce of 64 bytes on example-cluster: 2 nodes with 2 ranks each, under Open MPI 5.0 without coll/han\n"))
        call += ("--placement", "cyclic", "--root", "3", "--element", "8", "--op", "user", "--in-place")
        said = self.output(*call).split("\n\n", 1)[0].replace("\n", " ")
        self.assertIn("2 ranks each, placement cyclic, root 3, element 8, op user, in place, under", said)
        found = json.loads(self.output(*call, "--json"))
        self.assertEqual([found[name] for name in ("library", "placement", "root", "element", "operator", "in_place")],
                         ["Open MPI 5.0 without coll/han", "cyclic", 3, 8, "user", True])

    def test_CountsItsRunsOnATerminalAndForetellsNothing(self):
        shown = self.on_terminal("explain", "reduce", "--machine", "archer2", "--nodes", "10", "--ppn", "32", "--bytes", "1M", "--library", "open-mpi-5.0")
        self.assertRegex(shown, r"simulating \[[= ]*\] \d+ of \d+ runs, \d+ s so far")
        self.assertNotIn(" left", shown)

    def test_OfARuleThatIsWrongForTheOperatorItSaysThatTheLibraryFollowsIt(self):
        self.write("r", "2\n2\n1\n2\n2\n0 4 0 0\n65536 2 0 0\n11\n1\n2\n1\n0 3 0 0\n")  # ring, then reduce and broadcast; reduces by a pipeline
        call = (*HERE, "--nodes", "5", "--library", "open-mpi-4.1", "--file", "r", "--op")
        for collective, size, names in (("allreduce", "4K", "6: it names ring"), ("allreduce", "64K", "12: it names pipeline.* for reduce, 65536 bytes"),
                                        ("reduce", "4K", "12: it names pipeline")):
            self.refused(f"r:{names}.*, which needs an operator that commutes; Open MPI 4.1 runs it for every operator, and the results are wrong",
                         "explain", collective, "--bytes", size, *call, "user")
            self.explained(collective, "--bytes", size, *call, "user-commutative")

    def test_NamesTheVersionThatReadsTheFileAndWhoseChoicesStandForItsOwn(self):
        self.write("r.json", '{"rule_file_version":3,"module":"tuned","collectives":{"bcast":[{"comm_size_min":4,"rules":[{"msg_size_max":8,"alg":1}]}]}}\n')
        call = ("bcast", *HERE, "--nodes", "5", "--library", "open-mpi-json", "--file", "r.json", "--bytes")
        for size, remark in (("8", ""), ("9", "Open MPI 6.0's own choices are taken for those of Open MPI 5.0 without coll/han")):
            found = self.explained(*call, size)
            self.assertEqual((found["library"], found["remark"]), ("Open MPI 6.0", remark))

    def test_SaysWhichComponentRunsAndWhy(self):
        several = self.explained("bcast", *HERE, "--nodes", "4", "--ppn", "2", "--bytes", "64K", "--library", "open-mpi-5.0")
        self.assertEqual(several["component"], "coll/han")
        self.assertEqual([part["what"].split(":")[0] for part in several["parts"]], ["bcast on each node", "bcast between nodes"])
        self.assertEqual([part["runs"] for part in several["parts"]], ["binary", "linear"])
        alone = self.explained("bcast", *HERE, "--nodes", "13", "--bytes", "64K", "--library", "open-mpi", "--version", "5.0")
        self.assertEqual((alone["component"], alone["choice"], alone["theirs"]), ("coll/tuned", "linear", "algorithm 1"))
        self.assertEqual(alone["rule"], "rule 3 of 11 for bcast, built in")
        self.assertIn("each rank has a node of its own", alone["because"][0])
        self.assertIn("linear from 32768 bytes (32K) on (below that binomial)", alone["because"][2])
        own = ("reduce", *HERE, "--nodes", "4", "--ppn", "2", "--bytes", "4K", "--library", "open-mpi-5.0", "--op")
        self.assertIn("the operator does not commute", self.explained(*own, "user")["because"][0])
        self.assertEqual(self.explained(*own, "user-commutative")["component"], "coll/han")
        odd = self.explained("gather", *HERE, "--ranks", "5", "--ppn", "2", "--bytes", "4K", "--library", "open-mpi-5.0")
        self.assertIn("not all nodes have as many ranks", odd["because"][0])
        once = "in the first such call on a communicator, which is not counted here"
        self.assertTrue(once in odd["because"][0] and once in alone["because"][0])
        not_there = self.explained("alltoall", *HERE, "--nodes", "13", "--bytes", "64K", "--library", "open-mpi-5.0")["because"][0]
        self.assertEqual(not_there, "coll/han, which is asked first, leaves it to coll/tuned: it does not have this collective")
        self.write("uneven.csv", "rank,node\n" + "".join(f"{rank},{node}\n" for rank, node in enumerate((0, 0, 0, 0, 0, 1, 1, 1, 2))))
        uneven = ("reduce", *HERE, "--placement", "uneven.csv", "--bytes", "72K", "--library", "open-mpi-5.0")
        self.assertIn("not all nodes have as many ranks", self.explained(*uneven)["because"][0], "though 9 is a multiple of 3")
        self.assertIn("9 ranks on 3 nodes, 1 to 5 on each", self.output("explain", *uneven))
        falls = self.explained("allgather", *HERE, "--nodes", "6", "--bytes", "6K", "--library", "open-mpi-4.1")
        self.assertEqual((falls["choice"], falls["runs"]), ("recursive_doubling", "bruck"))
        self.assertIn("bruck runs in its place", falls["because"][-1])

    def test_OfSeveralCallsItSaysWhatBoundsOne(self):
        call = ("allreduce", *HERE, "--nodes", "4", "--ppn", "2", "--bytes", "64K", "--library", "mpich")
        alone = self.explained(*call)
        for mode in ("barrier", "loop:5", "back-to-back:20", "skew:1e-5"):
            for one, several in zip(alone["bounds"], self.explained(*call, "--mode", mode)["bounds"]):
                if one["algorithm"] == several["algorithm"]:
                    self.assertEqual(one["hottest_link"]["bytes"], several["hottest_link"]["bytes"], mode)
                spent = sum(share["us"] for share in several["bounds"])
                self.assertLess(several["hottest_link"]["busy_us"], spent, mode)
                self.assertAlmostEqual(spent, several["time_us"], places=5, msg=mode)

    def test_FollowsAFile(self):
        self.write("rules", RULES)

        def under(nodes, size, library="open-mpi-4.1"):
            return self.explained("bcast", *HERE, "--nodes", str(nodes), "--bytes", str(size), "--library", library, "--file", "rules")
        self.assertEqual((under(8, 4095)["choice"], under(8, 4095)["rule"]), ("linear", "rules:9"))
        self.assertEqual((under(13, 4096)["choice"], under(13, 4096)["rule"]), ("pipeline:segment=1024", "rules:10"))
        fewer = under(7, 4096)
        self.assertEqual(fewer["rule"], "rule 2 of 11 for bcast, built in")
        self.assertIn("rules:6 says 0, which leaves the call to the fixed rules", fewer["because"][0])
        # Under 5.0 coll/han comes first all the same, and runs the file's choice between nodes.
        both = self.explained("bcast", *HERE, "--nodes", "8", "--ppn", "2", "--bytes", "4K", "--library", "open-mpi-5.0", "--file", "rules")
        self.assertEqual((both["component"], both["parts"][1]["runs"]), ("coll/han", "pipeline:segment=1024, priced without segments and with a fan-out of 1"))
        self.assertEqual(both["parts"][1]["component"], "coll/tuned")
        without = self.explained("bcast", *HERE, "--nodes", "8", "--ppn", "2", "--bytes", "4K", "--library", "open-mpi-classic-5.0",
                                 "--file", "rules")
        self.assertEqual(without["rule"], "rules:10")

    def test_WhereAFileLeavesACallToALibraryItSaysOfWhichVersionTheChoiceIsKnown(self):
        self.write("ucc.conf", "[ppn=5-5 nnodes=3-3]\nUCC_TL_UCP_TUNE=bcast:6-1M:@knomial\n")
        call = ("bcast", *HERE, "--nodes", "4", "--bytes", "64", "--file", "ucc.conf", "--library")
        unknown, known = self.explained(*call, "ucc"), self.explained(*call, "ucc-1.3")
        self.assertEqual((unknown["choice"], unknown["remark"]), (None, "what ucc-1.3 picks is known here: expected --library ucc-1.3"))
        self.assertIn("\n   note: what ucc-1.3 picks is known here", self.output("explain", *call, "ucc"))
        self.assertTrue(known["choice"])

    def test_ARuleThatTheLibraryEndsTheCallByHasNoTime(self):
        self.write("rules", "1\n7\n2\n0\n1\n0 0 0 0\n8\n1\n0 99 0 0\n")
        call = ("explain", "bcast", *HERE, "--bytes", "64", "--library", "open-mpi-4.1", "--file", "rules", "--nodes")
        self.refused("rules:9: expected an algorithm of bcast that Open MPI 4.1 has, not 99, by which a call of 64 bytes on 8 ranks ends "
                     "with an error", *call, "8")
        self.assertIn("bcast of 64 bytes", self.output(*call, "7"), "which the line does not serve")

    def test_SaysWhatBoundsTheFastestAndTheLibrary(self):
        found = self.explained("bcast", *HERE, "--nodes", "13", "--bytes", "1M", "--library", "open-mpi-4.1")
        best, chosen = found["bounds"]
        self.assertEqual((best["algorithm"], chosen["algorithm"]), (found["best"][0]["algorithm"], found["choice"]))
        for run in (best, chosen):
            self.assertAlmostEqual(sum(each["us"] for each in run["bounds"]), run["time_us"], places=3)
            self.assertLessEqual(run["hottest_link"]["busy_us"], run["time_us"] * 1.0001)
        # 12 copies leave the root's only adapter.
        self.assertEqual((chosen["algorithm"], chosen["hottest_link"]["name"], chosen["hottest_link"]["bytes"]),
                         ("linear", "node/0/nic/0/out", 12 << 20))

    def test_FitsOnAScreen(self):
        for library in ("open-mpi-5.0", "mpich"):
            for collective in ("allgather", "reduce_scatter"):
                text = self.output("explain", collective, *HERE, "--nodes", "4", "--ppn", "3", "--bytes", "48K", "--library", library)
                lines = text.split("\n")
                self.assertLessEqual(len(lines), 40, text)
                self.assertLessEqual(max(map(len, lines)), 120, text)
                self.assertEqual(text.count("<- "), 1, text)

    def test_RefusesWhatItCannotTell(self):
        call = ("explain", "bcast", *HERE, "--nodes", "4")
        self.refused("what NCCL picks by itself is not known here: expected --file", *call, "--bytes", "8", "--library", "nccl")
        self.refused("what UCC picks by itself is known here of ucc-1.3 alone: expected --library ucc-1.3, or --file", *call, "--bytes", "8", "--library", "ucc")
        self.refused("what MVAPICH2 picks by itself is known here of mvapich2-2.3 alone: expected --library mvapich2-2.3", *call, "--bytes", "8", "--library",
                     "mvapich2")
        self.refused("unknown library 'openmpi'", *call, "--bytes", "8", "--library", "openmpi")
        self.refused("expected one of --bytes and --osu-size", *call, "--library", "mpich")
        self.refused("expected one number of nodes", *call[:-1], "2-4", "--bytes", "8", "--library", "mpich")
        self.refused("root 4: expected a rank of 4", *call, "--bytes", "8", "--library", "mpich", "--root", "4")
        self.write("bad", "1\n7\n1\n")
        self.refused("bad:3: expected a communicator size", *call, "--bytes", "8", "--library", "open-mpi-4.1", "--file", "bad")


if __name__ == "__main__":
    unittest.main()
