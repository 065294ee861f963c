"""What `tutti export` and `tune --for` say of what a file cannot say, and of what nobody tuned."""
import json
import re
import unittest

from program import ProgramTest
from refused import Refused

ON = ("--machine", "example-cluster", "--confirm", "none")


class Untuned(ProgramTest):
    def test_ARuleOfLargeSizesDoesNotServeSmallOnes(self):
        tune = ("tune", *ON, "--nodes", "16", "--collectives", "gather,bcast", "--for", "open-mpi-4.1")
        self.output(*tune, "--bytes", "1M,4M", "-o", "large.json")
        self.output(*tune, "--bytes", "8,128,8K", "-o", "small.json")
        audit = ("audit", "large.rules", "small.json", "--for", "open-mpi-4.1")
        for extra, status in (((), 0), (("--extend-sizes",), 1)):
            self.output("export", "large.json", "--to", "open-mpi-classic", "-o", "large.rules", *extra)
            done = self.call(*audit, "--machine", "example-cluster")
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)

    def test_AStrictExportIsOneWhereRulesServeSizesThatTheFormCannotLeave(self):
        self.output("tune", *ON, "--nodes", "4", "--bytes", "8,1K", "--collectives", "scan,bcast", "--algorithms", "linear", "--baselines", "open-mpi-4.1",
                    "-o", "t.json")
        table = json.loads(self.read("t.json"))
        for cell in table["cells"]:  # what can be told is the best
            cell["defaults_us"]["open-mpi-4.1"] = 1e6
        self.write("t.json", json.dumps(table))
        export = ("export", "t.json", "--to", "open-mpi-classic", "--strict", "-o", "f")
        done = self.call(*export, "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["for_all_sizes"]), (1, ["scan"]), done.stderr)
        self.assertIn("1 collective has rules that also serve sizes that were not tuned, which this form cannot leave to the library\n", done.stderr)
        said = self.read("f")
        self.assertIn("sizes that were not tuned cannot be left to the library where rules serve all sizes: scan\n", said)
        self.assertIn("are left to the library (--extend-sizes gives them rules)\n", said)
        self.assertEqual(self.call(*export, "--extend-sizes").returncode, 0)


class FilesBeside(Refused):
    def setUp(self):
        super().setUp()
        self.output("tune", *ON, "--nodes", "2", "--ppn", "2", "--bytes", "8", "--collectives", "bcast", "--algorithms", "linear,binomial", "--for", "open-mpi-5.0", "-o", "t.json")
        self.output("export", "t.json", "--to", "open-mpi", "-o", "f")
        self.han = self.read("f.han")
        self.write("moved", self.read("f"))

    def test_MayBeMovedTogetherAndCommentedAsLongAsTheySayTheSame(self):
        for text in self.han, self.han.replace("\n", "\r\n"), self.han + "# by hand\n", self.han.replace("\n", "  # by hand\n"):
            self.write("moved.han", text)
            done = self.call("lint", "moved", "--for", "open-mpi")
            self.assertEqual((done.returncode, done.stdout, "moved.han" in done.stderr), (0, "", False), text + done.stderr)

    def test_ThatSayOtherThingsAreAFindingAndNothingIsAnsweredAsIfTheyDidNot(self):
        self.write("moved.han", self.han.replace("global_communicator", "inter_node", 1))
        done = self.call("lint", "moved", "--for", "open-mpi")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "^moved:1: ignored: moved.han is another file than tutti export writes beside this one\n  why: the library reads moved.han,")
        for verb in (("explain", "bcast", *ON[:2], "--nodes", "2", "--ppn", "2", "--bytes", "8", "--library", "open-mpi", "--file", "moved"),
                     ("audit", "moved", "t.json", *ON[:2], "--for", "open-mpi"), ("diff", "f", "moved", "--for", "open-mpi")):
            self.refused("moved.han: it is another file than tutti export writes beside moved, which alone is read here: expected both exported anew,", *verb)
        self.write("calls", "bcast 4 8 byte sum 0 file:open-mpi:moved\n")  # which what a library sends is compared with
        done = self.call("messages", "calls", "--ppn", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: moved.han is another file", done.stderr)


class Texts(Refused):
    def test_WhereNothingIsComparedNoFactorIsSaid(self):
        self.output("tune", *ON, "--nodes", "4", "--bytes", "64M", "--collectives", "allreduce,scan", "-o", "t.json")
        for target in ("intel", "nccl"):
            done = self.call("export", "t.json", "--to", target, "-o", "f")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("scan: nothing that the library can be told\n", done.stderr)
            self.assertNotIn("of 0 cells", done.stderr)

    def test_WhatIsMadeOfAnotherLibrarysTableIsSaidWithTheWayThere(self):
        for library, of, form in (("pgmpitune", "open-mpi-5.0", "pgmpitune"), ("pgmpitune-mpich", "mpich-5.0", "pgmpitune-mpich"),
                                  ("mvapich-plus", "mpich", "mvapich-plus-json")):
            self.refused(f"'{library}' cannot be searched for, as its files are made of a table for {of}: expected tutti tune --baselines {of}, and "
                         f"tutti export --to {form} of its table", "tune", *ON, "--nodes", "2", "--bytes", "8", "--for", library, "-o", "t.json")

    def test_ALibraryWithoutItsVersionIsLedToTheOneOfItsExporter(self):
        self.refused(r"no tuning file of 'open-mpi' can be written: .* \(did you mean open-mpi-5.0, for which open-mpi is\?\)$", "tune", *ON,
                     "--nodes", "2", "--bytes", "8", "--for", "open-mpi", "-o", "t.json")

    def test_WhatAVersionsFileGainsIsSaidAsExportSaysIt(self):
        done = self.call("tune", *ON, "--nodes", "4", "--bytes", "8,64K", "--collectives", "bcast,allreduce", "--baselines", "ucc-1.3,mvapich2-2.3", "-o",
                         "t.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        for library, form in (("ucc-1.3", "ucc"), ("mvapich2-2.3", "mvapich2")):
            (said,) = re.findall(rf"over the default of {library}: ([0-9.]+) times as fast by its tuning file \(tutti export --to {form}\)", done.stderr)
            exported = json.loads(self.output("export", "t.json", "--to", form, "--json", "-o", "f"))
            self.assertEqual(exported["own_choices_of"], library)
            self.assertEqual(said, f"{exported['gain']:.4g}")
            alone = self.call("tune", *ON, "--nodes", "2", "--bytes", "64K", "--collectives", "allreduce", "--for", library, "-o", "for.json")
            self.assertEqual(alone.stderr.count(f"over the default of {library}: "), 1, alone.stderr)


class OfSeveralCollectives(ProgramTest):
    def test_WhatCannotBeSaidIsNamedAndTheRestIsWritten(self):
        self.output("tune", *ON, "--nodes", "3", "--ppn", "1", "--bytes", "64K,1M", "--collectives", "allgatherv,alltoallv", "--counts", "zipf:1.2",
                    "--baselines", "mpich,open-mpi-5.0-without-han", "-o", "v.json")
        for form, can, cannot in (("mpich-json", "allgatherv", "alltoallv"), ("open-mpi-json", "alltoallv", "allgatherv")):
            done = self.call("export", "v.json", "--to", form, "--json", "-o", "f.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            report = json.loads(done.stdout)
            self.assertEqual([one["collective"] for one in report["collectives"]], [can])
            note = f"{cannot}: {form} has no choice to make for it, so that it is not in the file"
            self.assertIn(note, report["remarks"])
            self.assertIn(note + "\n", self.read("f.json.txt"))
            done = self.call("audit", "f.json", "v.json", "--for", form, "--json")
            self.assertEqual({cell["collective"] for cell in json.loads(done.stdout)["cells"]}, {can}, done.stderr)


if __name__ == "__main__":
    unittest.main()
