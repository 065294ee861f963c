"""What validation needs of a selection table (docs/formats.md)."""
import dataclasses
import json

from validation.mpi import ValidationError


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


def read_table(path: str) -> Table:
    try:
        with open(path, encoding="utf-8") as file:
            table = json.load(file)
        if table["format"] != "tutti-table-1":
            raise KeyError("format")
        predicted = {Cell(cell["collective"], cell["nodes"], cell["ppn"], cell["bytes"]): dict(cell["times_us"])
                     for cell in table["cells"]}
        return Table(table["machine"], table["mode"], predicted)
    except OSError as error:
        raise ValidationError(f"{path}: {error.strerror}: expected a selection table") from error
    except json.JSONDecodeError as error:
        raise ValidationError(f"{path}:{error.lineno}: expected JSON: {error.msg}") from error
    except (KeyError, TypeError) as error:
        raise ValidationError(f"{path}:1: expected a selection table that tutti tune wrote (missing: {error})") from error


def chosen(table: Table, wanted: dict[str, set | None]) -> list[Cell]:
    """The cells whose fields (collective, ranks, bytes) are among the wanted values; None: all."""
    cells = [cell for cell in table.predicted_us
             if all(values is None or getattr(cell, field) in values for field, values in wanted.items())]
    if not cells:
        raise ValidationError("expected at least one cell of the table that is asked for")
    return sorted(cells, key=dataclasses.astuple)
