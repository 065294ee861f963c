"""What the scripts share that needs nothing but Python: colours, names, sizes, tables in CSV, and files that are whole or not there."""
import csv
import io
import math
import os
import re
import stat
import sys
import tempfile

# Told apart with any of the common colour blindnesses: Tol's "muted" scheme, dark and light alternating.
COLOURS = ["#332288", "#DDCC77", "#117733", "#88CCEE", "#882255", "#CC6677", "#44AA99", "#AA4499", "#999933"]
HATCHES = ["", "////", "....", "\\\\\\\\", "xxxx"]
LONGEST_LINE = 100_000


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
    """Without its parameters: "ring:segment=64K" and "hier(node=ring:segment=64K)" are ring and hier, "hier|hier(node=ring)", which run both, too."""
    return re.split(r"[(:|]", algorithm, maxsplit=1)[0]


def what_runs(runs, algorithm):
    """Under this name, by the `runs` of a table's cell, which say it of those that fall back."""
    return runs.get(algorithm, algorithm)


def margin_at(times, between, runs, choice):
    """By how much the next is slower in a table's cell, at least where its time was inferred; below 0: it is faster. None: there is no other."""
    ran = what_runs(runs, choice)
    others = [min(time, between[name][0]) if name in between else time
              for name, time in times.items() if what_runs(runs, name) not in (choice, ran)]
    mine = times.get(choice)
    if not others or mine is None:
        return None
    return min(others) / mine - 1 if mine > 0 else 0.0


def with_what_runs(algorithm, runs):
    """Where it is something else: "ring, which runs recursive_doubling"."""
    return algorithm if runs == algorithm else f"{algorithm}, which runs {runs}"


def is_power_of_two(number):
    return number & (number - 1) == 0


def size_text(size):
    for suffix, unit in (("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10)):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {suffix}B"
    return f"{size} B"


def number_of(row, column, convert, least, where):
    """The field of a table's row as a number from `least` on."""
    try:
        value = convert(row[column])
    except (TypeError, ValueError):
        value = math.nan
    if not least <= value < math.inf:
        raise InputError(f"{where}: expected {column} as a number from {least} on, found '{row[column]}'")
    return value


def permissions(path):
    """Those of a file that is written over, or of any new one, also where a link lies: what that leads to says nothing of this file."""
    if os.path.isfile(path) and not os.path.islink(path):
        return stat.S_IMODE(os.stat(path).st_mode) & 0o777
    os.umask(mask := os.umask(0))
    return 0o666 & ~mask


def write_output(path, write):
    """The file that the user named: a link is followed, a pipe or a device written to; else a temporary file beside it, under a name
    that cannot be foreseen, is renamed, so that nobody sees a part."""
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        write(whole := io.BytesIO())  # a picture is not written from its beginning to its end
        with open(os.open(path, os.O_WRONLY | os.O_NOCTTY), "wb") as file:
            file.write(whole.getvalue())
        return
    path = os.path.realpath(path)
    descriptor, beside = tempfile.mkstemp(prefix=os.path.basename(path) + ".part", dir=os.path.dirname(path) or ".")
    try:
        with os.fdopen(descriptor, "wb") as file:
            write(file)
        os.chmod(beside, permissions(path))
        os.replace(beside, path)
    except BaseException:
        os.remove(beside)
        raise


def write_result(path, write):
    """As write_output, and prints the path; InputError where it cannot be written."""
    try:
        write_output(path, write)
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
