#!/usr/bin/env python3
"""Of the measured collectives `make fidelity` predicts all rows on at most 512 ranks; on more, every third size of each collective from
the second on, and no all-to-all, whose calls of a million messages take as long to simulate as all the rest.
usage: sample.py MEASURED.csv"""
import collections
import csv
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "plots"))
from drawing import read_table, run  # noqa: E402

ALL_UP_TO_RANKS, EVERY = 512, 3


def place_of(row):
    return row["system"], row["collective"], row["ranks"], row["ppn"]


def sample(rows):
    sizes = collections.defaultdict(set)
    for row in rows:
        sizes[place_of(row)].add(int(row["bytes"]))
    chosen = {place: set(sorted(of_place)[1::EVERY]) for place, of_place in sizes.items()}
    return [row for row in rows if int(row["ranks"]) <= ALL_UP_TO_RANKS
            or row["collective"] != "alltoall" and int(row["bytes"]) in chosen[place_of(row)]]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[-1])
    rows = [row for _, row in read_table(sys.argv[1], ("system", "collective", "ranks", "ppn", "bytes"))]
    writer = csv.DictWriter(sys.stdout, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(sample(rows))


if __name__ == "__main__":
    run(main)
