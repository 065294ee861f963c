"""What validation needs of a selection table (docs/formats.md)."""
import dataclasses

from validation import ValidationError, json_file


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
        predicted[cell_of(fields)] = dict(fields.times("times_us"))
    return Table(head.text("machine"), head.text("mode"), predicted)


def chosen(table: Table, wanted: dict[str, set | None]) -> list[Cell]:
    """The cells whose fields (collective, ranks, bytes) are among the wanted values; None: all."""
    cells = [cell for cell in table.predicted_us
             if all(values is None or getattr(cell, field) in values for field, values in wanted.items())]
    if not cells:
        raise ValidationError("expected at least one cell of the table that is asked for")
    return sorted(cells, key=dataclasses.astuple)
