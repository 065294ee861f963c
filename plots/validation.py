#!/usr/bin/env python3
"""Draws what tutti validate --mpi measured, as OUT.png and OUT.svg: per collective the speed-up over the library's default
by size, one line per number of ranks, with its confidence interval; and predicted against measured times."""
import argparse
import collections
import json

import drawing
from drawing import InputError

import matplotlib.pyplot as pyplot

PANEL_INCHES, LEGEND_INCHES = (2.6, 2.5), 0.8


def read_cells(path):
    try:
        report = json.loads(drawing.read_text(path))
        if report["format"] != "tutti-validation-1" or not report["cells"]:
            raise KeyError("format")
        return report["cells"], [(node["ranks"], node["cores"]) for node in report.get("shared_cores", [])]
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: expected JSON: {error.msg}") from error
    except (KeyError, TypeError) as error:
        raise InputError(f"{path}:1: expected what tutti validate --mpi wrote (missing: {error})") from error


def draw_speedup(axes, cells, colours):
    of_ranks = collections.defaultdict(list)
    for cell in cells:
        of_ranks[cell["ranks"]].append((max(cell["bytes"], 1), cell["speedup"]))
    for ranks, points in sorted(of_ranks.items()):
        points.sort(key=lambda point: point[0])
        values = [speedup["value"] for _, speedup in points]
        # A percentile interval need not hold the estimate itself.
        errors = [[max(0, s["value"] - s["low"]) for _, s in points], [max(0, s["high"] - s["value"]) for _, s in points]]
        axes.errorbar([size for size, _ in points], values, yerr=errors, color=colours[ranks], marker="o", markersize=2.5,
                      linewidth=1, elinewidth=0.6, label=str(ranks))
    axes.axhline(1, color="black", linewidth=0.6)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    sizes = [max(cell["bytes"], 1) for cell in cells]
    drawing.size_axis(axes.xaxis, min(sizes), max(sizes), labels=4)
    axes.tick_params(axis="x", labelsize=6)
    drawing.plain_numbers(axes.yaxis)
    axes.set_title(cells[0]["collective"], loc="left")


def draw_prediction(axes, cells, colours):
    every = [(measured / 1e3, cell["predicted_us"][arm] / 1e3, cell["ranks"]) for cell in cells
             for arm, measured in cell["median_us"].items() if arm in cell["predicted_us"]]
    for measured, predicted, ranks in every:
        axes.plot(measured, predicted, "o", color=colours[ranks], markersize=2, markeredgewidth=0)
    low, high = min(min(point[:2]) for point in every) / 1.2, max(max(point[:2]) for point in every) * 1.2
    axes.plot([low, high], [low, high], color="black", linewidth=0.6)
    axes.fill_between([low, high], [low / 1.25, high / 1.25], [low * 1.25, high * 1.25], color="#dddddd", zorder=0, linewidth=0)
    axes.set_xscale("log")
    axes.set_yscale("log")
    drawing.plain_numbers(axes.xaxis)
    drawing.plain_numbers(axes.yaxis)
    axes.set_xlabel("measured (ms)")


def draw(cells, shared):
    collectives = sorted({cell["collective"] for cell in cells})
    ranks = sorted({cell["ranks"] for cell in cells})
    colours = {count: drawing.style_of(i)[0] for i, count in enumerate(ranks)}
    width, height = PANEL_INCHES
    figure = pyplot.figure(figsize=(width * len(collectives) + LEGEND_INCHES, height * 2), layout="constrained")
    places = figure.add_gridspec(2, len(collectives) + 1, width_ratios=[width] * len(collectives) + [LEGEND_INCHES])
    grid = [[figure.add_subplot(places[row, column]) for column in range(len(collectives))] for row in range(2)]
    for column, collective in enumerate(collectives):
        of_collective = [cell for cell in cells if cell["collective"] == collective]
        draw_speedup(grid[0][column], of_collective, colours)
        draw_prediction(grid[1][column], of_collective, colours)
    grid[0][0].set_ylabel("default's time / table's")
    grid[1][0].set_ylabel("predicted (ms), grey: 25 %")
    legend = figure.add_subplot(places[0, -1])
    legend.axis("off")
    legend.legend(*grid[0][0].get_legend_handles_labels(), loc="upper left", borderaxespad=0, title="ranks")
    if shared:  # beside a picture nobody reads the report
        nodes = " and ".join(f"{ranks} ranks on {cores} core{'' if cores == 1 else 's'}" for ranks, cores in shared)
        figure.suptitle(f"{nodes}: times say how they take turns, not what the network does", color=drawing.NOT_A_POWER, fontsize=8,
                        wrap=True)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Example: plots/validation.py validation.json -o validation")
    parser.add_argument("report", help="validation.json, as tutti validate --mpi writes it")
    parser.add_argument("-o", dest="out", required=True, help="where to: OUT.png and OUT.svg")
    arguments = parser.parse_args()
    drawing.save(draw(*read_cells(arguments.report)), arguments.out)


drawing.run(main)
