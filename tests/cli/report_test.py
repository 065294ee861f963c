"""The page of `tutti report`: complete, by itself, and alive in a browser."""
import html.parser
import json
import re
import shutil
import subprocess
import unittest

from refused import Refused

TUNE = ("tune", "--machine", "example-cluster", "--nodes", "2-5", "--ppn", "1,2", "--bytes", "8:1M", "--collectives", "allreduce,bcast",
        "--baselines", "mpich", "-o", "table.json")
# Headless: what the page's script did, after a click on the heading of the second table's last column, the ratios.
CLICK = "<script>document.querySelectorAll('table.sortable')[1].querySelectorAll('th button')[8].click()</script></body>"


class Reader(html.parser.HTMLParser):
    """Identities, links and what else is fetched, with elements open that nobody closed."""

    def __init__(self, text):
        super().__init__()
        self.identities, self.links, self.fetched, self.open, self.cells = set(), [], [], [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            assert attributes["id"] not in self.identities, attributes["id"]
            self.identities.add(attributes["id"])
        self.links += [attributes["href"]] if tag == "a" else []
        self.fetched += [value for name, value in attributes.items() if name in ("src", "href") and tag != "a"]
        self.cells += "data-say" in attributes
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
        self.output(*TUNE)

    def page(self, *arguments):
        self.output("report", "table.json", "-o", "page.html", *arguments)
        return self.read("page.html")

    def test_HoldsEveryCellAndNeedsNothingButItself(self):
        page = self.page()
        reader = Reader(page)
        self.assertEqual(reader.open, [])
        self.assertEqual(reader.fetched, ["data:,"])
        self.assertEqual(len(reader.links), 6)
        for link in reader.links:
            self.assertIn(link[1:], reader.identities)
        table = json.loads(self.read("table.json"))
        self.assertEqual(reader.cells, len(table["cells"]))
        for rule in table["rules"]:
            self.assertIn(f"<td>{rule['algorithm']}</td>", page)
        self.assertIn("invented: 100 Gb/s cables", page)
        self.assertEqual(page, self.page())

    def test_SaysGainsThatTheCellsGive(self):
        page = self.page()
        means = [float(mean) for mean in re.findall(r"<td>mpich</td><td[^>]*>[0-9]+</td><td[^>]*data-value=\"([0-9.]+)\"", page)]
        self.assertEqual(len(means), 2)
        said = self.call(*TUNE).stderr
        both = float(re.search(r"over the default of mpich: ([0-9.]+) times", said)[1])
        self.assertAlmostEqual((means[0] * means[1]) ** 0.5, both, delta=0.002)  # as many cells of each

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

    def test_SizesOfOneRankAreColumnsWhereLayoutsHaveTheseInCommon(self):
        self.output(*(word.replace("allreduce,bcast", "alltoall").replace("--bytes", "--osu-sizes").replace("8:1M", "8,1K") for word in TUNE))
        page = self.page()
        picture = re.search(r'<svg class="map".*?</svg>', page, re.S)[0]
        self.assertEqual(len(set(re.findall(r'<rect x="([0-9.]+)"[^>]*data-say', picture))), 2)
        self.assertIn("Columns: what one rank has", page)
        self.assertNotIn("No two neighbouring", page)

    def test_OfAMachineThatWasNotGivenSaysSo(self):
        machine = json.loads(self.output("machine", "example-cluster", "--json"))
        machine["name"] = "mine"
        self.write("mine.json", json.dumps(machine))
        self.output(*(word.replace("example-cluster", "mine.json") for word in TUNE))
        self.assertIn("Figures of mine are not shown", self.page())
        self.assertIn("invented: 100 Gb/s cables", self.page("--machine", "mine.json"))
        self.refused("lumi-g: expected the table's machine, mine, not lumi-g", "report", "table.json", "--machine", "lumi-g", "-o", "page.html")

    def test_OfBadInputIsRefused(self):
        self.write("broken.json", self.read("table.json").replace('"rules"', '"rule"'))
        self.refused(r"broken.json:\d+: /rule: unknown key", "report", "broken.json", "-o", "page.html")
        self.refused("table.json: is the same file as the input table.json", "report", "table.json", "-o", "table.json")
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
        sorted_table = re.findall(r"<table.*?</table>", done.stdout, re.DOTALL)[1]
        self.assertIn('aria-sort="ascending"', sorted_table)
        ratios = [float(row.rsplit('data-value="', 1)[1].split('"')[0]) for row in re.findall(r"<tr>.*?</tr>", sorted_table)[1:]]
        self.assertGreater(len(ratios), 5)
        self.assertEqual(ratios, sorted(ratios))
        self.assertNotEqual(ratios, sorted(ratios, reverse=True))


if __name__ == "__main__":
    unittest.main()
