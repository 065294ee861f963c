#!/usr/bin/env python3
"""How far one may trust times beside another job: sums up the tables that loaded.py writes, as a section of docs/fidelity.md.
A slow-down is over what was measured alone (the median of the runs on as many nodes): none below 1.2, some up to 2, much above.
usage: crab.py TABLE.csv…"""
import collections
import csv
import statistics
import sys

FITTED_NODES = 8
FACTOR = 1.5


def kind(slow_down):
    return "none" if slow_down < 1.2 else "some" if slow_down <= 2 else "much"


def slow_downs(row, what=""):
    """Measured, predicted; of medians, or of `what`: mean_ or p95_."""
    return (float(row[f"measured_{what}us"]) / float(row["measured_alone_us"]), float(row[f"predicted_{what}us"]) / float(row["predicted_alone_us"]))


def score(pairs):
    """(share within FACTOR, share of the right kind)"""
    pairs = list(pairs)
    close = sum(1 / FACTOR <= predicted / measured <= FACTOR for measured, predicted in pairs) / len(pairs)
    return close, sum(kind(predicted) == kind(measured) for measured, predicted in pairs) / len(pairs)


def percent(values):
    return ", ".join(f"{value:.0%}" for value in values)


def is_small(row):
    return int(row["nodes"]) <= FITTED_NODES


def alone_table(rows):
    text = "| alone | runs | median error | | runs | median error |\n|---|---|---|---|---|---|\n"
    by_system = collections.defaultdict(lambda: {True: [], False: []})
    for row in rows:
        if row["background"] == "none":
            by_system[row["system"]][is_small(row)].append(abs(float(row["predicted_us"]) / float(row["measured_us"]) - 1))
    for system, parts in sorted(by_system.items()):
        cells = [f"{where} | {len(parts[small])} | {statistics.median(parts[small]):.1%}" if parts[small] else f"{where} | 0 | "
                 for small, where in ((True, f"{system}, up to {FITTED_NODES} nodes"), (False, "above"))]
        text += "| " + " | ".join(cells) + " |\n"
    return text


def loaded_table(rows):
    text = ("| | runs | medians | means | were nothing slowed down, medians | means |\n|---|---|---|---|---|---|\n")
    groups = collections.defaultdict(list)
    for row in rows:
        if row["background"] != "none":
            for place in (f"{'up to' if is_small(row) else 'above'} {FITTED_NODES} nodes, beside {'an ' + row['background']}", "all"):
                groups[row["system"], place].append(row)
    for (system, place), some in sorted(groups.items()):
        cells = []
        for nothing in (False, True):
            for what in ("", "mean_"):
                pairs = [slow_downs(row, what) for row in some]
                cells.append(percent(score((measured, 1.0 if nothing else predicted) for measured, predicted in pairs)))
        text += f"| {system}, {place} | {len(some)} | " + " | ".join(cells) + " |\n"
    return text


def section(paths):
    rows = []
    for path in paths:
        with open(path, encoding="utf-8", newline="") as file:
            rows += csv.DictReader(file)
    return ("## Alone and beside another job\n\nCRAB's rings and all-to-alls (arXiv 2604.11432), one rank a node, on nodes between which another job runs an "
            f"incast or an all-to-all ([fabric.md](fabric.md)). Alone: the error of the median. What was fitted, was on at most {FITTED_NODES} nodes.\n\n"
            + alone_table(rows) + "\nBeside another job: in how many runs the slow-down is predicted within a factor of "
            f"{FACTOR}, and of the right kind (none below 1.2, some, much above 2); and how many would be right were nothing slowed down.\n\n"
            + loaded_table(rows) + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.stdout.write(section(sys.argv[1:]))
