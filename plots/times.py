"""Times as `tutti simulate --csv` writes them."""
import collections

import drawing
from drawing import InputError

COLUMNS = ("system", "collective", "algorithm", "ranks", "nodes", "ppn", "bytes", "time_us", "engine", "mode")

Point = collections.namedtuple("Point", "panel algorithm engine bytes time_us chosen")
Panel = collections.namedtuple("Panel", "collective system ranks nodes ppn mode")


def read_point(row, where):
    def number(column, convert, least):
        return drawing.number_of(row, column, convert, least, where)

    if None in row or None in row.values():
        raise InputError(f"{where}: expected as many fields as in the header")
    for column in ("collective", "algorithm"):
        if not row[column]:
            raise InputError(f"{where}: expected {column}")
    panel = Panel(row["collective"], row["system"], *(number(column, int, 1) for column in ("ranks", "nodes", "ppn")),
                  row["mode"])
    return Point(panel, row["algorithm"], row["engine"], number("bytes", int, 0), number("time_us", float, 0),
                 row.get("chosen") or row["algorithm"])


def falls_back(point):
    """Whether another algorithm runs than the one that was asked for; a default was asked for nothing else."""
    return point.chosen != point.algorithm and not point.algorithm.startswith("default:")


def read_points(path):
    points = [read_point(row, f"{path}:{line}") for line, row in drawing.read_table(path, COLUMNS)]
    if not points:
        raise InputError(f"{path}:2: expected at least one row")
    return points
