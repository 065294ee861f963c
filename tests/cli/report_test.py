"""The page of `tutti report`: complete, by itself, and alive in a browser."""
import hashlib
import html
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from program import BUILD, TUTTI
from refused import Refused

SIZES = "8,64,1K,8K,64K,1M"
ALGORITHMS = "linear,binomial,knomial,scatter_ring,pipelined_tree,hier,recursive_doubling,rabenseifner,ring"
TUNE = ("tune", "--machine", "example-cluster", "--nodes", "2-5", "--ppn", "1,2", "--bytes", SIZES, "--collectives", "allreduce,bcast",
        "--algorithms", ALGORITHMS, "--baselines", "mpich", "--confirm", "none", "-o", "table.json")
# Headless: what the page's script did, after a click on the heading of the second table's last column, the ratios, and with the pointer on a message.
CLICK = """<script>document.querySelectorAll('table.sortable')[1].querySelectorAll('th button')[8].click();
document.querySelector('svg.map.call path.message').dispatchEvent(new MouseEvent('mousemove', {bubbles: true, clientX: 5, clientY: 5}))</script></body>"""
MEASURED = "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n" + "".join(f"{1 << i:<12}{1.5 + (1 << i) / 9e3:.2f}\n" for i in range(23))


class Reader(html.parser.HTMLParser):
    """Identities, links and what else is fetched, with elements open that nobody closed."""

    def __init__(self, text):
        super().__init__()
        self.identities, self.links, self.fetched, self.open, self.cells, self.said, self.unnamed = set(), [], [], [], 0, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            assert attributes["id"] not in self.identities, attributes["id"]
            self.identities.add(attributes["id"])
        self.links += [attributes["href"]] if tag == "a" else []
        self.fetched += [value for name, value in attributes.items() if name in ("src", "href") and tag != "a"]
        self.cells += tag == "rect" and "data-say" in attributes
        self.said += [attributes["data-say"]] if tag == "g" and "data-say" in attributes else []
        self.unnamed += [tag] if tag == "svg" and not ("aria-label" in attributes or "aria-hidden" in attributes) else []
        if tag not in ("meta", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class Report(Refused):
    def setUp(self):
        super().setUp()
        self.tune()

    def tune(self, *changes):
        """TUNE with some words in place of others. Kept for the other tests: the same program writes the same of the same."""
        words = [dict(changes).get(word, word) for word in TUNE]
        with open(TUTTI, "rb") as program:
            key = hashlib.sha256(program.read())
        key.update("\n".join([*words, self.read("mine.json") if "mine.json" in words else ""]).encode())
        kept = os.path.join(BUILD, "tests", "tuned_for_reports", key.hexdigest() + ".json")
        if os.path.exists(kept):
            shutil.copy(kept, self.path("table.json"))
            return
        self.output(*words)
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        shutil.copy(self.path("table.json"), f"{kept}.{os.getpid()}")
        os.replace(f"{kept}.{os.getpid()}", kept)

    def page(self, *arguments):
        self.output("report", "table.json", "-o", "page.html", *arguments)
        return self.read("page.html")

    def test_HoldsEveryCellAndNeedsNothingButItself(self):
        page = self.page()
        reader = Reader(page)
        self.assertEqual(reader.open, [])
        self.assertEqual(reader.fetched, ["data:,"])
        self.assertEqual(len(reader.links), 8)
        self.assertEqual(reader.unnamed, [])
        for link in reader.links:
            self.assertIn(link[1:], reader.identities)
        table = json.loads(self.read("table.json"))
        self.assertEqual(reader.cells, len(table["cells"]))
        for rule in table["rules"]:
            self.assertIn(f"<td>{rule['algorithm']}</td>", page)
        self.assertIn("invented: 100 Gb/s cables", page)
        self.assertEqual(page, self.page())

    def test_NeedsNoMatplotlib(self):
        plots = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "plots")
        without = "import runpy, sys; sys.modules['matplotlib'] = None; sys.argv[:] = ['report.py', '-h']; sys.path.insert(0, %r); runpy.run_path(%r, run_name='__main__')"
        for script in ("report.py", "space_time.py"):
            subprocess.run([sys.executable, "-B", "-c", without % (plots, os.path.join(plots, script))], check=True, capture_output=True)

    def test_SaysGainsThatTheCellsGive(self):
        page = self.page()
        means = [float(mean) for mean in re.findall(r"<td>mpich</td><td[^>]*>[0-9]+</td><td[^>]*data-value=\"([0-9.]+)\"", page)]
        self.assertEqual(len(means), 2)
        said = self.call(*TUNE).stderr
        both = float(re.search(r"over the default of mpich: ([0-9.]+) times", said)[1])
        self.assertAlmostEqual((means[0] * means[1]) ** 0.5, both, delta=0.002)  # as many cells of each

    def row_of(self, page, caption, first):
        """The row of the table with this caption that begins with this cell."""
        table = next(table for table in re.findall(r"<table.*?</table>", page, re.S) if re.search(f"<caption>[^<]*{caption}", table))
        return re.search(rf"<tr><td[^>]*>{re.escape(first)}</td>.*?</tr>", table)[0]

    def test_DrawsTheCallThatIsAskedForBesideTheDefault(self):
        call = "--call", "bcast:nodes=5,ppn=2,bytes=64K"
        page = self.page(*call)
        table = json.loads(self.read("table.json"))
        cell = next(cell for cell in table["cells"] if (cell["collective"], cell["nodes"], cell["ppn"], cell["bytes"]) == ("bcast", 5, 2, 65536))
        drawn = re.findall(r"<h3>([^<]*) \((the [^)]*)\)[^<]*: ([0-9.]+) us, ([0-9]+) messages</h3>", html.unescape(page))
        self.assertEqual([title for _, title, _, _ in drawn], ["the table's choice", "the default of mpich"])
        self.assertAlmostEqual(float(drawn[0][2]), cell["times_us"][drawn[0][0]], places=2)
        self.assertAlmostEqual(float(drawn[1][2]), cell["defaults_us"]["mpich"], places=2)
        messages = [said for said in Reader(page).said if " to " in said.split("\n")[0]]
        self.assertEqual(len(messages), sum(int(count) for *_, count in drawn))
        self.assertEqual(page, self.page(*call))

        chosen = self.page("--call", "bcast:nodes=3,bytes=1K,algorithm=knomial:radix=3")
        self.assertIn("<h3>knomial:radix=3 (as asked for): ", chosen)
        said = Reader(chosen).said
        self.assertTrue(any(one.startswith("0 to 1, 1024 bytes\nposted 0.000 us\n") for one in said), said)
        self.assertIn("on the critical path", "".join(said))

    def test_TheCallMayBeOfAnyOfTheTables(self):
        self.output("tune", "--machine", "example-cluster", "--nodes", "6", "--bytes", "6K", "--collectives", "scatter", "--algorithms", "linear", "--confirm",
                    "none", "-o", "other.json")
        page = self.page("other.json", "--call", "scatter:nodes=6,bytes=6K")
        self.assertIn("scatter of 6 KiB on 6 nodes x 1", page)
        self.assertIn("(the choice of other.json)", page)
        self.output("report", "other.json", "table.json", "-o", "page.html")  # the other one knows no default
        self.assertRegex(self.read("page.html"), r"<h3>[^<]* \(the choice of table.json\)")
        self.refused("--call scatter:nodes=9,bytes=1K: the tables have no rule for 9 nodes with 1 ranks each: expected algorithm= beside", "report", "table.json", "other.json", "--call",
                     "scatter:nodes=9,bytes=1K", "-o", "page.html")

    def test_LinksThatAreSlowOrBusyAreNamed(self):
        page = self.page("--call", "bcast:nodes=5,ppn=1,bytes=1M,algorithm=linear")
        self.assertRegex(self.row_of(page, "linear, the call drawn above", "nic-out"), r'<td>node/0/nic/0/out</td><td[^>]*data-value="4194304"')
        machine = json.loads(self.output("machine", "example-cluster", "--json"))
        machine["name"] = "mine"
        machine["network"] = {"graph": {"file": "cables.csv", "source": "test", "cable": {"bandwidth_bytes_per_second": 12.5e9, "latency_seconds": 2e-7, "source": "test"}}}
        machine.pop("published", None)
        self.write("cables.csv", "".join(f"node,n{i},s{i % 4}\n" for i in range(16)) + "cable,s0,s1\ncable,s1,s2\ncable,s2,s3\ncable,s3,s0,1,3e9,2e-7\n")
        self.write("mine.json", json.dumps(machine))
        self.tune(("example-cluster", "mine.json"))
        row = self.row_of(self.page("--machine", "mine.json"), "links by level", "cable")
        self.assertEqual(re.findall(r'data-value="([0-9.]+)"', row), ["8", "24.0", "100.0", "100.0", "200.0", "200.0", "2"], row)
        self.assertRegex(row, r"<td>[^<]*s[03][^<]*s[03][^<]*\(24\.0\)")

    def test_ResidualsOfTheCalibrationAreDrawn(self):
        self.write("latency.txt", MEASURED)
        self.write("residuals.json", self.output("calibrate", "--osu", "latency.txt", "--base", "example-cluster", "--name", "mine", "-o", "mine.json", "--json"))
        self.tune(("example-cluster", "mine.json"))
        page = self.page("--machine", "mine.json", "--residuals", "residuals.json")
        found = json.loads(self.read("residuals.json"))["classes"][0]
        self.assertIn(f"<h3>network: median error {100 * found['median_error']:.1f} %, worst {100 * found['worst_error']:.1f} %</h3>", page)
        picture = re.search(r'<svg class="map residuals".*?</svg>', page, re.S)[0]
        self.assertEqual(picture.count("data-say"), len(found["rows"]))
        for row in (found["rows"][3], found["rows"][-1]):
            cells = re.findall(r'data-value="([-0-9.]+)"', self.row_of(page, "Messages of the distance network", f"{row['bytes']:,}".replace(",", "\u202f")))
            self.assertEqual([float(cell) for cell in cells[1:4]], [round(1e6 * row["measured_seconds"], 3), round(1e6 * row["model_seconds"], 3), round(100 * row["error"], 1)])

    def test_ResidualsAreAlsoTakenOfAMachineThatWasMadeOfMeasurements(self):
        self.write("latency.txt", MEASURED)
        self.write("hosts.conf", "SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n[4-6]\nSwitchName=s Switches=a,b\n")
        self.write("residuals.json", self.output("machine", "--from", "slurm=hosts.conf", "--from", "osu=latency.txt", "--nic-rate", "100Gb/s", "--global-rate", "100Gb/s",
                                                 "-o", "mine.json", "--json"))
        self.tune(("example-cluster", "mine.json"))
        done = self.call("report", "table.json", "-o", "page.html", "--machine", "mine.json", "--residuals", "residuals.json")
        self.assertEqual((done.returncode, done.stderr), (0, "page.html\n"))
        self.assertIn("<h3>network: median error ", self.read("page.html"))
        said = json.loads(self.read("residuals.json"))
        self.assertNotIn("tutti-site-", json.dumps(said))
        said["residuals"]["classes"][0]["rows"][0]["bytes"] = -1
        self.write("residuals.json", json.dumps(said, indent=1))
        self.refused(r"residuals.json:\d+: /residuals/classes/0/rows/0/bytes: ", "report", "table.json", "-o", "page.html", "--residuals", "residuals.json")
        self.write("residuals.json", json.dumps({**said, "residuals": None}))
        self.refused(r"residuals.json:1: .*or machine --from of measurements", "report", "table.json", "-o", "page.html", "--residuals", "residuals.json")

    def test_ResidualsOfSomethingElseAreRefused(self):
        arguments = ("report", "table.json", "-o", "page.html", "--residuals", "residuals.json")
        self.write("latency.txt", MEASURED)
        good = json.loads(self.output("calibrate", "--osu", "latency.txt", "--base", "example-cluster", "--name", "example-cluster", "-o", "mine.json", "--json"))
        self.write("residuals.json", json.dumps(good))
        self.refused("residuals.json: expected residuals of example-cluster as it is: its figures are not those that calibrate wrote", *arguments)
        self.output(*arguments, "--machine", "mine.json")
        self.assertNotIn("is not known", self.read("page.html"))
        another = json.loads(self.read("mine.json"))
        another["description"] = "The same with other words."
        self.write("other.json", json.dumps(another))
        self.output(*arguments, "--machine", "other.json")
        another["compute"]["copy"]["seconds_per_byte"] *= 1.01
        self.write("other.json", json.dumps(another))
        self.refused("residuals.json: expected residuals of other.json as it is", *arguments, "--machine", "other.json")
        self.write("residuals.json", json.dumps({name: value for name, value in good.items() if name != "machine_checksum"}))
        done = self.call(*arguments, "--machine", "mine.json")
        self.assertIn("residuals.json: whether it is of example-cluster as it is cannot be told: expected what calibrate --json says now", done.stderr)
        self.assertIn("or of another one of its name, is not known", self.read("page.html"))
        self.write("residuals.json", json.dumps({**good, "machine": "another"}))
        self.refused("residuals.json: expected residuals of the table's machine, example-cluster, not another", *arguments)
        self.write("residuals.json", json.dumps({**good, "colour": 3}))
        self.refused(r"residuals.json:1: /colour: unknown key", *arguments)
        good["classes"][0]["rows"][2]["bytes"] = -4
        self.write("residuals.json", json.dumps(good, indent=1))
        self.refused(r"residuals.json:\d+: /classes/0/rows/2/bytes: ", *arguments)
        self.write("residuals.json", "{}")
        self.refused("residuals.json:1: .*expected what tutti calibrate --json says", *arguments)
        self.refused("missing.json:1: No such file or directory: expected a readable file", *arguments[:-1], "missing.json")

    def test_OfOneRankSaysThatNothingTakesTime(self):
        self.output("tune", "--machine", "example-cluster", "--nodes", "1", "--bytes", "8", "--collectives", "bcast", "--baselines", "mpich", "-o", "one.json")
        self.output("report", "one.json", "-o", "page.html")
        page = self.read("page.html")
        self.assertIn("No cell takes any time of which a library's default is known.", page)
        self.assertIn("No two neighbouring numbers of nodes with two ranks or more were tuned.", page)
        self.assertIn("no call of the table is of two ranks or more and small enough", page)

    def test_CallsThatCannotBeDrawnAreRefused(self):
        for call, text in (("bcast", "expected COLLECTIVE:nodes=N"), ("bcast:nodes=3", "expected COLLECTIVE:nodes=N"), ("bcast:nodes=0,bytes=8", "expected nodes from 1"),
                           ("bcats:nodes=3,bytes=8", "bcast"), ("bcast:nodes=3,bytes=8,colour=red", "expected COLLECTIVE:nodes=N"),
                           ("bcast:nodes=2,nodes=3,bytes=8", "expected nodes once"), ("bcast:nodes=9,bytes=8", "has no rule for 9 nodes"), ("bcast:nodes=9,bytes=8,algorithm=binomail", "binomial"),
                           ("bcast:nodes=99,bytes=8,algorithm=binomial", "16 nodes"), ("alltoall:nodes=16,ppn=8,bytes=8,algorithm=linear", "at most 6000 messages"),
                           ("allgather:nodes=3,bytes=24,algorithm=two_proc", "two ranks")):
            with self.subTest(call):
                self.refused(f".*{text}", "report", "table.json", "-o", "page.html", "--call", call)

    def test_OneCallIsDrawnBySimulateToo(self):
        call = ("simulate", "allreduce", "--machine", "example-cluster", "--nodes", "3", "--ppn", "2", "--algorithm", "recursive_doubling", "--bytes", "1K")
        shown = self.output(*call, "--space-time", "call.svg")
        picture = self.read("call.svg")
        self.assertIn(re.search(r"1024 +([0-9.]+) ", shown)[1], picture)
        reader = Reader(picture)
        self.assertEqual(reader.open, [])
        ways = re.findall(r'class="message( critical)?" d="M([0-9.]+) ([0-9.]+)L([0-9.]+) ([0-9.]+)"', picture[picture.index('class="track"'):])
        self.assertEqual(len(ways), int(shown.split()[-2]))
        for _, begin, _, end, _ in ways:
            self.assertLess(float(begin), float(end))  # to the right, where time goes
        self.assertTrue(any(critical for critical, *_ in ways))
        self.refused(".*expected a name that ends in .svg", *call, "--space-time", "call.png")
        self.refused(".*expected one algorithm", *call[:-1], "1K,2K", "--space-time", "call.svg")

    def test_WhatWasMeasuredStandsBesideTheChoices(self):
        self.assertNotIn("What was measured", self.page())
        table = json.loads(self.read("table.json"))
        cell = table["cells"][0]
        rule = next(rule for rule in table["rules"] if all(rule[key] == cell[key] for key in ("collective", "nodes", "ppn")))
        other = next(name for name in sorted(cell["times_us"]) if name != rule["algorithm"])
        cell["measured_us"] = {rule["algorithm"]: 2 * cell["times_us"][rule["algorithm"]], other: cell["times_us"][rule["algorithm"]]}
        self.write("table.json", json.dumps(table))
        page = self.page()
        section = page[page.index("What was measured", page.index("</nav>")):]
        row = re.search(rf"<tr><td>{cell['collective']}</td>.*?</tr>", section)[0]
        self.assertIn(f"<td>{other}</td>", row)
        self.assertEqual(re.findall(r'data-value="([-0-9.]+)"', row)[-2:], ["2.0", "-50.0"], row)

    def test_TheRunnerUpOfACellIsThatOfItsOwnSize(self):
        cells = [{"collective": "bcast", "nodes": 2, "ppn": 1, "bytes": size, "times_us": {"binomial": 1.0, "linear": linear}, **more}
                 for size, linear, more in ((8, 0.96, {}), (64, 3.0, {}), (512, 8.0, {"inferred": ["linear"], "between_us": {"linear": [1.5, 8.0]}}))]
        rule = {"collective": "bcast", "nodes": 2, "ppn": 1, "from_bytes": 0, "to_bytes": None, "algorithm": "binomial", "predicted_us": 1.0,
                "regret": 0.0417, "runner_up": "linear", "margin": -0.04, "engine": "fast", "inferred": False}
        self.write("table.json", json.dumps({**json.loads(self.read("table.json")), "cells": cells, "rules": [rule]}))
        self.assertEqual(re.findall(r"runner-up ([-+0-9.]+) %", self.page()), ["-4.0", "+200.0", "+50.0"])

    def test_WhatIsNotDecidedIsSaidInPlaceOfAMargin(self):
        cells = [{"collective": "bcast", "nodes": 2, "ppn": 1, "bytes": size, "times_us": {"binomial": 1.0, "linear": 4.0}, **more}
                 for size, more in ((8, {}), (64, {"undecided": ["chain"]}))]
        rule = {"collective": "bcast", "nodes": 2, "ppn": 1, "from_bytes": 0, "to_bytes": None, "algorithm": "binomial", "predicted_us": 1.0,
                "regret": None, "runner_up": "linear", "margin": None, "engine": "fast", "inferred": False, "undecided": True}
        self.write("table.json", json.dumps({**json.loads(self.read("table.json")), "cells": cells, "rules": [rule]}))
        page = self.page()
        self.assertEqual(re.findall(r"runner-up ([-+0-9.]+) %", page), ["+300.0"])
        self.assertIn("not decided: chain may be faster", page)
        self.assertIn("1 cell is not decided", page)
        self.assertIn("<td>not decided</td>", page)

    def test_SizesOfOneRankAreColumnsWhereLayoutsHaveTheseInCommon(self):
        self.tune(("allreduce,bcast", "alltoall"), ("--bytes", "--osu-sizes"), (SIZES, "8,1K"), (ALGORITHMS, "linear,pairwise"))
        page = self.page()
        picture = re.search(r'<svg class="map".*?</svg>', page, re.S)[0]
        self.assertEqual(len(set(re.findall(r'<rect x="([0-9.]+)"[^>]*data-say', picture))), 2)
        self.assertIn("Columns: what one rank has", page)
        self.assertNotIn("No two neighbouring", page)

    def test_OfAMachineThatWasNotGivenSaysSo(self):
        machine = json.loads(self.output("machine", "example-cluster", "--json"))
        machine["name"] = "mine"
        self.write("mine.json", json.dumps(machine))
        self.tune(("example-cluster", "mine.json"))
        self.assertIn("Figures of mine are not shown", self.page())
        self.assertIn("invented: 100 Gb/s cables", self.page("--machine", "mine.json"))
        self.refused("lumi-g: expected the table's machine, mine, not lumi-g", "report", "table.json", "--machine", "lumi-g", "-o", "page.html")

    def test_OfAMachineThatChangedSinceSaysThatItsTimesAreOthers(self):
        machine = json.loads(self.output("machine", "example-cluster", "--json"))
        machine["name"] = "mine"
        machine["network"] = {"graph": {"file": "cables.csv", "source": "test", "cable": {"bandwidth_bytes_per_second": 12.5e9, "latency_seconds": 2e-7, "source": "test"}}}
        machine.pop("published", None)
        self.write("mine.json", json.dumps(machine))
        nodes = "".join(f"node,n{i},s{i % 2}\n" for i in range(16))
        call = "--machine", "mine.json", "--call", "bcast:nodes=4,ppn=1,bytes=1M"
        self.write("cables.csv", nodes + "cable,s0,s1,4\n")
        self.tune(("example-cluster", "mine.json"))
        done = self.call("report", "table.json", "-o", "page.html", *call)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("by the table: the machine", done.stderr + self.read("page.html"))
        self.write("cables.csv", nodes + "cable,s0,s1,1,1e9,2e-7\n")
        done = self.call("report", "table.json", "-o", "page.html", *call)
        said = r"[\w:=]+ takes [0-9.]+ us, but [0-9.]+ us by the table: the machine \(its file, or its list of cables\) is not as it was when the table was tuned"
        self.assertRegex(done.stderr, "table.json: " + said)
        self.assertRegex(self.read("page.html"), said)

    def test_OfBadInputIsRefused(self):
        self.write("broken.json", self.read("table.json").replace('"rules"', '"rule"'))
        self.refused(r"broken.json:\d+: /rule: unknown key", "report", "broken.json", "-o", "page.html")
        self.refused("table.json: is the same file as the input table.json", "report", "table.json", "-o", "table.json")
        self.refused("./table.json: expected each table once", "report", "table.json", "./table.json", "-o", "page.html")
        self.refused("missing/page.html: cannot be written", "report", "table.json", "-o", "missing/page.html")

    def test_SortsInABrowserWithoutAnError(self):
        browser = shutil.which("chromium")
        if browser is None:
            self.skipTest("no browser; install Debian's chromium to try the page in one")
        self.write("page.html", self.page().replace("</body>", CLICK))
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + self.path("profile"),
                               "--enable-logging=stderr", "--dump-dom", "file://" + self.path("page.html")],
                              capture_output=True, text=True, timeout=240)
        self.assertNotIn("CONSOLE", done.stderr)
        self.assertRegex(done.stdout, r'<div id="tip"[^>]*style="left:[^>]*>\d+ to \d+, \d+ bytes\nposted ')
        sorted_table = re.findall(r"<table.*?</table>", done.stdout, re.DOTALL)[1]
        self.assertIn('aria-sort="ascending"', sorted_table)
        ratios = [float(row.rsplit('data-value="', 1)[1].split('"')[0]) for row in re.findall(r"<tr>.*?</tr>", sorted_table)[1:]]
        self.assertGreater(len(ratios), 5)
        self.assertEqual(ratios, sorted(ratios))
        self.assertNotEqual(ratios, sorted(ratios, reverse=True))


if __name__ == "__main__":
    unittest.main()
