import filecmp
import json
import os
import re
import struct
import subprocess
import unittest

from drawn import PLOTS, WHATIF_HEADER, Drawn, changed, preloaded

CSV_HEADER = "system,collective,algorithm,ranks,nodes,ppn,bytes,bytes_simulated,time_us,messages,engine,mode\n"
RECTANGLE = re.compile(r'<path d="M ([\d.]+) ([\d.]+) \nL ([\d.]+) [\d.]+ \n[^"]*z\n"[^>]*style="fill: (#[0-9a-f]{6}); stroke: #ffffff')


def rule(nodes, first, last, algorithm, collective="bcast", ppn=1):
    return {"collective": collective, "nodes": nodes, "ppn": ppn, "from_bytes": first, "to_bytes": last,
            "algorithm": algorithm, "predicted_us": 1.0, "runner_up": None, "margin": None, "engine": "simgrid"}


def table(rules, sizes=(8, 1 << 22)):
    """The first rule is on line 2, the second on line 3."""
    cells = [{"collective": "bcast", "nodes": 2, "ppn": 1, "bytes": size, "times_us": {}} for size in sizes]
    head = json.dumps({"format": "tutti-table-1", "machine": "fictional", "cells": cells})
    return head[:-1] + ', "rules": [\n' + ",\n".join(json.dumps(rule) for rule in rules) + "\n]}\n"


def audited(nodes, size, says, time, best=1.0, own=None):
    return {"collective": "bcast", "nodes": nodes, "ppn": 1, "bytes": size, "says": says, "time_us": time, "best_us": best, "own_us": own}


def audit(cells, cliffs=()):
    return json.dumps({"machine": "fictional", "library": "open-mpi-4.1", "cliff_from": 1.4, "cells": cells,
                       "cliffs": [{"steepness": steep, "here": cells[i], "there": cells[j]} for steep, i, j in cliffs]})


def row(**changed):
    fields = dict(system="fictional", collective="bcast", algorithm="binomial", ranks=8, nodes=8, ppn=1, bytes=8,
                  bytes_simulated=8, time_us=1.5, messages=7, engine="fast", mode="barrier")
    return ",".join(str(value) for value in {**fields, **changed}.values()) + "\n"


def validation(shared_cores):
    interval = {"value": 1.2, "low": 1.1, "high": 1.3}
    return {"format": "tutti-validation-1", "machine": "m", "shared_cores": shared_cores, "cells": [
        {"collective": "bcast", "ranks": 3, "bytes": size, "speedup": interval, "median_us": {"table": 8.0 + size},
         "predicted_us": {"table": 9.0 + size}} for size in (8, 64)]}


class Plots(Drawn):
    def test_SelectionMapMarksTheCountsThatAreNoPowerOfTwo(self):
        svg = self.draw("selection_map.py", table([rule(n, 0, None, "binomial") for n in (2, 3, 4, 12)]))
        labels = re.findall(r"<!-- (◆ )?(\d+) -->", svg)
        self.assertEqual(labels, [("", "2"), ("◆ ", "3"), ("", "4"), ("◆ ", "12")])

    def test_SelectionMapColoursEachRangeByItsAlgorithm(self):
        # From 8 B to 2^23 (the size after the last one tuned) are 20 octaves; the threshold at 2^13 is half way.
        rules = [rule(2, 0, 8191, "binomial"), rule(2, 8192, None, "ring"), rule(3, 0, None, "ring:segment=65536")]
        svg = self.draw("selection_map.py", table(rules))
        boxes = [(float(left), float(bottom), float(right), colour)
                 for left, bottom, right, colour in RECTANGLE.findall(svg)]
        boxes = [box for box in boxes if box[2] - box[0] > 50]  # without the legend's
        self.assertEqual(len(boxes), 3)
        (left, bottom, middle, binomial), (again, _, right, ring), (_, above, _, same) = boxes
        self.assertAlmostEqual(middle - left, right - again, delta=0.01)
        self.assertAlmostEqual(middle, again, delta=0.01)
        self.assertLess(above, bottom)  # more processes are further up
        self.assertNotEqual(binomial, ring)
        self.assertEqual(ring, same)
        self.assertIn("<!-- segment 64 KiB -->", svg)

    def test_SelectionMapIsPalerWhereTheRunnerUpIsNear(self):
        cells = [{"collective": "bcast", "nodes": 2, "ppn": 1, "bytes": 8 << i, "times_us": {"binomial": 1.0, "ring": time}}
                 for i, time in enumerate((1.01, 1.04, 1.1, 9.0))]
        text = json.dumps({**json.loads(table([rule(2, 0, None, "binomial")])), "cells": cells})
        svg = self.draw("selection_map.py", text)
        shades = [sum(int(colour[i:i + 2], 16) for i in (1, 3, 5)) for left, _, right, colour in RECTANGLE.findall(svg)
                  if float(right) - float(left) > 50]
        self.assertEqual(len(shades), 4)
        self.assertEqual(shades, sorted(shades, reverse=True))
        self.assertEqual(len(set(shades)), 4)
        self.assertIn("<!-- 0 to 2 % slower -->", svg)

    def test_SelectionMapIsPalestWhereSomethingElseMayBeFaster(self):
        def drawn(time, legend, undecided):
            one = {"collective": "bcast", "nodes": 2, "ppn": 1, "bytes": 8, "times_us": {"binomial": 1.0, "ring": time}, **undecided}
            rules = [rule(2, 0, None, "binomial") | {"undecided": bool(undecided)}]
            svg = self.draw("selection_map.py", json.dumps({**json.loads(table(rules)), "cells": [one]}))
            self.assertIn(legend, svg)
            return RECTANGLE.findall(svg)[0]

        self.assertEqual(drawn(9.0, "<!-- 0 to 2 % slower, or not decided -->", {"undecided": ["chain"]}), drawn(1.01, "<!-- 0 to 2 % slower -->", {}))

    def test_SelectionMapTakesAnInferredRunnerUpForTheLeastThatItMayTake(self):
        def drawn(time, **between):
            cells = [{"collective": "bcast", "nodes": 2, "ppn": 1, "bytes": 8, "times_us": {"binomial": 1.0, "ring": time}, **between}]
            return self.draw("selection_map.py", json.dumps({**json.loads(table([rule(2, 0, None, "binomial")])), "cells": cells}))

        self.assertEqual(drawn(9.0, inferred=["ring"], between_us={"ring": [1.04, 9.0]}), drawn(1.04))
        self.assertNotEqual(drawn(9.0), drawn(1.04))

    def test_SelectionMapShowsWhatRunsInPlaceOfAChoice(self):
        cells = [{"collective": "bcast", "nodes": 2, "ppn": 1, "bytes": size, "times_us": {"ring": 1.0}, **runs}
                 for size, runs in ((8, {"runs": {"ring": "binomial"}}), (1 << 22, {}))]
        text = json.dumps({**json.loads(table([rule(2, 0, None, "ring")])), "cells": cells})
        svg = self.draw("selection_map.py", text)
        self.assertIn("<!-- binomial -->", svg)
        self.assertIn("<!-- in place of ring -->", svg)

    def test_SelectionMapOf127RowsFitsAScreenAndAColourMeansOneAlgorithm(self):
        rules = [rule(nodes, 0, None, name, collective) for nodes in range(2, 129)
                 for collective, name in (("bcast", "binomial"), ("allgather", "bruck"), ("gather", "binomial"))]
        png, svg = self.draw_both("selection_map.py", table(rules))
        width, height = struct.unpack(">II", png[16:24])
        self.assertLess(height, 3000)
        self.assertLess(width, 3000)
        fills = [colour for left, _, right, colour in RECTANGLE.findall(svg) if float(right) - float(left) > 50]
        self.assertEqual(len(fills), 3)  # one block each: rows that are alike are one
        self.assertEqual(len(set(fills)), 2)
        self.assertIn("<!-- 128 -->", svg)

    def test_CurvesOfManyCountsAreDrawnOverTheCounts(self):
        text = CSV_HEADER + "".join(row(ranks=ranks, nodes=ranks, bytes=size, time_us=ranks * size) for ranks in range(2, 301)
                                    for size in (8, 4096))
        png, svg = self.draw_both("curves.py", text)
        self.assertLess(max(struct.unpack(">II", png[16:24])), 2500)
        self.assertEqual(len(re.findall(r"<!-- bcast, ", svg)), 2)
        self.assertIn("<!-- bcast, 4 KiB", svg)
        self.assertIn("<!-- 256 -->", svg)

    def test_CurvesOverManyCountsShowTheBestAtOddAndEvenOnesAndPowersOfTwo(self):
        text = CSV_HEADER + "".join(row(ranks=ranks, nodes=ranks, algorithm=name, time_us=1 + (ranks % 2 == odd))
                                    for ranks in range(2, 18) for name, odd in (("binomial", 1), ("ring", 0)))
        svg = self.draw("curves.py", text)
        for mark in ("odd", "even", "the best"):
            self.assertIn(f"<!-- {mark} -->", svg)
        tiles = re.findall(r'<path d="M ([\d.]+) ([\d.]+) \n[^"]*z\n" clip-path[^>]*fill: (#[0-9a-f]{6})"', svg)
        rows = {}
        for _, y, colour in tiles:
            rows.setdefault(float(y), []).append(colour)
        lowest_first = [rows[y] for y in sorted(rows, reverse=True)]
        self.assertEqual([len(tiles) for tiles in lowest_first], [8, 4, 4])  # 3 to 17; 6, 10, 12, 14; 2, 4, 8, 16
        self.assertEqual([len(set(tiles)) for tiles in lowest_first], [1, 1, 1])
        self.assertNotEqual(lowest_first[0][0], lowest_first[1][0])
        self.assertEqual(lowest_first[1][0], lowest_first[2][0])

    def test_AnAuditColoursCellsByWhatTheyCostAndMarksCliffs(self):
        cells = [audited(2, 8, None, 1.0), audited(2, 16, "linear", 3.0), audited(3, 8, "linear", None), audited(3, 16, "ring", 5.0)]
        svg = self.draw("audit.py", audit(cells, [(3.0, 0, 1), (1.7, 1, 3)]))
        for mark in ("bcast, 1 per node", "×3", "no time is known", "left to the library", "cliff: changes 1.4 times or more;"):
            self.assertIn(f"<!-- {mark} -->", svg)
        tiles = re.findall(r'style="fill: (#[0-9a-f]{6}); stroke: \1; stroke-width: 0.2', svg)
        self.assertEqual(tiles, ["#ffffe5", "#993404", "#4d1500"])  # below 1.05, 2 to 4, more; the unknown one is hatched
        self.assertEqual(svg.count('stroke: #000000; stroke-width: 1.6"/>'), 2)
        self.assertNotIn("cliff", self.draw("audit.py", audit(cells)))

    def test_AnAuditThatCannotBeReadIsRefused(self):
        good = audit([audited(2, 8, None, 1.0)])
        for text, expected in (("{", "expected JSON"), ("[]", "expected what tutti audit --json prints"), (audit([]), "at least one cell"),
                               (good.replace("1.4", '"1.4"'), '"cliff_from", a number'), (good.replace('"nodes": 2', '"nodes": "2"'), "cell 1: expected a cell"),
                               (good.replace('"time_us": 1.0', '"time_us": -1'), "numbers from 0 on")):
            self.refuse("audit.py", text, 1, expected)

    def test_CurvesDrawAsManyPanelsAsCanBeLookedAtAndSayWhatIsLeftOut(self):
        text = CSV_HEADER + "".join(row(ranks=ranks, nodes=ranks, bytes=size, algorithm=name, time_us=1 + ranks / 99 + number)
                                    for ranks in range(2, 22) for size in range(8, 28)
                                    for number, name in enumerate(f"a{i:02}" for i in range(15)))
        done = self.call("curves.py", text, "out.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"\Acurves.py: bcast: 12 of 20 numbers of ranks are drawn, from the first to the last\n\Z")
        with open(self.path("out.svg"), encoding="utf-8") as file:
            svg = file.read()
        self.assertEqual(len(re.findall(r"<!-- bcast, \d+ ranks", svg)), 12)
        self.assertIn("<!-- bcast, 21 ranks", svg)
        self.assertIn("<!-- a00 -->", svg)
        self.assertNotIn("<!-- a14 -->", svg)
        self.assertIn("<!-- 3 others -->", svg)

    def test_NamesAreDrawnLetterByLetterAndNumbersPlainly(self):
        """A dollar begins no formula, and there is none that nobody wrote."""
        name = "mine$1 yours$_{"
        svg = self.draw("curves.py", CSV_HEADER + row(algorithm=name))
        self.assertIn(f"<!-- {name} -->", svg)
        report = validation([])
        for cell in report["cells"]:
            cell["collective"] = name
        svg = self.draw("validation.py", json.dumps(report))
        self.assertIn(f"<!-- {name} -->", svg)
        self.assertIn("<!-- 0.02 -->", svg)  # between powers of ten
        self.assertNotIn("mathdefault", svg)

    def test_FilesInARowAreReadAsOne(self):
        parts = [CSV_HEADER + row(bytes=size) for size in (8, 64, 512)]
        whole = CSV_HEADER + "".join(part[len(CSV_HEADER):] for part in parts)
        self.assertEqual(self.draw("curves.py", "".join(parts)), self.draw("curves.py", whole))

    def test_ABestAlgorithmBeyondThoseThatHaveAColourIsGreyInTheStrip(self):
        text = CSV_HEADER
        for ranks in range(2, 32):  # one is the best at each number of ranks, and none at two
            text += "".join(row(algorithm=f"a{i:02}", ranks=ranks, nodes=ranks, time_us=1.0 if i == ranks else 2.0) for i in range(2, 32))
        svg = self.draw("curves.py", text)
        self.assertIn("#cccccc", svg)

    def test_APictureIsOfTheKindThatItsNameEndsIn(self):
        done = self.call("curves.py", CSV_HEADER + row() + row(bytes=16), "one.svg")
        self.assertEqual((done.returncode, sorted(os.listdir(self.folder))), (0, ["input", "one.svg"]))

    def test_SelectionMapHasAPanelForEachCollectiveAndRanksPerNode(self):
        rules = [rule(2, 0, None, "bruck", collective, ppn) for collective in ("barrier", "allgather") for ppn in (1, 8)]
        svg = self.draw("selection_map.py", table(rules))
        for panel in ("barrier, 1 per node", "barrier, 8 per node", "allgather, 1 per node", "allgather, 8 per node"):
            self.assertIn(f"<!-- {panel} -->", svg)

    def test_PicturesComeOutTheSameEveryTime(self):
        """In another interpreter, too; others of these tests and of the program's draw with each script as somebody types it."""
        texts = {"selection_map.py": table([rule(3, 0, None, "binomial"), rule(3, 0, None, "ring", "allgather")]),
                 "audit.py": audit([audited(2, 8, None, 1.0)]), "curves.py": CSV_HEADER + "".join(row(algorithm=f"a{i}") for i in range(6)),
                 "whatif.py": WHATIF_HEADER + changed("nic 2x400g", "bcast", 8, 1.5) + changed("nic 1x100g", "bcast", 8, 1.2),
                 "gain.py": CSV_HEADER + row(algorithm="ring") + row(algorithm="tuned"), "validation.py": json.dumps(validation([]))}
        for folder in ("here", "there"):
            os.mkdir(self.path(folder))
        outs = {program: program.replace(".py", "" if program == "curves.py" else ".svg") for program in texts}  # a PNG of one script alone
        for done in preloaded.run_elsewhere(*(self.command(program, text, os.path.join("there", outs[program]), "given-" + program)
                                              for program, text in texts.items())):
            self.assertEqual(done.returncode, 0, done.stderr)
        for program, text in texts.items():
            self.assertEqual(self.call(program, text, os.path.join("here", outs[program])).returncode, 0)
            self.assertTrue(os.access(os.path.join(PLOTS, program), os.X_OK), program)
        files = sorted(os.listdir(self.path("here")))
        self.assertEqual(len(files), len(texts) + 1)
        self.assertEqual(filecmp.cmpfiles(self.path("here"), self.path("there"), files, shallow=False), (files, [], []))

    def test_CurvesDrawALinePerAlgorithmInAPanelPerNumberOfRanks(self):
        text = CSV_HEADER + "".join(
            row(ranks=ranks, nodes=ranks, algorithm=algorithm, bytes=size, time_us=size / 8)
            for ranks in (8, 10) for algorithm in ("binomial", "ring", "knomial:radix=4") for size in (8, 64, 512))
        svg = self.draw("curves.py", text)
        lines = re.findall(r'<path d="M [^"]*" clip-path[^>]*stroke: (#[0-9a-f]{6}); stroke-width: 1.2', svg)
        self.assertEqual(len(lines), 6)
        self.assertEqual(len(set(lines)), 3)
        for name in ("binomial", "ring", "knomial:radix=4", "bcast, 8 ranks (8 × 1)", "bcast, 10 ranks (10 × 1)"):
            self.assertIn(f"<!-- {name}", svg)

    def test_CurvesAreHollowWhereAnotherAlgorithmRuns(self):
        def drawn(*chosen, asked="ring"):
            text = CSV_HEADER[:-1] + ",chosen\n"
            return self.draw("curves.py", text + "".join(row(algorithm=asked, bytes=8 << i, time_us=i + 1)[:-1] + f",{one}\n"
                                                         for i, one in enumerate(chosen)))
        hollow = r'<use xlink:href="#\w+" x="[\d.]+" y="[\d.]+" style="fill: #ffffff; stroke: #(?!000000)[0-9a-f]{6}'
        self.assertEqual(len(re.findall(hollow, svg := drawn("linear", "linear", "ring"))), 2)
        self.assertIn("<!-- hollow: another algorithm runs -->", svg)
        for all_the_same in (drawn("ring", "ring"), drawn("linear", "ring", asked="default:mpich")):
            self.assertNotIn("hollow", all_the_same)
            self.assertEqual(re.findall(hollow, all_the_same), [])

    def test_AValidationOnSharedCoresSaysSo(self):
        self.assertNotIn("take turns", self.draw("validation.py", json.dumps(validation([])), alone=True))
        self.assertIn("3 ranks on 2 cores: times say how they take turns",
                      self.draw("validation.py", json.dumps(validation([{"ranks": 3, "cores": 2}]))))

    def test_ATableThatCannotBeReadIsRefusedWithItsLine(self):
        good = rule(2, 0, None, "binomial")
        whole = table([good])
        for text, line, expected in (
                ("", 1, "JSON"),
                (table([good])[:-10], 2, "JSON"),
                ("[]", 1, "tutti-table-1"),
                (table([good]).replace("table-1", "table-9"), 1, "tutti-table-1"),
                (table([]), 1, "at least one rule"),
                (table([good, {**good, "nodes": 0}]), 3, '"nodes"'),
                (table([good, {**good, "nodes": "two"}]), 3, '"nodes"'),
                (table([good, {**good, "from_bytes": -1}]), 3, '"from_bytes"'),
                (table([{**good, "from_bytes": 9, "to_bytes": 8}]), 2, '"to_bytes"'),
                (table([good, {**good, "algorithm": None}]), 3, '"algorithm"')):
            with self.subTest(text=text):
                self.refuse("selection_map.py", text, line, expected)

    def test_TimesThatCannotBeReadAreRefusedWithTheirLine(self):
        for text, line, expected in (
                ("", 1, "header"),
                (CSV_HEADER, 2, "at least one row"),
                ("a,b\n1,2\n", 1, "header"),
                (CSV_HEADER + row() + row(time_us="nan"), 3, "time_us"),
                (CSV_HEADER + row(time_us=-1), 2, "time_us"),
                (CSV_HEADER + row(bytes="many"), 2, "bytes"),
                (CSV_HEADER + row(ranks=0), 2, "ranks"),
                (CSV_HEADER + "fictional,bcast\n", 2, "fields"),
                (CSV_HEADER + row(algorithm=""), 2, "algorithm")):
            with self.subTest(text=text):
                self.refuse("curves.py", text, line, expected)

    def test_AMissingFileIsRefusedInOneLine(self):
        for program in ("selection_map.py", "curves.py"):
            done = preloaded.run(os.path.join(PLOTS, program), self.path("absent"), "-o", self.path("out"))
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"\A.*absent:1: No such file or directory: expected a readable file\n\Z")

    def test_GainsOfMachinesAreOverTheBestTunedLibraryAtNoPowerOfTwoAndSayWhereNothingGains(self):
        head = "collective,osu_bytes,ranks,power_of_two,best,tuned_over_best\n"
        for machine, rows in (("left", "bcast,8,3,0,ring:segment=8,4\nbcast,8,3,0,ring:segment=8,2\nbcast,8,4,1,chain,9\nbcast,8,5,0,chain,8\n"
                                       "bcast,1024,3,0,chain,1.019\n"), ("right", "bcast,1024,3,0,ring,1.02\n")):
            os.mkdir(self.path(machine))
            with open(os.path.join(self.path(machine), "counts.csv"), "w", encoding="utf-8") as file:
                file.write(head + rows)
        program = os.path.join(PLOTS, "gains_by_machine.py")
        done = subprocess.run([program, self.path("left"), self.path("right") + "/"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "\n## bcast\n\n| machine | 8 B | 1 KiB | ranks |\n| --- | --- | --- | --- |\n"
                                      "| left | 4.00, 8.00 on 5 by `chain` | nothing | 2 from 3 to 5 |\n"
                                      "| right | - | 1.02, 1.02 on 3 by `ring` | 1 from 3 to 3 |\n")
        with open(os.path.join(self.path("left"), "counts.csv"), "w", encoding="utf-8") as file:
            file.write("collective,ranks\n")
        done = subprocess.run([program, self.path("left")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Agains_by_machine.py: .*counts.csv:1: expected columns best, collective, .*\n\Z")

    def test_GainIsDrawnForEverySizeAndMode(self):
        text = CSV_HEADER + "".join(row(algorithm=algorithm, ranks=ranks, bytes=size, mode=mode, time_us=time)
                                    for algorithm, time in (("ring", 4.0), ("tuned", 3.0)) for ranks in (9, 17)
                                    for size in (1234, 5678) for mode in ("isolated", "back-to-back:4"))
        svg = self.draw("gain.py", text, alone=True)
        for title in ("1,234 bytes", "5,678 bytes", "isolated", "back-to-back:4"):
            self.assertIn(f"<!-- {title} -->", svg)

    def test_GainNeedsBothAlgorithms(self):
        self.refuse("gain.py", CSV_HEADER + row(algorithm="ring"), 1, "expected a time of tuned for 8 ranks")


if __name__ == "__main__":
    unittest.main()
