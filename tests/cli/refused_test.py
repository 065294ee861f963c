"""Bad input and wrong usage: one line on stderr that says what was expected, status 2, and nothing else anywhere."""
import os
import re
import subprocess
import unittest

from program import TUTTI, ProgramTest

SIMULATE = ("simulate", "bcast", "--machine", "example-cluster", "--algorithm", "linear")
TUNE = ("tune", "--machine", "example-cluster", "--nodes", "2", "--bytes", "8", "--collectives", "bcast",
        "--algorithms", "linear")
OSU = "# OSU MPI Latency Test v7.2\n# Size          Latency (us)\n"
OSU_ROWS = "1 1.50\n2 1.51\n1024 2.0\n65536 9.0\n"


class Refused(ProgramTest):
    def refused(self, expected, *arguments):
        """`expected`: a regular expression that the line after "tutti: " begins with."""
        before = sorted(os.listdir(self.folder))
        done = self.call(*arguments)
        where = f"tutti {' '.join(arguments)}\n{done.stdout}{done.stderr}"
        self.assertEqual(done.returncode, 2, where)
        self.assertEqual(done.stdout, "", where)
        self.assertEqual(done.stderr.count("\n"), 1, where)
        self.assertTrue(done.stderr.endswith("\n"), where)
        self.assertRegex(done.stderr, r"\Atutti: " + expected, where)
        self.assertEqual(sorted(os.listdir(self.folder)), before, where)


class Usage(Refused):
    def test_WithoutAVerbTheVerbsAreNamed(self):
        self.refused("expected a verb: list, verify, machines, machine, calibrate, simulate, tune, export")

    def test_AnUnknownVerb(self):
        self.refused("unknown verb 'tutta': expected one of list, ", "tutta")

    def test_AnUnknownOption(self):
        self.refused(".*--colour", "list", "--colour")
        self.refused(".*--colour", *SIMULATE, "--nodes", "2", "--bytes", "8", "--colour", "red")

    def test_AMissingOption(self):
        self.refused("collective is required", "simulate")
        self.refused("--machine is required", "simulate", "bcast")
        self.refused(".*--output", *TUNE)
        self.refused("expected one of --bytes and --osu-sizes", *SIMULATE, "--nodes", "2")
        self.refused("expected one of --bytes and --osu-sizes", *SIMULATE, "--nodes", "2", "--bytes", "8",
                     "--osu-sizes", "8")
        self.refused("expected either --nodes .* or --ranks", *SIMULATE, "--bytes", "8")
        self.refused("expected either --nodes .* or --ranks", *SIMULATE, "--bytes", "8", "--nodes", "2", "--ranks", "2")

    def test_ABadNameOfAMachineIsTheNamesFault(self):
        self.write("osu.txt", OSU + OSU_ROWS)
        for name in ("a b", "-x", "ä", "a/b"):
            self.refused(re.escape(f"name '{name}': expected letters, digits"), "calibrate", "--osu", "osu.txt", "--base",
                         "example-cluster", f"--name={name}", "-o", "mine.json")

    def test_AnUnknownCollective(self):
        for verb in (("list", "bcasts"), ("verify", "--collective", "bcasts"),
                     ("simulate", "bcasts", *SIMULATE[2:], "--nodes", "2", "--bytes", "8"),
                     ("tune", "--machine", "example-cluster", "--nodes", "2", "--bytes", "8", "--collectives",
                      "reduce,bcasts", "-o", "t.json")):
            self.refused("unknown collective 'bcasts': expected one of allgather, ", *verb)

    def test_AnUnknownAlgorithm(self):
        self.refused("unknown algorithm 'square' for bcast: expected one of binary, ", "simulate", "bcast", "--machine",
                     "example-cluster", "--algorithm", "linear,square", "--nodes", "2", "--bytes", "8")
        self.refused("unknown algorithm 'square'", "verify", "--algorithm", "square", "--ranks", "2")
        self.refused("unknown algorithm 'square' for bcast", "verify", "--collective", "bcast", "--algorithm", "square")
        self.refused("unknown algorithm 'square'", *TUNE[:-1], "linear,square", "-o", "t.json")

    def test_AnUnknownDefault(self):
        self.refused("unknown default 'lam': expected one of mpich, open-mpi-4.1, open-mpi-5.0", *SIMULATE[:-1],
                     "default:lam", "--nodes", "2", "--bytes", "8")

    def test_AParameterThatTheAlgorithmLacksOrCannotTake(self):
        for text, expected in (("knomial:radius=4", "unknown parameter 'radius' of bcast/knomial"),
                               ("knomial:radix=1", "radix=1 of bcast/knomial: expected at least 2"),
                               ("knomial:radix", "'radix' in 'knomial:radix': expected name=value"),
                               ("knomial:radix=two", "'two': expected a whole number")):
            self.refused(expected, *SIMULATE[:-1], text, "--nodes", "2", "--bytes", "8")

    def test_AnUnknownEngineModeOperatorOrPlacement(self):
        here = (*SIMULATE, "--nodes", "2", "--bytes", "8")
        self.refused("unknown engine 'crystal-ball': built in are ", *here, "--engine", "crystal-ball")
        self.refused("unknown engine 'crystal-ball': built in are ", *TUNE, "--engine", "crystal-ball", "-o", "t.json")
        for mode in ("fast", "back-to-back", "back-to-back:0", "skew:-1", "skew:nan", "skew:1us"):
            self.refused(".*mode '" + mode + "'|.*'" + mode.split(":")[-1] + "'", *here, "--mode", mode)
        self.refused("unknown operator 'xor': expected sum, ", *here, "--op", "xor")
        self.refused("scattered:1: expected a readable placement file", *here, "--placement", "scattered")
        self.refused("unknown placement 'scattered': expected block or cyclic", *TUNE, "--placement", "scattered",
                     "-o", "t.json")

    def test_NoRanks(self):
        self.refused("--ranks 0: expected", "verify", "--ranks", "0")
        self.refused("--ranks 0: expected 1 or more", *SIMULATE, "--ranks", "0", "--bytes", "8")
        self.refused("--nodes 0: expected 1 or more", *SIMULATE, "--nodes", "0", "--bytes", "8")
        self.refused("--ppn 0: expected 1 or more", *SIMULATE, "--nodes", "2", "--ppn", "0", "--bytes", "8")
        self.refused("--nodes 0: expected 1 to ", "tune", *TUNE[1:4], "0", *TUNE[5:], "-o", "t.json")
        self.refused("--why-not P=0: expected P from 1 ", "list", "--why-not", "P=0")
        self.refused("--why-not P=2,radius=4: expected P=NUMBER", "list", "--why-not", "P=2,radius=4")
        self.refused("unknown operator 'xor': expected sum, ", "list", "--why-not", "P=2,op=xor")

    def test_ASizeThatIsNone(self):
        for size in ("-1", "1e30", "nan", "8T", "1.5", "99999999999999999999", "16:8", "8,", "0:8"):
            for verb in (SIMULATE + ("--nodes", "2"), TUNE[:5] + TUNE[7:] + ("-o", "t.json")):
                for option in ("--bytes", "--osu-sizes"):
                    self.refused(".*expected ", *verb, f"{option}={size}")
        self.refused("--bytes: 1 required", *SIMULATE, "--nodes", "2", "--bytes=")
        self.refused("'-1': expected a whole number", *SIMULATE, "--nodes", "2", "--bytes", "-1")

    def test_SizesThatWouldOverflowAreRefusedAndNotWrapped(self):
        for collective in ("alltoall", "allgather", "gather", "scatter"):
            self.refused(f"{collective} of 4611686018427387904 bytes for each of 4 ranks: expected at most 2\\^56",
                         "simulate", collective, *SIMULATE[2:], "--nodes", "4", "--osu-sizes", "4294967296G")
        for collective in ("bcast", "allreduce", "reduce_scatter", "alltoall"):
            self.refused(f"{collective} of 4611686018427387904 bytes: expected at most 2\\^56", "simulate", collective,
                         *SIMULATE[2:4], "--algorithm", "all", "--nodes", "4", "--bytes", "4294967296G")
        self.refused("bcast of ", *TUNE[:5], *TUNE[7:], "--bytes", "4294967296G", "-o", "t.json")
        self.refused("--count ", "verify", "--collective", "bcast", "--count", "4611686018427387904")

    def test_MoreMessagesThanAnyoneWillWaitFor(self):
        self.refused("bcast/pipeline on 4 ranks of 1073741824 bytes sends more than 2\\^26 messages", *SIMULATE[:-1],
                     "pipeline:segment=1", "--nodes", "4", "--bytes", "1G")

    def test_AReductionOfAFractionOfAnElement(self):
        self.refused("allreduce of 10 bytes: expected a multiple of the element \\(4 bytes\\)", "simulate", "allreduce",
                     *SIMULATE[2:], "--nodes", "2", "--bytes", "10")
        self.refused("--element: expected 1 byte or more", "simulate", "allreduce", *SIMULATE[2:], "--nodes", "2",
                     "--bytes", "8", "--element", "0")

    def test_ARootThatIsNoRank(self):
        for root in ("-1", "4"):
            self.refused(f"--root {root}: expected a rank", *SIMULATE, "--nodes", "4", "--bytes", "8", "--root", root)
            self.refused(f"--root {root}: expected a rank", "verify", "--collective", "bcast", "--ranks", "1-4",
                         "--root", root)

    def test_MoreThanTheMachineHas(self):
        self.refused("17 ranks, 1 per node: the machine has 16 nodes", *SIMULATE, "--nodes", "17", "--bytes", "8")
        self.refused("129 ranks, 8 per node: the machine has 16 nodes", *SIMULATE, "--ranks", "129", "--bytes", "8")
        self.refused("--ppn 9: the machine's nodes have 8 cores", *SIMULATE, "--nodes", "2", "--ppn", "9", "--bytes",
                     "8")
        self.refused("17 nodes: the machine has 16", "tune", *TUNE[1:4], "2,17", *TUNE[5:], "-o", "t.json")
        self.refused(".*--nodes", *SIMULATE, "--nodes", "99999999999", "--bytes", "8")

    def test_AnAlgorithmThatCannotRunThere(self):
        self.refused("--check: expected at most 67108864 elements on all ranks", "simulate", "alltoall", *SIMULATE[2:], "--nodes",
                     "4", "--bytes", "1G", "--check")
        self.refused("allgather/two_proc cannot run: it needs exactly two ranks", "simulate", "allgather",
                     *SIMULATE[2:4], "--algorithm", "ring,two_proc", "--nodes", "3", "--bytes", "8")

    def test_ATraceOfSeveralRuns(self):
        self.refused("--trace: expected one algorithm and one size, not 2 runs", *SIMULATE, "--nodes", "2", "--bytes",
                     "8,16", "--trace", "trace.json", "--csv", "times.csv")

    def test_TwoResultsOnStdout(self):
        self.refused("--trace -: expected a file", *SIMULATE, "--nodes", "2", "--bytes", "8", "--trace", "-")
        self.refused("--json and --csv -: ", *SIMULATE, "--nodes", "2", "--bytes", "8", "--json", "--csv", "-")


class Files(Refused):
    def test_AMachineThatIsNone(self):
        for machine in ("no-such-machine", ".", "missing.json"):
            self.refused(f"{re.escape(machine)}:1: expected a machine file, or one of archer2, ", "machine", machine)
            self.refused(f"{re.escape(machine)}:1: expected ", *SIMULATE[:3], machine, *SIMULATE[4:], "--nodes", "2",
                         "--bytes", "8")

    def test_AMachineThatBreaksTheSchema(self):
        text = self.output("machine", "example-cluster", "--json")
        for old, new, where in (('"sockets": 2', '"sockets": 0', "/node/sockets"),
                                ('"sockets": 2', '"sockets": "two"', "/node/sockets"),
                                ('"sockets": 2', '"rockets": 2', "/node/rockets: unknown key"),
                                ('"gap_seconds": ', '"gap_seconds": -', "/transport/[a-z]+/gap_seconds")):
            line = text[:text.index(old)].count("\n") + 1
            file = self.write("broken.json", text.replace(old, new, 1))
            for verb in (("machine", file), (*SIMULATE[:3], file, *SIMULATE[4:], "--nodes", "2", "--bytes", "8"),
                         ("tune", "--machine", file, *TUNE[3:], "-o", "t.json"),
                         ("calibrate", "--imb", "none.txt", "--base", file, "-o", "m.json")):
                self.refused(f"broken.json:{line}: {where}.*", *verb)

    def test_AMachineThatIsNoJson(self):
        text = self.output("machine", "example-cluster", "--json")
        self.refused("broken.json:1: expected ", "machine", self.write("broken.json", ""))
        cut = text[:len(text) // 2].rstrip()
        self.refused(r"broken.json:%d: expected JSON" % (cut.count("\n") + 1), "machine",
                     self.write("broken.json", cut))
        self.refused(r"broken.json:\d+: .*expected ", "machine",
                     self.write("broken.json", text.replace("{", '{"name": NaN,', 1)))

    def test_APlacementThatDoesNotFit(self):
        here = (*SIMULATE, "--bytes", "8", "--placement", "p.csv")
        for text, expected in (("rank,node\n0,a\n1,a\n3,b\n", r"p.csv:4: expected all ranks of 0 to 3, 2 is missing"),
                               ("rank,node\n0,a\n1,a\n1,b\n", r"p.csv:4: .*"),
                               ("rank,node\n0,a\nx,b\n", r"p.csv:3: .*expected"),
                               ("rank,node\n0,a\n1,\0b\n", r"p.csv:3: .*"),
                               ("", r"p.csv:\d+: .*expected"),
                               ("rank,node\n" + "".join(f"{i},a\n" for i in range(9)), r"p.csv:10: .*expected"),
                               ("rank,node\n" + "".join(f"{i},n{i}\n" for i in range(17)), r"p.csv:18: .*expected")):
            self.write("p.csv", text)
            self.refused(expected, *here)
        self.write("p.csv", "rank,node\n0,a\n1,b\n")
        self.refused(r"p.csv:\d+: .*expected", *here, "--ranks", "3")
        self.refused(r"p.csv:\d+: .*expected", *here, "--nodes", "1")

    def calibrate(self, text, expected, option="--osu", name="m.txt"):
        self.write(name, text)
        self.refused(expected, "calibrate", option, name, "--base", "example-cluster", "-o", "new.json")

    def test_MeasurementsThatAreEmptyOrTruncated(self):
        self.calibrate("", r"m.txt:1: .*expected")
        self.calibrate(OSU, r"m.txt:\d+: .*expected")
        self.calibrate(OSU + OSU_ROWS[:-4], r"m.txt:6: .*expected")
        self.calibrate(OSU + "1 1.5\n2\n4 1.6\n", r"m.txt:4: .*expected")
        self.calibrate("Segmentation fault\n", r"m.txt:\d+: .*expected")
        with open(os.path.join(os.path.dirname(__file__), "..", "..", "demo", "pingpong-imb.txt")) as file:
            lines = file.readlines()
        table = next(i for i, line in enumerate(lines) if "#bytes" in line)
        self.calibrate("".join(lines[:table + 1]), r"m.txt:\d+: .*expected", "--imb")
        self.calibrate("".join(lines[:table + 5])[:-6], rf"m.txt:{table + 5}: .*expected", "--imb")
        self.refused(r"missing.txt.*: expected a readable file", "calibrate", "--csv", "missing.txt", "--base",
                     "example-cluster", "-o", "new.json")

    def test_TimesThatAreNoTimes(self):
        for time in ("-1.5", "nan", "inf", "0", "1e999", "1.5us"):
            self.calibrate(OSU + OSU_ROWS.replace("1.51", time), r"m.txt:4: .*expected")

    def test_SizesOutOfOrder(self):
        self.calibrate(OSU + OSU_ROWS.replace("1024", "1"), r"m.txt:5: .*expected")
        self.calibrate(OSU + OSU_ROWS.replace("1024", "-1024"), r"m.txt:5: .*expected")
        self.calibrate(OSU + OSU_ROWS.replace("1024", "1e30"), r"m.txt:5: .*expected")

    def test_CalibrationOfNothing(self):
        self.refused("expected at least one of --osu, --imb, --csv, --node and --collectives", "calibrate", "--base",
                     "example-cluster", "-o", "new.json")

    def test_ADistanceThatIsNone(self):
        self.write("m.txt", OSU + OSU_ROWS)
        self.refused(".*'near', expected cache, numa, socket, node or network", "calibrate", "--osu", "near=m.txt",
                     "--base", "example-cluster", "-o", "new.json")

    def test_ATableThatIsNone(self):
        self.output(*TUNE, "-o", "t.json")
        text = self.read("t.json")
        self.refused("missing.json:1: expected a readable table", "export", "missing.json", "--to", "open-mpi-classic",
                     "-o", "r.txt")
        for broken, expected in (("", "b.json:1: expected JSON"),
                                 (text[:-20], r"b.json:\d+: expected JSON"),
                                 (text.replace("tutti-table-1", "tutti-table-9"), "b.json:2: /format: "),
                                 (text.replace('"linear"', '"square"'), r"b.json:\d+: /cells/0/times_us: unknown algo"),
                                 (text.replace('"bytes":8', '"bytes":-8'), r"b.json:\d+: /cells/0/bytes: ")):
            self.write("b.json", broken)
            self.refused(expected, "export", "b.json", "--to", "open-mpi-classic", "-o", "r.txt")
        self.refused("unknown target 'my-mpi': expected one of open-mpi-classic", "export", "t.json", "--to", "my-mpi",
                     "-o", "r.txt")
        self.refused("the table holds nothing that Open MPI 4.1 has, with 7 ranks per node", "export", "t.json", "--to",
                     "open-mpi-classic", "--ppn", "7", "-o", "r.txt")

    def test_NoJobs(self):
        self.refused("--jobs: expected 1 to 1024", *TUNE, "--jobs", "0", "-o", "t.json")

    def test_AStateOfAnotherSweep(self):
        self.output(*TUNE, "--state", "state", "-o", "t.json")
        os.remove(self.path("t.json"))
        self.refused("state/sweep.sqlite: holds times of another machine, .*: expected a new --state", *TUNE, "--mode", "barrier",
                     "--state", "state", "-o", "t.json")
        self.write("file", "")
        self.refused("file: cannot be made a directory|file/sweep.sqlite: cannot be opened", *TUNE, "--state", "file",
                     "-o", "t.json")
        os.mkdir(self.path("other"))
        self.write("other/sweep.sqlite", "this is no database\n" * 100)
        self.refused("other/sweep.sqlite: ", *TUNE, "--state", "other", "-o", "t.json")


class Outputs(Refused):
    def test_ThatCannotBeWritten(self):
        os.mkdir(self.path("folder"))
        self.write("measured.txt", OSU + OSU_ROWS)
        self.output(*TUNE, "-o", "t.json")
        for output in ("folder", "missing/out", "/proc/out", "measured.txt/out"):
            said = re.escape(output) + ": cannot be written"
            for verb in ((*SIMULATE, "--nodes", "2", "--bytes", "8", "--csv"),
                         (*SIMULATE, "--nodes", "2", "--bytes", "8", "--trace"), (*TUNE, "-o"),
                         ("calibrate", "--osu", "measured.txt", "--base", "example-cluster", "-o"),
                         ("export", "t.json", "--to", "open-mpi-classic", "-o")):
                self.refused(said, *verb, output)
            self.refused(said, *SIMULATE, "--nodes", "2", "--bytes", "8", "--trace", "trace.json", "--csv", output)

    def test_AreCheckedBeforeALongSweep(self):
        self.refused("missing/t.json: cannot be written", "tune", "--machine", "azure-hbv4", "--nodes", "2-8", "--ppn",
                     "1,2,4", "--osu-sizes", "1:1M", "-o", "missing/t.json")

    def test_ThatAreFullAreNoticed(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for verb in (("list",), ("list", "--json"), (*SIMULATE, "--nodes", "2", "--bytes", "8", "--csv", "-"),
                         (*TUNE, "-o", "-")):
                done = subprocess.run([TUTTI, *verb], stdout=full, stderr=subprocess.PIPE, text=True, cwd=self.folder)
                self.assertEqual(done.returncode, 2, verb)
                self.assertRegex(done.stderr, r"\Atutti: .*No space left on device\n\Z")
        self.refused("/dev/full: cannot be written", *TUNE, "-o", "/dev/full")

    def test_ADeviceIsWrittenToAndNotReplaced(self):
        self.output(*SIMULATE, "--nodes", "2", "--bytes", "8", "--csv", "/dev/null")
        self.assertFalse(os.path.isfile("/dev/null"))

    def test_AnOlderFileIsReplacedWholeOrNotAtAll(self):
        self.write("out", "older")
        self.refused(".*expected", *SIMULATE, "--nodes", "2", "--bytes", "-1", "--csv", "out")
        self.refused("17 nodes", "tune", *TUNE[1:4], "17", *TUNE[5:], "-o", "out")
        self.assertEqual(self.read("out"), "older")
        self.output(*TUNE, "-o", "out")
        self.assertTrue(self.read("out").startswith("{\n"))
        os.symlink("out", self.path("link"))
        self.output(*SIMULATE, "--nodes", "2", "--bytes", "8", "--csv", "link")
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertTrue(self.read("out").startswith("system,"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["link", "out"])


if __name__ == "__main__":
    unittest.main()
