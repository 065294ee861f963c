#!/usr/bin/env python3
"""Draws simulated time over size, as OUT.png and OUT.svg: one panel per system, collective and number of ranks, one
line per algorithm."""
import argparse
import collections

import drawing
from times import read_points

import matplotlib.pyplot as pyplot
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

PANEL_INCHES, LEGEND_INCHES = (3.6, 2.9), 2.2
MOST_PANELS_A_ROW = 3
LINES = ["-", "--", ":", "-."]

def draw_panel(axes, panel, points, styles, engines):
    curves = collections.defaultdict(list)
    for point in points:
        curves[point.algorithm, point.engine].append((max(point.bytes, 1), point.time_us))
    for (algorithm, engine), curve in sorted(curves.items()):
        colour, marker = styles[algorithm]
        axes.plot(*zip(*sorted(curve)), LINES[engines.index(engine) % len(LINES)], color=colour, marker=marker,
                  markersize=3.5, markeredgecolor="white", markeredgewidth=0.4, linewidth=1.2)
    sizes = [point.bytes for point in points]
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.grid(True, which="major", linewidth=0.3, color="#bbbbbb")
    if max(sizes) == 0:
        drawing.no_ticks(axes.xaxis)
        axes.set_xlabel("no size")
    else:
        drawing.size_axis(axes.xaxis, max(1, min(sizes)), max(sizes))
        axes.tick_params(axis="x", labelsize=7)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda time, _: f"{time:g}"))
    axes.set_ylabel("time (µs)")
    axes.set_title(f"{panel.collective}, {panel.ranks} ranks ({panel.nodes} × {panel.ppn})\n{panel.system}, {panel.mode}",
                   loc="left")


def draw_legend(axes, styles, engines):
    handles = [Line2D([], [], color=colour, marker=marker, markersize=4) for colour, marker in styles.values()]
    names = list(styles)
    if len(engines) > 1:
        handles += [Line2D([], [], color="black", linestyle=LINES[i % len(LINES)]) for i in range(len(engines))]
        names += engines
    axes.axis("off")
    axes.legend(handles, names, loc="upper left", borderaxespad=0)


def styles_of(names):
    """A colour and a marker each; where the colours begin again, the markers are others."""
    shift = len(drawing.COLOURS)
    return {name: (drawing.style_of(i)[0], drawing.MARKERS[(i + i // shift) % len(drawing.MARKERS)])
            for i, name in enumerate(names)}


def draw(points):
    of_collective = collections.defaultdict(lambda: collections.defaultdict(list))
    for point in sorted(points):
        of_collective[point.panel.collective][point.panel].append(point)
    engines = sorted({point.engine for point in points})
    columns = min(max(len(panels) for panels in of_collective.values()), MOST_PANELS_A_ROW)
    rows = sum(-(-len(panels) // columns) for panels in of_collective.values())
    width, height = PANEL_INCHES
    figure = pyplot.figure(figsize=(width * columns + LEGEND_INCHES, height * rows), layout="constrained")
    grid = figure.add_gridspec(rows, columns + 1, width_ratios=[width] * columns + [LEGEND_INCHES])
    row = 0
    for panels in of_collective.values():
        styles = styles_of(sorted({point.algorithm for points in panels.values() for point in points}))
        for i, (panel, points) in enumerate(panels.items()):
            draw_panel(figure.add_subplot(grid[row + i // columns, i % columns]), panel, points, styles, engines)
        height_in_rows = -(-len(panels) // columns)
        draw_legend(figure.add_subplot(grid[row:row + height_in_rows, -1]), styles, engines)
        row += height_in_rows
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Example: plots/curves.py simulated.csv -o curves")
    parser.add_argument("csv", help="times, as tutti simulate --csv writes them")
    parser.add_argument("-o", dest="out", required=True, help="where to: OUT.png and OUT.svg")
    arguments = parser.parse_args()
    drawing.save(draw(read_points(arguments.csv)), arguments.out)


drawing.run(main)
