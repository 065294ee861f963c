#!/usr/bin/env python3
"""Draws how much less time one algorithm takes than another, over the number of ranks, as OUT.png and OUT.svg: one panel
per size, one line per mode."""
import argparse
import collections

import drawing
from drawing import InputError
from times import read_points

import matplotlib.pyplot as pyplot
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

PANEL_INCHES = 2.6, 2.6


def gains_of(points, path, native, other):
    """{bytes: {mode: [(ranks, gain in percent)]}}"""
    times = collections.defaultdict(dict)
    for point in points:
        times[point.bytes, point.panel.mode, point.panel.ranks][point.algorithm] = point.time_us
    gains = collections.defaultdict(lambda: collections.defaultdict(list))
    for (size, mode, ranks), by_algorithm in sorted(times.items()):
        for name in (native, other):
            if by_algorithm.get(name, 0) <= 0:
                raise InputError(f"{path}:1: expected a time of {name} for {ranks} ranks, {size} bytes, {mode}")
        gains[size][mode].append((ranks, 100 * (1 - by_algorithm[other] / by_algorithm[native])))
    return gains


def draw(gains, native, other):
    width, height = PANEL_INCHES
    figure, all_axes = pyplot.subplots(1, len(gains), sharey=True, squeeze=False, layout="constrained",
                                       figsize=(width * len(gains), height))
    modes = sorted({mode for by_mode in gains.values() for mode in by_mode})
    for axes, (size, by_mode) in zip(all_axes[0], gains.items()):
        for mode, curve in by_mode.items():
            axes.plot(*zip(*curve), color=drawing.style_of(2 * modes.index(mode))[0], label=mode,
                      marker=drawing.MARKERS[modes.index(mode) % len(drawing.MARKERS)], markersize=4, linewidth=1.2)
        ranks = sorted({ranks for curve in by_mode.values() for ranks, _ in curve})
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_locator(FixedLocator(ranks))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.grid(True, axis="y", linewidth=0.3, color="#bbbbbb")
        axes.set_xlabel("ranks")
        axes.set_title(f"{size:,} bytes", loc="left")
    all_axes[0][0].set_ylabel(f"{other} takes so much less\nthan {native} (%)")
    all_axes[0][-1].legend()
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Example: plots/gain.py simulated.csv --native "
                                     "scatter_ring --other scatter_ring_tuned -o gain")
    parser.add_argument("csv", help="times, as tutti simulate --csv writes them; several runs may follow one another")
    parser.add_argument("--native", required=True, help="the algorithm to compare with")
    parser.add_argument("--other", required=True, help="the algorithm that is compared")
    parser.add_argument("-o", dest="out", required=True, help="where to: OUT.png and OUT.svg")
    arguments = parser.parse_args()
    points = read_points(arguments.csv)
    drawing.save(draw(gains_of(points, arguments.csv, arguments.native, arguments.other), arguments.native,
                      arguments.other), arguments.out)


drawing.run(main)
