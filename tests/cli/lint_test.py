"""What is wrong with a tuning file: file, line, what, why and what to do; a clean one says nothing."""
import json
import unittest

from refused import Refused

# Open MPI's classic form: what allgathers of 64 ranks do, with sizes of one rank and a number that only 5.0 has.
RULES = "# by hand\n1\n0\n2\n0\n1\n0 0 0 0\n64\n3\n0 1 0 0\n8 2 0 0\n64 7 0 0\n"


class Lint(Refused):
    def test_SaysWhatWhereWhyAndWhatToDo(self):
        self.write("rules", RULES)
        done = self.call("lint", "rules", "--for", "open-mpi-4.1")
        self.assertEqual(done.returncode, 1)
        lines = done.stdout.split("\n")
        self.assertEqual(len(lines), 7, done.stdout)
        self.assertRegex(lines[0], "^rules:11: unit: no allgather of .* has 8 to 63 bytes in all$")
        self.assertRegex(lines[1], "^  why: .*bytes of all blocks together")
        self.assertRegex(lines[2], "^  do:  .*multiply them by the ranks")
        self.assertRegex(lines[3], "^rules:12: unknown: Open MPI 4.1 has no algorithm 7 of allgather; Open MPI 5.0 has it$")
        self.assertIn("2 findings, 0 notes", done.stderr)
        found = json.loads(self.call("lint", "rules", "--for", "open-mpi-4.1", "--json").stdout)
        self.assertEqual([(each["file"], each["line"], each["kind"], each["note"]) for each in found["findings"]],
                         [("rules", 11, "unit", False), ("rules", 12, "unknown", False)])
        for each in found["findings"]:
            self.assertTrue(each["what"] and each["why"] and each["fix"])

    def test_OfAMutilatedFileTellsWhatIsThereAsJsonToo(self):
        with open(self.path("rules"), "wb") as file:
            file.write(RULES.encode("utf-16"))
        done = self.call("lint", "rules", "--for", "open-mpi-4.1", "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(json.loads(done.stdout)["findings"][0]["line"], 1)

    def test_QuotesBytesThatAreNoTextByAMarkAndSoDoRefusals(self):
        with open(self.path("rules"), "wb") as file:
            file.write(b"a\xff\x1b[1m\n")
        done = self.call("lint", "rules", "--for", "open-mpi-4.1")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("a\ufffd [1m", done.stdout)
        self.refused("--for a\ufffd .1m: expected a library", "lint", "rules", "--for", "a\udcff\x1b[1m")

    def test_NotesDoNotCount(self):
        self.write("rules", "1\n7\n1\n0\n1\n0 1 0 8192\n")
        self.assertEqual(self.output("lint", "rules", "--for", "open-mpi-4.1"), "")
        self.assertRegex(self.output("lint", "rules", "--for", "open-mpi-4.1", "--notes"), "^rules:6: note: parameter: ")
        self.assertTrue(json.loads(self.output("lint", "rules", "--for", "open-mpi-4.1", "--json"))["findings"][0]["note"])

    def test_NamesOfOpenMpisAlgorithmsAreReadAndOnesThatItLacksCostTheirRuleAlone(self):
        head = '{"rule_file_version":3,"module":"tuned","collectives":{"bcast":[{"comm_size_min":2,"comm_size_max":64,"rules":['
        self.write("named", head + '\n{"msg_size_min":0,"msg_size_max":4095,"alg":"pipeline","seg_size":1024}]}]}}\n')
        self.assertEqual(self.output("lint", "named", "--for", "open-mpi-json"), "")
        self.write("named", head + '\n{"alg":"foo"},\n{"alg":"binomial"}]}]}}\n')
        done = self.call("lint", "named", "--for", "open-mpi-json")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, '^named:2: unknown: Open MPI has no algorithm "foo" of bcast\n  why: the library leaves out this rule alone')
        self.assertIn("1 finding, 0 notes", done.stderr)

    def test_AFileOfCollHanIsReadAsTheLibraryReadsItAndWhatIsNotKnownIsPricedNowhere(self):
        self.write("t.han", "1 allreduce 2 intra_node 1\n1 1\n0 tuned\n global_communicator 2\n1 1\n0 libnbc\n4 2\n0 tuned\n4096 han @reproducible\n")
        self.assertEqual(self.output("lint", "t.han", "--for", "open-mpi-han"), "")
        notes = self.output("lint", "t.han", "--for", "open-mpi-han", "--notes")
        self.assertRegex(notes, "(?s)^t.han:6: note: unknown: what runs by libnbc .*\nt.han:9: note: unknown: what runs by han @reproducible ")
        call = ("explain", "allreduce", "--machine", "example-cluster", "--nodes", "4", "--ppn", "2", "--library", "open-mpi-han", "--file", "t.han")
        self.assertIn("coll/tuned runs recursive_doubling", self.output(*call, "--bytes", "1K"))
        self.refused("t.han:9: expected tuned or han for allreduce of 8192 bytes .8K. on 8 ranks: what runs there by han @reproducible is not known to Tutti",
                     *call, "--bytes", "8K")
        self.write("t.han", "1 allreduce 1 global_communicator 1\n1 1\n0 han @simple\n")
        self.assertEqual(self.output("lint", "t.han", "--for", "open-mpi-han", "--notes"), "")
        self.assertRegex(self.output(*call, "--bytes", "1K"), r"(?s)coll/han runs han_simple.* t\.han:3, .* to run it itself, in its simple\s+variant")
        self.write("t.han", "1 allreduce 1 global_communicator 1 1 1 0 foo\n")
        self.assertRegex(self.call("lint", "t.han", "--for", "open-mpi-han").stdout, "^t.han:1: unreadable: .*a component of self, basic,")

    def test_WhatNobodyCanReadIsAFindingAndWhatIsNotThereIsRefused(self):
        self.write("rules", "1\n7\n1\n")
        done = self.call("lint", "rules", "--for", "open-mpi-4.1")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "^rules:3: unreadable: what stands here cannot be read: expected a communicator size")
        self.refused("nothing:1: No such file or directory: expected a readable file", "lint", "nothing", "--for", "open-mpi-4.1")
        self.refused("--for openmpi: expected a library or the form of its file", "lint", "rules", "--for", "openmpi")

    def test_AFileOfAnotherFormIsSaidToLookLikeThat(self):
        self.write("t.han", "1 allreduce 2 intra_node 1\n1 1\n0 tuned\n global_communicator 2\n1 1\n0 tuned\n4 2\n0 tuned\n4096 tuned\n")
        done = self.call("lint", "t.han", "--for", "open-mpi-4.1")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "^t.han:1: unreadable: .*\n.*\n  do:  it looks like a file of the form open-mpi-han, which --for takes; else ")
        self.write("rules", "1\n7\n1\n")
        self.assertNotIn("looks like", self.call("lint", "rules", "--for", "open-mpi-4.1").stdout)

    def test_AVersionsNameIsTakenWhereItNamesOneExporterAndElseTheRightOneIsSuggested(self):
        self.write("mv.sh", "nodes=1\n")
        for version, form in (("mvapich2-2.3", "mvapich2"), ("ucc-1.3", "ucc")):
            self.assertIn(f"{form}: 1 finding", self.call("lint", "mv.sh", "--for", version).stderr)
        self.refused(r"--for open-mpi-6.0: expected .* \(did you mean open-mpi-json\?\)", "lint", "mv.sh", "--for", "open-mpi-6.0")
        self.refused(r"unknown target 'open-mpi-6.0': .* \(did you mean open-mpi-json\?\)", "export", "mv.sh", "--to", "open-mpi-6.0", "-o", "x")
        here = ("tune", "--machine", "example-cluster", "--nodes", "2,3", "--bytes", "8,1K", "--collectives", "allreduce", "--confirm", "none")
        self.output(*here, "--for", "mvapich2-2.3", "-o", "a.json")
        self.output(*here, "--for", "mvapich2", "--baselines", "mvapich2-2.3", "-o", "b.json")
        self.assertEqual(self.read("a.json"), self.read("b.json"))
        self.refused(r"no tuning file of 'open-mpi-6.0' can be written: .*open-mpi-json is\?\)", *here, "--for", "open-mpi-6.0", "-o", "c.json")

    def test_OfFormsThatTuttiReadsOnlyAsItWritesThemItSaysThatAlone(self):
        for form, plain in (("intel", "export I_MPI_ADJUST_BCAST=1\n"), ("ucc", "UCC_TL_UCP_TUNE=bcast:@0\n")):
            self.write("plain", plain)
            done = self.call("lint", "plain", "--for", form)
            self.assertEqual(done.returncode, 1)
            self.assertIn("what the library makes of it is not known", done.stdout)
            self.assertNotIn("ignores", done.stdout)

    def test_WhatIsExportedIsClean(self):
        self.output("tune", "--machine", "example-cluster", "--nodes", "2-4,8", "--ppn", "1,2", "--bytes", "8,8K,256K", "--collectives",
                    "allreduce,bcast,allgather,alltoall,barrier", "--baselines", "open-mpi-4.1,open-mpi-5.0,mpich", "-o", "table.json")
        for form in ("open-mpi", "open-mpi-classic", "open-mpi-classic-5.0", "open-mpi-han", "open-mpi-json", "mpich-json", "mvapich-plus-json", "mvapich2", "ucc", "nccl",
                     "intel", "pgmpitune"):
            for extend in ((), ("--extend",)):
                name = "rules." + form
                done = self.call("export", "table.json", "--to", form, "-o", name, *extend)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.output("lint", name, "--for", form), "", form)


if __name__ == "__main__":
    unittest.main()
