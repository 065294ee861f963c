"""What verbs say with --json is as cli/output.schema.json has it: every key, no other, in its type."""
import json
import os
import re
import shutil
import unittest
import warnings

from program import DEMO, TUTTI, ProgramTest

try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SCHEMA = os.path.join(ROOT, "cli", "output.schema.json")
RULES = os.path.join(ROOT, "examples", "how-to", "by-hand.rules")
HOW_TO = os.path.join(ROOT, "examples", "how-to")
HERE = ("--machine", "example-cluster")


@unittest.skipUnless(jsonschema, "no jsonschema (Debian: python3-jsonschema)")
class Json(ProgramTest):
    @classmethod
    def setUpClass(cls):
        with open(SCHEMA, encoding="utf-8") as file:
            cls.schema = json.load(file)
        jsonschema.Draft7Validator.check_schema(cls.schema)

    def errors(self, name, value):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # newer versions have another way to resolve references
            schema = {"$ref": f"#/definitions/{name}", "definitions": self.schema["definitions"]}
            resolver = jsonschema.RefResolver("file://" + SCHEMA, schema)
            return [f"{list(error.absolute_path)}: {error.message[:300]}" for error in jsonschema.Draft7Validator(schema, resolver=resolver).iter_errors(value)]

    def holds(self, verb, *arguments, statuses=(0,)):
        done = self.call(verb, *arguments, "--json")
        self.assertIn(done.returncode, statuses, done.stderr)
        value = json.loads(done.stdout)
        self.assertEqual(self.errors(verb, value), [], (verb, *arguments))
        return value

    def tune(self, *more):
        self.output("tune", *HERE, "--nodes", "2,3,5", "--osu-sizes", "8:4K", "--collectives", "bcast,allreduce", "--confirm", "none", *more, "-o", "table.json")

    def test_OfAlgorithmsAndProofs(self):
        self.holds("list")
        self.holds("list", "allreduce", "--why-not", "P=12,bytes=8")
        self.holds("verify", "--collective", "scan", "--ranks", "1-4")
        self.holds("doctor")

    def test_OfMachines(self):
        for machine in self.holds("machines"):
            self.holds("machine", machine["name"])
        self.holds("machine", "--from", "ibnetdiscover=" + os.path.join(HOW_TO, "fabric.txt"), "-o", "mine.json")
        self.holds("machine", "mine.json")
        self.holds("calibrate", "--imb", "cache=" + os.path.join(DEMO, "pingpong-imb.txt"), *("--base", "example-cluster"), "-o", "fitted.json")
        self.write("measured.csv", "system,collective,algorithm,ranks,ppn,bytes,median_us\n" + "".join(
            f"example-cluster,allgather,ring,{nodes},1,{size},{size / 4000 + 3}\n" for size in (64, 65536) for nodes in (3, 4)))
        fit = ("calibrate", "--collectives", "measured.csv", "--fit", "allgather:ring", "--base", "example-cluster", "--starts", "1")
        self.holds(*fit, "-o", "fitted.json")
        self.holds(*fit, "--cross-validate", "-o", "fitted.json")

    def test_OfSimulations(self):
        self.holds("simulate", "allreduce", *HERE, "--algorithm", "all,default:open-mpi-5.0", "--ranks", "2,5", "--bytes", "0,64K", "--mode", "back-to-back:3")
        self.holds("simulate", "barrier", *HERE, "--algorithm", "all", "--nodes", "1", "--ppn", "3")
        self.holds("simulate", "alltoallv", *HERE, "--algorithm", "linear", "--nodes", "3", "--bytes", "64K", "--counts", "one:2", "--check")
        self.holds("simulate", "reduce", *HERE, "--algorithm", "linear", "--nodes", "3", "--bytes", "64", "--placement", "cyclic", "--root", "1", "--element", "8",
                   "--op", "user", "--in-place")
        self.holds("simulate", "bcast", *HERE, "--algorithm", "binomial", "--nodes", "3", "--bytes", "8", "--noise", "every=1e-3,for=1e-6")
        self.holds("simulate", "bcast", *HERE, "--algorithm", "binomial", "--nodes", "3", "--bytes", "8", "--background", "alltoall:nodes=3,bytes=4K")
        self.holds("whatif", "bcast", "barrier", *HERE, "--nodes", "3,4", "--bytes", "0,8", "--bandwidth", "leaf=+50%,-50%", "--placement", "scattered:1")
        self.holds("whatif", "bcast", *HERE, "--nodes", "4", "--bytes", "8", "--fail", "cable:leaf", "--routing", "ecmp")
        self.holds("explain", "allreduce", *HERE, "--nodes", "5", "--ppn", "3", "--bytes", "1M", "--library", "mpich-5.0")
        self.holds("explain", "bcast", *HERE, "--nodes", "3", "--bytes", "8", "--library", "mpich", "--noise", "every=1e-3,for=1e-6", "--seed", "2")
        self.holds("explain", "bcast", *HERE, "--nodes", "1", "--bytes", "8", "--library", "open-mpi-4.1")

    def test_OfTablesAndTuningFiles(self):
        self.tune("--for", "open-mpi-4.1")
        self.holds("export", "table.json", "--to", "open-mpi-classic", "-o", "new.rules")
        self.holds("lint", RULES, "--for", "open-mpi-4.1", statuses=(1,))
        self.holds("lint", "new.rules", "--for", "open-mpi-4.1")
        self.holds("diff", RULES, "new.rules", "--for", "open-mpi-4.1", statuses=(0, 1))
        self.holds("audit", RULES, "table.json", "--for", "open-mpi-4.1", *HERE, statuses=(0, 1))
        self.holds("explain", "bcast", *HERE, "--nodes", "5", "--bytes", "64", "--library", "open-mpi-4.1", "--file", "new.rules")
        self.holds("plan", "table.json", "--budget", "1nh", "-o", "campaign")
        self.output("tune", *HERE, "--nodes", "2-4", "--osu-sizes", "8", "--collectives", "bcast,barrier", "--shard", "1/2", "--state", "sweep")
        self.holds("status", "sweep")
        self.assertIsNone(self.holds("merge", "sweep", "-o", "joined.json", statuses=(1,))["table"])
        shard = self.holds("tune", *HERE, "--nodes", "2-4", "--osu-sizes", "8", "--collectives", "bcast,barrier", "--shard", "2/2", "--state", "sweep")
        self.assertEqual((shard["shard"], shard["failed"]), (2, []))
        self.assertEqual(self.holds("merge", "sweep", "-o", "joined.json")["missing"], [])

    def test_OfTablesThatAreMade(self):
        made = self.holds("tune", *HERE, "--nodes", "2,3", "--osu-sizes", "8:64", "--collectives", "bcast,barrier", "--confirm", "none", "--baselines",
                          "open-mpi-4.1", "-o", "table.json")
        with open(self.path("table.json"), encoding="utf-8") as file:
            table = json.load(file)
        self.assertEqual((made["cells"], made["rules"]), (len(table["cells"]), len(table["rules"])))
        self.assertEqual([gain["library"] for gain in made["gains"]], ["open-mpi-4.1"])
        studied = self.holds("study", "odd-counts", "table.json", "-o", "study")
        with open(self.path("study/counts.csv"), encoding="utf-8") as file:
            self.assertEqual(len(studied["rows"]), len(file.readlines()) - 1)
        self.assertEqual(self.call("tune", *HERE, "--nodes", "2", "--osu-sizes", "8", "--json", "-o", "-").returncode, 2)

    def test_OfRealRuns(self):
        for what in (("bcast", "--algorithm", "binomial,default:open-mpi-5.0", "--bytes", "0,1K"), ("latency", "--bytes", "8"), ("copy", "--bytes", "1K")):
            done = self.call("launch", "-n", "2", "--", TUTTI, "bench", *what, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.errors("bench", json.loads(done.stdout)), [], what)

    def test_OfWhatIsValidated(self):
        self.output("tune", *HERE, "--nodes", "1", "--ppn", "2", "--osu-sizes", "8", "--collectives", "bcast", "--confirm", "none", "--for", "open-mpi-4.1", "-o", "table.json")
        found = self.holds("validate", "table.json", "-o", "results", "--blocks", "1", "--no-plots", statuses=(0, 1))
        self.assertEqual([(cell["collective"], cell["ranks"]) for cell in found["cells"]], [("bcast", 2)])

    def test_OfScriptsOfMpiJobs(self):
        self.output("calibrate", "--mpi", "points", "--batch")
        found = self.holds("status", "points")
        self.assertEqual([(part["state"], part["jobs"], part["jobs_done"]) for part in found["parts"]], [("waiting", 10, 0)])

    def test_OfWhatALibraryFollowed(self):
        if shutil.which("mpirun") is None or shutil.which("mpicc") is None:
            self.skipTest("no Open MPI")
        root = " --allow-run-as-root" if os.geteuid() == 0 else ""
        self.holds("follow", RULES, "--mpi", "mpirun --oversubscribe -np 3" + root, "--ranks", "2,3", "--largest", "1K", statuses=(0, 1))

    def test_EveryVerbThatHasItIsInTheSchemaAndTried(self):
        verbs = re.findall(r"^  ([a-z]+) ", self.output("--help").split("Subcommands:")[1], re.M)
        have = {verb for verb in verbs if re.search(r"^ +--json\b", self.call(verb, "--help").stdout, re.M)}
        self.assertGreater(len(have), 12)
        with open(__file__, encoding="utf-8") as file:
            tried = set(re.findall(r'self\.holds\("([a-z]+)"', file.read())) | {"bench"}
        self.assertEqual(have - self.schema["definitions"].keys(), set())
        self.assertEqual(have - tried, set())

    def test_WhatDiffersIsFound(self):
        good = self.holds("simulate", "bcast", *HERE, "--algorithm", "binomial", "--nodes", "3", "--bytes", "8")
        for change in ({"time_us": "3"}, {"colour": 1}, {"trust": "blind"}, {"bytes": -1}):
            self.assertNotEqual(self.errors("simulate", [{**good[0], **change}]), [], change)
        self.assertNotEqual(self.errors("simulate", [{name: value for name, value in good[0].items() if name != "mode"}]), [])


if __name__ == "__main__":
    unittest.main()
