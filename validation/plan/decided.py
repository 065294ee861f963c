"""The table whose choices follow what is believed after the measurements."""
import math

from validation import json_file
from validation.decided import decide, place_of, table_text
from validation.plan.belief import Belief
from validation.table import Cell


def expected_us(beliefs: list[Belief]) -> dict[Cell, dict[str, float]]:
    found: dict[Cell, dict[str, float]] = {}
    for belief in beliefs:
        for number, time in enumerate(belief.times):
            found.setdefault(time.cell, {})[time.choice] = math.exp(belief.mean[number] + belief.covariance[number, number] / 2)
    return found


def decided_table(path: str, beliefs: list[Belief], medians_us: dict[Cell, dict[str, float]]) -> str:
    """The table of `path` with what was measured in its cells, and times and rules by what is expected."""
    table = json_file.parse(json_file.read_text(path, "a selection table"), path)
    for cell in table["cells"]:
        if found := medians_us.get(place_of(cell)):
            cell["measured_us"] = dict(sorted({**cell.get("measured_us", {}), **found}.items()))
    decide(table, expected_us(beliefs))
    return table_text(table)
