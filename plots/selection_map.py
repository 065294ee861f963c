#!/usr/bin/env python3
"""Draws which algorithm a selection table picks, as OUT.png and OUT.svg: one panel per collective and ranks per node;
x: size, y: number of processes, every count one row (those that are no power of two are marked), colour: algorithm."""
import argparse
import math

import drawing
from drawing import InputError
from table import read_table

import matplotlib.pyplot as pyplot
from matplotlib.patches import Patch, Rectangle

PANEL_INCHES, LEGEND_INCHES, ROW_INCHES = 4.2, 1.8, 0.17
NOT_A_POWER = "#b03000"
CHARACTERS_PER_INCH = 19  # of a parameter's label


def name_of(algorithm):
    return algorithm.split(":")[0]


def parameters_of(algorithm):
    """"chain:fanout=4:segment=65536" -> "fanout 4, segment 64 KiB"."""
    words = []
    for part in algorithm.split(":")[1:]:
        key, _, value = part.partition("=")
        words.append(f"{key} {drawing.size_text(int(value)) if key == 'segment' and value.isdigit() else value}")
    return ", ".join(words)


def draw_panel(axes, rules, styles, smallest, largest):
    end = 2 * largest
    counts = sorted({rule.nodes * rule.ppn for rule in rules})
    axes.set_xscale("log", base=2)
    axes.set_xlim(smallest, end)
    axes.set_ylim(-0.5, len(counts) - 0.5)
    axes.set_facecolor("#eeeeee")
    for rule in rules:
        left, right = max(rule.from_bytes, smallest), end
        if rule.to_bytes is not None:
            right = min(rule.to_bytes + 1, end)
        if left >= right:
            continue
        row = counts.index(rule.nodes * rule.ppn)
        colour, hatch = styles[name_of(rule.algorithm)]
        axes.add_patch(Rectangle((left, row - 0.5), right - left, 1, facecolor=colour, hatch=hatch, edgecolor="white",
                                 linewidth=0.8))
        label = parameters_of(rule.algorithm)
        inches = PANEL_INCHES * 0.85 * math.log(right / left) / math.log(end / smallest)
        if label and len(label) <= inches * CHARACTERS_PER_INCH:
            axes.text(math.sqrt(left * right), row, label, ha="center", va="center_baseline", fontsize=6,
                      color="white" if drawing.is_dark(colour) else "black")
    axes.set_yticks(range(len(counts)), [f"{'' if drawing.is_power_of_two(count) else '◆ '}{count}" for count in counts])
    for label, count in zip(axes.get_yticklabels(), counts):
        label.set_color("black" if drawing.is_power_of_two(count) else NOT_A_POWER)
        label.set_fontweight("bold" if drawing.is_power_of_two(count) else "normal")
        label.set_fontsize(7)
    axes.tick_params(axis="y", length=0)
    if all(rule.from_bytes == 0 and rule.to_bytes is None for rule in rules):
        drawing.no_ticks(axes.xaxis)
        axes.set_xlabel("the same at every size")
    else:
        drawing.size_axis(axes.xaxis, smallest, largest)


def draw_legend(axes, styles):
    axes.axis("off")
    axes.legend([Patch(facecolor=colour, hatch=hatch, edgecolor="white") for colour, hatch in styles.values()],
                styles.keys(), loc="upper left", borderaxespad=0, handlelength=1.6, labelspacing=0.35)


def draw(table):
    collectives = sorted({rule.collective for rule in table.rules})
    ppns = sorted({rule.ppn for rule in table.rules})
    of = {(c, ppn): [r for r in table.rules if (r.collective, r.ppn) == (c, ppn)] for c in collectives for ppn in ppns}
    names = {c: sorted({name_of(r.algorithm) for r in table.rules if r.collective == c}) for c in collectives}
    heights = [max([ROW_INCHES * len({r.nodes for r in of[c, ppn]}) for ppn in ppns] + [0.2 * len(names[c])]) + 0.55
               for c in collectives]
    figure = pyplot.figure(figsize=(PANEL_INCHES * len(ppns) + LEGEND_INCHES, sum(heights) + 0.8), layout="constrained")
    grid = figure.subplots(len(collectives), len(ppns) + 1, squeeze=False,
                           width_ratios=[PANEL_INCHES] * len(ppns) + [LEGEND_INCHES], height_ratios=heights)
    for row, collective in enumerate(collectives):
        styles = {name: drawing.style_of(i) for i, name in enumerate(names[collective])}
        for column, ppn in enumerate(ppns):
            axes, rules = grid[row][column], of[collective, ppn]
            if not rules:
                axes.axis("off")
                continue
            draw_panel(axes, rules, styles, *table.sizes[collective, ppn])
            axes.set_title(f"{collective}, {ppn} per node", loc="left", fontweight="bold")
            axes.set_ylabel("processes")
        draw_legend(grid[row][-1], styles)
    figure.suptitle(f"Best algorithm on {table.machine} by total size and number of processes\n", x=0.01, ha="left",
                    fontsize=11, fontweight="bold")
    figure.text(0.01, 1 - 0.36 / figure.get_figheight(), "◆ no power of two", color=NOT_A_POWER)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Example: plots/selection_map.py table.json -o map")
    parser.add_argument("table", help="a selection table, as tutti tune writes it")
    parser.add_argument("-o", dest="out", required=True, help="where to: OUT.png and OUT.svg")
    parser.add_argument("--collectives", help="only these: bcast,allreduce")
    arguments = parser.parse_args()
    table = read_table(arguments.table)
    if arguments.collectives:
        wanted = arguments.collectives.split(",")
        known = {rule.collective for rule in table.rules}
        for name in wanted:
            if name not in known:
                raise InputError(f"{arguments.table}: expected rules for '{name}', found {', '.join(sorted(known))}")
        table = table._replace(rules=[rule for rule in table.rules if rule.collective in wanted])
    drawing.save(draw(table), arguments.out)


drawing.run(main)
