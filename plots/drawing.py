"""What the plots share: matplotlib (wherever it is), colours, axes of sizes, and files that come out the same every time."""
import csv
import io
import math
import os
import sys
import tempfile

SYSTEM_PYTHON = "/usr/bin/python3"  # Debian's python3-matplotlib belongs to this one, whichever comes first in PATH

try:
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

from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator  # noqa: E402

# Told apart with any of the common colour blindnesses: Tol's "muted" scheme, dark and light alternating.
COLOURS = ["#332288", "#DDCC77", "#117733", "#88CCEE", "#882255", "#CC6677", "#44AA99", "#AA4499", "#999933"]
HATCHES = ["", "////", "....", "\\\\\\\\", "xxxx"]
MARKERS = "os^Dv<>ph"
LABEL_INCHES = 0.13  # a line of small text
NOT_A_POWER = "#b03000"


def style_of(index):
    """(colour, hatch) of the index-th of the things to tell apart."""
    return COLOURS[index % len(COLOURS)], HATCHES[index // len(COLOURS) % len(HATCHES)]


def styles_of(names_of_panels):
    """{name: (colour, hatch)}, the same for a name wherever it is. Of more names than there are styles, those share one that
    are never in one panel."""
    styles, most = {}, len(COLOURS) * len(HATCHES)
    panels = [set(names) for names in names_of_panels]
    for name in sorted(set().union(*panels)):
        beside = set().union(*(names for names in panels if name in names)) if len(styles) >= most else styles.keys()
        taken = {styles[other] for other in beside if other in styles}
        styles[name] = next((style_of(i) for i in range(most) if style_of(i) not in taken), style_of(len(styles)))
    return styles


def channels(colour):
    return [int(colour[i:i + 2], 16) for i in (1, 3, 5)]


def lighter(colour, part):
    """The colour, lightened by this share of its distance to white."""
    return "#" + "".join(f"{round(c + (255 - c) * part):02x}" for c in channels(colour))


def is_dark(colour):
    red, green, blue = channels(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue < 140


def name_of(algorithm):
    """Without its parameters: "ring:segment=64K" and "hier(node=ring:segment=64K)" are ring and hier."""
    return algorithm.split("(")[0].split(":")[0]


def is_power_of_two(number):
    return number & (number - 1) == 0


def size_text(size):
    for suffix, unit in (("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10)):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {suffix}B"
    return f"{size} B"


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


def no_ticks(axis):
    axis.set_major_locator(NullLocator())
    axis.set_minor_locator(NullLocator())


def number_of(row, column, convert, least, where):
    """The field of a table's row as a number from `least` on."""
    try:
        value = convert(row[column])
    except (TypeError, ValueError):
        value = math.nan
    if not least <= value < math.inf:
        raise InputError(f"{where}: expected {column} as a number from {least} on, found '{row[column]}'")
    return value


def write_beside(path, write):
    """Writes a temporary file beside it, under a name that cannot be foreseen, and renames it: nobody sees a part, no link is followed."""
    descriptor, beside = tempfile.mkstemp(prefix=os.path.basename(path) + ".part", dir=os.path.dirname(path) or ".")
    try:
        with os.fdopen(descriptor, "wb") as file:
            write(file)
        os.umask(mask := os.umask(0))
        os.chmod(beside, 0o666 & ~mask)
        os.replace(beside, path)
    except BaseException:
        os.remove(beside)
        raise


def save(figure, out):
    """Writes out.png and out.svg, or the one that `out` ends in, each as write_beside does, without dates or versions in
    them."""
    kind_wanted = os.path.splitext(out)[1]
    for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None, "Creator": None})):
        if kind_wanted in (".png", ".svg") and kind_wanted != "." + kind:
            continue
        path = out if kind_wanted == "." + kind else f"{out}.{kind}"
        try:
            write_beside(path, lambda file: figure.savefig(file, format=kind, metadata=metadata))
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}: expected a place to write to") from error
        print(path)


class InputError(Exception):
    """Its text is one line for the user: FILE:LINE: what was expected."""


def run(main):
    """Calls main; an error in the input becomes one line on stderr and status 2."""
    try:
        main()
    except InputError as error:
        print(f"{os.path.basename(sys.argv[0])}: {error}", file=sys.stderr)
        sys.exit(2)


def read_text(path):
    try:
        if path == "-":
            return sys.stdin.read()
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except OSError as error:
        raise InputError(f"{path}:1: {error.strerror}: expected a readable file") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}:1: expected text in UTF-8") from error


LONGEST_LINE = 100_000


def read_table(path, needed):
    """(line number, row) of a CSV file that has these columns, at least."""
    text = read_text(path)
    if text and not text.endswith("\n"):
        raise InputError(f"{path}:{text.count(chr(10)) + 1}: the file ends inside this line: expected a line end")
    if "\0" in text or any(len(line) > LONGEST_LINE for line in text.split("\n")):
        raise InputError(f"{path}:1: expected text in lines of at most {LONGEST_LINE} characters")
    text = text.replace("\r\n", "\n")
    if "\r" in text:
        raise InputError(f"{path}:{text.count(chr(10), 0, text.index(chr(13))) + 1}: expected no carriage return inside a line")
    reader = csv.DictReader(io.StringIO(text))
    missing = [column for column in needed if column not in (reader.fieldnames or [])]
    if missing:
        raise InputError(f"{path}:1: expected the columns {', '.join(missing)} in its header")
    lines = text.count("\n")
    for row in reader:
        if list(row.values()) != list(row):  # of files one after the other, each has its header
            yield min(reader.line_num, lines), row
