"""Reads what selection_map draws of a selection table (docs/formats.md)."""
import collections
import json
import re

import drawing
from drawing import InputError

# to_bytes None: no end. margin: by how much the runner-up is slower, 0.1 is 10 %, NOT_DECIDED where nobody knows; None: there is none.
Rule = collections.namedtuple("Rule", "collective nodes ppn from_bytes to_bytes algorithm margin")
# times: by the choice, in microseconds; between: what those that were inferred take at least and at most; runs: what runs under the names of those
# that fall back; undecided: whether another may be faster.
Cell = collections.namedtuple("Cell", "bytes times between runs undecided")
# sizes: by (collective, ppn) the smallest, above 0, and the largest that were tuned.
# cells: by (collective, nodes, ppn), ascending in size.
Table = collections.namedtuple("Table", "machine rules sizes cells")
NOT_DECIDED = float("-inf")
UNKNOWN_SIZES = (8, 4 << 20)


def lines_of_rules(text):
    """The line on which each element of the array "rules" begins."""
    start = re.search(r'"rules"\s*:\s*\[', text)
    lines, position = [], start.end() if start else len(text)
    between, decoder = re.compile(r"[\s,]*"), json.JSONDecoder()
    while (position := between.match(text, position).end()) < len(text) and text[position] != "]":
        lines.append(text.count("\n", 0, position) + 1)
        _, position = decoder.raw_decode(text, position)
    return lines


def read_rule(raw, where):
    if not isinstance(raw, dict):
        raise InputError(f"{where}: expected a rule, an object")
    for key in ("collective", "algorithm"):
        if not isinstance(raw.get(key), str) or not raw[key]:
            raise InputError(f'{where}: expected "{key}", a text')
    for key, least in (("nodes", 1), ("ppn", 1), ("from_bytes", 0), ("to_bytes", 0)):
        value = raw.get(key, "absent")
        if key == "to_bytes" and value is None:
            continue
        if type(value) is not int or value < least:
            raise InputError(f'{where}: expected "{key}", a whole number from {least} on')
    margin = NOT_DECIDED if raw.get("undecided") else raw.get("margin") if raw.get("runner_up") is not None else None
    if margin is not None and type(margin) not in (int, float):
        raise InputError(f'{where}: expected "margin", a number')
    rule = Rule(*(raw[field] for field in Rule._fields[:-1]), margin)
    if rule.to_bytes is not None and rule.to_bytes < rule.from_bytes:
        raise InputError(f'{where}: expected "to_bytes" not below "from_bytes"')
    return rule


def read_table(path):
    text = drawing.read_text(path)
    try:
        table = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: expected JSON: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise InputError(f"{path}:1: expected JSON: {error}") from error
    if not isinstance(table, dict) or table.get("format") != "tutti-table-1":
        raise InputError(f'{path}:1: expected a selection table, with "format": "tutti-table-1"')
    if not isinstance(table.get("rules"), list) or not table["rules"]:
        raise InputError(f'{path}:1: expected "rules", an array of at least one rule')
    rules = [read_rule(raw, f"{path}:{line}") for raw, line in zip(table["rules"], lines_of_rules(text))]
    listed = table.get("cells", [])
    kinds = (("bytes", int), ("nodes", int), ("ppn", int), ("collective", str), ("times_us", dict))
    if not isinstance(listed, list) or any(not isinstance(cell, dict) or any(type(cell.get(key)) is not kind for key, kind in kinds)
                                           for cell in listed):
        raise InputError(f'{path}:1: expected "cells", an array of objects with "collective", "nodes", "ppn", "bytes" and "times_us"')
    sizes, cells = collections.defaultdict(set), collections.defaultdict(list)
    for cell in listed:
        if cell["bytes"] > 0:
            sizes[cell["collective"], cell["ppn"]].add(cell["bytes"])
        cells[cell["collective"], cell["nodes"], cell["ppn"]].append(
            Cell(cell["bytes"], cell["times_us"], cell.get("between_us", {}), cell.get("runs", {}), bool(cell.get("undecided"))))
    panels = {(rule.collective, rule.ppn) for rule in rules}
    extent = {panel: (min(sizes[panel]), max(sizes[panel])) if sizes[panel] else UNKNOWN_SIZES for panel in panels}
    return Table(str(table.get("machine", "")), rules, extent, {place: sorted(these, key=lambda cell: cell[0]) for place, these in cells.items()})
