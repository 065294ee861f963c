#!/usr/bin/env python3
"""The part of docs/fidelity.md on tori and on nodes of many cores: predictions (tutti calibrate --predictions) of what was
measured on Fugaku and on ORFEO, written to stdout.

A cell is one collective, number of ranks and size with at least two algorithms measured and predicted; where one was measured
more than once, the fastest counts. The pick is the algorithm predicted fastest; its regret is measured(pick) / measured(best)."""
import argparse
import collections
import os
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "plots"))
import drawing  # noqa: E402
import scores  # noqa: E402

CLOSE = 1.10
Cell = collections.namedtuple("Cell", "key pick best regret")

FUGAKU = """## Tori of Fugaku

Fujitsu MPI's algorithms that are Open MPI's, and Bine's over MPI, on tori of 2x2x2 and 4x4x4 nodes and rings of 16 and 32, simulated on
`fugaku`. Ranks leave the network's own barrier together, so that rooted collectives count at all sizes. Left out: Fujitsu's own
algorithms for the torus, what calls other collectives as the library likes, Bine by puts on several interfaces (`bine_utofu`: another
library), and allreduce of one element, which the network does by itself whatever is forced. Bine's labels are run as our Bine
algorithms, which go by ranks, where the measured ones go by one dimension of the torus after the other.

"""
ORFEO = """## Nodes of many cores

osu_bcast, osu_scatter and osu_barrier on ORFEO, two nodes of 128 cores (`orfeo-epyc`) and of 24 (`orfeo-thin`), with the barrier
between calls that Open MPI takes there. The transport of both is fitted to point-to-point measurements; what else was taken from rows of the
table is in the machines' sources.

"""


def usable(key):
    return not (key.system == "fugaku" and key.collective == "allreduce" and key.bytes <= 4)


def read(paths):
    return [(key, row) for path in paths for key, row in scores.read(path) if usable(key)]


def cells_of(rows):
    real, model = (collections.defaultdict(dict) for _ in range(2))
    for key, row in rows:
        scores.fastest(real, key._replace(ppn=0), row["algorithm"], float(row["measured_us"]))
        scores.fastest(model, key._replace(ppn=0), row["algorithm"], float(row["time_us"]))
    found = []
    for key in sorted(real):
        if len(real[key]) < 2:
            continue
        names = sorted(real[key])
        best, pick = min(names, key=real[key].get), min(names, key=model[key].get)
        found.append(Cell(key, pick, best, real[key][pick] / real[key][best]))
    return found


def median_error(rows, fitted):
    errors = [abs(float(row["time_us"]) / float(row["measured_us"]) - 1) for _, row in rows if row["fitted"] in fitted]
    return f"{statistics.median(errors):.1%}" if errors else "–"


HEAD = ("| | rows | cells | mean regret | 95th percentile | within 10 % | median error, fitted | not fitted |\n"
        "|---|---|---|---|---|---|---|---|\n")


def line(name, rows):
    regrets = [cell.regret for cell in cells_of(rows)]
    picks = (f"{len(regrets)} | {statistics.mean(regrets):.3f} | {scores.quantile(regrets, .95):.2f} | "
             f"{sum(r <= CLOSE for r in regrets) / len(regrets):.1%}" if regrets else "0 | – | – | –")
    return f"| {name} | {len(rows)} | {picks} | {median_error(rows, '1')} | {median_error(rows, '0')} |\n"


def table(rows):
    groups = collections.defaultdict(list)
    for key, row in rows:
        groups[key.system, key.collective].append((key, row))
    text = HEAD + "".join(line(", ".join(group), groups[group]) for group in sorted(groups))
    return text + line("**all**", rows) + "\n"


def worst(rows, most=8):
    wrong = sorted((c for c in cells_of(rows) if c.regret > CLOSE), key=lambda c: -c.regret)[:most]
    if not wrong:
        return ""
    return "| worst picks | pick | best | regret |\n|---|---|---|---|\n" + "".join(
        f"| {c.key.system}, {c.key.collective}, {c.key.ranks} ranks, {drawing.size_text(c.key.bytes)} | {c.pick} | {c.best} | {c.regret:.2f} |\n"
        for c in wrong) + "\n"


def section(introduction, paths):
    rows = read(paths)
    return introduction + table(rows) + worst(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fugaku", action="append", required=True, metavar="CSV")
    parser.add_argument("--orfeo", action="append", required=True, metavar="CSV")
    arguments = parser.parse_args()
    print("\n" + (section(FUGAKU, arguments.fugaku) + section(ORFEO, arguments.orfeo)).rstrip("\n"))


if __name__ == "__main__":
    drawing.run(main)
