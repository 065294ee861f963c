"""What runs inside a composition, and what runs in its place, is said."""
import csv
import io
import json
import re
import unittest

from program import ProgramTest

# On 7 ranks, 8 bytes are too few for a ring, 1 MiB are not.
RING = "--machine", "example-cluster", "--nodes", "7", "--ppn", "1"
FALLS_BACK = "ring, which runs recursive_doubling"


class WhatRuns(ProgramTest):
    def test_WhatRunsInsideACompositionIsSaid(self):
        def runs(collective, algorithm, ranks, ppn=1, size=8):
            machine = ("--machine", "example-cluster", "--ranks", str(ranks), "--ppn", str(ppn))
            row, = json.loads(self.output("simulate", collective, *machine, "--bytes", str(size), "--algorithm", algorithm, "--json"))
            calls = self.path("calls")
            with open(calls, "w") as file:
                file.write(f"{collective} {ranks} {size // 4} int sum 0 {algorithm}\n")
            if collective == "allreduce":
                self.assertEqual(self.output("messages", calls, "--ppn", str(ppn)).split()[0], row["chosen"])
            return row["chosen"]
        self.assertEqual(runs("allreduce", "ring", 9), "recursive_doubling")
        self.assertEqual(runs("allreduce", "permuted(of=ring)", 9), "permuted")
        self.assertEqual(runs("allreduce", "hier(global=ring)", 9), "hier")
        self.assertEqual(runs("allreduce", "full_lane", 7, 4, 800), "recursive_doubling")
        self.assertEqual(runs("allgather", "full_lane", 7, 4, 700), "ring")
        self.assertEqual(runs("allgather", "hier", 7, 4, 700), "hier")
        row = json.loads(self.output("verify", "--collective", "allreduce", "--algorithm", "permuted(of=ring)", "--ranks", "9",
                                     "--count", "2", "--json"))[0]
        self.assertEqual(row["proven"], 0)
        self.assertGreater(row["fallen_back"], 0)

    def test_WhatIsNamedTwiceRunsOnce(self):
        def names(algorithms):
            text = self.output("simulate", "bcast", *RING, "--bytes", "8,8", "--algorithm", algorithms, "--csv", "-")
            return [row["algorithm"] for row in csv.DictReader(io.StringIO(text))]
        self.assertEqual(names("linear,knomial,knomial:radix=4,default:mpich,linear,default:mpich"), ["linear", "knomial", "default:mpich"])
        every = names("all")
        self.assertEqual((names("all,linear"), sorted(names("linear,all"))), (every, sorted(every)))
        insisted = self.call("simulate", "allgather", *RING, "--bytes", "56", "--algorithm", "all,two_proc")
        self.assertRegex(insisted.stderr, "two_proc cannot run")

    def test_APictureOfACallAndItsCriticalPathNameWhatRuns(self):
        text = self.output("simulate", "allreduce", *RING, "--algorithm", "ring", "--bytes", "8", "--critical-path", "--space-time", "call.svg")
        self.assertIn(f"\ncritical path of {FALLS_BACK}, 8 bytes:\n", text)
        self.assertEqual(self.read("call.svg").count(f"allreduce, {FALLS_BACK}"), 3)  # the title, what readers of screens are told, and the heading
        self.output("simulate", "allreduce", *RING, "--algorithm", "ring", "--bytes", "1M", "--space-time", "call.svg")
        self.assertNotIn("which runs", self.read("call.svg"))

    def test_MapsAndTablesOfAReportNameWhatRuns(self):
        self.output("tune", *RING, "--collectives", "allreduce", "--algorithms", "ring", "--bytes", "8,1M", "--confirm", "none", "-o", "table.json")
        self.output("report", "table.json", "-o", "page.html", "--call", "allreduce:nodes=7,bytes=8")
        page = self.read("page.html")
        self.assertEqual(re.findall(r"</svg>(\w+): 50 % of the cells", page), ["recursive_doubling", "ring"])
        self.assertEqual(re.findall(r'data-say="allreduce, 7 nodes x 1, [^\n]*\n([^:]*): ', page), [FALLS_BACK, "ring"])
        self.assertIn(f"<td>{FALLS_BACK} or ring</td>", page)  # the rule, which is of both sizes
        self.assertIn(f"The critical path of {FALLS_BACK}: ", page)

    def test_WhatIfNamesWhatRuns(self):
        call = "whatif", "allreduce", *RING, "--algorithms", "ring", "--bytes", "8,1M", "--latency", "leaf=+50%"
        rows = list(csv.DictReader(io.StringIO(self.output(*call, "--csv", "-"))))
        for when in ("before", "after"):
            self.assertEqual([row[f"{when}_algorithm"] for row in rows], ["ring", "ring"])
            self.assertEqual([row[f"{when}_chosen"] for row in rows], ["recursive_doubling", "ring"])
        cells = json.loads(self.output(*call, "--json"))["cells"]
        self.assertEqual([(cell["chosen"], cell["after"][0]["chosen"]) for cell in cells], [("recursive_doubling",) * 2, ("ring",) * 2])
        self.assertEqual([line.count(FALLS_BACK) for line in self.output(*call).splitlines() if line.startswith("allreduce ")], [2, 0, 0])


if __name__ == "__main__":
    unittest.main()
