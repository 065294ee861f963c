"""The table with what was measured in it: docs/formats.md, tables/table.schema.json."""
import json

from validation.table import Cell
from validation.verdict import Verdict


PLACE = ("collective", "nodes", "ppn")


def place_of(cell: dict) -> Cell:
    return Cell(*(cell[key] for key in PLACE), cell["bytes"])


def line_list(items: list[dict]) -> str:
    return "[\n  " + ",\n  ".join(json.dumps(item, separators=(",", ":")) for item in items) + "\n ]"


def decided_rules(table: dict, times_us: dict[Cell, dict[str, float]]) -> list[dict]:
    """The table's rules, but where a size was measured, the fastest of what was: one rule from each such size to the next.
    Times and margins of these rules are measured ones, except predicted_us."""
    rules = []
    cells = [cell for cell in table["cells"] if set(times_us.get(place_of(cell), {})) & set(cell["times_us"])]
    decided = {tuple(cell[key] for key in PLACE) for cell in cells}
    for place in sorted(decided):
        sizes = sorted((cell for cell in cells if tuple(cell[key] for key in PLACE) == place), key=lambda cell: cell["bytes"])
        for number, cell in enumerate(sizes):
            measured = times_us[place_of(cell)]
            candidates = sorted((name for name in measured if name in cell["times_us"]), key=lambda name: (measured[name], name))
            best, rest = candidates[0], candidates[1:]
            rules.append({**dict(zip(PLACE, place)), "from_bytes": 0 if number == 0 else cell["bytes"],
                          "to_bytes": sizes[number + 1]["bytes"] - 1 if number + 1 < len(sizes) else None, "algorithm": best,
                          "predicted_us": cell["times_us"][best], "regret": 0, "runner_up": rest[0] if rest else None,
                          "margin": measured[rest[0]] / measured[best] - 1 if rest else 0, "engine": table["engine"],
                          "inferred": best in cell.get("inferred", [])})
    rules += [rule for rule in table["rules"] if tuple(rule[key] for key in PLACE) not in decided]
    return sorted(rules, key=lambda rule: (*(rule[key] for key in PLACE), rule["from_bytes"]))


def with_measurements(table: dict, verdicts: list[Verdict], times_us: dict[Cell, dict[str, float]], decide: bool) -> str:
    """As tutti writes tables: a cell or rule a line. `table`: as it was read; `times_us`: medians by algorithm, of those that
    were measured to the end. `decide`: the rules follow them."""
    regret = {verdict.plan.cell: verdict.regret.value for verdict in verdicts}
    for cell in table["cells"]:
        measured = times_us.get(place_of(cell))
        if measured:
            cell["measured_us"] = dict(sorted(measured.items()))
    if decide:
        table["rules"], regret = decided_rules(table, times_us), {}
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
