#!/usr/bin/env python3
"""Are times that `tutti tune` infers where they are said to be? Tunes with so few messages allowed that much is extrapolated, simulates a sample of
the inferred times, and compares. Fails where fewer than 19 of 20 lie between their bounds."""

import argparse
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

INSIDE = 0.95
NEAR = 0.001  # rounding, and what contention does to bounds


def simulated_us(options, cell, name):
    text = subprocess.run([options.tutti, "simulate", cell["collective"], "--machine", options.machine, "--algorithm", name,
                           "--nodes", str(cell["nodes"]), "--ppn", str(cell["ppn"]), "--bytes", str(cell["bytes"]), "--csv",
                           "-"], check=True, capture_output=True, text=True).stdout
    return float(next(csv.DictReader(io.StringIO(text)))["time_us"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tutti", default="build/tutti")
    parser.add_argument("--machine", default=os.path.join(os.path.dirname(__file__), "..", "bench", "tapered.json"))
    parser.add_argument("--place", action="append", metavar="NODES:PPN", help="default: 128 to 256 ranks")
    parser.add_argument("--osu-sizes", default="8:4M")
    parser.add_argument("--collectives", default="")
    parser.add_argument("--most-messages", default="4096")
    parser.add_argument("--every", type=int, default=20, help="of the inferred times, simulate one of so many")
    parser.add_argument("--list", action="store_true", help="print every one")
    options = parser.parse_args()
    checked, outside, widths = 0, [], []
    for place in options.place or ["2,4,8,16:8", "32:8"]:
        nodes, ppn = place.split(":")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "table.json")
            tune = [options.tutti, "tune", "--machine", options.machine, "--nodes", nodes, "--ppn", ppn, "--osu-sizes",
                    options.osu_sizes, "--confirm", "none", "--most-messages", options.most_messages, "-o", path]
            subprocess.run(tune + (["--collectives", options.collectives] if options.collectives else []), check=True,
                           stderr=subprocess.DEVNULL)
            with open(path, encoding="utf-8") as file:
                table = json.load(file)
        inferred = [(cell, name) for cell in table["cells"] for name in cell.get("inferred", [])]
        for cell, name in inferred[::options.every]:
            least, most = cell["between_us"][name]
            truth = simulated_us(options, cell, name)
            checked += 1
            widths.append(most / least if least > 0 else 1.0)
            miss = max(least / truth, truth / most) - 1 if truth > 0 and most > 0 else 0
            if options.list:
                print(f"{cell['collective']} {name} {cell['nodes']}x{cell['ppn']} {cell['bytes']}: {least:.4g} {cell['times_us'][name]:.4g} {most:.4g} us, "
                      f"simulated {truth:.4g}: {cell['times_us'][name] / truth - 1:+.1%}")
            if miss > NEAR:
                outside.append((miss, cell, name, truth))
    outside.sort(key=lambda one: one[0], reverse=True)
    print(f"{checked} inferred times simulated: {len(outside)} not between their bounds, which are {sorted(widths)[len(widths) // 2]:.3f} apart "
          f"(median ratio)")
    for miss, cell, name, truth in outside[:8]:
        print(f"    {miss:.1%} outside: {cell['collective']} {name} on {cell['nodes']} x {cell['ppn']}, {cell['bytes']} B: {truth:.4g} us, not "
              f"{cell['between_us'][name][0]:.4g} to {cell['between_us'][name][1]:.4g}")
    sys.exit(1 if len(outside) > (1 - INSIDE) * checked else 0)


if __name__ == "__main__":
    main()
