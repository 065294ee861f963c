#!/usr/bin/env python3
"""odd_counts.py -o FOLDER: what every number of ranks costs, from what `tutti study odd-counts` gives it on stdin:
[{"file", "table"}]. Writes counts.csv, a picture of each collective, and README.md, a page of what they say."""
import argparse
import collections
import csv
import io
import json
import os
import statistics
import sys

import drawing
from drawing import InputError

import matplotlib.pyplot as pyplot
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter

# One number of ranks at one size: the best there is, what each library's default takes, and what the best takes that its tuning file can name.
Point = collections.namedtuple("Point", "ranks nodes ppn best best_us defaults_us tuned_us")
COLUMNS = ["collective", "osu_bytes", "ranks", "nodes", "ppn", "power_of_two", "best", "best_us", "best_one_more", "library",
           "default_us", "default_over_best", "default_one_more", "tuned_us", "tuned_over_best"]
PER_RANK = {"allgather", "gather", "scatter", "alltoall"}
PANEL_INCHES = (3.4, 2.5)
FEWEST_OF_A_STEP = 8  # below, one rank more is much more work for every algorithm
LINES = ["-", "--", "-.", ":"]  # some libraries' defaults take the same time
WINS = 1.02  # less of a gain is none
SEEN_PART = 0.75  # of the counts: a size that fewer have is not followed over them


def points_of(tables):
    """{collective: {OSU's size: [Point]}}, by ranks. What is rounded to whole blocks has other sizes at other counts, and these
    are left out."""
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    for each in tables:
        for cell in each["table"]["cells"]:
            ranks = cell["nodes"] * cell["ppn"]
            if not cell["times_us"]:
                continue
            best = min(cell["times_us"], key=lambda name: (cell["times_us"][name], name))
            point = Point(ranks, cell["nodes"], cell["ppn"], best, cell["times_us"][best], cell.get("defaults_us", {}), cell.get("tuned_us", {}))
            size = cell["bytes"] // ranks if cell["collective"] in PER_RANK else cell["bytes"]
            other, file = found[cell["collective"]][size].setdefault(ranks, (point, each["file"]))
            if other != point:
                raise InputError(f"{file} and {each['file']} say different things of {cell['collective']}, {drawing.size_text(size)} on {ranks} "
                                 "ranks: expected one table for each number of ranks, or tables that agree")
    followed = {}
    for collective, sizes in sorted(found.items()):
        counts = len(set().union(*sizes.values()))
        kept = {size: [points[ranks][0] for ranks in sorted(points)] for size, points in sorted(sizes.items())
                if len(points) >= SEEN_PART * counts}
        if len(kept) < len(sizes):
            print(f"odd_counts.py: {collective}: {len(sizes) - len(kept)} sizes that few numbers of ranks have are left out",
                  file=sys.stderr)
        if kept:
            followed[collective] = kept
    if not followed:
        raise InputError("expected cells of at least one collective")
    return followed


def one_more(points, time_of):
    """{ranks: how many times as long one rank more takes}, where both are known."""
    times = {point.ranks: time_of(point) for point in points}
    return {ranks: times[ranks + 1] / time for ranks, time in times.items() if time and times.get(ranks + 1)}


def libraries_of(points):
    return sorted({library for point in points for library in point.defaults_us})


def rows_of(followed):
    """By COLUMNS; what is not known is None."""
    for collective, sizes in followed.items():
        for size, points in sizes.items():
            best_steps = one_more(points, lambda point: point.best_us)
            steps = {library: one_more(points, lambda point, library=library: point.defaults_us.get(library))
                     for library in libraries_of(points)}
            number = lambda value: None if value is None else float(f"{value:.6g}")
            for point in points:
                for library in sorted(point.defaults_us) or [""]:
                    default, tuned = point.defaults_us.get(library), point.tuned_us.get(library)
                    yield [collective, size, point.ranks, point.nodes, point.ppn,
                           int(drawing.is_power_of_two(point.ranks)), point.best, number(point.best_us),
                           number(best_steps.get(point.ranks)), library or None, number(default),
                           number(default / point.best_us if default and point.best_us else None),
                           number(steps[library].get(point.ranks) if library else None), number(tuned),
                           number(tuned / point.best_us if tuned and point.best_us else None)]


def csv_text(followed):
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    for row in rows_of(followed):
        rows.writerow([f"{value:.6g}" if isinstance(value, float) else value for value in row])
    return text.getvalue()


def json_text(followed, machine):
    rows = [dict(zip(COLUMNS, row)) for row in rows_of(followed)]
    for row in rows:
        row["power_of_two"] = bool(row["power_of_two"])
    return json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n"


def draw(collective, sizes, folder, machine):
    columns = min(3, len(sizes))
    rows = -(-len(sizes) // columns)
    figure, grid = pyplot.subplots(rows, columns, figsize=(PANEL_INCHES[0] * columns, PANEL_INCHES[1] * rows + 0.5), squeeze=False,
                                   layout="constrained")
    libraries = sorted(set().union(*(libraries_of(points) for points in sizes.values())))
    for axes, (size, points) in zip(grid.flat, sizes.items()):
        ranks = [point.ranks for point in points]
        powers = [1 << i for i in range(max(ranks).bit_length()) if ranks[0] <= 1 << i <= ranks[-1]]
        for power in powers:
            axes.axvline(power, color="#dddddd", linewidth=0.7, zorder=0)
        for index, library in enumerate(libraries):
            known = [(point.ranks, point.defaults_us[library]) for point in points if library in point.defaults_us]
            if known:
                axes.plot(*zip(*known), LINES[index % len(LINES)], color=drawing.style_of(index)[0], linewidth=0.9,
                          label=f"default of {library}")
        axes.plot(ranks, [point.best_us for point in points], color="black", linewidth=1.3, label="best of all")
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_locator(FixedLocator(powers[::max(1, -(-len(powers) // 6))]))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        if any(point.best_us > 0 for point in points):
            axes.set_yscale("log")
            low, high = axes.get_ylim()
            axes.yaxis.set_major_locator(LogLocator(subs=(1.0,) if high > 300 * low else (1.0, 2.0, 5.0)))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda time, _: f"{time:g}"))
        axes.set_title("no size" if collective == "barrier" else drawing.size_text(size), loc="left")
        axes.set_xlabel("ranks (grey: powers of two)")
        axes.set_ylabel("time (µs)")
    for axes in list(grid.flat)[len(sizes):]:
        axes.axis("off")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.suptitle(f"{collective} on {machine}", x=0.01, ha="left", fontsize=10)
    below = 0.25 / figure.get_size_inches()[1]
    figure.get_layout_engine().set(rect=(0, below, 1, 1 - below))
    figure.legend(handles, labels, loc="lower center", ncol=min(4, len(labels)))
    drawing.save(figure, os.path.join(folder, collective))
    pyplot.close(figure)


def ratio_cells(points, library, wanted):
    """Mean and worst of default over best, and where it is worst."""
    ratios = [(point.defaults_us[library] / point.best_us, point.ranks) for point in points
              if library in point.defaults_us and point.best_us and wanted(point.ranks)]
    if not ratios:
        return ["-", "-"]
    worst, where = max(ratios)
    return [f"{statistics.geometric_mean(ratio for ratio, _ in ratios):.2f}", f"{worst:.2f} on {where}"]


def step_cell(steps):
    steps = {ranks: step for ranks, step in steps.items() if ranks >= FEWEST_OF_A_STEP}
    if not steps:
        return "-"
    where = max(steps, key=lambda ranks: (steps[ranks], -ranks))
    return f"{steps[where]:.2f}, {where} to {where + 1}"


def markdown_table(header, rows):
    return "\n".join(["| " + " | ".join(line) + " |" for line in (header, ["---"] * len(header), *rows)]) + "\n"


def section(collective, sizes):
    rows = []
    for size, points in sizes.items():
        label = "-" if collective == "barrier" else drawing.size_text(size)
        best_step = step_cell(one_more(points, lambda point: point.best_us))
        for library in libraries_of(points):
            rows.append([label, library, *ratio_cells(points, library, lambda ranks: not drawing.is_power_of_two(ranks)),
                         *ratio_cells(points, library, drawing.is_power_of_two), best_step,
                         step_cell(one_more(points, lambda point, library=library: point.defaults_us.get(library)))])
    text = f"## {collective}\n\n![Time over the number of ranks]({collective}.png)\n\n"
    text += markdown_table(["size", "default of", "over the best, other counts", "worst", "over the best, powers of two", "worst",
                            f"one rank more costs at most, from {FEWEST_OF_A_STEP} ranks on: best", "default"], rows) if rows else ""
    text += "\nThe best is\n\n"
    for size, points in sizes.items():
        wins = collections.Counter(drawing.name_of(point.best) for point in points)
        text += f"* {'at all counts' if collective == 'barrier' else drawing.size_text(size)}: " + ", ".join(
            f"{name} on {count}" for name, count in sorted(wins.items(), key=lambda item: (-item[1], item[0]))[:5])
        text += f" of {len(points)} numbers of ranks.\n"
    return text


def what_no_library_has(followed):
    """Over the best that any of the libraries can be tuned to."""
    rows, nothing = [], []
    for collective, sizes in followed.items():
        for size, points in sizes.items():
            label = f"{collective}" if collective == "barrier" else f"{collective}, {drawing.size_text(size)}"
            gains = [(min(point.tuned_us.values()) / point.best_us, point.ranks, drawing.name_of(point.best)) for point in points
                     if point.tuned_us and point.best_us]
            if not gains:
                continue
            means = []
            for wanted in (False, True):
                kind = [gain for gain, ranks, _ in gains if drawing.is_power_of_two(ranks) == wanted]
                means.append(f"{statistics.geometric_mean(kind):.2f}" if kind else "-")
            most, where, name = max(gains)
            if most < WINS:
                nothing.append(label)
            else:
                rows.append([label, *means, f"{most:.2f} on {where}", name])
    if not rows and not nothing:
        return ""
    text = "\n## What no library has\n\nThe best of all against the best that any of these libraries can be tuned to: how many times as fast.\n\n"
    if rows:
        text += markdown_table(["collective, size", "other counts", "powers of two", "most", "by"], rows)
    if nothing:
        text += f"\nNothing else gains {WINS - 1:.0%} anywhere in: {'; '.join(nothing)}.\n"
    return text


def conditions(tables):
    """What all times are under, where it is not a call by itself on the machine as it is, and where the best is not known."""
    said = {}
    for table in (each["table"] for each in tables):
        if table["mode"] != "isolated":
            said[f"Times are of {table['mode']}."] = None
        if table.get("loads"):
            said[f"They are beside {', '.join(table['loads'])}."] = None
        said.update(dict.fromkeys(f"{note[0].upper()}{note[1:]}." for note in table.get("notes", [])))
    if undecided := sum("undecided" in cell for each in tables for cell in each["table"]["cells"]):
        said[f"{undecided} {'case is' if undecided == 1 else 'cases are'} not decided: something else may be faster there than the best that is "
             "named."] = None
    return "".join(f"{line}\n\n" for line in said)


def page(followed, machine, under):
    counts = sorted({point.ranks for sizes in followed.values() for points in sizes.values() for point in points})
    others = sum(not drawing.is_power_of_two(count) for count in counts)
    timed = [point for sizes in followed.values() for points in sizes.values() for point in points if point.best_us]
    every = [(library, drawing.is_power_of_two(point.ranks), default / point.best_us)
             for point in timed for library, default in point.defaults_us.items()]
    text = f"# Every number of ranks on {machine}\n\nPredicted: {len(counts)} numbers of ranks from {counts[0]} to {counts[-1]}, " \
           f"of which {others} are no power of two. A ratio is the time of a library's own choice over that of the best algorithm.\n\n" + under
    for library in sorted({library for library, _, _ in every}):
        means = [statistics.geometric_mean(values) if (values := [ratio for name, power, ratio in every
                                                                  if name == library and power == wanted]) else None
                 for wanted in (False, True)]
        shown = ["-" if mean is None else f"{mean:.2f}" for mean in means]
        text += f"* {library}: {shown[0]} times as long as the best where the count is no power of two, {shown[1]} where it is.\n"
        unknown = sum(library not in point.defaults_us for point in timed)
        if unknown:
            text += f"  What its own choice takes is not known in {unknown} of {len(timed)} cases, which are in none of its means.\n"
    return text + what_no_library_has(followed) + "\n" + "\n".join(section(collective, sizes) for collective, sizes in followed.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Example: tutti study odd-counts table.json -o study")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--json", metavar="FILE", help="the rows of counts.csv as JSON, too")
    arguments = parser.parse_args()
    tables = json.load(sys.stdin)
    machines = {each["table"]["machine"] for each in tables}
    if len(machines) > 1:
        raise InputError(f"{tables[-1]['file']}: expected tables of one machine, not of {', '.join(sorted(machines))}")
    machine = machines.pop()
    followed = points_of(tables)
    for name, text in (("counts.csv", csv_text(followed)), ("README.md", page(followed, machine, conditions(tables)))):
        drawing.write_result(os.path.join(arguments.output, name), lambda file, text=text: file.write(text.encode()))
    if arguments.json:
        drawing.write_result(arguments.json, lambda file: file.write(json_text(followed, machine).encode()))
    for collective, sizes in followed.items():
        draw(collective, sizes, arguments.output, machine)


if __name__ == "__main__":
    drawing.run(main)
