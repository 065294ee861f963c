"""What the plots share: matplotlib (wherever it is), colours, axes of sizes, and files that come out the same every time."""
import contextlib
import gc
import math
import os
import sys

SYSTEM_PYTHON = "/usr/bin/python3"  # Debian's python3-matplotlib belongs to this one, whichever comes first in PATH


@contextlib.contextmanager
def away():
    """In the root folder meanwhile: a matplotlibrc in the current one, whose-ever that is, would be taken before the user's own."""
    for name in ("MATPLOTLIBRC", "MPLCONFIGDIR"):
        if os.environ.get(name):  # the user's word, seen from here
            os.environ[name] = os.path.abspath(os.environ[name])
    here = None
    with contextlib.suppress(PermissionError):  # nor can matplotlib look there
        here = os.open(".", os.O_PATH)
        os.chdir("/")
    try:
        yield
    finally:
        if here is not None:
            os.fchdir(here)
            os.close(here)


gc.set_threshold(1_000_000)  # looking for rubbish among matplotlib's modules, which are none, takes a fifth of a small picture's time
try:
    with away():
        import matplotlib
except ImportError:
    if os.path.realpath(sys.executable) == os.path.realpath(SYSTEM_PYTHON) or not os.path.exists(SYSTEM_PYTHON):
        print(f"{sys.argv[0]}: needs matplotlib (Debian: python3-matplotlib; make deps installs it)", file=sys.stderr)
        sys.exit(2)
    os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])

matplotlib.use("Agg")
matplotlib.rcParams.update({
    "font.family": "DejaVu Sans", "font.size": 8, "axes.titlesize": 9, "axes.linewidth": 0.6,
    "xtick.major.width": 0.6, "ytick.major.width": 0.6, "legend.frameon": False, "legend.fontsize": 8,
    "svg.hashsalt": "tutti", "hatch.linewidth": 0.5, "figure.dpi": 100, "savefig.dpi": 150})
if "text.parse_math" in matplotlib.rcParams:  # from 3.6 on
    matplotlib.rcParams["text.parse_math"] = False  # a "$" is of a name: "mine$1"

from matplotlib.ticker import FixedLocator, FuncFormatter, LogFormatter, NullFormatter, NullLocator  # noqa: E402
from plain import (COLOURS, HATCHES, InputError, channels, is_dark, is_power_of_two, lighter, margin_at, name_of, number_of, read_table,  # noqa: E402, F401
                   read_text, run, size_text, style_of, styles_of, what_runs, write_result)

MARKERS = "os^Dv<>ph"
LABEL_INCHES = 0.13  # a line of small text
NOT_A_POWER = "#b03000"


def size_axis(axis, smallest, largest, labels=7):
    """Powers of two, so many of them labelled that the labels do not touch."""
    first, last = max(0, (smallest - 1).bit_length()), largest.bit_length() - 1
    step = max(1, -(-(last - first + 1) // labels))
    axis.set_major_locator(FixedLocator([1 << i for i in range(first, last + 1, step)]))
    axis.set_minor_locator(FixedLocator([1 << i for i in range(first, last + 1)]))
    axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(FuncFormatter(lambda size, _: size_text(int(size))))
    axis.set_tick_params(which="minor", length=1.5)


def label_counts(axes, counts, row_inches):
    """All of them where there is room, else powers of two and what fits between them."""
    every = max(1, math.ceil(LABEL_INCHES / row_inches))
    shown, last = [], -every
    for row, count in enumerate(counts):
        next_power = next((i for i in range(row + 1, len(counts)) if is_power_of_two(counts[i])), len(counts) + every)
        if row - last >= every and (is_power_of_two(count) or next_power - row >= every):
            shown.append(row)
            last = row
    axes.set_yticks(shown, [f"{'' if is_power_of_two(counts[row]) else '◆ '}{counts[row]}" for row in shown])
    for label, row in zip(axes.get_yticklabels(), shown):
        label.set_color("black" if is_power_of_two(counts[row]) else NOT_A_POWER)
        label.set_fontweight("bold" if is_power_of_two(counts[row]) else "normal")
        label.set_fontsize(7)
    axes.tick_params(axis="y", length=0 if every == 1 else 2)


class BetweenPowers(LogFormatter):
    """Where there is room for labels, plain numbers."""

    def __call__(self, x, pos=None):
        return f"{x:g}" if super().__call__(x, pos) else ""


def plain_numbers(axis):
    """On a logarithmic axis, whose labels are mathematical else."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(BetweenPowers(axis.get_transform().base))


def no_ticks(axis):
    axis.set_major_locator(NullLocator())
    axis.set_minor_locator(NullLocator())


def save(figure, out):
    """Writes out.png and out.svg, or the one that `out` ends in, each as write_result does, without dates or versions in
    them."""
    kind_wanted = os.path.splitext(out)[1]
    for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None, "Creator": None})):
        if kind_wanted in (".png", ".svg") and kind_wanted != "." + kind:
            continue
        path = out if kind_wanted == "." + kind else f"{out}.{kind}"
        write_result(path, lambda file, kind=kind, metadata=metadata: figure.savefig(file, format=kind, metadata=metadata))


