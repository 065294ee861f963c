"""What must not be lost, crashed on or begun: inputs that are outputs too, memory that runs out, sizes that no node holds."""
import json
import os
import re
import resource
import subprocess
import unittest

from program import BUILD, TUTTI
from refused import OSU, OSU_ROWS, Refused, SIMULATE, TUNE

ROWS = "system,collective,algorithm,ranks,ppn,bytes,median_us\nexample-cluster,bcast,binomial,4,1,64,5.5\n"


def is_sanitized():
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as file:
        return re.search(r"^CMAKE_CXX_FLAGS:.*-fsanitize", file.read(), re.M) is not None


class Inputs(Refused):
    """A file that is read is not written over."""

    def setUp(self):
        super().setUp()
        machine = json.loads(self.output("machine", "example-cluster", "--json"))
        machine["network"] = {"graph": {"file": "cables.csv", "source": "a test",
                                        "cable": {"bandwidth_bytes_per_second": 1e10, "latency_seconds": 1e-7, "source": "a test"}}}
        self.write("machine.json", json.dumps(machine, indent=1))
        self.write("cables.csv", "node,a,s\nnode,b,s\nnode,c,t\ncable,s,t\n")
        self.write("placement.csv", "rank,node\n0,a\n1,b\n")
        self.write("counts.txt", "5 0 7\n")
        self.write("measured.txt", OSU + OSU_ROWS)
        self.write("rows.csv", ROWS)
        os.mkdir(self.path("placements"))
        self.write("placements/job.csv", "rank,node\n0,a\n1,b\n")
        self.output(*TUNE, "-o", "table.json", "--state", "state")

    def expect_kept(self, file, *verb):
        before = self.read_bytes(file)
        self.refused(rf".*is the same file as the input .*{re.escape(file)}, expected another file to write", *verb, file)
        os.symlink(self.path(file), self.path("symbolic"))
        os.link(self.path(file), self.path("hard"))
        for link in ("symbolic", "hard", "./" + file, self.path(file)):
            self.refused(re.escape(link) + ": is the same file as the input", *verb, link)
        os.remove(self.path("symbolic"))
        os.remove(self.path("hard"))
        self.assertEqual(self.read_bytes(file), before)

    def read_bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_ThatAreOutputsTooAreKept(self):
        simulate = ("simulate", "bcast", "--machine", "machine.json", "--algorithm", "linear", "--placement", "placement.csv",
                    "--bytes", "8")
        tune = ("tune", "--machine", "machine.json", *TUNE[3:])
        osu = ("calibrate", "--osu", "network=measured.txt", "--base", "machine.json")
        for verb, files in (((*simulate, "--csv"), ("machine.json", "cables.csv", "placement.csv")),
                            ((*simulate, "--trace"), ("machine.json", "cables.csv", "placement.csv")),
                            ((*tune, "-o"), ("machine.json", "cables.csv")),
                            ((*tune, "-o", "new.json", "--costs"), ("machine.json", "cables.csv")),
                            ((*TUNE, "--state", "state", "-o"), ("state/sweep.sqlite",)),
                            (("tune", "--machine", "example-cluster", "--nodes", "3", "--collectives", "gatherv", "--counts", "counts.txt", "--confirm",
                              "none", "-o"), ("counts.txt",)),
                            (("report", "table.json", "--machine", "machine.json", "-o"), ("table.json", "machine.json", "cables.csv")),
                            (("export", "table.json", "--to", "open-mpi-classic", "-o"), ("table.json",)),
                            ((*osu, "-o"), ("measured.txt", "machine.json", "cables.csv")),
                            (("calibrate", "--collectives", "rows.csv", "--base", "machine.json", "--predictions"),
                             ("rows.csv", "machine.json", "placements/job.csv"))):
            for file in files:
                with self.subTest(verb=verb, file=file):
                    self.expect_kept(file, *verb)

    def test_TwoOutputsAreTwoFiles(self):
        for first, second in (("out", "out"), ("out", "./out"), ("out", self.path("out"))):
            self.refused(".*is the same file as the output", *TUNE, "-o", first, "--costs", second)
            self.refused(".*is the same file as the output", *SIMULATE, "--nodes", "2", "--bytes", "8", "--csv", first,
                         "--trace", second)

    def test_StdoutIsAFileToo(self):
        with open(self.path("machine.json"), "a", encoding="utf-8") as end:
            done = subprocess.run([TUTTI, "simulate", "bcast", "--machine", "machine.json", "--algorithm", "linear", "--ranks",
                                   "2", "--bytes", "8", "--csv", "-"], cwd=self.folder, stdout=end, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "^tutti: -: is the same file as the input machine.json")

    def test_AValidationDoesNotReplaceTheTableThatItIsGiven(self):
        os.mkdir(self.path("results"))
        os.rename(self.path("table.json"), self.path("results/table.json"))
        before = self.read("results/table.json")
        done = self.call("validate", "results/table.json", "-o", "results", "--read")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, "results/table.json: .*expected another folder")
        self.assertEqual(self.read("results/table.json"), before)


class Memory(Refused):
    def test_ThatRunsOutEndsWithAMessageAndStatus3(self):
        if is_sanitized():
            self.skipTest("sanitizers reserve more address space than any limit here")
        for megabytes in (150, 200):
            limit = megabytes << 20
            done = subprocess.run(
                [TUTTI, "simulate", "alltoall", "--machine", "azure-hbv4", "--algorithm", "linear", "--nodes", "16",
                 "--ppn", "128", "--bytes", "1M", "--csv", "out.csv"], cwd=self.folder, capture_output=True, text=True, timeout=300,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
            self.assertEqual((done.returncode, done.stderr, done.stdout), (3, "tutti: out of memory\n", ""), megabytes)
            self.assertEqual(os.listdir(self.folder), [])

    def test_OfTheNodeIsWhatABenchMayTake(self):
        launched = ("launch", "-n", "2", "--", TUTTI, "bench")
        for verb in (("bench", "allreduce"), ("bench", "alltoall"), ("bench", "copy"), ("bench", "reduction"), (*launched, "latency"),
                     (*launched, "bandwidth"), (*launched, "allgather")):
            done = self.call(*verb, "--bytes", "8,65536G")
            where = f"{verb}: {done.stdout}{done.stderr}"
            self.assertEqual(done.returncode, 2, where)
            self.assertNotRegex(done.stdout, r"(?m)^8 ", where)  # nothing is begun
            self.assertRegex(done.stderr, r"tutti: --bytes 65536G: the buffers of a node's \d ranks take .*, expected at most its "
                                          r"memory", where)


class Plans(Refused):
    def test_OfABenchAreRefusedByLine(self):
        for line, expected in (("allreduce 1 7 ring", "2: .*expected a multiple of the element"),
                               ("bcast 1 99999999999999999999 linear", "2: .*expected"),
                               ("bcast 1 72057594037927940 linear", "2: .*expected at most 2.56"),
                               ("bcast 1 65536G linear", "2: the buffers of a node's 1 ranks .*expected at most its memory"),
                               ("bcast 1 -1 linear", "2: .*expected"),
                               ("bcast 1 8linear", "2: expected COLLECTIVE RANKS BYTES ARM"),
                               ("bcast 1 8 linear 9", "2: expected COLLECTIVE RANKS BYTES ARM"),
                               ("bcast 1x 8 linear", "2: '1x': expected 1 to"),
                               ("bcast 0 8 linear", "2: '0': expected 1 to"),
                               ("allreduce 3 7 ring", "2: .*expected a multiple of the element"),
                               ("cast 1 8 linear", "2: .*expected"), ("bcast 1 8 square", "2: .*expected"),
                               ("bcast 1 8 default:mine", "2: .*expected")):
            self.write("p.plan", "# a plan\n" + line + "\n")
            self.refused("p.plan:" + expected, "bench", "plan", "--plan", "p.plan")
        self.write("p.plan", "bcast 1 8 linear")
        self.refused("p.plan:1: the file ends inside this line", "bench", "plan", "--plan", "p.plan")
        self.write("p.plan", "")
        self.refused("p.plan:1: the file is empty, expected a plan", "bench", "plan", "--plan", "p.plan")
        self.refused(r"\.:1: Is a directory: expected a readable file of a plan", "bench", "plan", "--plan", ".")


class Costs(Refused):
    def test_ThatCannotBeWrittenDoNotLoseTheTable(self):
        expected = self.output(*TUNE, "-o", "-")
        done = self.call(*TUNE, "-o", "table.json", "--costs", "/dev/full")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"tutti: /dev/full: cannot be written: .*the table is written\n\Z")
        self.assertEqual(self.read("table.json"), expected)


class Bases(Refused):
    def test_ThatAreNoMachineAreRefusedByLine(self):
        self.write("rows.csv", ROWS)
        for text, line in (("{\n\"name\": ,\n}", 2), ("", 1), ("[]", 1)):
            self.write("bad.json", text)
            for how in (("--fit", "bcast:binomial", "-o", "new.json"), ("--predictions", "new.csv")):
                self.refused(f"bad.json:{line}: .*expected|bad.json:{line}: .*Missing", "calibrate", "--collectives", "rows.csv", "--base", "bad.json", *how)


if __name__ == "__main__":
    unittest.main()
