"""How far times are off over the number of nodes, fitted and not fitted apart: a section of docs/fidelity.md and its picture."""
import collections
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "plots"))
import drawing  # noqa: E402

import matplotlib.pyplot as pyplot  # noqa: E402


def errors(rows):
    """{(system, whether fitted): {nodes: relative errors}}"""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for key, row in rows:
        error = abs(float(row["time_us"]) / float(row["measured_us"]) - 1)
        found[key.system, row["fitted"] == "1"][-(-key.ranks // key.ppn)].append(error)
    return found


def section(found, picture):
    text = ("## Error over the number of nodes\n\nMedian of how far times are off; the number of rows in brackets.\n\n"
            f"![Median error over the number of nodes]({picture})\n\n| machine | nodes | fitted | not fitted |\n|---|---|---|---|\n")
    for system in sorted({system for system, _ in found}):
        for nodes in sorted({nodes for fitted in (True, False) for nodes in found[system, fitted]}):
            cells = []
            for fitted in (True, False):
                of_nodes = found[system, fitted].get(nodes)
                cells.append(f"{statistics.median(of_nodes):.1%} ({len(of_nodes)})" if of_nodes else "–")
            text += f"| {system} | {nodes} | {' | '.join(cells)} |\n"
    return text + "\n"


def draw(found, out):
    figure, axis = pyplot.subplots(figsize=(7, 3.4), layout="constrained")
    for i, system in enumerate(sorted({system for system, _ in found})):
        colour = drawing.style_of(i)[0]
        for fitted, marker in ((False, "o-"), (True, "s--")):
            by_nodes = sorted(found[system, fitted].items())
            if by_nodes:
                axis.plot([nodes for nodes, _ in by_nodes], [100 * statistics.median(of_nodes) for _, of_nodes in by_nodes], marker,
                          color=colour, markersize=4, markerfacecolor="white" if fitted else colour,
                          label=f"{system}, {'fitted' if fitted else 'not fitted'}")
    axis.set(xlabel="nodes", ylabel="median error, %", ylim=(0, None))
    axis.set_xscale("log", base=2)
    drawing.plain_numbers(axis.xaxis)
    axis.legend(fontsize=6, loc="upper left", bbox_to_anchor=(1, 1))
    figure.savefig(out, metadata={"Software": None})
    pyplot.close(figure)
