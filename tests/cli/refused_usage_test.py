"""Wrong usage, and what cannot be simulated."""
import os
import re
import subprocess
import unittest

from program import BUILD, TUTTI
from refused import OSU, OSU_ROWS, Refused, SIMULATE, TUNE


class Usage(Refused):
    def test_WithoutAVerbTheVerbsAreNamed(self):
        self.refused("expected a verb: list, verify, machines, machine, calibrate, simulate, whatif, tune, merge, status, export")

    def test_AnUnknownVerb(self):
        self.refused("unknown verb 'tutta': expected one of list, ", "tutta")

    def test_AnUnknownOption(self):
        self.refused(".*--colour", "list", "--colour")
        self.refused(".*--colour", *SIMULATE, "--nodes", "2", "--bytes", "8", "--colour", "red")
        self.refused(r"tutti has no option -v before a verb$", "-v")
        self.refused(r"tutti has no option --verison \(did you mean --version\?\) before a verb$", "--verison")
        self.refused(r"tutti has no option --bytes before a verb$", "--bytes", "8", "list")

    def test_WhatIsMisspeltIsGuessed(self):
        here = ("--algorithm", "linear", "--nodes", "2", "--bytes", "8")
        self.refused(r"simulate has no option --byte \(did you mean --bytes\?\)", *SIMULATE, "--nodes", "2", "--byte", "8")
        self.refused(r"simulate has no option --machin \(did you mean --machine\?\)", "simulate", "bcast", "--machin", "lumi", *here)
        self.refused("simulate: '8' was not expected there", *SIMULATE, "8", "--nodes", "2", "--bytes", "8")
        self.refused(r".*one of archer2, .* \(did you mean lumi-g\?\)$", "simulate", "bcast", "--machine", "lumi", *here)
        self.refused(r".*\(did you mean leonardo-booster\?\)$", "machine", "leonrado")
        self.refused(r".*\(did you mean binomial\?\)$", *SIMULATE[:-1], "binomail", *here[2:])
        self.refused(r"unknown verb 'simualte': .*\(did you mean simulate\?\)$", "simualte")
        self.refused(r"unknown collective 'allredcue': .*\(did you mean allreduce\?\)$", "list", "allredcue")
        self.refused(r"unknown default 'open-mpi': .*\(did you mean open-mpi-4.1, open-mpi-5.0 or open-mpi-5.0-without-han\?\)$", *SIMULATE[:-1],
                     "default:open-mpi", *here[2:])

    def test_VerbsInPythonRefuseAsTheOthersDo(self):
        for words, expected in ((("plan", "--budgit", "2nh"), r"plan has no option --budgit \(did you mean --budget\?\)"),
                                (("plan", "--machin=x"), r"plan has no option --machin \(did you mean --machine\?\)"),
                                (("validate", "--mpi", "t.json", "--seris", "5.0"), r"validate has no option --seris \(did you mean --series\?\)"),
                                (("follow", "rules", "--mpy", "mpirun"), r"follow has no option --mpy \(did you mean --mpi\?\)"),
                                (("lab", "up", "--rat", "1mbit"), r"lab up has no option --rat \(did you mean --rate\?\)"),
                                (("lab", "run", "--nmae", "x", "--", "true"), r"lab run has no option --nmae \(did you mean --name\?\)"),
                                (("lab", "run", "--name", "x", "--hosts=h1", "true"), r"lab run has no option --hosts \(did you mean --host\?\)"),
                                (("lab", "agent", "--nam", "x", "h1", "ls", "--all"), r"lab agent has no option --nam \(did you mean --name\?\)")):
            self.refused(expected + f"; see tutti {words[0]}.* --help$", *words)
        for words, expected in ((("plan", "--budget", "2nh"), "plan: expected -o/--output"),
                                (("plan", "--rounds", "two"), "plan: --rounds: expected a whole number, found 'two'"),
                                (("plan", "--series", "4.2"), r"plan: --series: expected one of 4.1, 5.0, found '4.2' \(did you mean 4.1\?\)"),
                                (("lab", "upp"), r"lab: VERB: expected one of up, run, status, down, agent, found 'upp' \(did you mean up\?\)")):
            done = self.call(*words)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertRegex(done.stderr, r"\Atutti " + expected)

    def test_NamesOfEveryKindAreGuessed(self):
        here = (*SIMULATE, "--nodes", "2", "--bytes", "8")
        self.refused(r"unknown parameter 'radx' of .* \(did you mean radix\?\)$", *SIMULATE[:-1], "knomial:radx=4", "--nodes", "2", "--bytes", "8")
        self.refused(r"unknown mode 'barier': .*\(did you mean barrier\?\)$", *here, "--mode", "barier")
        self.refused(r"mode 'loop': expected .* loop:CALLS\[:ALGORITHM\], back-to-back:CALLS, skew:SECONDS\[:CALLS\] or skew:file=FILE\[:CALLS\]$", *here, "--mode", "loop")
        self.refused(r"cyclc:1: expected .* \(did you mean cyclic\?\)$", *here, "--placement", "cyclc")
        self.refused(r"--placement blok: expected block or cyclic, .*\(did you mean block\?\)$", *TUNE, "-o", "t.json", "--placement", "blok")
        for library, form in (("open-mpi-5.0", "open-mpi"), ("open-mpi-5.0-without-han", "open-mpi-classic-5.0"), ("mpich", "mpich-json"), ("ucc-1.3", "ucc")):
            self.refused(rf"unknown target '{library}': .* \(did you mean {form}\?\)$", "export", "t.json", "--to", library, "-o", "r")
        self.refused(r"unknown target 'open-mpi-clasic': .*\(did you mean open-mpi-classic\?\)$", "export", "t.json", "--to", "open-mpi-clasic", "-o", "r")
        self.refused(r"--for open-mpi-4.2: expected a library .*\(did you mean open-mpi-4.1\?\)$", "lint", "rules", "--for", "open-mpi-4.2")
        self.refused(r"unknown library 'mpich-5': .*\(did you mean mpich-5.0\?\)$", "explain", "bcast", "--machine", "example-cluster", "--nodes", "2", "--bytes",
                     "8", "--library", "mpich-5")
        self.refused(r"unknown algorithm 'binomal': see tutti list \(did you mean binomial\?\)$", "verify", "--algorithm", "binomal")
        self.refused(r"question odd-cuonts: expected one of odd-counts \(did you mean odd-counts\?\)$", "study", "odd-cuonts", "t.json", "-o", "s")
        self.refused(r"ndoe=x: 'ndoe', expected .*\(did you mean node\?\)$", "calibrate", "--osu", "ndoe=x", "--base", "example-cluster", "-o", "m.json")
        machine = self.output("machine", "example-cluster", "--json")
        self.write("m.json", machine.replace('"fat_tree": {', '"fat_tree": {"routin": "ecmp", '))
        self.refused(r"m.json:\d+: .*unknown key, expected one of .*\(did you mean routing\?\)$", "machine", "m.json")

    def test_ANumberThatDoesNotFitIsSaidToBeTooLarge(self):
        here = (*SIMULATE, "--nodes", "2", "--bytes", "8")
        self.refused(r"--root 99999999999: expected at most 2\^31 - 1", *here, "--root", "99999999999")
        self.refused("--root 1.5: expected a whole number", *here, "--root", "1.5")
        self.refused("--nodes 99999999999: expected at most 16777216", *SIMULATE, "--nodes", "99999999999", "--bytes", "8")
        here = (*here, "--mode", "loop:2", "--seed")  # CLI11 takes the largest seed for these
        self.refused("--seed: expected 0 or more, got -1", *here, "-1")
        self.refused(r"--seed: expected at most 2\^64 - 1, got 18446744073709551616", *here, "18446744073709551616")
        self.assertIn("seed 18446744073709551615", self.output(*here, "18446744073709551615"))

    def test_AMissingOption(self):
        self.refused("simulate: collective is required: the collective; see tutti simulate --help", "simulate")
        self.refused("simulate: --machine is required: a machine.s name", "simulate", "bcast")
        self.refused(".*--output", *TUNE)
        self.refused("expected one of --bytes and --osu-sizes", *SIMULATE, "--nodes", "2")
        self.refused("expected one of --bytes and --osu-sizes", *SIMULATE, "--nodes", "2", "--bytes", "8",
                     "--osu-sizes", "8")
        self.refused("expected either --nodes .* or --ranks", *SIMULATE, "--bytes", "8")
        self.refused("expected either --nodes .* or --ranks", *SIMULATE, "--bytes", "8", "--nodes", "2", "--ranks", "2")

    def test_AnOptionWithoutWhatItIsAbout(self):
        for option, value in (("--fit", "nonsense"), ("--predictions", "p.csv"), ("--engine", "foo"), ("--starts", "5"), ("--most-ranks", "4"), ("--jobs", "1")):
            self.refused(f"{option}: expected --collectives beside it", "calibrate", "--osu", "osu.txt", "-o", "m.json", option, value)
        self.write("rows.csv", "system,collective,algorithm,ranks,ppn,bytes,median_us\nexample-cluster,bcast,binomial,4,1,8,5\n")
        self.refused("--most-ranks: expected --predictions beside it", "calibrate", "--collectives", "rows.csv", "--fit", "bcast:binomial", "--base",
                     "example-cluster", "-o", "m.json", "--most-ranks", "2")
        for option, value in (("--name", "foo"), ("--cores", "5"), ("--base", "fugaku"), ("--nic-rate", "5Gb/s"), ("--nics", "3"), ("--global-rate", "7Gb/s"),
                              ("--switch-latency", "1us")):
            self.refused(f"{option}: expected --from KIND=FILE beside it", "machine", "example-cluster", option, value)
        self.refused("--from: expected no machine beside it; --base fugaku takes", "machine", "fugaku", "--from", "hosts=h", "-o", "m.json")

    def test_WhatIsSaidTwice(self):
        self.refused("--why-not P=9,P=2: expected P once", "list", "allgather", "--why-not", "P=9,P=2")
        self.refused(r"noise .*expected every once", *SIMULATE, "--nodes", "2", "--bytes", "8", "--noise", "every=1e-3,every=1e-4,for=25e-6")

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
        self.refused("unknown algorithm 'square' for bcast", "verify", "--algorithm", "bcast/square")
        self.refused("--algorithm bcast/linear: expected one of --collective reduce$", "verify", "--collective", "reduce", "--algorithm", "bcast/linear")
        self.refused("unknown algorithm 'square' for bcast", "verify", "--collective", "bcast", "--algorithm", "square")
        self.refused("unknown algorithm 'square'", *TUNE[:-1], "linear,square", "-o", "t.json")

    def test_AnUnknownDefault(self):
        self.refused("unknown default 'lam': expected one of mpich, mpich-5.0, mvapich2-2.3, open-mpi-4.1, open-mpi-5.0, open-mpi-5.0-without-han, ucc-1.3", *SIMULATE[:-1],
                     "default:lam", "--nodes", "2", "--bytes", "8")

    def test_ALibraryThatCannotBeTold(self):
        self.refused("no tuning file of 'lam' can be written: expected one of intel, mpich, .*mvapich2, mvapich2-2.3, .*open-mpi-4.1, open-mpi-5.0.*, ucc-1.3", *TUNE,
                     "--for", "lam", "-o", "t.json")
        self.refused("--for open-mpi-4.1: expected collectives of which it can be told something that is asked for, not bcast", *TUNE[:-1], "knomial:radix=8",
                     "--for", "open-mpi-4.1", "-o", "t.json")

    def test_AParameterThatTheAlgorithmLacksOrCannotTake(self):
        for text, expected in (("knomial:radius=4", "unknown parameter 'radius' of bcast/knomial: expected one of radix"),
                               ("linear:radix=4", "unknown parameter 'radix' of bcast/linear, which has none"),
                               ("knomial:radix=1", "radix=1 of bcast/knomial: expected at least 2"),
                               ("knomial:radix=4:radix=8", "'knomial:radix=4:radix=8': expected radix once"),
                               ("hier(node=linear,node=binomial)", r".*expected node once"),
                               ("knomial:radix", "'radix' in 'knomial:radix': expected name=value"),
                               ("knomial:radix=two", "'two': expected a whole number")):
            self.refused(expected, *SIMULATE[:-1], text, "--nodes", "2", "--bytes", "8")

    def test_AChoiceToProveThatNoCollectiveHas(self):
        self.refused("unknown parameter 'radius' of allreduce/recexch", "verify", "--algorithm", "recexch:radius=8")
        self.refused("radix=1 of allreduce/recexch: expected at least 2", "verify", "--algorithm", "recexch:radix=1")
        self.refused("unknown algorithm 'square:radix=8'", "verify", "--algorithm", "square:radix=8")
        self.refused("unknown parameter 'radix' of bcast/binary", "verify", "--collective", "bcast", "--algorithm",
                     "binary:radix=8")
        self.refused("--limit 0: expected seconds", "verify", "--ranks", "2", "--limit", "0")

    def test_AChoiceThatTheProofRefutesIsNotTuned(self):
        done = self.call(*TUNE[:-1], "hasty:radix=6", "-o", "t.json",
                         program=os.path.join(BUILD, "tests", "tutti_with_fault"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"refuted, and so not to be chosen: bcast/hasty:radix=6 ranks=6 count=0 root=0: ")
        self.assertFalse(os.path.exists(self.path("t.json")))

    def test_AnUnknownEngineModeOperatorOrPlacement(self):
        here = (*SIMULATE, "--nodes", "2", "--bytes", "8")
        self.refused("unknown engine 'crystal-ball': built in are ", *here, "--engine", "crystal-ball")
        self.refused("unknown engine 'crystal-ball': built in are ", *TUNE, "--engine", "crystal-ball", "-o", "t.json")
        for mode in ("fast", "back-to-back", "back-to-back:0", "skew:-1", "skew:nan", "skew:1us"):
            self.refused(".*mode '" + mode + "'|.*'" + mode.split(":")[-1] + "'", *here, "--mode", mode)
        self.refused("unknown operator 'xor': expected sum, ", *here, "--op", "xor")
        self.refused("strewn:1: expected a readable placement file", *here, "--placement", "strewn")
        self.refused("--placement scattered: expected block, cyclic, scattered:SEED", *here, "--placement", "scattered")
        self.refused("--placement scattered: expected block or cyclic", *TUNE, "--placement", "scattered",
                     "-o", "t.json")

    def test_NoRanks(self):
        self.refused("--ranks 0: expected", "verify", "--ranks", "0")
        self.refused("--ranks 0: expected 1 or more", *SIMULATE, "--ranks", "0", "--bytes", "8")
        self.refused("--nodes 0: expected 1 or more", *SIMULATE, "--nodes", "0", "--bytes", "8")
        self.refused("--ppn 0: expected 1 or more", *SIMULATE, "--nodes", "2", "--ppn", "0", "--bytes", "8")
        self.refused("--nodes 0: expected 1 to ", "tune", *TUNE[1:4], "0", *TUNE[5:], "-o", "t.json")
        self.refused("--why-not P=0: expected P from 1 ", "list", "--why-not", "P=0")
        self.refused("--why-not P=2,radius=4: expected P=NUMBER", "list", "--why-not", "P=2,radius=4")
        self.refused("--why-not : expected P=NUMBER", "list", "--why-not", "")
        self.refused("--why-not P=4,neighbors=2x2: expected no neighbors", "list", "allgather", "--why-not", "P=4,neighbors=2x2")
        self.refused("--why-not P=4,bytes=48: expected no bytes", "list", "barrier", "--why-not", "P=4,bytes=48")
        self.refused(r"--why-not (P=4,)?radix=x: .*x", "list", "allreduce", "--why-not", "P=4,radix=x")
        self.refused("--why-not order=sideways: .*sideways", "list", "allreduce", "--why-not", "P=4,order=sideways")
        self.refused("unknown operator 'xor': expected sum, ", "list", "--why-not", "P=2,op=xor")

    def test_ASizeThatIsNone(self):
        for size in ("-1", "1e30", "nan", "8T", "1.5", "99999999999999999999", "16:8", "8,", "0:8"):
            for verb in (SIMULATE + ("--nodes", "2"), TUNE[:5] + TUNE[7:] + ("-o", "t.json")):
                for option in ("--bytes", "--osu-sizes"):
                    self.refused(".*expected ", *verb, f"{option}={size}")
        self.refused("--bytes: 1 required", *SIMULATE, "--nodes", "2", "--bytes=")
        self.refused("--bytes: '-1': expected a whole number", *SIMULATE, "--nodes", "2", "--bytes", "-1")

    def test_JsonIsRefusedWithoutTheNamesOfExceptions(self):
        machine = self.output("machine", "example-cluster", "--json")
        self.write("m.json", machine)
        self.write("large.json", re.sub(r": [0-9.e-]+,", ": 1e999,", machine, count=1))
        self.refused(r"large.json:\d+: expected JSON: number overflow parsing '1e999'$", "machine", "large.json")
        self.write("bad.json", "{")
        self.refused(r"bad.json:1: expected JSON: syntax error while parsing ", "machine", "bad.json")
        self.write(os.fsdecode(b"r\xff.csv"), "rank,node\n0,0\n1,1\n")
        done = subprocess.run([TUTTI, "whatif", "bcast", "--machine", "m.json", "--ranks", "2", "--bytes", "8", "--latency", "nic=+10%",
                               "--placement-before", os.fsdecode(b"r\xff.csv"), "--placement", "block", "--json"], cwd=self.folder, capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
        self.assertIn(b"expected UTF-8", done.stderr)

    def test_APartOfAListIsNamedByItsOptionAndTheList(self):
        for option, text, wrong in (("--bytes", "1,-5", "'-5'"), ("--osu-sizes", "8,99999999999999999999999", "'9+'"), ("--nodes", "1-x", "'x'"), ("--nodes", "2,,3", "''"),
                                    ("--ppn", "2-1", "'2-1'"), ("--ranks", "0:4", "'0:4'")):
            for verb in (SIMULATE, ("whatif", "bcast", "--machine", "example-cluster", "--latency", "nic=+10%")):
                where = () if option in ("--nodes", "--ranks") else ("--nodes", "2")
                sizes = () if option in ("--bytes", "--osu-sizes") else ("--bytes", "8")
                its_list = "" if wrong == f"'{text}'" else f" '{text}'"
                self.refused(f"{option}{its_list}: {wrong}: expected ", *verb, *where, *sizes, option, text)
        self.refused("--nodes '2,x': 'x': expected ", *TUNE[:3], "--nodes", "2,x", "--bytes", "8", "-o", "t.json")
        self.refused("--ranks '1-x': 'x': expected ", "verify", "--ranks", "1-x")

    def test_MoreRunsThanMemoryHoldsAreRefusedBeforeAnyIsPlanned(self):
        many = ("--nodes", "1-16", "--ppn", "1-8", "--bytes", "1-100000")
        self.refused(r"--nodes, .* and --algorithm: 12800000 runs, of 128 layouts x 100000 sizes x 1: expected at most 4000000$", *SIMULATE, *many)
        self.refused(r"--nodes, .* and changes of collectives: 25600000 runs, of 128 layouts x 100000 sizes x 2: expected at most 4000000$",
                     "whatif", "bcast", "--machine", "example-cluster", "--latency", "nic=+10%", *many)
        self.refused(r"--nodes, --ppn, --bytes and --collectives: 100224000 cells, of 288000 layouts x 29 sizes x 12: expected at most 4000000$", "tune",
                     "--machine", "fugaku", "--nodes", "1-6000", "--ppn", "1-48", "--bytes", "4:1G", "-o", "t.json")
        self.refused(r"--nodes and --ppn: 10000000000 cells, .*: expected at most 4000000$", "study", "odd-counts", "--machine", "example-cluster",
                     "--nodes", "1-100000", "--ppn", "1-100000", "-o", "study")
        self.refused(r"--nodes, --ppn and --ranks: 10000000000 layouts: expected at most 1000000$", *SIMULATE, "--bytes", "8",
                     "--nodes", "1-100000", "--ppn", "1-100000")

    def test_SizesThatWouldOverflowAreRefusedAndNotWrapped(self):
        for collective in ("alltoall", "allgather", "gather", "scatter"):
            self.refused(f"{collective} of 4611686018427387904 bytes for each of 4 ranks: expected at most 2\\^56",
                         "simulate", collective, *SIMULATE[2:], "--nodes", "4", "--osu-sizes", "4294967296G")
        for collective in ("bcast", "allreduce", "reduce_scatter", "alltoall"):
            self.refused(f"{collective} of 4611686018427387904 bytes: expected at most 2\\^56", "simulate", collective,
                         *SIMULATE[2:4], "--algorithm", "all", "--nodes", "4", "--bytes", "4294967296G")
        self.refused("bcast of ", *TUNE[:5], *TUNE[7:], "--bytes", "4294967296G", "-o", "t.json")
        self.refused("--count ", "verify", "--collective", "bcast", "--count", "4611686018427387904")
        self.refused("--count 3: a barrier has no elements", "verify", "--collective", "barrier", "--count", "3")
        self.refused("--root 0: none of these has a root", "verify", "--algorithm", "allreduce/ring,allgather/ring", "--root", "0")
        for size in ("0", "-1", "65537"):
            self.refused(f"--element {size}: expected 1 to 65536 bytes", "verify", "--collective", "bcast", "--element", size)
        self.refused("--jobs: expected 1 to 1024", "verify", "--collective", "barrier", "--jobs", "0")
        done = self.call("verify", "--collective", "bcast", "--algorithm", "linear", "--root", "3", "--ranks", "2-5")
        self.assertEqual((done.returncode, "left out: 2, 3 ranks, which have no rank 3\n" in done.stderr), (0, True), done.stderr)

    def test_WhatACollectiveDoesNotHave(self):
        here = ("--machine", "example-cluster", "--nodes", "4", "--bytes", "64")
        self.refused("allreduce: expected no root, for it has none", "simulate", "allreduce", *here, "--root", "1")
        self.refused("alltoall: expected no operator, for it combines nothing", "simulate", "alltoall", *here, "--op", "max")
        self.refused("bcast: expected two buffers, not a call in place", "simulate", "bcast", *here, "--in-place")
        self.refused("alltoall: expected no root", "explain", "alltoall", *here, "--library", "mpich", "--root", "1")

    def test_MoreMessagesThanAnyoneWillWaitFor(self):
        self.refused("bcast/pipeline on 4 ranks of 1073741824 bytes sends more than 2\\^26 messages", *SIMULATE[:-1],
                     "pipeline:segment=1", "--nodes", "4", "--bytes", "1G")

    def test_ACallOfAFractionOfAnElement(self):
        self.refused("allreduce of 10 bytes: expected a multiple of the element \\(4 bytes\\)", "simulate", "allreduce",
                     *SIMULATE[2:], "--nodes", "2", "--bytes", "10")
        self.refused("bcast of 3 bytes: expected a multiple of the element \\(4 bytes\\)", "simulate", "bcast",
                     *SIMULATE[2:], "--nodes", "2", "--bytes", "3", "--element", "4")
        self.refused("--element: expected 1 byte or more", "simulate", "allreduce", *SIMULATE[2:], "--nodes", "2",
                     "--bytes", "8", "--element", "0")

    def test_ARootThatIsNoRank(self):
        for root in ("-1", "4"):
            self.refused(f"root {root}: expected a rank of 4", *SIMULATE, "--nodes", "4", "--bytes", "8", "--root", root)
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
        for mode in ("barrier:two_proc", "loop:3:two_proc"):
            for engine in ("fast", "simgrid"):
                self.refused(f"mode '{mode}': barrier/two_proc cannot run: it needs at most two ranks", *SIMULATE, "--nodes", "8",
                             "--bytes", "8", "--mode", mode, "--engine", engine)
        self.refused("allgather/two_proc cannot run: it needs exactly two ranks", "simulate", "allgather",
                     *SIMULATE[2:4], "--algorithm", "ring,two_proc", "--nodes", "3", "--bytes", "8")

    def test_ATraceOfSeveralRuns(self):
        self.refused("--trace: expected one algorithm, one size and one number of ranks, not 2 runs", *SIMULATE, "--nodes", "2", "--bytes",
                     "8,16", "--trace", "trace.json", "--csv", "times.csv")

    def test_TwoResultsOnStdout(self):
        for option in ("--trace", "--goal"):
            self.refused(f"{option} -: expected a file", *SIMULATE, "--nodes", "2", "--bytes", "8", option, "-")
        self.refused("--critical-path and --csv -: expected one result", *SIMULATE, "--nodes", "2", "--bytes", "8", "--critical-path", "--csv", "-")
        self.refused("--json and --csv -: ", *SIMULATE, "--nodes", "2", "--bytes", "8", "--json", "--csv", "-")

if __name__ == "__main__":
    unittest.main()
