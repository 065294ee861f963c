#!/usr/bin/env python3
"""Draws which algorithm a selection table picks, as OUT.png and OUT.svg: one panel per collective and ranks per node;
x: size, y: number of processes, every count one row (those that are no power of two are marked), colour: algorithm, the
paler, the less the runner-up would cost."""
import argparse
import collections
import math

import drawing
from drawing import InputError
from table import NOT_DECIDED, read_table

import matplotlib.pyplot as pyplot
from matplotlib.patches import Patch, Rectangle

PANEL_INCHES, LEGEND_INCHES = 4.2, 2.6
ROW_INCHES, HIGHEST_PANEL_INCHES, HIGHEST_MAP_INCHES, LOWEST_PANEL_INCHES = 0.17, 6.0, 24.0, 1.4
CHARACTERS_PER_INCH = 19  # of a parameter's label
# How pale a choice is whose runner-up is slower by no more than so much.
PALENESS = ((0.02, 0.7), (0.05, 0.5), (0.2, 0.25), (math.inf, 0.0))

# Rows [bottom, top) and sizes [left, right) with one choice and one paleness.
Block = collections.namedtuple("Block", "left right bottom top algorithm label paleness")


def parameters_of(algorithm):
    """"chain:fanout=4:segment=65536" -> "fanout 4, segment 64 KiB"; of a composition, its parts as they are named."""
    if "(" in algorithm:
        return algorithm.partition("(")[2].removesuffix(")")
    words = []
    for part in algorithm.split(":")[1:]:
        key, _, value = part.partition("=")
        words.append(f"{key} {drawing.size_text(int(value)) if key == 'segment' and value.isdigit() else value}")
    return ", ".join(words)


def paleness_of(margin):
    return 0.0 if margin is None else next(pale for most, pale in PALENESS if margin <= most)


def stretches(rule, cells, smallest, end):
    """(left, right, what runs, its label, margin) along a rule: its margin and what runs differ from size to size."""
    begins = [cell for cell in cells if rule.from_bytes <= cell.bytes and (rule.to_bytes is None or cell.bytes <= rule.to_bytes)]
    last = end if rule.to_bytes is None else min(rule.to_bytes + 1, end)
    if not begins:
        yield max(rule.from_bytes, smallest), last, rule.algorithm, parameters_of(rule.algorithm), rule.margin
    for i, cell in enumerate(begins):
        left = max(rule.from_bytes if i == 0 else cell.bytes, smallest)
        right = begins[i + 1].bytes if i + 1 < len(begins) else last
        runs = drawing.what_runs(cell.runs, rule.algorithm)
        label = parameters_of(runs) if runs == rule.algorithm else f"in place of {drawing.name_of(rule.algorithm)}"
        margin = NOT_DECIDED if cell.undecided else drawing.margin_at(cell.times, cell.between, cell.runs, rule.algorithm)
        yield left, right, runs, label, margin


def blocks_of(rules, cells, counts, smallest, end):
    """What is alike side by side and one above the other is one block."""
    open_blocks, blocks = {}, []
    for row, count in enumerate(counts):
        here = []
        for rule in (rule for rule in rules if rule.nodes * rule.ppn == count):
            for left, right, runs, label, margin in stretches(rule, cells.get((rule.collective, rule.nodes, rule.ppn), []),
                                                               smallest, end):
                kind = (runs, label, paleness_of(margin))
                if left >= right:
                    continue
                if here and here[-1][1] == left and here[-1][2] == kind:
                    here[-1][1] = right
                else:
                    here.append([left, right, kind])
        still_open = {}
        for left, right, kind in here:
            still_open[left, right, kind] = open_blocks.pop((left, right, kind), row)
        blocks += [Block(left, right, bottom, row, *kind) for (left, right, kind), bottom in open_blocks.items()]
        open_blocks = still_open
    return blocks + [Block(left, right, bottom, len(counts), *kind) for (left, right, kind), bottom in open_blocks.items()]


def draw_panel(axes, rules, cells, styles, smallest, largest, row_inches):
    end = 2 * largest
    counts = sorted({rule.nodes * rule.ppn for rule in rules})
    axes.set_xscale("log", base=2)
    axes.set_xlim(smallest, end)
    axes.set_ylim(-0.5, len(counts) - 0.5)
    axes.set_facecolor("#eeeeee")
    line = min(0.8, 12 * row_inches)
    for block in blocks_of(rules, cells, counts, smallest, end):
        colour, hatch = styles[drawing.name_of(block.algorithm)]
        fill = drawing.lighter(colour, block.paleness)
        axes.add_patch(Rectangle((block.left, block.bottom - 0.5), block.right - block.left, block.top - block.bottom,
                                 facecolor=fill, hatch=hatch, edgecolor=colour if hatch and block.paleness else "white",
                                 linewidth=line))
        inches = PANEL_INCHES * 0.85 * math.log(block.right / block.left) / math.log(end / smallest)
        if block.label and len(block.label) <= inches * CHARACTERS_PER_INCH and (block.top - block.bottom) * row_inches >= drawing.LABEL_INCHES:
            axes.text(math.sqrt(block.left * block.right), (block.bottom + block.top - 1) / 2, block.label, ha="center",
                      va="center_baseline", fontsize=6, color="white" if drawing.is_dark(fill) else "black")
    drawing.label_counts(axes, counts, row_inches)
    if all(rule.from_bytes == 0 and rule.to_bytes is None for rule in rules):
        drawing.no_ticks(axes.xaxis)
        axes.set_xlabel("the same at every size")
    else:
        drawing.size_axis(axes.xaxis, smallest, largest)


def margin_words(some_undecided=False):
    least = 0.0
    for most, pale in PALENESS:
        words = f"{100 * least:g} to {100 * most:g} % slower" if most < math.inf else f"more than {100 * least:g} % slower, or none"
        yield pale, f"{words}, or not decided" if some_undecided and not least else words
        least = most


def draw_legend(axes, styles, some_undecided):
    names = [Patch(facecolor=colour, hatch=hatch, edgecolor="white") for colour, hatch in styles.values()]
    colour = drawing.COLOURS[0]
    margins = [Patch(facecolor=drawing.lighter(colour, pale)) for pale, _ in margin_words()]
    both = names + [Patch(alpha=0), Patch(alpha=0)] + margins
    texts = [*styles, "", "the runner-up is at least", *(words for _, words in margin_words(some_undecided))]
    axes.axis("off")
    axes.legend(both, texts, loc="upper left", borderaxespad=0, handlelength=1.6, labelspacing=0.35)


def panels_of(table):
    """Rows of panels, each ((collective, ppn), rules): a collective's ranks per node side by side; several collectives side
    by side where all have the same ranks per node."""
    collectives, ppns = sorted({rule.collective for rule in table.rules}), sorted({rule.ppn for rule in table.rules})
    of = collections.defaultdict(list)
    for rule in table.rules:
        of[rule.collective, rule.ppn].append(rule)
    if len(ppns) > 1:
        return [[((c, ppn), of[c, ppn]) for ppn in ppns] for c in collectives]
    across = max(1, min(3, math.ceil(math.sqrt(len(collectives)))))
    panels = [((c, ppns[0]), of[c, ppns[0]]) for c in collectives]
    return [panels[i:i + across] for i in range(0, len(panels), across)]


def draw(table):
    rows = panels_of(table)
    across = max(map(len, rows))
    styles = drawing.styles_of({drawing.name_of(r.algorithm) for r in rules} |
                               {drawing.name_of(ran) for r in rules for cell in table.cells.get((r.collective, r.nodes, r.ppn), [])
                                if (ran := cell.runs.get(r.algorithm))}
                               for row in rows for _, rules in row)
    highest = max(min(HIGHEST_PANEL_INCHES, HIGHEST_MAP_INCHES / len(rows)), 2 * LOWEST_PANEL_INCHES)
    counts = [max(len({r.nodes for r in rules}) for _, rules in row) for row in rows]
    heights = [min(max(ROW_INCHES * count, 0.2), highest) for count in counts]
    least = 0.19 * (len(styles) + len(PALENESS) + 3)
    figure = pyplot.figure(figsize=(PANEL_INCHES * across + LEGEND_INCHES, max(sum(heights) + 0.6 * len(rows) + 0.8, least + 0.6)),
                           layout="constrained")
    grid = figure.add_gridspec(len(rows), across + 1, width_ratios=[PANEL_INCHES] * across + [LEGEND_INCHES],
                               height_ratios=[height + 0.6 for height in heights])
    for i, (row, height, count) in enumerate(zip(rows, heights, counts)):
        for column, ((collective, ppn), rules) in enumerate(row):
            if not rules:
                continue
            axes = figure.add_subplot(grid[i, column])
            draw_panel(axes, rules, table.cells, styles, *table.sizes[collective, ppn], height / count)
            axes.set_title(f"{collective}, {ppn} per node", loc="left", fontweight="bold")
            axes.set_ylabel("processes")
    draw_legend(figure.add_subplot(grid[:, -1]), styles, any(rule.margin == NOT_DECIDED for rule in table.rules))
    figure.suptitle(f"Best algorithm on {table.machine} by total size and number of processes\n", x=0.01, ha="left",
                    fontsize=11, fontweight="bold")
    figure.text(0.01, 1 - 0.36 / figure.get_figheight(), "◆ no power of two", color=drawing.NOT_A_POWER)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Example: plots/selection_map.py table.json -o map")
    parser.add_argument("table", help="a selection table, as tutti tune writes it")
    parser.add_argument("-o", dest="out", required=True, help="where to: OUT.png and OUT.svg, or one that ends so")
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
