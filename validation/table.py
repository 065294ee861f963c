"""What validation needs of a selection table (docs/formats.md)."""
import dataclasses
import sys

from validation import ValidationError, json_file
from validation.command import did_you_mean


@dataclasses.dataclass(frozen=True)
class Cell:
    """A collective on so many nodes and ranks a node, at a size in the total convention."""
    collective: str
    nodes: int
    ppn: int
    bytes: int

    @property
    def ranks(self) -> int:
        return self.nodes * self.ppn


@dataclasses.dataclass
class Table:
    machine: str
    mode: str
    predicted_us: dict[Cell, dict[str, float]]  # of every candidate, by its text such as "chain:fanout=8"
    library: str = ""  # only among what this one can be told was searched ("open-mpi-4.1"); empty: among all


def cell_of(fields: json_file.Fields) -> Cell:
    return Cell(fields.text("collective"), fields.whole("nodes", 1, 1 << 30), fields.whole("ppn", 1, 1 << 30),
                fields.whole("bytes", 0))


def read_table(path: str) -> Table:
    """Throws ValidationError "FILE:LINE: what was expected"."""
    text = json_file.read_text(path, "a selection table")
    table = json_file.parse(text, path)
    head = json_file.Fields(table, f"{path}:1")
    if table.get("format") != "tutti-table-1":
        raise ValidationError(f'{path}:1: expected a selection table that tutti tune wrote, with "format": "tutti-table-1"')
    predicted: dict[Cell, dict[str, float]] = {}
    for line, one in json_file.elements(table, text, "cells", path):
        fields = json_file.Fields(one, f"{path}:{line}")
        if "counts" in one:
            raise ValidationError(f"{path}:{line}: {fields.text('collective')} is tuned for counts '{fields.text('counts')}', which validation "
                                  "does not measure: expected a table of equal blocks")
        predicted[cell_of(fields)] = dict(fields.times("times_us"))
    if table.get("loads", ["none"]) != ["none"]:
        print(f"{path}: its times are beside {', '.join(table['loads'])}: nothing is started here that makes such a load",
              file=sys.stderr)
    return Table(head.text("machine"), head.text("mode"), predicted, head.text("for") if "for" in table else "")


def warn_of_other_library(table: Table, path: str, series: str) -> None:
    """Where the table was tuned for another library than that Open MPI."""
    if table.library and not table.library.startswith(f"open-mpi-{series}"):
        print(f"warning: {path}: was tuned among what {table.library} can be told alone: nothing else that Open MPI {series} has is measured "
              f"(tutti tune --for open-mpi-{series} looks among all that it has)", file=sys.stderr)


def listed(values: set, most: int = 12) -> str:
    ordered = sorted(values)
    return ", ".join(map(str, ordered[:most])) + (f", … {ordered[-1]}" if len(ordered) > most else "")


def chosen(table: Table, wanted: dict[str, set | None]) -> list[Cell]:
    """The cells whose fields (collective, ranks, bytes) are among the wanted values; None: all. Refuses a value that no cell has."""
    for field, values in wanted.items():
        known = {getattr(cell, field) for cell in table.predicted_us}
        option = {"collective": "collectives"}.get(field, field)
        if values is not None and not values & known or field == "collective" and values is not None and values - known:
            missing = sorted(map(str, values - known))[0]
            raise ValidationError(f"--{option} {missing}: expected {'one' if field == 'collective' else 'some'} of the table's: "
                                  f"{listed(known)}{did_you_mean(missing, known)}")
    cells = [cell for cell in table.predicted_us
             if all(values is None or getattr(cell, field) in values for field, values in wanted.items())]
    if not cells:
        raise ValidationError("expected a cell of the table that is all of what is asked for: it has each, but not together")
    return sorted(cells, key=dataclasses.astuple)
