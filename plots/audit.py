#!/usr/bin/env python3
"""Draws what a tuning file costs as OUT.png and OUT.svg: one panel per collective and ranks per node; x: size, y: number of
processes, colour: time by the file over that of the best (or, --over own, of the library's own choice). Cells that the file
leaves to the library have a dot; those of which no time is known are hatched. Black lines between neighbours are cliffs."""
import argparse
import collections
import json
import math
import sys

import drawing
from drawing import InputError

import matplotlib.pyplot as pyplot
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

PANEL_INCHES, LEGEND_INCHES = 3.8, 2.4
ROW_INCHES, HIGHEST_PANEL_INCHES, HIGHEST_PICTURE_INCHES, LOWEST_PANEL_INCHES = 0.17, 6.0, 24.0, 1.2
MOST_PANELS_A_ROW = 6
MARK = 0.36  # of a row, from its middle to where a line between sizes ends
UNKNOWN = "#dddddd"
# Times over the reference below so much, and the colour; Tol's YlOrBr and sunset schemes, which survive colour blindness.
STEPS = {
    "best": ((1.05, "#ffffe5"), (1.2, "#fee391"), (1.5, "#fb9a29"), (2, "#cc4c02"), (4, "#993404"), (math.inf, "#4d1500")),
    "own": ((0.5, "#364b9a"), (0.8, "#6ea6cd"), (0.95, "#c2e4ef"), (1.05, "#f7f7e8"), (1.25, "#feda8b"), (2, "#f67e4b"),
            (math.inf, "#a50026")),
}
OVER = {"best": "the best known", "own": "the library's own choice"}

Cell = collections.namedtuple("Cell", "collective nodes ppn bytes says time best own")
Cliff = collections.namedtuple("Cliff", "steepness here there")
Audit = collections.namedtuple("Audit", "machine library least cells cliffs")


def read_cell(raw, where):
    kinds = (("collective", str), ("nodes", int), ("ppn", int), ("bytes", int))
    if not isinstance(raw, dict) or any(type(raw.get(key)) is not kind for key, kind in kinds):
        raise InputError(f'{where}: expected a cell: an object with "collective", "nodes", "ppn" and "bytes"')
    times = [raw.get(key) for key in ("time_us", "best_us", "own_us")]
    if any(time is not None and (type(time) not in (int, float) or not 0 <= time < math.inf) for time in times):
        raise InputError(f'{where}: expected "time_us", "best_us" and "own_us" as numbers from 0 on, or null')
    return Cell(*(raw[key] for key, _ in kinds), raw.get("says"), *times)


def read_audit(path):
    text = drawing.read_text(path)
    try:
        audit = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: expected JSON: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise InputError(f"{path}:1: expected JSON: {error}") from error
    if not isinstance(audit, dict) or not isinstance(audit.get("cells"), list) or not isinstance(audit.get("cliffs"), list):
        raise InputError(f'{path}:1: expected what tutti audit --json prints, with "cells" and "cliffs"')
    cells = [read_cell(raw, f"{path}:1: cell {i + 1}") for i, raw in enumerate(audit["cells"])]
    if not cells:
        raise InputError(f"{path}:1: expected at least one cell")
    cliffs = []
    for i, raw in enumerate(audit["cliffs"]):
        where = f"{path}:1: cliff {i + 1}"
        if not isinstance(raw, dict) or type(raw.get("steepness")) not in (int, float):
            raise InputError(f'{where}: expected "steepness", a number')
        cliffs.append(Cliff(raw["steepness"], read_cell(raw.get("here"), where), read_cell(raw.get("there"), where)))
    least = audit.get("cliff_from")
    if type(least) not in (int, float):
        raise InputError(f'{path}:1: expected "cliff_from", a number')
    return Audit(str(audit.get("machine", "")), str(audit.get("library", "")), least, cells, cliffs)


def ratio_of(cell, over):
    reference = cell.best if over == "best" else cell.own
    return cell.time / reference if cell.time is not None and reference else None


def edges_of(sizes):
    """{size: (left, right)}: half way to the neighbours; the outer ones reach as far out as in."""
    middles = [math.sqrt(a * b) for a, b in zip(sizes, sizes[1:])]
    left = sizes[0] ** 2 / middles[0] if middles else sizes[0] / math.sqrt(2)
    right = sizes[-1] ** 2 / middles[-1] if middles else sizes[-1] * math.sqrt(2)
    bounds = [left, *middles, right]
    return {size: (bounds[i], bounds[i + 1]) for i, size in enumerate(sizes)}


def position(cell):
    """On a logarithmic axis; a call without bytes stands where one of a byte would."""
    return max(cell.bytes, 1)


def draw_cells(axes, cells, rows, over):
    """{(nodes, bytes): (left, right)} of the tiles."""
    tiles = {}
    for nodes, row in rows.items():
        here = {position(cell): cell for cell in cells if cell.nodes == nodes}
        for size, (left, right) in edges_of(sorted(here)).items():
            ratio = ratio_of(here[size], over)
            fill = UNKNOWN if ratio is None else next(colour for below, colour in STEPS[over] if ratio < below)
            axes.add_patch(Rectangle((left, row - 0.5), right - left, 1, facecolor=fill, edgecolor="#999999" if ratio is None else fill,
                                     hatch="//////" if ratio is None else None, linewidth=0.2))
            if here[size].says is None:
                axes.plot([size], [row], ".", markersize=2, color="white" if drawing.is_dark(fill) else "#555555")
            tiles[nodes, size] = left, right
    return tiles


def draw_cliffs(axes, cliffs, rows, tiles):
    """Between sizes an upright line, between numbers of nodes a level one below the tile of the larger number."""
    for cliff in cliffs:
        first, last = sorted((cliff.here, cliff.there), key=lambda cell: (cell.nodes, cell.bytes))
        left, right = tiles[last.nodes, position(last)]
        row = rows[last.nodes]
        if first.nodes == last.nodes:
            axes.plot([left, left], [row - MARK, row + MARK], "-", color="black", linewidth=1.6, solid_capstyle="butt")
        else:
            axes.plot([left, right], [row - 0.5, row - 0.5], "-", color="black", linewidth=1.6, solid_capstyle="butt")
    if cliffs:
        steepest = max(cliffs, key=lambda cliff: cliff.steepness)
        last = max(steepest.here, steepest.there, key=lambda cell: (cell.nodes, cell.bytes))
        is_right = position(last) ** 2 > min(size for _, size in tiles) * max(size for _, size in tiles)
        axes.annotate(f"×{steepest.steepness:.3g}", (tiles[last.nodes, position(last)][0], rows[last.nodes]), fontsize=7, va="center",
                      fontweight="bold", ha="right" if is_right else "left", xytext=(-3 if is_right else 3, 0),
                      textcoords="offset points",
                      bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "linewidth": 0.4, "alpha": 0.85})


def draw_panel(axes, cells, cliffs, over, row_inches):
    nodes = sorted({cell.nodes for cell in cells})
    rows = {count: row for row, count in enumerate(nodes)}
    axes.set_xscale("log", base=2)
    axes.set_facecolor("#f4f4f4")
    tiles = draw_cells(axes, cells, rows, over)
    draw_cliffs(axes, cliffs, rows, tiles)
    axes.set_xlim(min(left for left, _ in tiles.values()), max(right for _, right in tiles.values()))
    axes.set_ylim(-0.5, len(nodes) - 0.5)
    drawing.label_counts(axes, [count * cells[0].ppn for count in nodes], row_inches)
    sizes = [cell.bytes for cell in cells]
    if max(sizes) == 0:
        drawing.no_ticks(axes.xaxis)
        axes.set_xlabel("no size")
    else:
        drawing.size_axis(axes.xaxis, max(1, min(sizes)), max(sizes), labels=5)


def step_words(over):
    least = None
    for below, colour in STEPS[over]:
        words = f"below {below:g}" if least is None else f"{least:g} to {below:g}" if below < math.inf else f"{least:g} and more"
        yield colour, words
        least = below


def draw_legend(axes, over, least):
    patches = [Patch(facecolor=colour, edgecolor="#999999", linewidth=0.4) for colour, _ in step_words(over)]
    handles = [*patches, Patch(facecolor=UNKNOWN, hatch="//////", edgecolor="#999999"),
               Line2D([], [], color="#555555", marker=".", linestyle="", markersize=4)]
    texts = [*(words for _, words in step_words(over)), "no time is known", "left to the library"]
    if least:
        handles.append(Line2D([], [], color="black", linewidth=1.6))
        texts.append(f"cliff: changes {least:.3g} times or more;\n×: the steepest of the panel")
    axes.axis("off")
    axes.legend(handles, texts, loc="upper left", borderaxespad=0, title=f"time over that of\n{OVER[over]}", title_fontsize=8,
                alignment="left", handlelength=1.6, labelspacing=0.4)


def ranks_per_node(cells):
    """As many as can stand side by side: the first, the last, and what is evenly between them."""
    ppns = sorted({cell.ppn for cell in cells})
    if len(ppns) <= MOST_PANELS_A_ROW:
        return ppns
    print(f"audit.py: {MOST_PANELS_A_ROW} of {len(ppns)} numbers of ranks per node are drawn, from the first to the last", file=sys.stderr)
    return [ppns[round(i * (len(ppns) - 1) / (MOST_PANELS_A_ROW - 1))] for i in range(MOST_PANELS_A_ROW)]


def draw(audit, over):
    cells, cliffs = audit.cells, audit.cliffs
    ppns, collectives = ranks_per_node(cells), list(dict.fromkeys(cell.collective for cell in cells))
    panels = {(c, ppn): [cell for cell in cells if (cell.collective, cell.ppn) == (c, ppn)] for c in collectives for ppn in ppns}
    counts = [max(len({cell.nodes for cell in panels[c, ppn]}) for ppn in ppns) for c in collectives]
    highest = max(min(HIGHEST_PANEL_INCHES, HIGHEST_PICTURE_INCHES / len(collectives)), 2 * LOWEST_PANEL_INCHES)
    heights = [min(max(ROW_INCHES * count, 0.2), highest) for count in counts]
    figure = pyplot.figure(figsize=(PANEL_INCHES * len(ppns) + LEGEND_INCHES, max(sum(heights) + 0.6 * len(heights) + 0.7, 3.0)),
                           layout="constrained")
    grid = figure.add_gridspec(len(collectives), len(ppns) + 1, width_ratios=[PANEL_INCHES] * len(ppns) + [LEGEND_INCHES],
                               height_ratios=[height + 0.6 for height in heights])
    for i, collective in enumerate(collectives):
        for column, ppn in enumerate(ppns):
            here = panels[collective, ppn]
            if not here:
                continue
            axes = figure.add_subplot(grid[i, column])
            draw_panel(axes, here, [cliff for cliff in cliffs if (cliff.here.collective, cliff.here.ppn) == (collective, ppn)], over,
                       heights[i] / counts[i])
            axes.set_title(f"{collective}, {ppn} per node", loc="left", fontweight="bold")
            axes.set_ylabel("processes")
    draw_legend(figure.add_subplot(grid[:, -1]), over, audit.least if cliffs else None)
    figure.suptitle(f"What a tuning file for {audit.library} costs on {audit.machine}", x=0.01, ha="left", fontsize=11, fontweight="bold")
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Example: plots/audit.py audit.json -o audit.png")
    parser.add_argument("audit", help="as tutti audit --json prints it; -: standard input")
    parser.add_argument("-o", dest="out", required=True, help="where to: OUT.png and OUT.svg, or one that ends so")
    parser.add_argument("--over", choices=list(STEPS), default="best", help="what times are set beside")
    arguments = parser.parse_args()
    audit = read_audit(arguments.audit)
    if arguments.over == "own" and all(cell.own is None for cell in audit.cells):
        raise InputError(f"{arguments.audit}:1: expected times of {OVER['own']} (tutti tune --baselines {audit.library})")
    drawing.save(draw(audit, arguments.over), arguments.out)


drawing.run(main)
