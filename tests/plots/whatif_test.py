"""Pictures of `tutti whatif`."""
import re
import unittest

from drawn import WHATIF_HEADER, Drawn, changed


class WhatIf(Drawn):
    def test_WhatIfIsDrawnByCollectiveAndRefusesWhatIsNoNumber(self):
        text = WHATIF_HEADER + "".join(changed(change, collective, size, 1.5) for change in ("nic 2x400g", "nic 1x100g")
                                       for collective in ("allgather", "bcast") for size in (8, 64, 512))
        svg = self.draw("whatif.py", text)
        for mark in ("allgather", "bcast", "nic 2x400g", "nic 1x100g", "512 B"):
            self.assertIn(f"<!-- {mark} -->", svg)
        self.setUp()
        self.refuse("whatif.py", WHATIF_HEADER + changed("nic 2x400g", "bcast", 8, "much"), 2, "expected ratio as a number")
        self.refuse("whatif.py", WHATIF_HEADER, 2, "at least one row")

    def test_WhatIfDrawsNoCellsOfWhoseBytesNothingWasLeftBesideOthers(self):
        def line(size, simulated, ratio):
            return f"fictional,nic 2x400g,allgather,64,64,1,{size},{simulated},ring,1,ring,1,1,{ratio},1,fast,isolated\n"
        nothing, some = line(8, 0, 1) + line(16, 0, 1), line(256, 256, 1.5) + line(512, 512, 1.5)
        self.assertEqual(self.draw("whatif.py", WHATIF_HEADER + nothing + some), self.draw("whatif.py", WHATIF_HEADER + some))
        self.assertIn("<!-- allgather -->", self.draw("whatif.py", WHATIF_HEADER + nothing))

    def test_WhatIfOfMoreLinesThanColoursTellsThemApartByTheirLines(self):
        svg = self.draw("whatif.py", WHATIF_HEADER + "".join(changed(f"nic {n}x400g", "bcast", size, 1 + n / 10) for n in range(1, 13) for size in (8, 64)))
        axes = re.findall(r'<g id="line2d_\d+">\s*<path d="M ([\d.]+) ([\d.]+) \nL ([\d.]+) ([\d.]+) \n" clip-path[^>]*style="([^"]*stroke-width: 1\.3[^"]*)"', svg)
        self.assertEqual(len({style for *_, style in axes}), 12)

    def test_WhatIfOverManyCountsShowsTheBestBeforeAndAfterAtOddAndEvenOnesAndPowersOfTwo(self):
        def line(change, ranks, after):
            return f"fictional,{change},bcast,{ranks},{ranks},1,64,64,ring,1,{after},1,1,1.5,1.2,fast,isolated\n"
        text = WHATIF_HEADER + "".join(line("nic 2x400g", ranks, "bruck" if ranks % 2 else "ring") for ranks in range(2, 18))
        svg = self.draw("whatif.py", text)
        for mark in ("bcast, 64 B", "before", "after", "odd", "even", "ring", "bruck", "16"):
            self.assertIn(f"<!-- {mark} -->", svg)
        tiles = re.findall(r'<path d="M ([\d.]+) ([\d.]+) \n[^"]*z\n" clip-path[^>]*fill: (#[0-9a-f]{6})"', svg)
        rows = {}
        for _, y, colour in tiles:
            rows.setdefault(float(y), []).append(colour)
        after, before = (sorted(rows, reverse=True)[i:i + 3] for i in (0, 3))  # odd numbers are lowest
        self.assertEqual([[len(rows[y]) for y in strip] for strip in (before, after)], [[8, 4, 4]] * 2)
        ring, = {colour for y in before for colour in rows[y]}
        bruck, = set(rows[after[0]])
        self.assertNotEqual(bruck, ring)
        self.assertEqual({colour for y in after[1:] for colour in rows[y]}, {ring})
        few = WHATIF_HEADER + "".join(line("nic 2x400g", ranks, "bruck") for ranks in range(2, 6))
        self.setUp()
        self.assertNotIn("<!-- odd -->", self.draw("whatif.py", few))
        runs = text.replace("\n", ",before_chosen,after_chosen\n", 1).replace("isolated\n", "isolated,linear,ring\n")
        self.assertNotIn("<!-- bruck -->", svg := self.draw("whatif.py", runs))  # what runs, not what was chosen
        self.assertIn("<!-- linear -->", svg)

    def test_WhatIfOfLongNamesLeavesItsPanelsOfOneWidthAndItsLegendInside(self):
        name = "hier(node=linear,global=knomial:radix={}):segment=8192"  # with commas: in quotes
        text = WHATIF_HEADER + "".join(
            f"fictional,nic 2x400g,{collective},{ranks},{ranks},1,{size},{size},\"{name.format(ranks % 6)}\",1,\"{name.format(ranks % 7)}\",1,1,1.5,1.2,fast,isolated\n"
            for collective in ("bcast", "reduce") for size in (8, 64) for ranks in range(2, 18))
        svg = self.draw("whatif.py", text)
        widths = [float(right) - float(left) for left, right in re.findall(r'<g id="axes_\d+">\s*<g id="patch_\d+">\s*<path d="M ([\d.]+) [\d.]+ \nL ([\d.]+) ', svg)]
        self.assertEqual(len(widths), 12)
        self.assertLess(max(widths) - min(widths), 1)
        inside = float(re.search(r'viewBox="0 0 ([\d.]+) ', svg)[1])
        begins = [float(x) for x in re.findall(r"<!-- hier[^>]*… -->\s*<g[^>]*translate\(([\d.]+) ", svg)]
        self.assertEqual(len(begins), 7)
        self.assertLess(max(begins) + 52 * 4.5, inside)  # points, of letters of 8


if __name__ == "__main__":
    unittest.main()
