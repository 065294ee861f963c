"""Files that are not what they should be, and outputs that cannot be written."""
import json
import os
import re
import subprocess
import unittest

from program import TUTTI
from refused import OSU, OSU_ROWS, Refused, SIMULATE, TUNE


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
        with open(os.path.join(os.path.dirname(__file__), "..", "..", "examples", "demo", "pingpong-imb.txt")) as file:
            lines = file.readlines()
        table = next(i for i, line in enumerate(lines) if "#bytes" in line)
        self.calibrate("".join(lines[:table + 1]), r"m.txt:\d+: .*expected", "--imb")
        self.calibrate("".join(lines[:table + 5])[:-6], rf"m.txt:{table + 5}: .*expected", "--imb")
        self.refused(r"missing.txt.*: expected a readable file", "calibrate", "--csv", "missing.txt", "--base",
                     "example-cluster", "-o", "new.json")

    def test_MeasurementsAreNotWrittenOver(self):
        self.write("m.txt", OSU + OSU_ROWS)
        for measured in ("m.txt", "node=m.txt", "./m.txt"):
            self.refused(r"m.txt: .*expected another file", "calibrate", "--osu", measured, "--base",
                         "example-cluster", "-o", "m.txt")
        self.refused(r"m.txt: .*expected another file", "calibrate", "--collectives", "m.txt", "--base",
                     "example-cluster", "--predictions", "m.txt")

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
        self.refused("missing.json:1: No such file or directory: expected a readable table", "export", "missing.json", "--to", "open-mpi-classic",
                     "-o", "r.txt")
        for broken, expected in (("", "b.json:1: expected JSON"),
                                 (text[:-20], r"b.json:\d+: expected JSON"),
                                 (text.replace("tutti-table-1", "tutti-table-9"), "b.json:2: /format: "),
                                 (text.replace('"linear"', '"square"'), r"b.json:\d+: /cells/0/times_us: unknown algo"),
                                 (text.replace('"bytes":8', '"bytes":-8'), r"b.json:\d+: /cells/0/bytes: ")):
            self.write("b.json", broken)
            self.refused(expected, "export", "b.json", "--to", "open-mpi-classic", "-o", "r.txt")
        empty = json.loads(text)
        empty["cells"], empty["rules"] = [], []
        self.write("empty.json", json.dumps(empty))
        self.refused("empty.json: expected a table with cells", "export", "empty.json", "--to", "open-mpi", "-o", "r.txt")
        self.refused("unknown target 'my-mpi': expected one of intel, mpich-ch4-json, mpich-json, ", "export", "t.json", "--to", "my-mpi",
                     "-o", "r.txt")
        self.refused("the table has no cells with 7 ranks per node", "export", "t.json", "--to",
                     "open-mpi-classic", "--ppn", "7", "-o", "r.txt")
        self.refused("--json: expected a file for -o", "export", "t.json", "--to", "open-mpi-classic", "--json", "-o", "-")
        self.refused("--module: expected a file for -o", "export", "t.json", "--to", "ucc", "--module", "-o", "-")
        self.refused("the table does not say what open-mpi-4.1's own choices take: tutti tune with --for open-mpi-4.1 or "
                     "--baselines open-mpi-4.1 finds it", "export", "t.json", "--to", "open-mpi-classic", "-o", "r.txt")

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
        self.output(*TUNE, "--for", "open-mpi-4.1", "-o", "t.json")
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
