#!/usr/bin/env python3
"""Draws what a change costs as OUT.png and OUT.svg: time after it over time before, over sizes (or, where there are more of
them, over numbers of ranks), a panel for each collective and a line for each change. Rings mark where another algorithm is
best; dotted, what the algorithm of before would take."""
import argparse
import collections

import drawing
from drawing import InputError

import matplotlib.pyplot as pyplot
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

COLUMNS = ("system", "change", "collective", "ranks", "nodes", "ppn", "bytes", "ratio", "old_over_best")
PANEL_INCHES, MOST_PANELS_A_ROW = (3.2, 2.3), 3
MOST_LINES, MOST_LABEL = 18, 52
CHANGES = 1.01  # the old choice costs more than 1 % more

Point = collections.namedtuple("Point", "change collective ranks bytes ratio old system")


def read_point(row, where):
    def number(column, convert, least):
        return drawing.number_of(row, column, convert, least, where)

    if None in row or None in row.values():
        raise InputError(f"{where}: expected as many fields as in the header")
    ratio = number("ratio", float, 0)
    return Point(row["change"], row["collective"], number("ranks", int, 1), number("bytes", int, 0), ratio,
                 ratio * number("old_over_best", float, 0), row["system"])


def line_of(point, over_ranks, changes, others):
    """What a line is of, for the legend: the change and, of several, the ranks or the size."""
    words = [point.change if len(point.change) <= MOST_LABEL else point.change[:MOST_LABEL - 1] + "…"] if len(changes) > 1 else []
    if len(others) > 1:
        words.append(drawing.size_text(point.bytes) if over_ranks else f"{point.ranks} ranks")
    return ", ".join(words) or "best after / best before"


def some_of(values, most):
    """The first, the last, and what is evenly between them."""
    if len(values) <= most:
        return values
    return sorted({values[round(i * (len(values) - 1) / max(1, most - 1))] for i in range(most)})


def draw_panel(axes, title, lines, styles, over_ranks):
    ratios = []
    for name, points in lines.items():
        points.sort()
        xs, ys, old = [x for x, _ in points], [p.ratio for _, p in points], [p.old for _, p in points]
        ratios += ys + old
        colour = styles[name]
        axes.plot(xs, old, ":", color=colour, linewidth=1.0)
        axes.plot(xs, ys, "-", color=colour, linewidth=1.3, marker="o" if len(xs) == 1 else None, markersize=3)
        changed = [(x, p.ratio) for x, p in points if p.old > p.ratio * CHANGES]
        if changed:
            axes.plot(*zip(*changed), "o", color=colour, markersize=4.5, markerfacecolor="white", markeredgewidth=1.1)
    axes.axhline(1, color="#666666", linewidth=0.6)
    xs = [x for points in lines.values() for x, _ in points]
    if over_ranks:
        if max(xs) >= 8 * min(xs):
            axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.set_xlabel("ranks")
    elif max(xs) <= 1:
        drawing.no_ticks(axes.xaxis)
        axes.set_xlabel("no size")
    else:
        axes.set_xscale("log", base=2)
        drawing.size_axis(axes.xaxis, min(xs), max(xs), labels=5)
    axes.set_ylim(min(0.98, min(ratios)) * 0.98, max(1.02, max(ratios)) * 1.03)
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.grid(True, which="major", linewidth=0.3, color="#bbbbbb")
    axes.set_title(title, loc="left")
    axes.set_ylabel("after / before")


def draw(points):
    over_ranks = len({p.ranks for p in points}) > len({p.bytes for p in points})
    changes = list(dict.fromkeys(p.change for p in points))
    others = sorted({p.bytes if over_ranks else p.ranks for p in points if over_ranks or p.bytes is not None})
    kept = some_of(others, max(1, MOST_LINES // len(changes)))
    panels = collections.defaultdict(lambda: collections.defaultdict(list))
    for p in points:
        if (p.bytes if over_ranks else p.ranks) in kept or p.collective == "barrier":
            panels[p.collective][line_of(p, over_ranks, changes, others)].append((p.ranks if over_ranks else max(p.bytes, 1), p))
    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    styles = {name: drawing.COLOURS[i % len(drawing.COLOURS)] for i, name in enumerate(names)}
    columns = min(len(panels), MOST_PANELS_A_ROW)
    rows = -(-len(panels) // columns)
    width, height = PANEL_INCHES
    legend = 0.2 * (len(names) + 2) + 0.3
    title = f"{points[0].system}: what if {changes[0]}" if len(changes) == 1 else f"{points[0].system}: what if"
    figure = pyplot.figure(figsize=(max(width * columns, 5.6), height * rows + legend + 0.3), layout="constrained")
    figure.suptitle(title if len(title) < 110 else title[:109] + "…", fontsize=10, x=0.01, ha="left")
    grid = figure.add_gridspec(rows + 1, columns, height_ratios=[height] * rows + [legend])
    for i, (collective, lines) in enumerate(panels.items()):
        draw_panel(figure.add_subplot(grid[i // columns, i % columns]), collective, lines, styles, over_ranks)
    handles = [Line2D([], [], color=styles[name]) for name in names]
    handles += [Line2D([], [], color="black", linestyle=":"), Line2D([], [], color="black", marker="o", linestyle="", markersize=4.5,
                                                                       markerfacecolor="white", markeredgewidth=1.1)]
    axes = figure.add_subplot(grid[rows, :])
    axes.axis("off")
    axes.legend(handles, names + ["with the algorithm that was best before", "another algorithm is best (by more than 1 %)"],
                loc="upper left", borderaxespad=0)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Example: plots/whatif.py changed.csv -o changed.png")
    parser.add_argument("csv", help="as tutti whatif --csv writes it; -: standard input")
    parser.add_argument("-o", dest="out", required=True, help="where to: OUT.png and OUT.svg, or one that ends so")
    arguments = parser.parse_args()
    points = [read_point(row, f"{arguments.csv}:{line}") for line, row in drawing.read_table(arguments.csv, COLUMNS)]
    if not points:
        raise InputError(f"{arguments.csv}:2: expected at least one row")
    drawing.save(draw(points), arguments.out)


drawing.run(main)
