"""The table with what was measured in it: docs/formats.md, tables/table.schema.json."""
import json

from validation.mpi.table import Cell
from validation.mpi.verdict import Verdict


def line_list(items: list[dict]) -> str:
    return "[\n  " + ",\n  ".join(json.dumps(item, separators=(",", ":")) for item in items) + "\n ]"


def with_measurements(table: dict, verdicts: list[Verdict], times_us: dict[Cell, dict[str, float]]) -> str:
    """As tutti writes tables: a cell or rule a line. `table`: as it was read; `times_us`: medians by algorithm."""
    regret = {verdict.plan.cell: verdict.regret.value for verdict in verdicts}
    for cell in table["cells"]:
        measured = times_us.get(Cell(cell["collective"], cell["nodes"], cell["ppn"], cell["bytes"]))
        if measured:
            cell["measured_us"] = dict(sorted(measured.items()))
    for rule in table["rules"]:
        most = rule["to_bytes"]
        found = [value for cell, value in regret.items()
                 if (cell.collective, cell.nodes, cell.ppn) == (rule["collective"], rule["nodes"], rule["ppn"])
                 and rule["from_bytes"] <= cell.bytes and (most is None or cell.bytes <= most)]
        if found:
            rule["measured_regret"] = max(0.0, max(found) - 1)
    head = "".join(f' {json.dumps(key)}: {json.dumps(value)},\n' for key, value in table.items()
                   if key not in ("cells", "rules"))
    return f'{{\n{head} "cells": {line_list(table["cells"])},\n "rules": {line_list(table["rules"])}\n}}\n'
