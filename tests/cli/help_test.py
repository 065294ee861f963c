"""Every verb has help, with examples that run."""
import json
import os
import re
import shlex
import shutil
import unittest

from calibrate_test import node_xml
from program import DEMO, ProgramTest

VERBS = ("list", "verify", "machines", "machine", "calibrate", "simulate", "whatif", "tune", "merge", "status", "export", "audit", "diff", "explain", "lint", "report", "study", "demo")
# What needs a network or ranks of its own, or says what a machine has: tests/lab, tests/runtime, tests/mpi and doctor_test.py run these.
OTHER_VERBS = ("lab", "bench", "launch", "validate", "plan", "follow", "messages", "doctor", "manual", "completion")

# Verbs without --json, and what a program reads instead.
RESULTS_ELSEWHERE = {"report": "a page for people", "demo": "verbs for people", "lab": "the state's file", "launch": "what the ranks print",
                     "messages": "a line for each call", "manual": "troff", "completion": "a script"}


class Help(ProgramTest):
    # What would take long, made small.
    SMALLER = {"--ranks 1-64": "--ranks 5", "--nodes 2-16 --collectives bcast -o study": "--nodes 2-9 --collectives bcast --osu-sizes 8 -o study",
               "--nodes 2-16": "--nodes 2,3", "8:1M": "8,64K", "--nodes 16 --ppn 1 --taper": "--nodes 16 --ppn 1 --bytes 64K --taper",
               "--nodes 16 --osu-sizes 64K,1M": "--nodes 5 --osu-sizes 64K", "loop:100": "loop:3",
               "incast:nodes=32,bytes=2M": "incast:nodes=5,bytes=64K"}

    def examples(self, *verb):
        text = self.output(*verb, "--help")
        found = re.findall(r"Example: (tutti [^\n]*(?:\n(?! *\n|Usage|[A-Z])[^\n]*)*)", text)
        return [" ".join(example.split()) for example in found]

    def test_HasAnExampleForEveryVerb(self):
        self.assertEqual(len(self.examples()), 1)
        for verb in VERBS + OTHER_VERBS:
            examples = self.examples(verb)
            self.assertGreater(len(examples), 0, verb)
            for example in examples:
                self.assertIn(f"tutti {verb} ", example + " ")

    def test_EveryVerbHasResultsForMachines(self):
        for verb in VERBS + OTHER_VERBS:
            self.assertEqual(re.search(r"^ +--json\b", self.output(verb, "--help"), re.MULTILINE) is None, verb in RESULTS_ELSEWHERE, verb)

    def test_ExamplesAskForNoMoreNodesThanTheirMachineHas(self):
        nodes = {machine["name"]: machine["nodes"] for machine in json.loads(self.output("machines", "--json"))}
        for verb in VERBS + OTHER_VERBS:
            for example in self.examples(verb):
                asked = re.search(r"--machine (\S+) .*--nodes (?:\d+-)?(\d+)", example)
                if asked:
                    self.assertLessEqual(int(asked[2]), nodes[asked[1]], example)

    def test_HasExamplesThatRun(self):
        shutil.copy(os.path.join(DEMO, "pingpong-imb.txt"), self.path("pingpong.txt"))
        self.write("topology.xml", node_xml("pack:2 [numa] core:4 pu:1"))
        self.write("latency.txt", "# OSU MPI Latency Test v7.2\n# Size          Latency (us)\n" + "".join(
            f"{1 << i} {2 + (1 << i) / 10000:.2f}\n" for i in range(23)))
        corpus = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "corpus")
        shutil.copy(os.path.join(corpus, "ibnetdiscover", "two-leaves.txt"), self.path("fabric.txt"))
        shutil.copy(os.path.join(corpus, "slurm_topology", "topology.conf"), self.path("topology.conf"))
        ran = set()
        for verb in ((), *((verb,) for verb in VERBS)):  # tune before export and report: its table is theirs
            for example in self.examples(*verb):
                for long, short in self.SMALLER.items():
                    example = example.replace(long, short)
                self.output(*shlex.split(example)[1:])
                ran.add(verb)
        self.assertEqual(len(ran), len(VERBS) + 1)
        for result in ("mine.json", "table.json", "rules.txt", "report.html", "study/README.md"):
            self.assertGreater(os.path.getsize(self.path(result)), 100)

    def test_KnowsEveryVerb(self):
        listed = re.findall(r"^  ([a-z]+) {2,}", self.output("--help").split("Subcommands:")[1], re.MULTILINE)
        self.assertEqual(tuple(listed), VERBS + OTHER_VERBS)


if __name__ == "__main__":
    unittest.main()
