#!/usr/bin/env python3
"""Draws simulated time as OUT.png and OUT.svg, one line per algorithm: over size, in one panel per number of ranks, or, where
there are more numbers of ranks than sizes, over these, in one panel per size. Each collective, system and mode has panels of
its own. Below a panel over many numbers of ranks stands which algorithm is the best at each: at powers of two, at other even
numbers, at odd ones."""
import argparse
import collections
import math
import os
import sys

import drawing
import winners
from drawing import InputError
from times import falls_back, read_points

import matplotlib.pyplot as pyplot
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

PANEL_INCHES, LEGEND_INCHES = (3.6, 2.9), 2.6
MOST_PANELS_A_ROW = 3
MOST_PANELS, MOST_GROUPS = 36, 36
MOST_PANELS_OF_A_GROUP = 12
MOST_NAMES = 12
MOST_MARKERS = 40
LINES = ["-", "--", ":", "-."]

# What has panels of its own, what they are drawn over, and the panels: {title: [point]}.
Group = collections.namedtuple("Group", "collective over panels")


def groups_of(points, over):
    """Ranks per node differ within a group only where each number of ranks is there once."""
    together = collections.defaultdict(list)
    for point in sorted(points):
        together[point.panel.collective, point.panel.system, point.panel.mode].append(point)
    groups = []
    for (collective, system, mode), those in together.items():
        layouts = {point.panel for point in those}
        ambiguous = len({panel.ranks for panel in layouts}) < len(layouts)
        sizes = {point.bytes for point in those}
        chosen = over if over != "auto" else "ranks" if len({panel.ranks for panel in layouts}) > len(sizes) else "sizes"
        panels = collections.defaultdict(list)
        for point in those:
            what = f"{point.panel.ranks} ranks ({point.panel.nodes} × {point.panel.ppn})"
            if chosen == "ranks":
                what = drawing.size_text(point.bytes) + (f", {point.panel.ppn} per node" if ambiguous else "")
            key = (point.bytes, point.panel.ppn if ambiguous else 0) if chosen == "ranks" else point.panel
            panels[key, f"{collective}, {what}\n{system}, {mode}"].append(point)
        groups.append(Group(collective, chosen, {title: panel for (_, title), panel in sorted(panels.items())}))
    return groups


def some_of(panels, most):
    """The first, the last, and what is evenly between them."""
    titles = list(panels)
    if len(titles) <= most:
        return panels
    shown = {titles[round(i * (len(titles) - 1) / max(1, most - 1))] for i in range(most)}
    return {title: panel for title, panel in panels.items() if title in shown}


def limited(groups):
    """As many panels as can be looked at; says what is left out."""
    if len(groups) > MOST_GROUPS:
        raise InputError(f"{len(groups)} collectives, systems and modes: expected at most {MOST_GROUPS} in a picture")
    each = min(MOST_PANELS_OF_A_GROUP, max(1, MOST_PANELS // len(groups)))
    kept = []
    for group in groups:
        kept.append(group._replace(panels=some_of(group.panels, each)))
        if len(group.panels) > each:
            other = "numbers of ranks" if group.over == "sizes" else "sizes"
            print(f"{os.path.basename(sys.argv[0])}: {group.collective}: {each} of {len(group.panels)} {other} are drawn, from the "
                  "first to the last", file=sys.stderr)
    return kept


def ranked(panels):
    """The algorithms, those first that are the best most often, then those that are nearest to it."""
    wins, ratios = collections.Counter(), collections.defaultdict(list)
    for points in panels:
        cells = collections.defaultdict(list)
        for point in points:
            cells[point.panel, point.bytes, point.engine].append(point)
        for cell in cells.values():
            best = min(point.time_us for point in cell)
            for point in cell:
                wins[point.algorithm] += point.time_us == best
                ratios[point.algorithm].append(math.log(point.time_us / best) if best > 0 and point.time_us > 0 else 0.0)
    return sorted(ratios, key=lambda name: (-wins[name], sum(ratios[name]) / len(ratios[name]), name))


def size_axis(axes, sizes):
    axes.set_xscale("log", base=2)
    if max(sizes) == 0:
        drawing.no_ticks(axes.xaxis)
        axes.set_xlabel("no size")
        return
    drawing.size_axis(axes.xaxis, max(1, min(sizes)), max(sizes))
    axes.tick_params(axis="x", labelsize=7)


def best_of(points):
    """[(ranks, best point)], ascending."""
    best = {}
    for point in points:
        ranks = point.panel.ranks
        if ranks not in best or (point.time_us, point.algorithm) < (best[ranks].time_us, best[ranks].algorithm):
            best[ranks] = point
    return sorted(best.items())


def shows_winners(over, points):
    return (over == "ranks" and len({point.panel.ranks for point in points}) >= winners.FEWEST
            and len({point.algorithm for point in points}) > 1 and len({point.engine for point in points}) == 1)


def draw_panel(axes, over, title, points, styles, engines):
    curves = collections.defaultdict(list)
    for point in points:
        curves[point.algorithm, point.engine].append(
            (point.panel.ranks if over == "ranks" else max(point.bytes, 1), point.time_us, falls_back(point)))
    xs = sorted({x for curve in curves.values() for x, _, _ in curve})
    for (algorithm, engine), curve in sorted(curves.items(), key=lambda item: (item[0][0] in styles, item[0])):
        colour, marker = styles.get(algorithm, (winners.OTHER, ""))
        dense = over == "ranks" and len(xs) > MOST_MARKERS  # so that those which go up and down stay lines
        along, times, hollow = zip(*sorted(curve))
        marked = range(0, len(curve), 1 if len(xs) <= MOST_MARKERS else max(1, len(curve) // 8))
        axes.plot(along, times, LINES[engines.index(engine) % len(LINES)], color=colour,
                  marker=marker, markevery=[i for i in marked if not hollow[i]], markersize=3.5,
                  markeredgecolor="white", markeredgewidth=0.4,
                  linewidth=(0.8 if dense else 1.2) if algorithm in styles else 0.6)
        if any(hollow):
            axes.plot(along, times, linestyle="none", color=colour, marker=marker, markevery=[i for i in marked if hollow[i]],
                      markersize=4, markerfacecolor="white", markeredgecolor=colour, markeredgewidth=0.8)
    if shows_winners(over, points):
        axes.plot(*zip(*((ranks, point.time_us) for ranks, point in best_of(points))), color="black", linewidth=1.8, zorder=9)
    if over == "ranks":
        winners.count_axis(axes, xs)
    else:
        size_axis(axes, [point.bytes for point in points])
    times = [point.time_us for point in points]
    if min(times) > 0:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0,) if max(times) > 300 * min(times) else (1.0, 2.0, 5.0)))
        axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(True, which="major", linewidth=0.3, color="#bbbbbb")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda time, _: f"{time:g}"))
    axes.set_ylabel("time (µs)")
    axes.set_title(title, loc="left")


def draw_legend(axes, styles, names, engines, best, hollow):
    here = [name for name in sorted(names) if name in styles]
    handles = [Line2D([], [], color=styles[name][0], marker=styles[name][1], markersize=4) for name in here]
    if len(here) < len(names):
        handles.append(Line2D([], [], color=winners.OTHER, linewidth=0.6))
        here.append(f"{len(names) - len(here)} others")
    if best:
        handles.append(Line2D([], [], color="black", linewidth=1.8))
        here.append("the best")
    if hollow:
        handles.append(Line2D([], [], color="black", linestyle="none", marker="o", markersize=4, markerfacecolor="white",
                              markeredgewidth=0.8))
        here.append("hollow: another algorithm runs")
    if len(engines) > 1:
        handles += [Line2D([], [], color="black", linestyle=LINES[i % len(LINES)]) for i in range(len(engines))]
        here += engines
    axes.axis("off")
    axes.legend(handles, here, loc="upper left", borderaxespad=0)


def styles_of(groups):
    """A colour and a marker each, the same in all panels; where the colours begin again, the markers are others. Those of a
    group beyond MOST_NAMES that are hardly ever the best have none."""
    names = set()
    for group in groups:
        names.update(ranked(group.panels.values())[:MOST_NAMES])
    return {name: winners.style_of(i) for i, name in enumerate(sorted(names))}


def draw(points, over):
    groups = limited(groups_of(points, over))
    styles = styles_of(groups)
    engines = sorted({point.engine for point in points})
    columns = min(max(len(group.panels) for group in groups), MOST_PANELS_A_ROW)
    rows = sum(-(-len(group.panels) // columns) for group in groups)
    width, height = PANEL_INCHES
    figure = pyplot.figure(figsize=(width * columns + LEGEND_INCHES, height * rows), layout="constrained")
    grid = figure.add_gridspec(rows, columns + 1, width_ratios=[width] * columns + [LEGEND_INCHES])
    row = 0
    for group in groups:
        names = {point.algorithm for panel in group.panels.values() for point in panel}
        for i, (title, panel) in enumerate(group.panels.items()):
            place = grid[row + i // columns, i % columns]
            if shows_winners(group.over, panel):
                place, below = place.subgridspec(2, 1, height_ratios=[4, 1], hspace=0.05)
                strip = figure.add_subplot(below)
            axes = figure.add_subplot(place)
            draw_panel(axes, group.over, title, panel, styles, engines)
            if shows_winners(group.over, panel):
                best = {ranks: point.algorithm for ranks, point in best_of(panel)}
                winners.draw_strip(strip, best, styles)
                winners.align(strip, axes, best)
        height_in_rows = -(-len(group.panels) // columns)
        draw_legend(figure.add_subplot(grid[row:row + height_in_rows, -1]), styles, names, engines,
                    any(shows_winners(group.over, panel) for panel in group.panels.values()),
                    any(falls_back(point) and point.algorithm in styles for panel in group.panels.values() for point in panel))
        row += height_in_rows
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Example: plots/curves.py simulated.csv -o curves")
    parser.add_argument("csv", help="times, as tutti simulate --csv writes them; -: standard input")
    parser.add_argument("-o", dest="out", required=True, help="where to: OUT.png and OUT.svg, or one that ends so")
    parser.add_argument("--over", choices=["auto", "sizes", "ranks"], default="auto", help="what is along the panels")
    arguments = parser.parse_args()
    drawing.save(draw(read_points(arguments.csv), arguments.over), arguments.out)


drawing.run(main)
