#!/usr/bin/env python3
"""What is known of measured runs whose label is wrong, and the measurements with what really ran.

OUT/measured.csv has, beside the file's columns, actual_ranks and actual_ppn, filled in the rows of such runs alone;
OUT/as_labelled.csv has those rows as they stand; OUT/placements the placement files, those of such runs with the actual ranks
on the same nodes."""
import argparse
import collections
import csv
import os
import shutil

from drawing import InputError, read_table, run, size_text

COLUMNS = ("system", "run", "ranks", "ppn", "actual_ranks", "actual_ppn", "same_as", "why")
NEEDED = ("system", "run", "ranks", "ppn", "placement")
Label = collections.namedtuple("Label", COLUMNS)


def read_labels(path):
    return {(row["system"], row["run"]): Label(*(row[column] for column in COLUMNS)) for _, row in read_table(path, COLUMNS)}


def nodes_of(path):
    """The first row of every node."""
    nodes = {}
    for _, row in read_table(path, ("rank", "node")):
        nodes.setdefault(row["node"], row)
    return list(nodes.values())


def write_table(path, columns, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_placement(source, out, label):
    ranks, ppn = int(label.actual_ranks), int(label.actual_ppn)
    nodes = nodes_of(source)
    if len(nodes) * ppn != ranks:
        raise InputError(f"{source}: {len(nodes)} nodes, expected {ranks} ranks at {ppn} per node")
    write_table(out, nodes[0], [{**nodes[rank // ppn], "rank": rank} for rank in range(ranks)])


def correct(measured, labels, out):
    """Writes the three into the folder `out`."""
    placements = os.path.join(out, "placements")
    shutil.copytree(os.path.join(os.path.dirname(measured), "placements"), placements)
    corrected, as_labelled, seen = [], [], {}
    for number, row in read_table(measured, NEEDED):
        label = labels.get((row["system"], row["run"]))
        if label is None:
            corrected.append(row)
            continue
        if (row["ranks"], row["ppn"]) != (label.ranks, label.ppn):
            raise InputError(f"{measured}:{number}: run {label.run} on {row['ranks']} ranks, {row['ppn']} per node, expected the label "
                             f"{label.ranks}, {label.ppn} per node")
        as_labelled.append(row)
        seen[label] = row["placement"]
        corrected.append({**row, "actual_ranks": label.actual_ranks, "actual_ppn": label.actual_ppn, "placement": "actual_" + row["placement"]})
    for label in labels.values():
        if label not in seen:
            raise InputError(f"{measured}: no row of {label.system}'s run {label.run}, whose label is said to be wrong")
    for label, name in seen.items():
        write_placement(os.path.join(placements, name), os.path.join(placements, "actual_" + name), label)
    columns = list(as_labelled[0]) if as_labelled else list(corrected[0])
    write_table(os.path.join(out, "measured.csv"), columns + ["actual_ranks", "actual_ppn"], corrected)
    write_table(os.path.join(out, "as_labelled.csv"), columns, as_labelled)


def times(measured, run_name):
    """{(collective, implementation, algorithm, bytes): measured microseconds} of a run."""
    return {(row["collective"], row["implementation"], row["algorithm"], int(row["bytes"])): float(row["median_us"])
            for _, row in read_table(measured, ("run", "collective", "implementation", "algorithm", "bytes", "median_us")) if row["run"] == run_name}


def predicted(rows, label):
    return {(key.collective, row["implementation"], row["algorithm"], key.bytes): float(row["time_us"]) for key, row in rows
            if (key.system, key.ranks, key.ppn) == (label.system, int(label.ranks), int(label.ppn))}


def section(labels, measured, actual_rows, labelled_rows):
    """`…_rows`: (key, row) of predictions of what really ran and of the label."""
    text = "## Runs that are labelled wrongly\n\n"
    actual_rows, labelled_rows = list(actual_rows), list(labelled_rows)
    for label in labels.values():
        here, there = times(measured, label.run), times(measured, label.same_as)
        actual, labelled = predicted(actual_rows, label), predicted(labelled_rows, label)
        text += (f"{label.system}'s run `{label.run}` is labelled {label.ranks} ranks, {label.ppn} per node, and was of {label.actual_ranks} ranks, "
                 f"{label.actual_ppn} per node. Nothing is fitted to it, under either label. {label.why}\n\n| | labelled {label.ranks} × {label.ppn} | run `{label.same_as}` | ratio | "
                 f"predicted for {label.actual_ranks} × {label.actual_ppn} | predicted for {label.ranks} × {label.ppn} |\n|---|---|---|---|---|---|\n")
        for what in sorted(set(here) & set(there), key=lambda what: (what[:3], what[3])):
            text += (f"| {what[2]}, {size_text(what[3])} | {here[what]:,.2f} us | {there[what]:,.2f} us | {here[what] / there[what]:.2f} | "
                     f"{actual[what]:,.2f} us | {labelled[what]:,.2f} us |\n")
        text += "\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", help="CSV of measured collectives, its placements beside it")
    parser.add_argument("labels", help="CSV: system, run, ranks, ppn, actual_ranks, actual_ppn, same_as, why")
    parser.add_argument("out", help="the folder to write to")
    arguments = parser.parse_args()
    correct(arguments.measured, read_labels(arguments.labels), arguments.out)


if __name__ == "__main__":
    run(main)
