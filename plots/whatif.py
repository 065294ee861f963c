#!/usr/bin/env python3
"""Draws what a change costs as OUT.png and OUT.svg: time after it over time before, over sizes (or, where there are more of
them, over numbers of ranks), a panel for each collective and a line for each change. Rings mark where another algorithm is
best; dotted, what the algorithm of before would take. Over many numbers of ranks each size has a panel of its own, and below
it stands which algorithm is the best at each number before and after: at powers of two, at other even numbers, at odd ones."""
import argparse
import collections
import math

import drawing
import winners
from drawing import InputError

import matplotlib.pyplot as pyplot
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

COLUMNS = ("system", "change", "collective", "ranks", "nodes", "ppn", "bytes", "before_algorithm", "after_algorithm", "ratio",
           "old_over_best")
PANEL_INCHES, STRIP_INCHES, MOST_PANELS_A_ROW = (3.2, 2.3), 0.45, 3
MOST_LINES, MOST_LABEL, MOST_PANELS = 18, 52, 24
LETTER_INCHES, HANDLE_INCHES = 0.07, 0.45  # of a legend: a letter of its text, and what stands before and behind that
CHANGES = 1.01  # the old choice costs more than 1 % more
MOST_NAMES = 12  # algorithms that have a colour
LINES = ("-", "--", "-.")  # where colours begin again; dotted is what the old choice would take
# Of changes over strips, whose colours are the algorithms'.
GREYS = [("black", "-"), ("#777777", "-"), ("#aaaaaa", "--")]

Point = collections.namedtuple("Point", "change collective ranks bytes ratio old before after system moves")
Style = collections.namedtuple("Style", "colour line")


def what_runs(row, when):
    """Under the best algorithm's name; files of old do not say it."""
    return row.get(f"{when}_chosen") or row[f"{when}_algorithm"]


def read_point(row, where):
    def number(column, convert, least):
        return drawing.number_of(row, column, convert, least, where)

    if None in row or None in row.values():
        raise InputError(f"{where}: expected as many fields as in the header")
    ratio = number("ratio", float, 0)
    old_over_best = math.inf if row["old_over_best"] == "inf" else number("old_over_best", float, 0)  # it cannot run any more
    return Point(row["change"], row["collective"], number("ranks", int, 1), number("bytes", int, 0), ratio,
                 ratio * old_over_best, what_runs(row, "before"), what_runs(row, "after"), row["system"],
                 row["bytes"] == "0" or row.get("bytes_simulated") != "0")


def that_move(points):
    """Without cells of whose bytes blocks of whole elements left nothing, as in the means: but for a collective that has no others."""
    some = {p.collective for p in points if p.moves}
    return [p for p in points if p.moves or p.collective not in some]


def short(text, most=MOST_LABEL):
    return text if len(text) <= most else text[:most - 1] + "…"


def line_of(point, over_ranks, changes, others):
    """What a line is of, for the legend: the change and, of several, the ranks or the size."""
    words = [short(point.change)] if len(changes) > 1 else []
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
        ratios += ys + list(filter(math.isfinite, old))
        style = styles[name]
        axes.plot(xs, old, ":", color=style.colour, linewidth=1.0)
        axes.plot(xs, ys, style.line, color=style.colour, linewidth=1.3, marker="o" if len(xs) == 1 else None, markersize=3)
        changed = [(x, p.ratio) for x, p in points if p.old > p.ratio * CHANGES]
        if changed:
            axes.plot(*zip(*changed), "o", color=style.colour, markersize=4.5 if len(xs) <= 40 else 3, markerfacecolor="white",
                      markeredgewidth=1.1)
    axes.axhline(1, color="#666666", linewidth=0.6)
    xs = [x for points in lines.values() for x, _ in points]
    if over_ranks:
        winners.count_axis(axes, sorted(set(xs)))
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


def best_by_state(lines):
    """{"before" or what a line is of: {ranks: the best algorithm}}."""
    points = [(name, p) for name, points in lines.items() for _, p in points]
    states = {"before": {p.ranks: p.before for _, p in points}}
    for name, p in points:
        states.setdefault("after" if len(lines) == 1 else name, {})[p.ranks] = p.after
    return states


def most_often_best(points):
    """Those that have a colour, by name."""
    wins = collections.Counter(name for p in points for name in (p.before, p.after))
    return sorted(sorted(wins, key=lambda name: (-wins[name], name))[:MOST_NAMES])


def numbered(names):
    """{what a line is of: "(1)"}: changes begin alike, and a strip's margin has room for a number."""
    return {name: f"({i})" for i, name in enumerate(names, 1)} if len(names) > 1 else {}


def draw_with_strips(figure, place, title, lines, styles, colours):
    states, numbers = best_by_state(lines), numbered(styles)
    cells = place.subgridspec(1 + len(states), 1, height_ratios=[PANEL_INCHES[1]] + [STRIP_INCHES] * len(states), hspace=0.05)
    axes = figure.add_subplot(cells[0])
    draw_panel(axes, title, lines, styles, over_ranks=True)
    upper = axes
    for i, (state, best) in enumerate(states.items()):
        strip = figure.add_subplot(cells[1 + i])
        winners.draw_strip(strip, best, colours, numbers.get(state, state))
        winners.align(strip, upper, best)
        upper = strip


def panels_of(points, over_ranks, own_panels, changes):
    """{title: {what a line is of: [(x, point)]}}: sizes in panels of their own, or as lines."""
    others = sorted({p.bytes if over_ranks else p.ranks for p in points})
    collectives = len({p.collective for p in points})
    kept = some_of(others, max(1, MOST_PANELS // collectives if own_panels else MOST_LINES // len(changes)))
    panels = collections.defaultdict(lambda: collections.defaultdict(list))
    for p in points:
        if (p.bytes if over_ranks else p.ranks) not in kept and p.collective != "barrier":
            continue
        title = f"{p.collective}, {drawing.size_text(p.bytes)}" if own_panels and p.bytes > 0 else p.collective
        panels[title][line_of(p, over_ranks, changes, [] if own_panels else others)].append(
            (p.ranks if over_ranks else max(p.bytes, 1), p))
    return panels


def legend_of(names, styles, colours, points):
    """Handles and texts."""
    handles = [Line2D([], [], color=styles[name].colour, linestyle=styles[name].line) for name in names]
    handles += [Line2D([], [], color="black", linestyle=":"), Line2D([], [], color="black", marker="o", linestyle="", markersize=4.5,
                                                                       markerfacecolor="white", markeredgewidth=1.1)]
    numbers = numbered(names) if colours else {}
    texts = [f"{numbers[name]} {name}" if numbers else name for name in names] + ["with the algorithm that was best before", "another algorithm is best (by more than 1 %)"]
    for name, style in colours.items():
        handles.append(Patch(facecolor=style[0], hatch="//////" if winners.is_second_of_its_colour(style) else None, edgecolor="white"))
        texts.append(short(name))
    rest = {name for p in points for name in (p.before, p.after)} - set(colours)
    if colours and rest:
        handles.append(Patch(facecolor=winners.OTHER))
        texts.append(f"{len(rest)} others")
    return handles, texts


def columns_of_legend(texts, inches):
    """Two where there is much to say and room for it."""
    half = -(-len(texts) // 2)
    widths = [HANDLE_INCHES + LETTER_INCHES * max(map(len, part)) for part in (texts[:half], texts[half:]) if part]
    return 2 if len(texts) > 8 and sum(widths) <= inches else 1


def draw(points):
    counts = {p.ranks for p in points}
    over_ranks = len(counts) > len({p.bytes for p in points})
    changes = list(dict.fromkeys(p.change for p in points))
    strips = over_ranks and len(counts) >= winners.FEWEST and len(changes) <= len(GREYS)
    panels = panels_of(points, over_ranks, strips, changes)
    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    styles = {name: Style(*GREYS[i]) if strips else Style(drawing.COLOURS[i % len(drawing.COLOURS)], LINES[i // len(drawing.COLOURS) % len(LINES)]) for i, name in enumerate(names)}
    colours = {name: winners.style_of(i) for i, name in enumerate(most_often_best(points))} if strips else {}
    handles, texts = legend_of(names, styles, colours, points)
    columns = 2 if len(panels) == 4 else min(len(panels), MOST_PANELS_A_ROW)
    rows = -(-len(panels) // columns)
    width, height = PANEL_INCHES
    if strips:
        height += STRIP_INCHES * (1 + len(changes))
    inches = max(width * columns, 5.6)
    legend_columns = columns_of_legend(texts, inches)
    legend = 0.165 * -(-len(texts) // legend_columns) + 0.2
    title = f"{points[0].system}: what if {changes[0]}" if len(changes) == 1 else f"{points[0].system}: what if"
    figure = pyplot.figure(figsize=(inches, height * rows + legend + 0.3), layout="constrained")
    figure.suptitle(short(title, 110), fontsize=10, x=0.01, ha="left")
    grid = figure.add_gridspec(rows + 1, columns, height_ratios=[height] * rows + [legend])
    for i, (panel, lines) in enumerate(panels.items()):
        place = grid[i // columns, i % columns]
        if strips:
            draw_with_strips(figure, place, panel, lines, styles, colours)
        else:
            draw_panel(figure.add_subplot(place), panel, lines, styles, over_ranks)
    axes = figure.add_subplot(grid[rows, :])
    axes.axis("off")
    axes.legend(handles, texts, loc="upper left", borderaxespad=0, ncols=legend_columns).set_in_layout(False)  # or panels are squeezed beside it
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Example: plots/whatif.py changed.csv -o changed.png")
    parser.add_argument("csv", help="as tutti whatif --csv writes it; -: standard input")
    parser.add_argument("-o", dest="out", required=True, help="where to: OUT.png and OUT.svg, or one that ends so")
    arguments = parser.parse_args()
    points = [read_point(row, f"{arguments.csv}:{line}") for line, row in drawing.read_table(arguments.csv, COLUMNS)]
    if not points:
        raise InputError(f"{arguments.csv}:2: expected at least one row")
    drawing.save(draw(that_move(points)), arguments.out)


drawing.run(main)
