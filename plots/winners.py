"""Which algorithm is the best at each number of ranks: a strip below a panel whose axis is the number of ranks, with a row each
for odd numbers, other even ones, and powers of two."""
import math

import drawing

from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

FEWEST = 8  # numbers of ranks, for a strip
OTHER = "#cccccc"  # of what has no style


def count_axis(axes, counts):
    axes.set_xlabel("ranks")
    if max(counts) >= 8 * min(counts):
        axes.set_xscale("log", base=2)
        first, last = math.ceil(math.log2(min(counts))), math.floor(math.log2(max(counts)))
        powers = [1 << i for i in range(first, last + 1)] if len(counts) > 8 else counts
        axes.xaxis.set_major_locator(FixedLocator(powers))
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def style_of(index):
    """(colour, marker) of the index-th algorithm; where the colours begin again, the markers are others."""
    shift = len(drawing.COLOURS)
    return drawing.style_of(index)[0], drawing.MARKERS[(index + index // shift) % len(drawing.MARKERS)]


def is_second_of_its_colour(style):
    colour, marker = style
    return bool(marker) and drawing.MARKERS.find(marker) != drawing.COLOURS.index(colour) % len(drawing.MARKERS)


def row_of(ranks):
    return 2 if drawing.is_power_of_two(ranks) else 1 if ranks % 2 == 0 else 0


def draw_strip(axes, best, styles, label="best"):
    """A tile for each number of ranks of `best` ({ranks: algorithm}), of the algorithm's colour; hatched in the marker's
    stead where colours begin again."""
    for ranks, algorithm in sorted(best.items()):
        style = styles.get(algorithm, (OTHER, ""))
        row = row_of(ranks)
        left, right = ranks - 1, ranks + 1  # half way to the next ones of the row
        if row == 2:
            left, right = ranks / 1.04, ranks * 1.04
        axes.barh(row, right - left, left=left, height=0.86, color=style[0], linewidth=0,
                  hatch="//////" if is_second_of_its_colour(style) else None, edgecolor="white")
    axes.set_yticks([0, 1, 2], ["odd", "even", "2ᵏ"], fontsize=7)
    axes.set_ylim(-0.5, 2.5)
    axes.tick_params(axis="y", length=0)
    axes.set_ylabel(label, fontsize=7)


def align(strip, axes, counts):
    """Gives the strip the axis of the panel above it, which loses its labels."""
    strip.set_xscale(axes.get_xscale(), **({"base": 2} if axes.get_xscale() == "log" else {}))
    count_axis(strip, sorted(counts))
    strip.set_xlim(axes.get_xlim())
    axes.set_xlabel("")
    axes.tick_params(axis="x", labelbottom=False)
