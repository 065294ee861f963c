#!/usr/bin/env python3
"""How far extrapolated times of `tutti tune` are from simulated ones: random cells are tuned with so few messages allowed that what sends more is
extrapolated, each extrapolated time is simulated as it is, and the errors are listed by how they were come by: over segments or over nodes. Fails where
more than one of 20 is beyond the error that the table says."""

import argparse
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile

# As selection/extrapolate.hpp has them: what is so far apart in a table was extrapolated over nodes, all else over segments, where the error is this or
# more, or where messages may be lost. (Nothing else is inferred in a cell alone.)
ERRORS = {"segments": 0.05, "nodes": 0.40}
ROUNDING = 1e-6
COLLECTIVES = ("bcast", "reduce", "allreduce", "allgather", "alltoall", "reduce_scatter", "gather", "scatter")


def how(least, most):
    """By which way a time was extrapolated; None: it was not, but lies between bounds."""
    if least <= 0:
        return None
    width = (1 + ERRORS["nodes"]) / (1 - ERRORS["nodes"])
    return "nodes" if abs(most / least / width - 1) < 1e-4 else "segments"


def extrapolated(options, machine, nodes, ppn, collective, size, folder):
    path = os.path.join(folder, "table.json")
    done = subprocess.run([options.tutti, "tune", "--machine", machine, "--nodes", str(nodes), "--ppn", str(ppn), "--osu-sizes", str(size),
                           "--collectives", collective, "--confirm", "none", "--most-messages", str(options.most_messages), "-o", path],
                          capture_output=True, text=True, check=False)
    if "the machine has" in done.stderr:
        return []
    if done.returncode != 0:
        sys.exit(f"{machine}, {collective} on {nodes} x {ppn}: {done.stderr}")
    with open(path, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    return [(cell, name, *cell["between_us"][name]) for cell in cells for name in cell.get("inferred", []) if how(*cell["between_us"][name])]


def simulated_us(options, machine, cell, name):
    text = subprocess.run([options.tutti, "simulate", cell["collective"], "--machine", machine, "--algorithm", name, "--nodes", str(cell["nodes"]),
                           "--ppn", str(cell["ppn"]), "--bytes", str(cell["bytes"]), "--csv", "-"], check=True, capture_output=True,
                          text=True).stdout
    return float(next(csv.DictReader(io.StringIO(text)))["time_us"])


def quantile(values, part):
    return sorted(values)[min(int(part * len(values)), len(values) - 1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tutti", default="build/tutti")
    parser.add_argument("--machines", default="leonardo-booster,lumi-g,marenostrum5-acc," +
                        os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench", "tapered.json"))
    parser.add_argument("--times", type=int, default=200, help="how many are compared")
    parser.add_argument("--most-ranks", type=int, default=512)
    parser.add_argument("--most-messages", type=int, default=8192)
    parser.add_argument("--each", type=int, default=3, help="of one cell, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="print every one")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    errors, outside = {name: [] for name in ERRORS}, dict.fromkeys(ERRORS, 0)
    compared = 0
    while compared < options.times:
        machine = draw.choice(options.machines.split(","))
        ppn = draw.choice((1, 2, 4))
        nodes = draw.randint(16, options.most_ranks // ppn)
        collective, size = draw.choice(COLLECTIVES), 1 << draw.randint(3, 20)
        with tempfile.TemporaryDirectory() as folder:
            found = extrapolated(options, machine, nodes, ppn, collective, size, folder)
        for cell, name, least, most in draw.sample(found, min(options.each, len(found))):
            guess, truth = (least + most) / 2, simulated_us(options, machine, cell, name)
            error = guess / truth - 1
            errors[how(least, most)].append(error)
            outside[how(least, most)] += not least * (1 - ROUNDING) <= truth <= most * (1 + ROUNDING)
            compared += 1
            if options.list:
                print(f"{os.path.basename(machine)} {collective} {name} {nodes}x{ppn} {cell['bytes']}: {guess:.4g} us, simulated {truth:.4g}: {error:+.1%} "
                      f"({how(least, most)})", flush=True)
    for name, found in errors.items():
        if not found:
            continue
        sizes = [abs(error) for error in found]
        print(f"over {name}: {len(found)} times, median error {quantile(sizes, 0.5):.1%}, 95th percentile {quantile(sizes, 0.95):.1%}, worst "
              f"{max(found, key=abs):+.1%}; {outside[name]} beyond the error that the table says ({ERRORS[name]:.0%}, or more)")
    sys.exit(1 if sum(outside.values()) > compared / 20 else 0)


if __name__ == "__main__":
    main()
