#!/usr/bin/env python3
"""gains_by_machine.py STUDY...: from folders of `tutti study odd-counts`, each named as its machine, how many times as fast the best of all is as
the best that any library can be tuned to, at numbers of ranks that are no power of two: a table in Markdown for each collective, on stdout."""
import argparse
import collections
import csv
import os
import statistics

import plain

WINS = 1.02  # at less, it is said that nothing gains


def gains_of(folder):
    """{collective: {size: {ranks: (gain over the best tuned library, by which algorithm)}}}, powers of two left out."""
    path = os.path.join(folder, "counts.csv")
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    rows = csv.DictReader(plain.read_text(path).splitlines())
    expected = {"collective", "osu_bytes", "ranks", "power_of_two", "best", "tuned_over_best"}
    if not expected <= set(rows.fieldnames or ()):
        raise plain.InputError(f"{path}:1: expected columns {', '.join(sorted(expected))}, as tutti study writes them")
    for row in rows:
        if row["power_of_two"] == "1" or not row["tuned_over_best"]:
            continue
        of_size = found[row["collective"]][int(row["osu_bytes"])]
        gain = float(row["tuned_over_best"]), row["best"]
        of_size[int(row["ranks"])] = min(gain, of_size.get(int(row["ranks"]), gain))
    return found


def cell(gains):
    if not gains:
        return "-"
    most, name, ranks = max((gain, name, -ranks) for ranks, (gain, name) in gains.items())
    if most < WINS:
        return "nothing"
    mean = statistics.geometric_mean(gain for gain, _ in gains.values())
    return f"{mean:.2f}, {most:.2f} on {-ranks} by `{plain.name_of(name)}`"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog="Example: plots/gains_by_machine.py studies/stampede studies/fugaku > gains.md")
    parser.add_argument("studies", nargs="+", metavar="STUDY")
    studies = parser.parse_args().studies
    gains = {os.path.basename(os.path.normpath(folder)): gains_of(folder) for folder in studies}
    for collective in sorted({name for of_machine in gains.values() for name in of_machine}):
        sizes = sorted({size for of_machine in gains.values() for size in of_machine.get(collective, ())})
        head = ["machine", *map(plain.size_text, sizes), "ranks"]
        print(f"\n## {collective}\n\n| {' | '.join(head)} |\n|{' --- |' * len(head)}")
        for machine, of_machine in gains.items():
            by_size = of_machine.get(collective, {})
            counts = sorted({ranks for of_size in by_size.values() for ranks in of_size})
            asked = f"{len(counts)} from {counts[0]} to {counts[-1]}" if counts else "-"
            print(f"| {machine} | {' | '.join(cell(by_size.get(size, {})) for size in sizes)} | {asked} |")


if __name__ == "__main__":
    plain.run(main)
